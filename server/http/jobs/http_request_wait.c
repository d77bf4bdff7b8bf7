/* The waiting of requests.
 *
 * A wait begins when a handler returns HANDLER_WAITING: the library suspends the connection, and
 * the request enters a list in order of deadlines. It ends in one of three ways, and in each the
 * request's completion runs on the loop's thread and resumes the connection:
 *
 * - What it waits for posts the completion.
 * - The deadline passes. Work that has not begun is taken back, which ends the wait with
 *   HTTP_WAIT_TIMED_OUT; work that has begun is waited for.
 * - The client leaves. A suspended connection is not read, so the loop's epoll watches the socket
 *   (EPOLLRDHUP). The work is only told that nobody wants it any more: it then takes up no room in
 *   the queue, and ends with HTTP_WAIT_ABANDONED when its turn comes, or runs if nothing else
 *   waits, as a client that has only shut down its sending side still reads the response.
 *
 * The deadline is that of the first wait, so a request that waits twice is not given more time. */
#include "server/http/jobs/http_request_wait.h"

#include "server/http/jobs/admission.h"
#include "server/http/jobs/server_state.h"
#include "server/render/cost.h"

/* Jobs up to this cost overtake tiles. A relief tile of terra costs some 17 million. */
#define SHORT_COST_MAX (20 * COST_MILLION)

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
    if (request->wait.on_disconnect)
        event_loop_unwatch(request->loop, request->connection->socket);
    request->wait.on_disconnect = NULL;
    request->loop->suspended--;
    MHD_resume_connection(request->mhd_connection);
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
}

static void resume_request(struct completion *completion)
{
    struct http_request *request = (struct http_request *)completion;
    if (request->wait.try_cancel)
        unqueue_wait_timeout(request);
    request->state = HTTP_REQUEST_RESUMED;
    http_request_resume(request);
}

void http_request_await(struct http_request *request, http_handler *resume,
                        void (*on_disconnect)(struct http_request *request),
                        bool (*try_cancel)(struct http_request *request))
{
    request->completion.callback = resume_request;
    request->wait.resume = resume;
    request->wait.on_disconnect = on_disconnect;
    request->wait.try_cancel = try_cancel;
}

void http_request_disconnected(void *watcher)
{
    struct http_request *request = watcher;
    request->wait.on_disconnect(request);
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
        if (!try_cancel(request))
            continue;
        request->wait.outcome = HTTP_WAIT_TIMED_OUT;
        request->completion.callback(&request->completion);
    }
}

/* The job's completion runs that of the request. */
static void job_done(struct completion *completion)
{
    struct http_request *request = http_request_of_job((struct job *)completion);
    if (request->job.abandoned)
        request->wait.outcome = HTTP_WAIT_ABANDONED;
    request->completion.callback(&request->completion);
}

static void abandon_job(struct http_request *request)
{
    workers_abandon(request->server->workers, &request->job);
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
                                         http_handler *resume, struct problem *problem)
{
    const uint64_t cost = request->admission.cost;
    http_request_await(request, resume, abandon_job, take_back_job);
    request->job = (struct job){
        .completion = {NULL, job_done},
        .loop = request->loop,
        .run = run,
        .cost = cost,
        .kind = METRICS_QUESTION,
    };
    if (workers_submit(request->server->workers,
                       cost <= SHORT_COST_MAX ? PRIORITY_SHORT : PRIORITY_RENDER, &request->job))
        return HANDLER_WAITING;
    admission_set_queue_full(request->server, problem);
    return HANDLER_FAILED;
}
