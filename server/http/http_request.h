/* One request and its answer: from the request line to the last byte sent, on its loop's thread.
 *
 * http_request_begin() copies the raw target; the first call of http_request_handle() refuses what
 * is ambiguous, later ones take the body; then the route's handler answers, fails with a problem,
 * or waits for a notice and is called again. */
#ifndef TERRANE_SERVER_HTTP_HTTP_REQUEST_H
#define TERRANE_SERVER_HTTP_HTTP_REQUEST_H

#include <microhttpd.h>
#include <stdarg.h>

#include "core/base/buffer.h"
#include "server/cache/single_flight.h"
#include "server/http/jobs/workers.h"
#include "server/http/request/headers.h"
#include "server/http/request/problem.h"
#include "server/http/request/target.h"
#include "server/http/server_state.h"

struct route;
struct cached;

enum {
    HTTP_REQUEST_BODY_MAX = 1 << 20,
    HTTP_REQUEST_CAPTURES_MAX = 4,
};

enum handler_result {
    HANDLER_DONE,    /* `answer` is filled */
    HANDLER_FAILED,  /* the problem is filled */
    HANDLER_WAITING, /* `resume` is called after its notice */
};

struct http_request;
typedef enum handler_result http_handler(struct http_request *request, struct problem *problem);

enum http_request_state {
    HTTP_REQUEST_HEADERS,   /* the request line is there */
    HTTP_REQUEST_BODY,      /* the headers are there and were accepted */
    HTTP_REQUEST_SUSPENDED, /* suspended */
    HTTP_REQUEST_RESUMED,
    HTTP_REQUEST_RESPONSE_QUEUED, /* the answer is with the library */
};

/* What came of its waiting. */
enum http_wait_outcome {
    HTTP_WAIT_COMPLETED,
    HTTP_WAIT_TIMED_OUT, /* it has waited too long */
    HTTP_WAIT_ABANDONED, /* the client has gone, and others wait */
};

struct http_request {
    struct completion completion;       /* posted by whatever it waits for; first member */
    struct single_flight_waiter waiter; /* of a tile's flight */
    struct job job;                     /* of its own, if it needs one */
    struct http_request *next;     /* of the loop's spare, incoming or patient ones, or uploads */
    struct http_request *previous; /* likewise, but for the spare ones */
    struct event_loop *loop;
    struct generation *generation; /* the worlds and settings that it began with */
    struct MHD_Connection *mhd_connection;
    struct connection
        *connection; /* whose connection it is; see timeouts.h. Its peer is who asks */
    enum http_request_state state;

    char raw_target[TARGET_BYTES_MAX + 1];
    size_t raw_target_length; /* as it came, even if it is longer */
    struct http_target target;
    struct headers headers;
    enum method method;
    bool failed; /* `problem` is what will be answered */
    struct problem problem;
    struct buffer body;
    uint64_t body_bytes_discarded;    /* bytes of a body that is too large */
    bool in_chunked_uploads;          /* one of the loop's uploads */
    uint64_t bytes_at_last_body_data; /* connection_bytes_received() when a piece of its body came
                                         last */

    const struct route *route;
    const struct target_text *world_text; /* of "/worlds/{world}/…", else null */
    const struct target_text *captures[HTTP_REQUEST_CAPTURES_MAX];

    /* What handlers use; all released at the end. */
    http_handler *resume;
    void (*on_disconnect)(struct http_request *request);
    bool (*try_cancel)(struct http_request *request);
    enum http_wait_outcome wait_outcome;
    int64_t deadline;            /* of waiting, by the loop's clock; 0 before it has waited */
    uint64_t cost;               /* of its next job: see admission.h */
    struct token_bucket *bucket; /* the client's, if clients are limited; else null */
    int64_t bucket_charge;       /* taken from it for jobs, in microseconds */
    const struct catalog_world *world;
    bool world_pinned;
    struct cached *cached;
    bool rendered;    /* this exchange's own flight made the tile */
    const char *tier; /* or found it in this tier behind the memory; else null */
    void *work;
    void (*work_free)(void *work);

    int64_t started_at; /* the loop's `now_microseconds` at the request line */
    /* As they came, in the library's buffer until the end; null before the headers are there. */
    const char *method_text, *version;
    const char *cache; /* what X-Terrane-Cache says; or null */

    unsigned status;      /* 0 while there is no answer */
    uint64_t body_length; /* of the answer, if it is sent */
    size_t reserved;      /* of the server's memory for answers */
    struct MHD_Response *response;
    bool response_shared; /* somebody else's: not destroyed after queueing */
};

/* What is left between two exchanges is the connection itself: see accept.h and timeouts.h.
 * libmicrohttpd's callbacks; `context` is the loop. */
void *http_request_begin(void *context, const char *raw_target,
                         struct MHD_Connection *mhd_connection);
enum MHD_Result http_request_handle(void *context, struct MHD_Connection *mhd_connection,
                                    const char *url, const char *method, const char *version,
                                    const char *upload, size_t *upload_size, void **request);
void http_request_completed(void *context, struct MHD_Connection *mhd_connection, void **request,
                            enum MHD_RequestTerminationCode reason);
void http_request_on_library_log(void *context, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* Makes its notice one that resumes it; to be posted once, from any thread, after the handler was
 * to return WAITING. */
void http_request_await(struct http_request *request, http_handler *resume);
/* Has `run` done on a render thread with the exchange's own job, and then `resume`. It costs what
 * admission_check_cost() was told last, and waits with the tiles if that is more than a tile costs.
 * WAITING, or FAILED if the queue is full. Should the client leave, it gives up its place; should
 * it wait too long, it is answered 503. */
enum handler_result http_request_run_job(struct http_request *request,
                                         void (*run)(struct job *job,
                                                     struct worker_context *worker),
                                         http_handler *resume, struct problem *problem);
/* What http_request.c does with one that waits from now on. */
void http_request_begin_wait(struct http_request *request);
/* Takes it off its loop's list of those whose headers are coming, or chunks of a body. */
void http_request_unlink(struct http_request *request);
/* To be called before WAITING is returned: should the client leave before the notice is posted,
 * `on_disconnect` is called once, on the loop's thread. A client that has only ended its sending
 * looks the same. */
void http_request_on_disconnect(struct http_request *request,
                                void (*on_disconnect)(struct http_request *request));
/* From a response's content reader, which then returns 0: suspends the connection until
 * http_request_resume(), on the loop's thread. http_request_on_disconnect() may be called before.
 */
void http_request_pause(struct http_request *request);
void http_request_resume(struct http_request *request);
/* What the loop calls when the connection of a watched exchange has ended. */
void http_request_disconnected(struct http_request *request);
/* To be called before WAITING is returned: should the wait last longer than the server's deadline,
 * `try_cancel` is called once, on the loop's thread. It returns true if the notice will not be
 * posted any more, and the exchange is answered 503; false if that which it waits for has begun, or
 * is there. */
void http_request_set_timeout(struct http_request *request,
                              bool (*try_cancel)(struct http_request *request));
/* What the loop calls now and then: ends the waits whose deadline has passed. */
void http_request_expire_waits(struct event_loop *loop);
/* What the loop calls when the library has wanted to go on for long although nothing has come: ends
 * chunked bodies that it can do nothing with. */
void http_request_end_stuck_uploads(struct event_loop *loop);
/* The exchange whose job that is. */
struct http_request *http_request_of_job(struct job *job);
void http_request_free_pool(struct event_loop *loop);

#endif
