/* One request and its answer: from the request line to the last byte sent, on its loop's thread.
 *
 * exchange_begin() copies the raw target; the first call of exchange_handle() refuses what is
 * ambiguous, later ones take the body; then the route's handler answers, fails with a problem, or
 * waits for a notice and is called again. */
#ifndef TERRANE_SERVER_HTTP_EXCHANGE_H
#define TERRANE_SERVER_HTTP_EXCHANGE_H

#include <microhttpd.h>
#include <stdarg.h>

#include "core/base/buffer.h"
#include "server/cache/flight.h"
#include "server/http/context.h"
#include "server/http/headers.h"
#include "server/http/problem.h"
#include "server/http/request.h"
#include "server/http/workers.h"

struct route;
struct tile;

enum {
    EXCHANGE_BODY_MAX = 1 << 20,
    EXCHANGE_CAPTURES_MAX = 4,
};

enum handled {
    HANDLED, /* `answer` is filled */
    FAILED,  /* the problem is filled */
    WAITING, /* `resume` is called after its notice */
};

struct exchange;
typedef enum handled exchange_handler(struct exchange *exchange, struct problem *problem);

enum exchange_step {
    EXCHANGE_LINE,  /* the request line is there */
    EXCHANGE_BODY,  /* the headers are there and were accepted */
    EXCHANGE_WAITS, /* suspended */
    EXCHANGE_RESUMED,
    EXCHANGE_QUEUED, /* the answer is with the library */
};

/* What came of its waiting. */
enum exchange_fate {
    EXCHANGE_SERVED,
    EXCHANGE_EXPIRED, /* it has waited too long */
    EXCHANGE_DROPPED, /* the client has gone, and others wait */
};

struct exchange {
    struct notice notice;        /* posted by whatever it waits for; first member */
    struct flight_waiter waiter; /* of a tile's flight */
    struct job job;              /* of its own, if it needs one */
    struct exchange *next;       /* of the loop's spare, incoming or patient ones, or uploads */
    struct exchange *previous;   /* likewise, but for the spare ones */
    struct loop *loop;
    struct generation *generation; /* the worlds and settings that it began with */
    struct MHD_Connection *connection;
    struct client *client; /* whose connection it is; see reaper.h. Its peer is who asks */
    enum exchange_step step;

    char target[REQUEST_TARGET_MAX + 1];
    size_t target_length; /* as it came, even if it is longer */
    struct request request;
    struct headers headers;
    enum method method;
    bool failed; /* `problem` is what will be answered */
    struct problem problem;
    struct buffer body;
    uint64_t discarded; /* bytes of a body that is too large */
    bool uploading;     /* one of the loop's uploads */
    uint64_t fed;       /* client_fed() when a piece of its body came last */

    const struct route *route;
    const struct request_text *world_text; /* of "/worlds/{world}/…", else null */
    const struct request_text *captures[EXCHANGE_CAPTURES_MAX];

    /* What handlers use; all released at the end. */
    exchange_handler *resume;
    void (*departed)(struct exchange *exchange);
    bool (*withdraw)(struct exchange *exchange);
    enum exchange_fate fate;
    int64_t deadline;      /* of waiting, by the loop's clock; 0 before it has waited */
    uint64_t cost;         /* of its next job: see admission.h */
    struct bucket *bucket; /* the client's, if clients are limited; else null */
    int64_t paid;          /* taken from it for jobs, in microseconds */
    const struct catalog_world *world;
    bool world_pinned;
    struct tile *tile;
    bool rendered;    /* this exchange's own flight made the tile */
    const char *tier; /* or found it in this tier behind the memory; else null */
    void *work;
    void (*work_free)(void *work);

    int64_t begun; /* the loop's `now_exact` at the request line */
    /* As they came, in the library's buffer until the end; null before the headers are there. */
    const char *method_text, *version;
    const char *cache; /* what X-Terrane-Cache says; or null */

    unsigned status;      /* 0 while there is no answer */
    uint64_t body_length; /* of the answer, if it is sent */
    size_t reserved;      /* of the server's memory for answers */
    struct MHD_Response *response;
    bool response_shared; /* somebody else's: not destroyed after queueing */
};

/* What is left between two exchanges is the connection itself: see accept.h and reaper.h.
 * libmicrohttpd's callbacks; `context` is the loop. */
void *exchange_begin(void *context, const char *target, struct MHD_Connection *connection);
enum MHD_Result exchange_handle(void *context, struct MHD_Connection *connection, const char *url,
                                const char *method, const char *version, const char *upload,
                                size_t *upload_size, void **exchange);
void exchange_completed(void *context, struct MHD_Connection *connection, void **exchange,
                        enum MHD_RequestTerminationCode reason);
void exchange_log(void *context, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

/* Makes its notice one that resumes it; to be posted once, from any thread, after the handler was
 * to return WAITING. */
void exchange_await(struct exchange *exchange, exchange_handler *resume);
/* Has `run` done on a render thread with the exchange's own job, and then `resume`. It costs what
 * admission_check() was told last, and waits with the tiles if that is more than a tile costs.
 * WAITING, or FAILED if the queue is full. Should the client leave, it gives up its place; should
 * it wait too long, it is answered 503. */
enum handled exchange_run(struct exchange *exchange,
                          void (*run)(struct job *job, struct tools *tools),
                          exchange_handler *resume, struct problem *problem);
/* What exchange.c does with one that waits from now on. */
void exchange_suspend(struct exchange *exchange);
/* Takes it off its loop's list of those whose headers are coming, or chunks of a body. */
void exchange_leave_list(struct exchange *exchange);
/* To be called before WAITING is returned: should the client leave before the notice is posted,
 * `departed` is called once, on the loop's thread. A client that has only ended its sending looks
 * the same. */
void exchange_watch(struct exchange *exchange, void (*departed)(struct exchange *exchange));
/* From a response's content reader, which then returns 0: suspends the connection until
 * exchange_continue(), on the loop's thread. exchange_watch() may be called before. */
void exchange_pause(struct exchange *exchange);
void exchange_continue(struct exchange *exchange);
/* What the loop calls when the connection of a watched exchange has ended. */
void exchange_departed(struct exchange *exchange);
/* To be called before WAITING is returned: should the wait last longer than the server's deadline,
 * `withdraw` is called once, on the loop's thread. It returns true if the notice will not be posted
 * any more, and the exchange is answered 503; false if that which it waits for has begun, or is
 * there. */
void exchange_limit(struct exchange *exchange, bool (*withdraw)(struct exchange *exchange));
/* What the loop calls now and then: ends the waits whose deadline has passed. */
void exchange_expire(struct loop *loop);
/* What the loop calls when the library has wanted to go on for long although nothing has come: ends
 * chunked bodies that it can do nothing with. */
void exchange_end_stuck(struct loop *loop);
/* The exchange whose job that is. */
struct exchange *exchange_of_job(struct job *job);
void exchange_free_spares(struct loop *loop);

#endif
