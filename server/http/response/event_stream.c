/* The library asks read_response() for bytes. With nothing to send the connection is suspended and
 * its request enters a list of its loop, in the order in which comments are due. All streams of a
 * loop are woken when the feed has a new event.
 *
 * A client that ends its sending is taken for one that has left: no browser does one without the
 * other here, and its place is free at once. A suspended stream waits for the server, so it has no
 * deadline; while it sends, the deadlines for slow readers hold (connection/timeouts.h).
 *
 * The stream is owned by the response, until the library frees it, and by the request, until it
 * ends. All members belong to the loop's thread. */
#include "server/http/response/event_stream.h"

#include <stdlib.h>
#include <string.h>

#include "server/http/jobs/admission.h"
#include "server/http/jobs/http_request_wait.h"
#include "server/http/jobs/server_state.h"
#include "server/http/response/event_feed.h"
#include "server/http/response/response.h"

enum {
    COMMENT_MS = 15000, /* proxies close a connection that is idle for 60 seconds, or 30 */
    BLOCK_BYTES = 4096,
    CONNECTIONS_SHARE = 4, /* one connection in so many may be a stream */
};

static const char content_type[] = "text/event-stream; charset=utf-8";
/* How long a browser waits before it connects again, in milliseconds. */
static const char prelude[] = "retry: 2000\n\n";
static const char comment[] = ": still here\n\n";

struct event_stream {
    unsigned references;
    struct event_feed *feed;
    struct http_request *request; /* null when it has ended */
    bool once, gone;
    int64_t comment_at; /* by the loop's clock: of the latest pause; 0 once it is used */
    unsigned seen[EVENT_KINDS];
    const struct event *event; /* the one being sent; or null */
    const char *bytes;         /* what is left to send */
    size_t left;
};

static void stream_release(struct event_stream *stream)
{
    if (--stream->references > 0)
        return;
    event_release(stream->event);
    event_feed_leave(stream->feed);
    free(stream);
}

static void list_append(struct loop_requests *requests, struct http_request *request)
{
    request->next = NULL;
    request->previous = requests->last_event_stream;
    *(request->previous ? &request->previous->next : &requests->event_streams) = request;
    requests->last_event_stream = request;
}

static void list_remove(struct loop_requests *requests, struct http_request *request)
{
    *(request->previous ? &request->previous->next : &requests->event_streams) = request->next;
    *(request->next ? &request->next->previous : &requests->last_event_stream) = request->previous;
}

static void set_phase(struct http_request *request, enum connection_phase phase)
{
    timeouts_set_phase(&request->loop->timeouts, request->connection, phase, request->loop->now);
}

static void resume_stream(struct event_stream *stream)
{
    list_remove(stream->request->loop->requests, stream->request);
    set_phase(stream->request, PHASE_SENDING);
    http_request_resume(stream->request);
}

static void client_left(struct http_request *request, bool gone)
{
    struct event_stream *stream = request->work;
    (void)gone;
    stream->gone = true;
    resume_stream(stream);
}

static ssize_t pause_stream(struct event_stream *stream)
{
    struct http_request *request = stream->request;
    stream->comment_at = request->loop->now + COMMENT_MS;
    list_append(request->loop->requests, request);
    set_phase(request, PHASE_WORKING);
    request->wait.on_disconnect = client_left;
    http_request_pause(request);
    return 0;
}

/* Sets what is sent next; false if there is nothing now. */
static bool take_next(struct event_stream *stream)
{
    event_release(stream->event);
    stream->event = NULL;
    for (enum event_kind kind = 0; kind < EVENT_KINDS && !stream->event; kind++) {
        stream->event = event_feed_take(stream->feed, kind, stream->seen[kind]);
        if (stream->event)
            stream->seen[kind] = stream->event->number;
    }
    if (stream->event) {
        stream->bytes = stream->event->text;
        stream->left = stream->event->length;
    } else if (stream->comment_at && stream->comment_at <= stream->request->loop->now) {
        stream->bytes = comment;
        stream->left = sizeof comment - 1;
    }
    stream->comment_at = 0;
    return stream->left > 0;
}

static bool is_at_end(const struct event_stream *stream)
{
    return stream->gone || drain_has_begun(&stream->request->loop->group->drain);
}

/* The library's content reader, on the loop's thread. */
static ssize_t read_response(void *context, uint64_t position, char *out, size_t size)
{
    struct event_stream *stream = context;
    (void)position;
    if (is_at_end(stream))
        return MHD_CONTENT_READER_END_OF_STREAM;
    if (stream->left == 0 && !take_next(stream))
        return stream->once ? MHD_CONTENT_READER_END_OF_STREAM : pause_stream(stream);
    const size_t part = stream->left < size ? stream->left : size;
    memcpy(out, stream->bytes, part);
    stream->bytes += part;
    stream->left -= part;
    stream->request->response.body_length += part;
    return (ssize_t)part;
}

static void response_freed(void *context)
{
    stream_release(context);
}

/* The request ends, whether or not the response was sent. */
static void stream_detach(void *work)
{
    struct event_stream *stream = work;
    stream->request = NULL;
    stream_release(stream);
}

/* Null if there are too many streams, or memory is out. */
static struct event_stream *stream_new(struct http_request *request, bool once)
{
    struct event_feed *feed = request->server->events;
    if (!event_feed_enter(feed, request->generation->connections.all / CONNECTIONS_SHARE + 1))
        return NULL;
    struct event_stream *stream = calloc(1, sizeof *stream);
    if (!stream) {
        event_feed_leave(feed);
        return NULL;
    }
    stream->references = 2; /* the request's and the response's */
    stream->feed = feed;
    stream->request = request;
    stream->once = once;
    stream->bytes = prelude;
    stream->left = sizeof prelude - 1;
    return stream;
}

static enum handler_result respond(struct http_request *request, struct response response)
{
    response_add_header(&response, "X-Accel-Buffering", "no"); /* nginx passes events on at once */
    return response_set(request, MHD_HTTP_OK, response);
}

enum handler_result event_stream_respond(struct http_request *request, bool once,
                                         struct problem *problem)
{
    if (request->method == METHOD_HEAD)
        return respond(request, response_without_stream(content_type, CACHE_NO_STORE));
    struct event_stream *stream = stream_new(request, once);
    if (!stream) {
        admission_set_busy(request->server, problem, "too many clients wait for events already");
        return HANDLER_FAILED;
    }
    request->work = stream;
    request->work_free = stream_detach;
    const struct response_stream body = {MHD_SIZE_UNKNOWN, BLOCK_BYTES, read_response,
                                         response_freed, stream};
    return respond(request, response_from_stream(&body, content_type, CACHE_NO_STORE));
}

void event_streams_wake(struct event_loop *loop)
{
    struct loop_requests *requests = loop->requests;
    const struct http_server *server = loop->group->server;
    struct http_request *request;
    if (!requests->event_streams)
        return;
    const unsigned number = event_feed_number(server->events);
    const bool all = number != requests->events_seen || drain_has_begun(&loop->group->drain);
    requests->events_seen = number;
    while ((request = requests->event_streams)) {
        struct event_stream *stream = request->work;
        if (!all && stream->comment_at > loop->now)
            return;
        resume_stream(stream);
    }
}

int64_t event_streams_timeout(const struct event_loop *loop, int64_t max)
{
    const struct http_request *first = loop->requests->event_streams;
    const struct event_stream *stream = first ? first->work : NULL;
    const int64_t left = stream ? stream->comment_at - loop->now : max;
    return left < 0 ? 0 : left < max ? left : max;
}
