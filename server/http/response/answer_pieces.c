/* The pieces of an answer take turns with the jobs of others: the next one is submitted when the
 * last one is made, to the end of the queue. While it cannot be, the connection is suspended, and
 * resumed now and then to try again, and to see whether the server has to end. */
#include "server/http/response/answer_pieces.h"

#include "server/http/jobs/admission.h"
#include "server/http/jobs/http_request_wait.h"
#include "server/http/jobs/server_state.h"

enum { RETRY = 250 }; /* milliseconds, at most, until a piece is tried again */

uint64_t answer_piece_most(const struct http_request *request)
{
    const uint64_t limit = request->generation->request_limit;
    const uint64_t left = limit > ADMISSION_REQUEST ? limit - ADMISSION_REQUEST : 0;
    return left < ANSWER_PIECE_TIME ? left : ANSWER_PIECE_TIME;
}

void answer_piece_end(struct answer_job *answer)
{
    struct job *job = &answer->request->job;
    job->waited = answer->waited += job->waited;
    job->took = answer->took += job->took;
    admission_settle_piece(answer->request);
}

static enum handler_result refuse_abandoned(const struct http_request *request,
                                            struct problem *problem)
{
    admission_set_busy(request->server, problem, "the client has left");
    problem->shed_reason = SHED_ABANDONED;
    return HANDLER_FAILED;
}

static enum handler_result submit(struct http_request *request, struct problem *problem);

/* Waits until the piece may be tried again; else fails with the problem, which is set. */
static enum handler_result try_later(struct answer_job *answer, int64_t milliseconds)
{
    struct http_request *request = answer->request;
    const int64_t now = request->loop->now;
    if (!answer->has_begun || drain_is_refusing(&request->server->group.drain))
        return HANDLER_FAILED;
    if (answer->give_up == 0)
        answer->give_up = now + request->generation->queue_timeout;
    if (now >= answer->give_up)
        return HANDLER_FAILED;
    return http_request_wait_for(request, milliseconds < RETRY ? milliseconds : RETRY, submit);
}

static enum handler_result submit(struct http_request *request, struct problem *problem)
{
    struct answer_job *answer = request->work;
    if (http_request_is_abandoned(request))
        return refuse_abandoned(request, problem);
    const int64_t unpaid = admission_reserve_piece(request, answer->piece_price);
    if (unpaid > 0) {
        admission_refuse_rendering(unpaid, problem);
        return try_later(answer, unpaid / 1000 + 1);
    }
    request->wait.deadline = 0; /* each piece has one of its own */
    const enum handler_result result = answer_job_run(request, problem);
    if (result == HANDLER_FAILED) {
        admission_refund(request);
        return problem->shed_reason == SHED_QUEUE ? try_later(answer, RETRY) : result;
    }
    answer->has_begun = true;
    answer->give_up = 0;
    return result;
}

enum handler_result answer_piece_run(struct answer_job *answer, uint64_t price,
                                     struct problem *problem)
{
    answer->piece_price = price;
    return submit(answer->request, problem);
}
