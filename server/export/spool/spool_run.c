/* Threads take the items in blocks of consecutive ones, which lie side by side, so that what a
 * thread remembers of the land serves the next item, too. The blocks wait in a ring for the calling
 * thread, which writes them in their order. No block is taken before there is a place in the ring
 * for it, so memory is bounded, and an expensive block holds up nobody until the ring is full. */
#include "server/export/spool/spool_run.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/base/hash.h"
#include "server/base/clock.h"
#include "server/base/in_order.h"

enum {
    /* Items side by side, of which all but the first have a neighbour whose land is still there, as
     * most of a block have. More of them would be of fewer places. */
    ESTIMATE_TOGETHER = 4,
    ESTIMATE_RUNS = 64,
    ESTIMATE_RUNS_MIN = 4, /* even if they take longer than ESTIMATE_MS */
    ESTIMATE_MS = 2000,
    SYNC_EVERY_MS = 10000,
};

/* Items that one thread makes, one behind another, of all outputs. */
struct block {
    uint64_t first;
    unsigned count;
    struct buffer bytes;
    size_t ends[SPOOL_RUN_TOGETHER_MAX * EXPORT_OUTPUTS_MAX]; /* of each item, in `bytes` */
    bool is_done;
    struct error error;
};

struct ring {
    const struct spool_run *run;
    pthread_mutex_t lock;
    pthread_cond_t has_room, has_block;
    struct block *blocks;
    unsigned size;
    uint64_t taken, written; /* blocks */
    uint64_t first, block_count;
    bool is_ended;
};

static void make_block(struct ring *ring, void *memory, struct block *block)
{
    const struct spool_run *run = ring->run;
    size_t *end = block->ends;
    block->error = (struct error){0};
    buffer_clear(&block->bytes);
    if (!memory) {
        error_memory(&block->error);
        return;
    }
    for (unsigned i = 0; i < block->count; i++)
        for (unsigned o = 0; o < run->spool_count; o++) {
            if (!run->maker->make(run->job, memory, block->first + i, o, &block->bytes,
                                  &block->error))
                return;
            *end++ = block->bytes.length;
        }
}

/* The next block to make, when there is room for it; null at the end. */
static struct block *take_block(struct ring *ring)
{
    struct block *block = NULL;
    pthread_mutex_lock(&ring->lock);
    while (!ring->is_ended && ring->taken < ring->block_count &&
           ring->taken - ring->written >= ring->size)
        pthread_cond_wait(&ring->has_room, &ring->lock);
    if (!ring->is_ended && ring->taken < ring->block_count) {
        const unsigned together = ring->run->together;
        const uint64_t first = ring->first + ring->taken * together;
        block = &ring->blocks[ring->taken++ % ring->size];
        const uint64_t left = ring->run->end - first;
        block->first = first;
        block->count = left < together ? (unsigned)left : together;
    }
    pthread_mutex_unlock(&ring->lock);
    return block;
}

static void *make_blocks(void *context)
{
    struct ring *ring = context;
    void *memory = ring->run->maker->begin();
    struct block *block;
    while ((block = take_block(ring))) {
        make_block(ring, memory, block);
        pthread_mutex_lock(&ring->lock);
        block->is_done = true;
        pthread_cond_signal(&ring->has_block);
        pthread_mutex_unlock(&ring->lock);
    }
    if (memory)
        ring->run->maker->end(memory);
    return NULL;
}

/* The next block in order, when it is made. */
static struct block *wait_for_block(struct ring *ring)
{
    struct block *block = &ring->blocks[ring->written % ring->size];
    pthread_mutex_lock(&ring->lock);
    while (!block->is_done)
        pthread_cond_wait(&ring->has_block, &ring->lock);
    pthread_mutex_unlock(&ring->lock);
    return block;
}

static void free_block(struct ring *ring, struct block *block)
{
    pthread_mutex_lock(&ring->lock);
    block->is_done = false;
    ring->written++;
    pthread_cond_broadcast(&ring->has_room);
    pthread_mutex_unlock(&ring->lock);
}

