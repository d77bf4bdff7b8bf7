/* Requests that the library would answer wrongly, or not at all: they are refused past it. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "server/http/account.h"
#include "server/http/exchange.h"
#include "server/http/response.h"
#include "server/http/tls.h"
#include "server/log.h"

enum { CHUNK_LINE_MAX = 2048 }; /* more without a byte of a body is no chunk's size */

/* Past the library: an answer on its socket, and no more output there. */
static void answer_directly(struct exchange *exchange, const struct problem *problem)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct buffer answer = {0};
    exchange->body_length = response_write(problem, &answer);
    if (info && !answer.failed && exchange->client->secure)
        tls_send_last(exchange->connection, answer.data, answer.length);
    else if (info && !answer.failed)
        send(info->connect_fd, answer.data, answer.length, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (info)
        shutdown(info->connect_fd, SHUT_WR);
    buffer_free(&answer);
}

/* The library has a line for each connection that breaks off, which says nothing about this server.
 */
static void pass_on(const char *text)
{
    const bool ours = (strstr(text, "llocat") && !strstr(text, "pool")) || strstr(text, "epoll");
    log_write(LOG_LIBRARY, ours ? LOG_WARNING : LOG_DEBUG, "%s", text);
}

/* Instead of the library, which is about to do worse or nothing. */
static void refuse_directly(struct exchange *exchange, enum problem_kind kind, const char *detail)
{
    problem_set(&exchange->problem, kind, "%s", detail);
    exchange->problem.close = true;
    answer_directly(exchange, &exchange->problem);
    exchange->status = problem_status(&exchange->problem);
}

static void end_directly(struct exchange *exchange, enum problem_kind kind, const char *detail)
{
    refuse_directly(exchange, kind, detail);
    exchange_leave_list(exchange);
    exchange->step = EXCHANGE_QUEUED;
    exchange->failed = true;
    account_answer(exchange);
}

/* The one whose headers have just come, or null: those of all others here are not complete. */
static struct exchange *find_complete(const struct loop *loop)
{
    struct exchange *exchange = loop->incoming;
    for (; exchange; exchange = exchange->next) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
        if (info && info->header_size > 0)
            break;
    }
    return exchange;
}

/* What libmicrohttpd 0.9.75 finds wrong with complete headers it answers twice, the second time in
 * the first answer's body; and where headers leave no room for its answer's, it closes without one.
 * Only its log tells, before it does so. Then the client is answered here, and what the library
 * sends goes nowhere. */
void exchange_log(void *context, const char *format, va_list arguments)
{
    static const struct {
        const char *complaint;
        enum problem_kind kind;
        const char *detail;
    } faults[] = {
        {"Content-Length", PROBLEM_REQUEST, "Content-Length is no whole number"},
        {"cookies", PROBLEM_HEADERS, "the cookies are longer than any that are taken"},
        {"header record", PROBLEM_HEADERS, "there are more cookies than are taken"},
    };
    struct loop *loop = context;
    struct exchange *exchange;
    char text[256];
    vsnprintf(text, sizeof text, format, arguments);
    pass_on(text);
    if (loop->queued && strstr(text, "failed to create response header"))
        refuse_directly(loop->queued, PROBLEM_HEADERS, "the headers leave no room for an answer");
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (strstr(format, faults[i].complaint) && (exchange = find_complete(loop)))
            end_directly(exchange, faults[i].kind, faults[i].detail);
}

/* Of a chunk's first line that is too long for its buffer the library takes no notice: it waits
 * with nothing to wait for. */
void exchange_end_stuck(struct loop *loop)
{
    for (struct exchange *exchange = loop->uploads, *next; exchange; exchange = next) {
        next = exchange->next;
        if (client_fed(exchange->client) < exchange->fed + CHUNK_LINE_MAX)
            continue;
        end_directly(exchange, PROBLEM_REQUEST, "a chunk's first line is too long");
        shutdown(exchange->client->socket, SHUT_RDWR);
    }
}
