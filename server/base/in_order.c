/* Threads take numbers from one counter, make their pieces at the same time, and use them in turn:
 * each waits until the counter of used pieces is its own number. The first failure ends all. */
#include "server/base/in_order.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "server/base/clock.h"

struct run {
    const struct in_order *work;
    pthread_mutex_t lock;
    pthread_cond_t turned; /* `used` or `has_failed` has changed */
    uint64_t taken;        /* pieces that threads have taken */
    uint64_t used;         /* pieces that were used: whose turn it is */
    bool has_failed;
    struct error *error;
};

/* Takes the next piece; false if there is none. */
static bool take_piece(struct run *run, uint64_t *piece)
{
    pthread_mutex_lock(&run->lock);
    const bool is_left = !run->has_failed && run->taken < run->work->count;
    if (is_left)
        *piece = run->taken++;
    pthread_mutex_unlock(&run->lock);
    return is_left;
}

/* Waits until all pieces before it are used. False if that failed. */
static bool await_turn(struct run *run, uint64_t piece)
{
    pthread_mutex_lock(&run->lock);
    while (run->used != piece && !run->has_failed)
        pthread_cond_wait(&run->turned, &run->lock);
    const bool is_turn = !run->has_failed;
    pthread_mutex_unlock(&run->lock);
    return is_turn;
}

static void end_turn(struct run *run, bool done)
{
    pthread_mutex_lock(&run->lock);
    run->has_failed = !done;
    run->used++;
    pthread_cond_broadcast(&run->turned);
    pthread_mutex_unlock(&run->lock);
}

static void *make_pieces(void *argument)
{
    struct run *run = argument;
    const struct in_order *work = run->work;
    void *memory = work->begin(work->context);
    uint64_t piece;
    while (take_piece(run, &piece)) {
        struct error error = {0};
        const bool made =
            memory ? work->make(work->context, memory, piece, &error) : error_memory(&error);
        if (!await_turn(run, piece))
            break;
        if (!made)
            *run->error = error;
        end_turn(run, made && work->use(work->context, memory, piece, run->error));
    }
    if (memory)
        work->end(memory);
    return NULL;
}

bool in_order_run(const struct in_order *work, struct error *error)
{
    struct run run = {.work = work,
                      .lock = PTHREAD_MUTEX_INITIALIZER,
                      .turned = PTHREAD_COND_INITIALIZER,
                      .error = error};
    pthread_t threads[IN_ORDER_THREADS_MAX];
    unsigned count = 0;
    while (count + 1 < work->threads && count + 1 < work->count &&
           pthread_create(&threads[count], NULL, make_pieces, &run) == 0)
        count++;
    make_pieces(&run);
    while (count > 0)
        pthread_join(threads[--count], NULL);
    pthread_mutex_destroy(&run.lock);
    pthread_cond_destroy(&run.turned);
    return !run.has_failed;
}

/* Samples: their seconds are processor time, as what other programs do now says little about the
 * hours that the work may take. */

struct sampling {
    const struct in_order *work;
    struct in_order_sample *sample;
    int64_t begun;
    double seconds; /* of one thread */
};

/* One thread's memory, and what its last piece took. */
struct sample_memory {
    const struct sampling *sampling;
    void *memory;
    double seconds;
};

static void *sample_begin(void *context)
{
    const struct sampling *sampling = context;
    struct sample_memory *own = calloc(1, sizeof *own);
    if (!own)
        return NULL;
    own->sampling = sampling;
    own->memory = sampling->work->begin(sampling->work->context);
    if (own->memory)
        return own;
    free(own);
    return NULL;
}

static void sample_end(void *memory)
{
    struct sample_memory *own = memory;
    own->sampling->work->end(own->memory);
    free(own);
}

/* The golden section: any beginning of the sequence is spread over the whole. */
static uint64_t sample_at(const struct in_order *work, uint64_t number)
{
    return (uint64_t)(fmod((double)number * 0.6180339887498949, 1.0) * (double)work->count);
}

static bool sample_make(void *context, void *memory, uint64_t number, struct error *error)
{
    const struct in_order *work = ((const struct sampling *)context)->work;
    struct sample_memory *own = memory;
    const int64_t begun = clock_thread_nanoseconds();
    const bool done = work->make(work->context, own->memory, sample_at(work, number), error);
    own->seconds = (double)(clock_thread_nanoseconds() - begun) / 1e9;
    return done;
}

/* False without an error when the time is over. */
static bool sample_use(void *context, void *memory, uint64_t number, struct error *error)
{
    struct sampling *sampling = context;
    const struct in_order *work = sampling->work;
    const struct sample_memory *own = memory;
    if (work->use && !work->use(work->context, own->memory, sample_at(work, number), error))
        return false;
    sampling->sample->made++;
    sampling->seconds += own->seconds;
    return sampling->sample->made < sampling->sample->least ||
           clock_milliseconds() - sampling->begun < sampling->sample->milliseconds;
}

bool in_order_sample(const struct in_order *work, struct in_order_sample *sample,
                     struct error *error)
{
    struct sampling sampling = {.work = work, .sample = sample, .begun = clock_milliseconds()};
    struct error failure = {0};
    const struct in_order pieces = {
        .count = work->count < sample->most ? work->count : sample->most,
        .threads = work->threads,
        .context = &sampling,
        .begin = sample_begin,
        .end = sample_end,
        .make = sample_make,
        .use = sample_use,
    };
    sample->made = 0;
    if (!in_order_run(&pieces, &failure) && failure.code != ERROR_NONE) {
        *error = failure;
        return false;
    }
    const double share = sample->made ? (double)work->count / (double)sample->made : 0.0;
    sample->seconds = sampling.seconds * share / work->threads;
    return true;
}