static bool write_block(const struct spool_run *run, const struct block *block, struct error *error)
{
    if (block->error.code != ERROR_NONE) {
        *error = block->error;
        return false;
    }
    size_t from = 0;
    const size_t *end = block->ends;
    for (unsigned i = 0; i < block->count; i++)
        for (unsigned o = 0; o < run->spool_count; o++, from = *end++)
            if (!spool_append(run->spools[o], block->bytes.data + from, *end - from, error))
                return false;
    return true;
}

static bool sync_all(const struct spool_run *run, struct error *error)
{
    for (unsigned o = 0; o < run->spool_count; o++)
        if (!spool_sync(run->spools[o], error))
            return false;
    return true;
}

static uint64_t spool_bytes(const struct spool_run *run)
{
    uint64_t bytes = 0;
    for (unsigned o = 0; o < run->spool_count; o++)
        bytes += spool_length(run->spools[o]);
    return bytes;
}

/* What the calling thread does. */
static bool write_blocks(struct ring *ring, struct error *error)
{
    const struct spool_run *run = ring->run;
    int64_t synced = clock_milliseconds();
    bool done = true;
    while (done && ring->written < ring->block_count) {
        struct block *block = wait_for_block(ring);
        const uint64_t end = block->first + block->count - run->first;
        done = write_block(run, block, error);
        free_block(ring, block);
        if (done && clock_milliseconds() - synced > SYNC_EVERY_MS) {
            done = sync_all(run, error);
            synced = clock_milliseconds();
        }
        done = done && progress_step(run->progress, end, run->total, spool_bytes(run));
    }
    struct error ignored;
    return sync_all(run, done ? error : &ignored) && done;
}

static bool start(struct ring *ring, pthread_t *threads, unsigned *count, struct error *error)
{
    while (*count < ring->run->threads &&
           pthread_create(&threads[*count], NULL, make_blocks, ring) == 0)
        ++*count;
    return *count > 0 || error_set(error, ERROR_MEMORY, "no thread could be started");
}

static void end(struct ring *ring, pthread_t *threads, unsigned count)
{
    pthread_mutex_lock(&ring->lock);
    ring->is_ended = true;
    pthread_cond_broadcast(&ring->has_room);
    pthread_mutex_unlock(&ring->lock);
    while (count > 0)
        pthread_join(threads[--count], NULL);
    for (unsigned i = 0; i < ring->size; i++)
        buffer_free(&ring->blocks[i].bytes);
    free(ring->blocks);
    pthread_mutex_destroy(&ring->lock);
    pthread_cond_destroy(&ring->has_room);
    pthread_cond_destroy(&ring->has_block);
}

bool spool_run(const struct spool_run *run, struct error *error)
{
    pthread_t threads[EXPORT_THREADS_MAX];
    unsigned count = 0;
    struct ring ring = {
        .run = run,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .has_room = PTHREAD_COND_INITIALIZER,
        .has_block = PTHREAD_COND_INITIALIZER,
        .size = run->threads * run->waiting,
        .first = run->first + spool_count(run->spools[0]),
    };
    ring.block_count = (run->end - ring.first + run->together - 1) / run->together;
    ring.blocks = calloc(ring.size, sizeof *ring.blocks);
    if (!ring.blocks)
        return error_memory(error);
    const bool done = start(&ring, threads, &count, error) && write_blocks(&ring, error);
    end(&ring, threads, count);
    return done;
}

/* Estimates: all threads make items as they would for the spools, so the time is that of cores
 * which share their caches. */

/* An item that was made, of all outputs. */
struct sample {
    uint64_t item;
    size_t lengths[EXPORT_OUTPUTS_MAX];
    struct hash128 hashes[EXPORT_OUTPUTS_MAX];
};

struct estimate {
    const struct spool_run *run;
    uint64_t made;
    struct sample samples[ESTIMATE_RUNS * ESTIMATE_TOGETHER];
};

/* One thread's memory, and its last items. */
struct estimate_memory {
    const struct spool_run_maker *maker;
    void *memory;
    struct buffer bytes;
    struct sample samples[ESTIMATE_TOGETHER];
    unsigned made;
};

