/* The part of an exchange's life in which it waits: for a render thread, a tile's flight, or
 * whatever else posts its notice. */
#include "server/http/http_request.h"
#include "server/http/jobs/admission.h"
#include "server/render/cost.h"

/* A relief tile of terra costs some 17 million. */
#define SHORT_COST_MAX (20 * COST_MILLION)

/* Of a suspended connection: the library closes it only after it was resumed. */
static int connection_socket(const struct http_request *request)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(request->mhd_connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/* In the order of their deadlines: almost always the last one. */
static void queue_wait_timeout(struct http_request *request)
{
    struct event_loop *loop = request->loop;
    struct http_request *before = loop->waiting_by_deadline_last;
    while (before && before->deadline > request->deadline)
        before = before->previous;
    request->previous = before;
    request->next = before ? before->next : loop->waiting_by_deadline;
    *(before ? &before->next : &loop->waiting_by_deadline) = request;
    *(request->next ? &request->next->previous : &loop->waiting_by_deadline_last) = request;
}

static void unqueue_wait_timeout(struct http_request *request)
{
    struct event_loop *loop = request->loop;
    *(request->previous ? &request->previous->next : &loop->waiting_by_deadline) = request->next;
    *(request->next ? &request->next->previous : &loop->waiting_by_deadline_last) =
        request->previous;
    request->try_cancel = NULL;
}

void http_request_pause(struct http_request *request)
{
    request->loop->suspended++;
    MHD_suspend_connection(request->mhd_connection);
    /* Where the system refuses, the client's leaving is not noticed: nothing worse. */
    if (request->on_disconnect)
        event_loop_watch_disconnect(request->loop, connection_socket(request), request);
}

void http_request_resume(struct http_request *request)
{
    if (request->on_disconnect)
        event_loop_unwatch(request->loop, connection_socket(request));
    request->on_disconnect = NULL;
    request->loop->suspended--;
    MHD_resume_connection(request->mhd_connection);
}

void http_request_begin_wait(struct http_request *request)
{
    request->state = HTTP_REQUEST_SUSPENDED;
    if (!request->deadline)
        request->deadline = request->loop->now + request->generation->queue_timeout;
    if (request->try_cancel)
        queue_wait_timeout(request);
    http_request_pause(request);
}

static void resume_request(struct completion *completion)
{
    struct http_request *request = (struct http_request *)completion;
    if (request->try_cancel)
        unqueue_wait_timeout(request);
    request->state = HTTP_REQUEST_RESUMED;
    http_request_resume(request);
}

void http_request_await(struct http_request *request, http_handler *resume)
{
    request->completion.callback = resume_request;
    request->resume = resume;
}

void http_request_on_disconnect(struct http_request *request,
                                void (*on_disconnect)(struct http_request *request))
{
    request->on_disconnect = on_disconnect;
}

void http_request_disconnected(struct http_request *request)
{
    request->on_disconnect(request);
}

void http_request_set_timeout(struct http_request *request,
                              bool (*try_cancel)(struct http_request *request))
{
    request->try_cancel = try_cancel;
}

void http_request_expire_waits(struct event_loop *loop)
{
    while (loop->waiting_by_deadline && loop->waiting_by_deadline->deadline <= loop->now) {
        struct http_request *request = loop->waiting_by_deadline;
        bool (*try_cancel)(struct http_request *) = request->try_cancel;
        unqueue_wait_timeout(request);
        if (!try_cancel(request))
            continue;
        request->wait_outcome = HTTP_WAIT_TIMED_OUT;
        request->completion.callback(&request->completion);
    }
}

/* The job's notice ends at the exchange's own. */
static void job_done(struct completion *completion)
{
    struct http_request *request = http_request_of_job((struct job *)completion);
    if (request->job.abandoned)
        request->wait_outcome = HTTP_WAIT_ABANDONED;
    request->completion.callback(&request->completion);
}

static void abandon_job(struct http_request *request)
{
    workers_abandon(request->loop->server->workers, &request->job);
}

static bool take_back_job(struct http_request *request)
{
    return workers_take_back(request->loop->server->workers, &request->job);
}

struct http_request *http_request_of_job(struct job *job)
{
    return (struct http_request *)(void *)((char *)job - offsetof(struct http_request, job));
}

enum handler_result http_request_run_job(struct http_request *request,
                                         void (*run)(struct job *job,
                                                     struct worker_context *worker),
                                         http_handler *resume, struct problem *problem)
{
    const enum priority priority =
        request->cost <= SHORT_COST_MAX ? PRIORITY_SHORT : PRIORITY_RENDER;
    http_request_await(request, resume);
    http_request_on_disconnect(request, abandon_job);
    http_request_set_timeout(request, take_back_job);
    request->job = (struct job){
        .completion = {NULL, job_done},
        .loop = request->loop,
        .run = run,
        .cost = request->cost,
        .kind = METRICS_QUESTION,
    };
    if (workers_submit(request->loop->server->workers, priority, &request->job))
        return HANDLER_WAITING;
    admission_set_busy(request->loop->server, problem,
                       "too much is waiting to be rendered; try again later");
    return HANDLER_FAILED;
}
