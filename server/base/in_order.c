#include "server/base/in_order.h"

#include <pthread.h>

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
