/* The threads that make a picture. Each takes the next band of rows, makes it beside the others,
 * waits until all bands above have been written, and writes it. So the bytes are those of one
 * thread, there is one band in memory for each thread, and while one thread compresses the others
 * paint. The bands are the same for any number of threads. */
#include <pthread.h>
#include <stdlib.h>

#include "server/render/picture_task.h"

/* Pixels of a band, about: enough rows to share work between them, few enough to stay in the cache.
 */
enum { BAND_PIXELS = 1 << 18 };

struct run {
    struct picture_task *task;
    pthread_mutex_t lock;
    pthread_cond_t turned; /* `written` or `failed` has changed */
    uint32_t taken;        /* rows that threads have taken */
    uint32_t written;      /* rows that are written: whose turn it is */
    bool failed;
    struct error *error;
};

/* Takes the next band; false if there is none. */
static bool take_band(struct run *run, struct picture_band *band)
{
    const struct sample_grid *whole = &run->task->picture->grid;
    const uint32_t most = BAND_PIXELS / whole->columns;
    pthread_mutex_lock(&run->lock);
    const uint32_t left = run->failed ? 0 : whole->rows - run->taken;
    band->row = run->taken;
    band->grid = *whole;
    band->grid.rows = most < 1 && left > 0 ? 1 : most < left ? most : left;
    band->grid.y += (int64_t)band->row * whole->step;
    run->taken += band->grid.rows;
    pthread_mutex_unlock(&run->lock);
    return left > 0;
}

/* Waits until all bands above are written. False if that failed. */
static bool await_turn(struct run *run, uint32_t row)
{
    pthread_mutex_lock(&run->lock);
    while (run->written != row && !run->failed)
        pthread_cond_wait(&run->turned, &run->lock);
    const bool turn = !run->failed;
    pthread_mutex_unlock(&run->lock);
    return turn;
}

static void end_turn(struct run *run, const struct picture_band *band, bool done)
{
    pthread_mutex_lock(&run->lock);
    run->failed = !done;
    run->written += band->grid.rows;
    pthread_cond_broadcast(&run->turned);
    pthread_mutex_unlock(&run->lock);
}

/* Writes a band that was made, or reports why it was not. Nobody else is here meanwhile. */
static bool write_band(struct run *run, const struct picture_band *band, bool made,
                       const struct error *error)
{
    const struct picture *picture = run->task->picture;
    const struct picture_output *output = run->task->output;
    if (!made)
        *run->error = *error;
    if (!made || !picture->format->picture.write(run->task, band, run->error))
        return false;
    if (output->progress)
        output->progress(output->context, band->row + band->grid.rows, picture->grid.rows);
    return true;
}

static void *make_bands(void *context)
{
    struct run *run = context;
    const struct picture *picture = run->task->picture;
    struct picture_band band = {.canvas = canvas_new()};
    while (take_band(run, &band)) {
        struct error error = {0};
        const bool made = band.canvas ? picture->format->picture.make(picture, &band, &error)
                                      : error_memory(&error);
        if (!await_turn(run, band.row))
            break;
        end_turn(run, &band, write_band(run, &band, made, &error));
    }
    free(band.samples);
    buffer_free(&band.bytes);
    canvas_free(band.canvas);
    return NULL;
}

/* Where no thread can be started, those that there are do the work. */
bool picture_run(struct picture_task *task, struct error *error)
{
    struct run run = {.task = task,
                      .lock = PTHREAD_MUTEX_INITIALIZER,
                      .turned = PTHREAD_COND_INITIALIZER,
                      .error = error};
    pthread_t threads[PICTURE_THREADS_MAX];
    unsigned count = 0;
    while (count + 1 < task->picture->threads &&
           pthread_create(&threads[count], NULL, make_bands, &run) == 0)
        count++;
    make_bands(&run);
    while (count > 0)
        pthread_join(threads[--count], NULL);
    pthread_mutex_destroy(&run.lock);
    pthread_cond_destroy(&run.turned);
    return !run.failed;
}
