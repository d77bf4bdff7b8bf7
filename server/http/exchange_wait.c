/* The part of an exchange's life in which it waits: for a render thread, a tile's flight, or
 * whatever else posts its notice. */
#include "server/cost.h"
#include "server/http/admission.h"
#include "server/http/exchange.h"

/* A relief tile of terra costs some 17 million. */
#define QUICK_COST (20 * COST_MILLION)

/* Of a suspended connection: the library closes it only after it was resumed. */
static int socket_of(const struct exchange *exchange)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/* In the order of their deadlines: almost always the last one. */
static void join_patient(struct exchange *exchange)
{
    struct loop *loop = exchange->loop;
    struct exchange *before = loop->patient_last;
    while (before && before->deadline > exchange->deadline)
        before = before->previous;
    exchange->previous = before;
    exchange->next = before ? before->next : loop->patient;
    *(before ? &before->next : &loop->patient) = exchange;
    *(exchange->next ? &exchange->next->previous : &loop->patient_last) = exchange;
}

static void leave_patient(struct exchange *exchange)
{
    struct loop *loop = exchange->loop;
    *(exchange->previous ? &exchange->previous->next : &loop->patient) = exchange->next;
    *(exchange->next ? &exchange->next->previous : &loop->patient_last) = exchange->previous;
    exchange->withdraw = NULL;
}

void exchange_pause(struct exchange *exchange)
{
    exchange->loop->suspended++;
    MHD_suspend_connection(exchange->connection);
    /* Where the system refuses, the client's leaving is not noticed: nothing worse. */
    if (exchange->departed)
        loop_watch_end(exchange->loop, socket_of(exchange), exchange);
}

void exchange_continue(struct exchange *exchange)
{
    if (exchange->departed)
        loop_unwatch(exchange->loop, socket_of(exchange));
    exchange->departed = NULL;
    exchange->loop->suspended--;
    MHD_resume_connection(exchange->connection);
}

void exchange_suspend(struct exchange *exchange)
{
    exchange->step = EXCHANGE_WAITS;
    if (!exchange->deadline)
        exchange->deadline = exchange->loop->now + exchange->generation->patience;
    if (exchange->withdraw)
        join_patient(exchange);
    exchange_pause(exchange);
}

static void resume_exchange(struct notice *notice)
{
    struct exchange *exchange = (struct exchange *)notice;
    if (exchange->withdraw)
        leave_patient(exchange);
    exchange->step = EXCHANGE_RESUMED;
    exchange_continue(exchange);
}

void exchange_await(struct exchange *exchange, exchange_handler *resume)
{
    exchange->notice.act = resume_exchange;
    exchange->resume = resume;
}

void exchange_watch(struct exchange *exchange, void (*departed)(struct exchange *exchange))
{
    exchange->departed = departed;
}

void exchange_departed(struct exchange *exchange)
{
    exchange->departed(exchange);
}

void exchange_limit(struct exchange *exchange, bool (*withdraw)(struct exchange *exchange))
{
    exchange->withdraw = withdraw;
}

void exchange_expire(struct loop *loop)
{
    while (loop->patient && loop->patient->deadline <= loop->now) {
        struct exchange *exchange = loop->patient;
        bool (*withdraw)(struct exchange *) = exchange->withdraw;
        leave_patient(exchange);
        if (!withdraw(exchange))
            continue;
        exchange->fate = EXCHANGE_EXPIRED;
        exchange->notice.act(&exchange->notice);
    }
}

/* The job's notice ends at the exchange's own. */
static void job_done(struct notice *notice)
{
    struct exchange *exchange = exchange_of_job((struct job *)notice);
    if (exchange->job.dropped)
        exchange->fate = EXCHANGE_DROPPED;
    exchange->notice.act(&exchange->notice);
}

static void forgo_job(struct exchange *exchange)
{
    workers_forgo(exchange->loop->server->workers, &exchange->job);
}

static bool withdraw_job(struct exchange *exchange)
{
    return workers_withdraw(exchange->loop->server->workers, &exchange->job);
}

struct exchange *exchange_of_job(struct job *job)
{
    return (struct exchange *)(void *)((char *)job - offsetof(struct exchange, job));
}

enum handled exchange_run(struct exchange *exchange,
                          void (*run)(struct job *job, struct tools *tools),
                          exchange_handler *resume, struct problem *problem)
{
    const enum lane lane = exchange->cost <= QUICK_COST ? LANE_QUESTIONS : LANE_TILES;
    exchange_await(exchange, resume);
    exchange_watch(exchange, forgo_job);
    exchange_limit(exchange, withdraw_job);
    exchange->job = (struct job){
        .notice = {NULL, job_done},
        .loop = exchange->loop,
        .run = run,
        .cost = exchange->cost,
        .kind = METRICS_QUESTION,
    };
    if (workers_submit(exchange->loop->server->workers, lane, &exchange->job))
        return WAITING;
    admission_busy(exchange->loop->server, problem,
                   "too much is waiting to be rendered; try again later");
    return FAILED;
}
