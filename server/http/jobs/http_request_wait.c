/* The waiting of requests.
 *
 * A wait begins when a handler returns HANDLER_WAITING: the library suspends the connection, and
 * the request enters a list in order of deadlines. It ends in one of three ways, and in each the
 * request's completion runs on the loop's thread and resumes the connection:
 *
 * - What it waits for posts the completion.
 * - The deadline passes. Work that has not begun is taken back, which ends the wait with
 *   HTTP_WAIT_TIMED_OUT; work that has begun is waited for.
 * - The connection breaks. A suspended connection is not read, so the loop's epoll watches the
 *   socket. Work that has not begun is taken back, which ends the wait with HTTP_WAIT_ABANDONED.
 *
 * The end of what the client sends (EPOLLRDHUP) says less: a client that has closed its TCP socket
 * and one that has only shut down its sending side, and reads on, look the same until the response
 * is sent. So the work goes on, but is done last: it leaves its queue for one that the render
 * threads look at when no other job waits. Then a map that was moved on, whose browser has closed
 * its connections, delays nobody, and a half-closed client gets its response.
 *
 * The deadline is that of the first wait, so a request that waits twice is not given more time. */
#include "server/http/jobs/http_request_wait.h"

#include "server/http/jobs/admission.h"
#include "server/http/jobs/server_state.h"

/* Nanoseconds: jobs of which no more are expected overtake tiles. A relief tile of terra takes some
 * 9 ms. */
#define SHORT_JOB_MAX ((uint64_t)10000000)

enum { LIBRARY_TIMEOUT = 3600 }; /* seconds after a wait; the library is called again at once */

/* Searches from the end: requests rarely begin to wait out of the order of their deadlines. */
static void queue_wait_timeout(struct http_request *request)
{
    struct loop_requests *requests = request->loop->requests;
    struct http_request *before = requests->waiting_by_deadline_last;
    while (before && before->wait.deadline > request->wait.deadline)
        before = before->previous;
    request->previous = before;
    request->next = before ? before->next : requests->waiting_by_deadline;
    *(before ? &before->next : &requests->waiting_by_deadline) = request;
    *(request->next ? &request->next->previous : &requests->waiting_by_deadline_last) = request;
}

static void unqueue_wait_timeout(struct http_request *request)
{
    struct loop_requests *requests = request->loop->requests;
    *(request->previous ? &request->previous->next : &requests->waiting_by_deadline) =
        request->next;
    *(request->next ? &request->next->previous : &requests->waiting_by_deadline_last) =
        request->previous;
    request->wait.try_cancel = NULL;
}

void http_request_set_timeout(struct http_request *request, int64_t milliseconds,
                              bool (*try_cancel)(struct http_request *request))
{
    request->wait.try_cancel = try_cancel;
    request->wait.deadline = request->loop->now + milliseconds;
    queue_wait_timeout(request);
}

void http_request_pause(struct http_request *request)
{
    request->loop->suspended++;
    MHD_suspend_connection(request->mhd_connection);
    /* The socket stays open while the connection is suspended. If the system refuses, the work is
     * done although the client has left: nothing worse. */
    if (request->wait.on_disconnect)
        event_loop_watch_disconnect(request->loop, request->connection->socket, request);
}

void http_request_resume(struct http_request *request)
{
    if (request->wait.try_cancel)
        unqueue_wait_timeout(request);
    if (request->wait.on_disconnect)
        event_loop_unwatch(request->loop, request->connection->socket);
    request->wait.on_disconnect = NULL;
    request->loop->suspended--;
    MHD_resume_connection(request->mhd_connection);
}

/* When a connection resumes, libmicrohttpd 0.9.75 reads from its socket before it calls the
 * handler, and closes it without a response if the client has ended its sending. Connections with a
 * timeout of their own it first looks at to see whether they are late, and that calls the handler.
 */
