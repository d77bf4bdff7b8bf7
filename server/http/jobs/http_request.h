/* One request, from its request line to the last byte of its response.
 *
 * The struct is what the layers of server/http pass on to each other, and consists of one part for
 * each layer; a part is written by its owner, named beside it. A request belongs to one event loop
 * and is touched on that loop's thread alone. While it waits for a job, the render thread may use
 * `job`, and read the target, the values, the headers, the body and the worlds; the job that
 * compiles the worlds writes them and `problem`. */
#ifndef TERRANE_SERVER_HTTP_JOBS_HTTP_REQUEST_H
#define TERRANE_SERVER_HTTP_JOBS_HTTP_REQUEST_H

#include "core/base/buffer.h"
#include "server/cache/single_flight.h"
#include "server/http/jobs/account.h"
#include "server/http/jobs/workers.h"
#include "server/http/request/headers.h"
#include "server/http/request/problem.h"
#include "server/http/request/target.h"
#include "server/worlds/resolved_world.h"

struct cached_response;
struct compressed_cache;
struct http_request;
struct http_server;
struct parameter_values;
struct route;
struct static_document;

enum {
    HTTP_REQUEST_BODY_MAX = 1 << 20,
    HTTP_REQUEST_CAPTURES_MAX = 4,
    HTTP_REQUEST_WORLDS = 2,
};

/* The result of a handler: the handler answers, refuses, waits and is called again, or leaves the
 * request to the next step of its way (routes/steps.h). */
enum handler_result {
    HANDLER_CONTINUE,
    HANDLER_DONE,    /* `response` is filled */
    HANDLER_FAILED,  /* the problem is filled */
    HANDLER_WAITING, /* the handler given to http_request_await() is called after the completion */
};
typedef enum handler_result http_handler(struct http_request *request, struct problem *problem);

enum http_request_state {
    HTTP_REQUEST_HEADERS, /* the request line has come */
    HTTP_REQUEST_BODY,    /* the headers have come and were accepted */
    HTTP_REQUEST_SUSPENDED,
    HTTP_REQUEST_RESUMED,
    HTTP_REQUEST_RESPONSE_QUEUED, /* the response is with the library */
};

enum http_wait_outcome {
    HTTP_WAIT_COMPLETED,
    HTTP_WAIT_TIMED_OUT,
    HTTP_WAIT_ABANDONED, /* the client has left, or has ended its sending and too many others wait
                          */
};

/* Waiting for a completion: http_request_wait.h. */
struct request_wait {
    http_handler *resume;
    void (*on_disconnect)(struct http_request *request, bool gone);
    bool (*try_cancel)(struct http_request *request);
    enum http_wait_outcome outcome;
    int64_t deadline; /* by the loop's clock in milliseconds; 0 before the first wait */
    /* Seen while it waited: */
    int64_t sending_ended; /* when the client ended its sending, by the loop's clock; or 0 */
    bool gone;             /* the connection is broken */
};

/* The request's use of its client's account, in nanoseconds: see admission.h. */
struct request_admission {
    struct account account; /* of the client */
    uint64_t expected;      /* that its next job takes, at most */
    uint64_t reserved;      /* for its jobs, and neither given back nor kept */
    uint64_t total;         /* of all jobs that were allowed and not refunded, */
    uint64_t kept;          /* and of those of them that will not be refunded */
    uint64_t used;          /* of what is not kept, by jobs that have run: see struct job */
};

/* The tile, chunk or volume that it waits for or is answered with: products/fetch_or_render.h. */
struct request_product {
    struct single_flight_waiter waiter;
    bool starting;                  /* it starts the job, and gets an early result without a wait */
    struct cached_response *cached; /* a reference; null before it is there */
    bool rendered;                  /* for this very request */
    const char *tier;               /* or found for it in this tier behind the memory; else null */
    uint32_t waited;                /* microseconds that the render waited in the queue */
};

/* A response under construction, or a finished one that requests share: response/response.h. */
struct response {
    struct MHD_Response *mhd_response;
    bool shared; /* with other requests: must not change, and is not destroyed after queueing */
    bool failed; /* it lacks its body or a header, and must not be sent */
};

/* The response: response/response.h. */
struct request_response {
    struct response made;
    bool close;               /* the connection closes after it */
    unsigned status;          /* 0 while there is none */
    uint64_t body_length;     /* bytes, whether or not the body is sent */
    size_t reserved;          /* bytes of the server's budget for responses */
    const char *cache_status; /* the value of X-Terrane-Cache; or null */
};

/* For the log and the metrics: request_log.h. */
struct request_trace {
    int64_t started_at; /* the loop's `now_microseconds` at the request line */
    /* As received, in the library's buffer; null before the headers are there. */
    const char *method, *version;
};

/* The body while it comes in chunks: dispatch_bypass.c looks for those that are stuck. */
struct request_upload {
    bool linked;                 /* in its loop's list of chunked uploads */
    uint64_t bytes_at_last_data; /* connection_bytes_received() when data of the body came last */
    uint64_t bytes_discarded;    /* of a body that is too large */
};

struct http_request {
    struct completion completion;         /* posted by what it waits for; first member */
    struct job job;                       /* of its own, if it needs one */
    struct http_request *next, *previous; /* in one of the lists of struct loop_requests */
    struct event_loop *loop;
    struct http_server *server;
    struct generation *generation; /* the worlds and settings that it began with */
    struct MHD_Connection *mhd_connection;
    struct connection *connection;
    enum http_request_state state;

    struct headers headers;
    enum method method;
    struct buffer body;
    struct request_upload upload;

    /* Set by the router. */
    const struct route *route;
    const struct target_text *world_text; /* of "/worlds/{world}/…", else null */
    const struct target_text *captures[HTTP_REQUEST_CAPTURES_MAX];
    unsigned step; /* the next one of routes/steps.c */

    /* The worlds that the route is about, by routes/resolve.h; a second one to compare with. */
    struct resolved_world worlds[HTTP_REQUEST_WORLDS];
    bool is_pinned; /* all of them */

    /* The route's own, made by its steps and freed when the request ends. */
    void *work;
    void (*work_free)(void *work);

    struct request_wait wait;
    struct request_admission admission;
    struct request_product product;
    struct request_response response;
    struct request_trace trace;

    bool failed; /* it is answered with `problem` */
    /* All up to here is zero when a request begins; what follows is written before it is read. */
    struct problem problem;
    struct parameter_values *values; /* of the target's query, by the route's set of parameters */
    struct http_target target;
    size_t raw_target_length; /* as it came, even if it is longer than what is kept */
    char raw_target[TARGET_BYTES_MAX + 1];
};

/* The bytes of the body, which may be none, but not null. */
static inline const char *http_request_body(const struct http_request *request)
{
    return request->body.data ? (const char *)request->body.data : "";
}

/* The state that one loop keeps for its requests. Used on the loop's thread only. */
struct loop_requests {
    struct http_request *pool; /* for reuse, linked by `next` */
    unsigned pool_size;
    struct http_request *reading_headers; /* their headers have not come completely */
    struct http_request *chunked_uploads; /* a chunked body has not come completely */
    struct http_request *waiting_by_deadline, *waiting_by_deadline_last;
    struct http_request *event_streams, *last_event_stream; /* that wait: event_stream.h */
    unsigned events_seen; /* the number of the newest event when they were last woken */
    struct http_request
        *last_answered; /* the latest that was answered and has not ended; or null */
    struct compressed_cache *compressed_cache; /* response.c's; null until it is used */
    struct static_document *static_documents;  /* static_document.c's; null until one is needed */
};

#endif