static void *estimate_begin(void *context)
{
    const struct estimate *estimate = context;
    struct estimate_memory *own = calloc(1, sizeof *own);
    if (!own)
        return NULL;
    own->maker = estimate->run->maker;
    own->memory = own->maker->begin();
    if (own->memory)
        return own;
    free(own);
    return NULL;
}

static void estimate_end(void *memory)
{
    struct estimate_memory *own = memory;
    own->maker->end(own->memory);
    buffer_free(&own->bytes);
    free(own);
}

static bool estimate_make_item(const struct spool_run *run, struct estimate_memory *own,
                               struct sample *sample, struct error *error)
{
    for (unsigned o = 0; o < run->spool_count; o++) {
        buffer_clear(&own->bytes);
        if (!own->maker->make(run->job, own->memory, sample->item, o, &own->bytes, error))
            return false;
        sample->lengths[o] = own->bytes.length;
        sample->hashes[o] = hash_bytes(own->bytes.data, own->bytes.length, 0);
    }
    return true;
}

static bool estimate_make(void *context, void *memory, uint64_t piece, struct error *error)
{
    const struct spool_run *run = ((const struct estimate *)context)->run;
    struct estimate_memory *own = memory;
    uint64_t item = run->first + piece * ESTIMATE_TOGETHER;
    for (own->made = 0; own->made < ESTIMATE_TOGETHER && item < run->end; item++) {
        struct sample *sample = &own->samples[own->made++];
        sample->item = item;
        if (!estimate_make_item(run, own, sample, error))
            return false;
    }
    return true;
}

static bool estimate_use(void *context, void *memory, uint64_t piece, struct error *error)
{
    (void)piece;
    (void)error;
    struct estimate *estimate = context;
    const struct estimate_memory *own = memory;
    for (unsigned i = 0; i < own->made; i++)
        estimate->samples[estimate->made++] = own->samples[i];
    return true;
}

/* True if another one of the first `count` items that were made is equal. Few items may be made
 * more than once. */
static bool has_equal(const struct estimate *estimate, uint64_t count, const struct sample *sample,
                      unsigned output)
{
    const struct hash128 hash = sample->hashes[output];
    for (uint64_t i = 0; i < count; i++) {
        const struct sample *other = &estimate->samples[i];
        if (other->item != sample->item && other->lengths[output] == sample->lengths[output] &&
            other->hashes[output].high == hash.high && other->hashes[output].low == hash.low)
            return true;
    }
    return false;
}

/* Adds up what was made; all items are `scale` times as many. */
static struct export_estimate sum_up(const struct estimate *estimate, double scale)
{
    struct export_estimate sum = {0};
    for (uint64_t i = 0; i < estimate->made; i++)
        for (unsigned o = 0; o < estimate->run->spool_count; o++) {
            const struct sample *sample = &estimate->samples[i];
            const double length = scale * (double)sample->lengths[o];
            sum.bytes += length;
            if (!has_equal(estimate, estimate->made, sample, o)) {
                sum.unique += length;
                sum.once += length;
            } else if (!has_equal(estimate, i, sample, o)) {
                sum.once += (double)sample->lengths[o];
            }
        }
    return sum;
}

bool spool_run_estimate(const struct spool_run *run, struct export_estimate *estimate,
                        struct error *error)
{
    struct estimate work = {.run = run};
    struct in_order_sample sample = {ESTIMATE_RUNS_MIN, ESTIMATE_RUNS, ESTIMATE_MS, 0, 0.0};
    const uint64_t count = run->end - run->first;
    const struct in_order runs = {
        .count = (count + ESTIMATE_TOGETHER - 1) / ESTIMATE_TOGETHER,
        .threads = run->threads,
        .context = &work,
        .begin = estimate_begin,
        .end = estimate_end,
        .make = estimate_make,
        .use = estimate_use,
    };
    if (!in_order_sample(&runs, &sample, error))
        return false;
    *estimate = sum_up(&work, work.made ? (double)count / (double)work.made : 0.0);
    estimate->seconds = sample.seconds;
    return true;
}
