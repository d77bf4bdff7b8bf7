/* Threads take pieces in their order, each when there is memory for one more: pieces wait in a ring
 * until they are used, so that an expensive piece holds up nobody until the ring is full. A thread
 * that has made a piece uses the next ones that are made, unless another thread is about it. The
 * first failure ends all.
 *
 * The seconds of samples are processor time, as what other programs do now says little about the
 * hours that the work may take. */
#include "server/base/in_order.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "server/base/clock.h"

/* A place in the ring. */
struct slot {
    struct in_order_piece piece;
    bool is_made; /* and waits to be used */
    bool has_failed;
    struct error error;
    double seconds; /* of processor time, to make it */
};

struct run {
    const struct in_order *work;
    uint64_t count;                 /* of pieces */
    struct in_order_sample *sample; /* null where all pieces are made, in their order */
    int64_t begun;                  /* milliseconds */
    double seconds;                 /* of one thread, for the pieces of a sample */
    pthread_mutex_t lock;
    pthread_cond_t turned; /* `used` or `has_ended` has changed */
    struct slot *slots;
    unsigned slot_count;
    uint64_t taken; /* pieces that threads have taken */
    uint64_t used;  /* pieces that were used: whose turn it is */
    bool is_using;  /* a thread is */
    bool has_failed, has_ended;
    struct error *error;
};

/* The golden section: any beginning of the sequence is spread over the whole. */
static uint64_t sample_at(const struct in_order *work, uint64_t number)
{
    return (uint64_t)(fmod((double)number * 0.6180339887498949, 1.0) * (double)work->count);
}

/* Takes the next piece, when there is room for it; null if there is none. */
static struct slot *take_piece(struct run *run)
{
    struct slot *slot = NULL;
    pthread_mutex_lock(&run->lock);
    while (!run->has_ended && run->taken < run->count && run->taken - run->used >= run->slot_count)
        pthread_cond_wait(&run->turned, &run->lock);
    if (!run->has_ended && run->taken < run->count) {
        slot = &run->slots[run->taken % run->slot_count];
        slot->piece.number = run->sample ? sample_at(run->work, run->taken) : run->taken;
        run->taken++;
    }
    pthread_mutex_unlock(&run->lock);
    return slot;
}

static void make_piece(const struct in_order *work, struct slot *slot)
{
    struct in_order_piece *piece = &slot->piece;
    if (!piece->memory)
        piece->memory = work->begin(work->context);
    const bool has_memory = piece->memory && (piece->thread || !work->begin_thread);
    const int64_t begun = clock_thread_nanoseconds();
    slot->error = (struct error){0};
    slot->has_failed =
        !(has_memory ? work->make(work->context, piece, &slot->error) : error_memory(&slot->error));
    slot->seconds = (double)(clock_thread_nanoseconds() - begun) / 1e9;
}

static bool use_piece(struct run *run, const struct slot *slot)
{
    const struct in_order *work = run->work;
    if (slot->has_failed)
        *run->error = slot->error;
    return !slot->has_failed && (!work->use || work->use(work->context, &slot->piece, run->error));
}

/* Counts a piece of a sample that was used. True when the time is over. */
static bool count_sample(struct run *run, const struct slot *slot)
{
    run->sample->made++;
    run->seconds += slot->seconds;
    return run->sample->made >= run->sample->least &&
           clock_milliseconds() - run->begun >= run->sample->milliseconds;
}

/* Uses the pieces that are made and whose turn it is. The lock is held but while they are used. */
static void use_pieces(struct run *run)
{
    struct slot *slot;
    while (!run->is_using && !run->has_ended &&
           (slot = &run->slots[run->used % run->slot_count])->is_made) {
        run->is_using = true;
        pthread_mutex_unlock(&run->lock);
        const bool done = use_piece(run, slot);
        pthread_mutex_lock(&run->lock);
        slot->is_made = run->is_using = false;
        run->used++;
        run->has_failed = !done;
        run->has_ended = !done || (run->sample && count_sample(run, slot));
        pthread_cond_broadcast(&run->turned);
    }
}

static void *make_pieces(void *argument)
{
    struct run *run = argument;
    const struct in_order *work = run->work;
    void *thread = work->begin_thread ? work->begin_thread(work->context) : NULL;
    struct slot *slot;
    while ((slot = take_piece(run))) {
        slot->piece.thread = thread;
        make_piece(work, slot);
        pthread_mutex_lock(&run->lock);
        slot->is_made = true;
        use_pieces(run);
        pthread_mutex_unlock(&run->lock);
    }
    if (thread)
        work->end_thread(thread);
    return NULL;
}

static bool run_threads(struct run *run)
{
    const struct in_order *work = run->work;
    pthread_t threads[IN_ORDER_THREADS_MAX];
    unsigned count = 0;
    run->slot_count = work->threads * (work->ahead ? work->ahead : 1);
    run->slots = calloc(run->slot_count, sizeof *run->slots);
    if (!run->slots)
        return error_memory(run->error);
    pthread_mutex_init(&run->lock, NULL);
    pthread_cond_init(&run->turned, NULL);
    while (count + 1 < work->threads && count + 1 < run->count &&
           pthread_create(&threads[count], NULL, make_pieces, run) == 0)
        count++;
    make_pieces(run);
    while (count > 0)
        pthread_join(threads[--count], NULL);
    for (unsigned i = 0; i < run->slot_count; i++)
        if (run->slots[i].piece.memory)
            work->end(run->slots[i].piece.memory);
    free(run->slots);
    pthread_mutex_destroy(&run->lock);
    pthread_cond_destroy(&run->turned);
    return !run->has_failed;
}

bool in_order_run(const struct in_order *work, struct error *error)
{
    struct run run = {.work = work, .count = work->count, .error = error};
    return run_threads(&run);
}

bool in_order_sample(const struct in_order *work, struct in_order_sample *sample,
                     struct error *error)
{
    struct error failure = {0};
    struct run run = {
        .work = work,
        .count = work->count < sample->most ? work->count : sample->most,
        .sample = sample,
        .begun = clock_milliseconds(),
        .error = &failure,
    };
    sample->made = 0;
    if (!run_threads(&run) && failure.code != ERROR_NONE) {
        *error = failure;
        return false;
    }
    const double share = sample->made ? (double)work->count / (double)sample->made : 0.0;
    sample->seconds = run.seconds * share / work->threads;
    return true;
}
