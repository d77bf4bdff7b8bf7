/* Requests that the library would answer wrongly, or not at all: they are refused past it. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "server/http/connection/tls.h"
#include "server/http/http_request.h"
#include "server/http/request_log.h"
#include "server/http/response/response.h"
#include "server/log/log.h"

enum { CHUNK_LINE_MAX = 2048 }; /* more without a byte of a body is no chunk's size */

/* Past the library: an answer on its socket, and no more output there. */
static void send_direct_response(struct http_request *request, const struct problem *problem)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(request->mhd_connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct buffer answer = {0};
    request->body_length = response_write_problem(problem, &answer);
    if (info && !answer.failed && request->connection->secure)
        tls_send_last(request->mhd_connection, answer.data, answer.length);
    else if (info && !answer.failed)
        send(info->connect_fd, answer.data, answer.length, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (info)
        shutdown(info->connect_fd, SHUT_WR);
    buffer_free(&answer);
}

/* The library has a line for each connection that breaks off, which says nothing about this server.
 */
static void forward_library_log(const char *text)
{
    const bool ours = (strstr(text, "llocat") && !strstr(text, "pool")) || strstr(text, "epoll");
    log_write(LOG_LIBRARY, ours ? LOG_WARNING : LOG_DEBUG, "%s", text);
}

/* Instead of the library, which is about to do worse or nothing. */
static void refuse_bypassing_library(struct http_request *request, enum problem_kind kind,
                                     const char *detail)
{
    problem_set(&request->problem, kind, "%s", detail);
    request->problem.close_connection = true;
    send_direct_response(request, &request->problem);
    request->status = problem_status(&request->problem);
}

static void end_bypassing_library(struct http_request *request, enum problem_kind kind,
                                  const char *detail)
{
    refuse_bypassing_library(request, kind, detail);
    http_request_unlink(request);
    request->state = HTTP_REQUEST_RESPONSE_QUEUED;
    request->failed = true;
    request_log_response(request);
}

/* The one whose headers have just come, or null: those of all others here are not complete. */
static struct http_request *find_complete(const struct event_loop *loop)
{
    struct http_request *request = loop->reading_headers;
    for (; request; request = request->next) {
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(
            request->mhd_connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
        if (info && info->header_size > 0)
            break;
    }
    return request;
}

/* What libmicrohttpd 0.9.75 finds wrong with complete headers it answers twice, the second time in
 * the first answer's body; and where headers leave no room for its answer's, it closes without one.
 * Only its log tells, before it does so. Then the client is answered here, and what the library
 * sends goes nowhere. */
void http_request_on_library_log(void *context, const char *format, va_list arguments)
{
    static const struct {
        const char *log_fragment;
        enum problem_kind kind;
        const char *detail;
    } faults[] = {
        {"Content-Length", PROBLEM_BAD_REQUEST, "Content-Length is no whole number"},
        {"cookies", PROBLEM_HEADERS_TOO_LARGE, "the cookies are longer than any that are taken"},
        {"header record", PROBLEM_HEADERS_TOO_LARGE, "there are more cookies than are taken"},
    };
    struct event_loop *loop = context;
    struct http_request *request;
    char text[256];
    vsnprintf(text, sizeof text, format, arguments);
    forward_library_log(text);
    if (loop->last_answered && strstr(text, "failed to create response header"))
        refuse_bypassing_library(loop->last_answered, PROBLEM_HEADERS_TOO_LARGE,
                                 "the headers leave no room for an answer");
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (strstr(format, faults[i].log_fragment) && (request = find_complete(loop)))
            end_bypassing_library(request, faults[i].kind, faults[i].detail);
}

/* Of a chunk's first line that is too long for its buffer the library takes no notice: it waits
 * with nothing to wait for. */
void http_request_end_stuck_uploads(struct event_loop *loop)
{
    for (struct http_request *request = loop->chunked_uploads, *next; request; request = next) {
        next = request->next;
        if (connection_bytes_received(request->connection) <
            request->bytes_at_last_body_data + CHUNK_LINE_MAX)
            continue;
        end_bypassing_library(request, PROBLEM_BAD_REQUEST, "a chunk's first line is too long");
        shutdown(request->connection->socket, SHUT_RDWR);
    }
}
