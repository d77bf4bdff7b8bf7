/* Requests that wait: for a render thread, a shared render, or whatever else posts their
 * completion. Meanwhile the connection is suspended, so the library does not look at it.
 *
 * A handler prepares the wait, starts the work and returns HANDLER_WAITING. All on the loop's
 * thread. */
#ifndef TERRANE_SERVER_HTTP_JOBS_HTTP_REQUEST_WAIT_H
#define TERRANE_SERVER_HTTP_JOBS_HTTP_REQUEST_WAIT_H

#include "server/http/jobs/http_request.h"

/* `resume` is called after the request's completion was posted, which must happen once, from any
 * thread.
 *
 * Should the wait outlast the queue timeout of the request's generation, or the connection break,
 * `try_cancel` is called. It returns true if the completion will not be posted any more: then the
 * request is answered 503. It returns false if the work has begun or is done: then the wait goes
 * on.
 *
 * `on_disconnect` is called, perhaps again and again, when the client has ended its sending or,
 * with `gone`, when the connection is broken and the work could not be cancelled. A client that has
 * closed its socket, and one that has only ended its sending and waits for the response, look the
 * same until something is sent. */
void http_request_await(struct http_request *request, http_handler *resume,
                        void (*on_disconnect)(struct http_request *request, bool gone),
                        bool (*try_cancel)(struct http_request *request));

/* Has a render thread call `run` with the request's own job, and then `resume`; the wait is
 * prepared here. A job of which more nanoseconds are `expected` than a tile takes waits behind
 * tiles. HANDLER_WAITING, or HANDLER_FAILED with 503 if the queue is full. If the connection
 * breaks, the job gives up its place in the queue; if the client ends its sending, the job waits
 * until no other does; after the timeout the request is answered 503. */
enum handler_result http_request_run_job(struct http_request *request, job_function *run,
                                         http_handler *resume, uint64_t expected,
                                         struct problem *problem);
/* The request that owns a job of http_request_run_job(). */
struct http_request *http_request_of_job(struct job *job);

/* Waits for time to pass: `resume` is called after so many milliseconds. HANDLER_WAITING. */
enum handler_result http_request_wait_for(struct http_request *request, int64_t milliseconds,
                                          http_handler *resume);
/* For a request that waits again and again: true if its connection is broken, or its client has
 * ended its sending longer ago than requests wait in the queue. */
bool http_request_is_abandoned(const struct http_request *request);

/* From a response's content reader, which then returns 0: suspends the connection until
 * http_request_resume(). `wait.on_disconnect` may be set before. */
void http_request_pause(struct http_request *request);
void http_request_resume(struct http_request *request);
/* Limits the present wait: `try_cancel` is called so many milliseconds from now on, or, unless the
 * wait has another function for that, when the connection breaks before. If it returns true, the
 * request's completion runs. */
void http_request_set_timeout(struct http_request *request, int64_t milliseconds,
                              bool (*try_cancel)(struct http_request *request));

/* For the dispatcher: suspends the request after its handler has returned HANDLER_WAITING. */
void http_request_begin_wait(struct http_request *request);
/* For the dispatcher: when the library calls again after the wait. */
void http_request_end_wait(struct http_request *request);
/* Milliseconds, at most `max`, until http_request_expire_waits() has something to do. */
int64_t http_request_next_timeout(const struct event_loop *loop, int64_t max);
/* Ends the waits whose deadline has passed. */
void http_request_expire_waits(struct event_loop *loop);
/* The client of a waiting request has ended its sending or, if `gone`, broken the connection. */
void http_request_disconnected(void *request, bool gone);

#endif
