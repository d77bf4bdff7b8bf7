/* Three faults of libmicrohttpd 0.9.75 that have no other cure than to answer in its place:
 *
 * - An error that it finds in complete headers it answers twice, the second time inside the first
 *   response's body. Where the headers leave no room for its response, it closes without one.
 * - Its only sign of this is a line in its log, written just before it acts. So the log callback
 *   answers at once on the socket and shuts down the sending side: what the library sends next goes
 *   nowhere.
 * - A chunk's size line that does not fit into its buffer it neither reads nor refuses: its loop
 *   requests turn after turn. Bytes that arrive while the body does not grow give it away.
 *
 * The log names no connection. But the library works on one at a time, so the request is the one
 * whose headers are complete without having been handled yet, or the last that was answered. */
#include "server/http/dispatch_bypass.h"

#include <string.h>
#include <sys/socket.h>

#include "server/http/connection/tls.h"
#include "server/http/loop_requests.h"
#include "server/http/request_log.h"
#include "server/http/response/response.h"
#include "server/log/log.h"

/* Bytes that come in a row without data of the body: more than these are no chunk's size line. */
enum { CHUNK_LINE_MAX = 2048 };

/* Writes the response on the socket, and lets no more output follow. */
static void send_direct_response(struct http_request *request, const struct problem *problem)
{
    const struct connection *connection = request->connection;
    struct buffer response = {0};
    request->response.body_length = response_write_problem(problem, &response);
    if (!response.failed && connection->secure)
        tls_send_last(request->mhd_connection, response.data, response.length);
    else if (!response.failed)
        send(connection->socket, response.data, response.length, MSG_NOSIGNAL | MSG_DONTWAIT);
    shutdown(connection->socket, SHUT_WR);
    buffer_free(&response);
}

/* Most lines are about a connection that broke off, which says nothing about this server. */
static void forward_library_log(const char *text)
{
    const bool ours = (strstr(text, "llocat") && !strstr(text, "pool")) || strstr(text, "epoll");
    log_write(LOG_LIBRARY, ours ? LOG_WARNING : LOG_DEBUG, "%s", text);
}

static void refuse(struct http_request *request, enum problem_kind kind, const char *detail)
{
    problem_set(&request->problem, kind, "%s", detail);
    request->problem.close_connection = true;
    send_direct_response(request, &request->problem);
    request->response.status = problem_status(&request->problem);
}

static void refuse_and_end(struct http_request *request, enum problem_kind kind, const char *detail)
{
    refuse(request, kind, detail);
    loop_requests_unlink(request);
    request->state = HTTP_REQUEST_RESPONSE_QUEUED;
    request->failed = true;
    request_log_response(request);
}

/* The request whose headers have just come, or null. */
static struct http_request *find_complete(const struct event_loop *loop)
{
    struct http_request *request = loop->requests->reading_headers;
    for (; request; request = request->next) {
        const union MHD_ConnectionInfo *info = MHD_get_connection_info(
            request->mhd_connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
        if (info && info->header_size > 0)
            break;
    }
    return request;
}

void dispatch_bypass_library_log(struct event_loop *loop, const char *text, const char *format)
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
    struct http_request *request;
    struct http_request *last_answered = loop->requests->last_answered;
    forward_library_log(text);
    if (last_answered && strstr(text, "failed to create response header"))
        refuse(last_answered, PROBLEM_HEADERS_TOO_LARGE, "the headers leave no room for an answer");
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (strstr(format, faults[i].log_fragment) && (request = find_complete(loop)))
            refuse_and_end(request, faults[i].kind, faults[i].detail);
}

void dispatch_bypass_end_stuck_uploads(struct event_loop *loop)
{
    struct http_request *next;
    for (struct http_request *request = loop->requests->chunked_uploads; request; request = next) {
        next = request->next;
        if (connection_bytes_received(request->connection) <
            request->upload.bytes_at_last_data + CHUNK_LINE_MAX)
            continue;
        refuse_and_end(request, PROBLEM_BAD_REQUEST, "a chunk's first line is too long");
        shutdown(request->connection->socket, SHUT_RDWR);
    }
}