static void set_library_timeout(struct http_request *request, unsigned seconds)
{
    MHD_set_connection_option(request->mhd_connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

void http_request_begin_wait(struct http_request *request)
{
    struct request_wait *wait = &request->wait;
    request->state = HTTP_REQUEST_SUSPENDED;
    if (!wait->deadline)
        wait->deadline = request->loop->now + request->generation->queue_timeout;
    if (wait->try_cancel)
        queue_wait_timeout(request);
    http_request_pause(request);
    set_library_timeout(request, LIBRARY_TIMEOUT);
}

void http_request_end_wait(struct http_request *request)
{
    set_library_timeout(request, 0);
}

static void resume_request(struct completion *completion)
{
    struct http_request *request = (struct http_request *)completion;
    request->state = HTTP_REQUEST_RESUMED;
    http_request_resume(request);
}

void http_request_await(struct http_request *request, http_handler *resume,
                        void (*on_disconnect)(struct http_request *request, bool gone),
                        bool (*try_cancel)(struct http_request *request))
{
    request->completion.callback = resume_request;
    request->wait.resume = resume;
    request->wait.on_disconnect = on_disconnect;
    request->wait.try_cancel = try_cancel;
}

static bool end_pause(struct http_request *request)
{
    (void)request;
    return true;
}

static void wait_on(struct http_request *request, bool gone)
{
    (void)request, (void)gone;
}

/* Its time is over, which was to be: the next wait has a deadline of its own. */
static void pause_ended(struct completion *completion)
{
    struct http_request *request = (struct http_request *)completion;
    if (request->wait.outcome == HTTP_WAIT_TIMED_OUT)
        request->wait.outcome = HTTP_WAIT_COMPLETED;
    request->wait.deadline = 0;
    resume_request(completion);
}

enum handler_result http_request_wait_for(struct http_request *request, int64_t milliseconds,
                                          http_handler *resume)
{
    http_request_await(request, resume, wait_on, end_pause);
    request->completion.callback = pause_ended;
    request->wait.deadline = request->loop->now + milliseconds;
    return HANDLER_WAITING;
}

bool http_request_is_abandoned(const struct http_request *request)
{
    const struct request_wait *wait = &request->wait;
    return wait->gone || (wait->sending_ended && request->loop->now - wait->sending_ended >=
                                                     request->generation->queue_timeout);
}

/* Resuming the request unqueues its timeout. */
static void end_wait(struct http_request *request, enum http_wait_outcome outcome)
{
    request->wait.outcome = outcome;
    request->completion.callback(&request->completion);
}

void http_request_disconnected(void *watcher, bool gone)
{
    struct http_request *request = watcher;
    struct request_wait *wait = &request->wait;
    wait->gone |= gone;
    if (!wait->sending_ended)
        wait->sending_ended = request->loop->now;
    if (gone && wait->try_cancel && wait->try_cancel(request))
        end_wait(request, HTTP_WAIT_ABANDONED);
    else
        wait->on_disconnect(request, gone);
}

int64_t http_request_next_timeout(const struct event_loop *loop, int64_t max)
{
    const struct http_request *first = loop->requests->waiting_by_deadline;
    const int64_t left = first ? first->wait.deadline - loop->now : max;
    return left < 0 ? 0 : left < max ? left : max;
}

void http_request_expire_waits(struct event_loop *loop)
{
    struct http_request *request;
    while ((request = loop->requests->waiting_by_deadline) && request->wait.deadline <= loop->now) {
        bool (*try_cancel)(struct http_request *) = request->wait.try_cancel;
        unqueue_wait_timeout(request);
        if (try_cancel(request))
            end_wait(request, HTTP_WAIT_TIMED_OUT);
    }
}

/* The job's completion runs that of the request. */
static void job_done(struct completion *completion)
{
    struct http_request *request = http_request_of_job((struct job *)completion);
    end_wait(request, request->job.abandoned ? HTTP_WAIT_ABANDONED : request->wait.outcome);
}

static void do_job_last(struct http_request *request, bool gone)
{
    (void)gone; /* it could not be taken back, so it has begun */
    workers_move(request->server->workers, PRIORITY_LAST, &request->job);
}

static bool take_back_job(struct http_request *request)
{
    return workers_take_back(request->server->workers, &request->job);
}

struct http_request *http_request_of_job(struct job *job)
{
    return (struct http_request *)(void *)((char *)job - offsetof(struct http_request, job));
}

enum handler_result http_request_run_job(struct http_request *request, job_function *run,
                                         http_handler *resume, uint64_t expected,
                                         struct problem *problem)
{
    http_request_await(request, resume, do_job_last, take_back_job);
    request->job = (struct job){
        .completion = {NULL, job_done},
        .loop = request->loop,
        .run = run,
        .expected = expected,
        .kind = METRICS_QUESTION,
    };
    if (workers_submit(request->server->workers,
                       expected <= SHORT_JOB_MAX ? PRIORITY_SHORT : PRIORITY_RENDER, &request->job))
        return HANDLER_WAITING;
    admission_set_queue_full(request->server, problem);
    return HANDLER_FAILED;
}
