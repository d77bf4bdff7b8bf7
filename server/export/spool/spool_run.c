/* Threads take the items in blocks of consecutive ones, which lie side by side, so that what a
 * thread remembers of the land serves the next item, too. The blocks are the pieces of in_order.h.
 *
 * An estimate is of small blocks: all threads make them as they would for the spools, so the time
 * is that of cores which share their caches. */
#include "server/export/spool/spool_run.h"

#include <stdlib.h>

#include "core/base/hash.h"
#include "server/base/clock.h"
#include "server/base/in_order.h"

enum {
    /* Items side by side, of which all but the first have a neighbour whose land is still there, as
     * most of a block have. More of them would be of fewer places. */
    ESTIMATE_TOGETHER = 4,
    ESTIMATE_BLOCKS = 64,
    ESTIMATE_BLOCKS_MIN = 4, /* even if they take longer than ESTIMATE_MS */
    ESTIMATE_MS = 2000,
    SYNC_EVERY_MS = 10000,
};

/* Items that one thread makes, one behind another, of all outputs. */
struct block {
    uint64_t first;
    unsigned count;
    struct buffer bytes;
    size_t ends[SPOOL_RUN_TOGETHER_MAX * EXPORT_OUTPUTS_MAX]; /* of each item, in `bytes` */
};

/* An item that was made, of all outputs. */
struct sample {
    uint64_t item;
    size_t lengths[EXPORT_OUTPUTS_MAX];
    struct hash128 hashes[EXPORT_OUTPUTS_MAX];
};

struct work {
    const struct spool_run *run;
    uint64_t first;    /* item, of the first block */
    unsigned together; /* items of a block */
    int64_t synced;    /* milliseconds */
    /* Of an estimate: */
    uint64_t made;
    struct sample samples[ESTIMATE_BLOCKS * ESTIMATE_TOGETHER];
};

static void *begin_block(void *context)
{
    (void)context;
    return calloc(1, sizeof(struct block));
}

static void end_block(void *memory)
{
    struct block *block = memory;
    buffer_free(&block->bytes);
    free(block);
}

static void *begin_thread(void *context)
{
    const struct work *work = context;
    return work->run->maker->begin(work->run->job);
}

static bool make_block(void *context, const struct in_order_piece *piece, struct error *error)
{
    const struct work *work = context;
    const struct spool_run *run = work->run;
    struct block *block = piece->memory;
    block->first = work->first + piece->number * work->together;
    const uint64_t left = run->end - block->first;
    size_t *end = block->ends;
    block->count = left < work->together ? (unsigned)left : work->together;
    buffer_clear(&block->bytes);
    for (unsigned i = 0; i < block->count; i++)
        for (unsigned o = 0; o < run->spool_count; o++) {
            const struct spool_item item = {block->first + i, o};
            if (!run->maker->make(run->job, piece->thread, item, &block->bytes, error))
                return false;
            *end++ = block->bytes.length;
        }
    return true;
}

static struct in_order blocks_of(struct work *work)
{
    const struct spool_run *run = work->run;
    return (struct in_order){
        .count = (run->end - work->first + work->together - 1) / work->together,
        .threads = run->threads,
        .ahead = run->waiting,
        .context = work,
        .begin = begin_block,
        .end = end_block,
        .begin_thread = begin_thread,
        .end_thread = run->maker->end,
        .make = make_block,
    };
}

static bool write_block(const struct spool_run *run, const struct block *block, struct error *error)
{
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

static bool use_block(void *context, const struct in_order_piece *piece, struct error *error)
{
    struct work *work = context;
    const struct spool_run *run = work->run;
    const struct block *block = piece->memory;
    bool done = write_block(run, block, error);
    if (done && clock_milliseconds() - work->synced > SYNC_EVERY_MS) {
        done = sync_all(run, error);
        work->synced = clock_milliseconds();
    }
    return done && progress_step(run->progress, block->first + block->count - run->first,
                                 run->total, spool_bytes(run));
}

bool spool_run(const struct spool_run *run, struct error *error)
{
    struct error ignored;
    struct work work = {
        .run = run,
        .first = run->first + spool_count(run->spools[0]),
        .together = run->together,
        .synced = clock_milliseconds(),
    };
    struct in_order blocks = blocks_of(&work);
    blocks.use = use_block;
    const bool done = in_order_run(&blocks, error);
    return sync_all(run, done ? error : &ignored) && done;
}

/* Estimates */

static bool note_block(void *context, const struct in_order_piece *piece, struct error *error)
{
    struct work *work = context;
    const struct block *block = piece->memory;
    size_t from = 0;
    const size_t *end = block->ends;
    (void)error;
    for (unsigned i = 0; i < block->count; i++) {
        struct sample *sample = &work->samples[work->made++];
        sample->item = block->first + i;
        for (unsigned o = 0; o < work->run->spool_count; o++, from = *end++) {
            sample->lengths[o] = *end - from;
            sample->hashes[o] = hash_bytes(block->bytes.data + from, sample->lengths[o], 0);
        }
    }
    return true;
}

/* True if another one of the first `count` items that were made is equal. Few items may be made
 * more than once. */
static bool has_equal(const struct work *work, uint64_t count, const struct sample *sample,
                      unsigned output)
{
    const struct hash128 hash = sample->hashes[output];
    for (uint64_t i = 0; i < count; i++) {
        const struct sample *other = &work->samples[i];
        if (other->item != sample->item && other->lengths[output] == sample->lengths[output] &&
            other->hashes[output].high == hash.high && other->hashes[output].low == hash.low)
            return true;
    }
    return false;
}

/* Adds up what was made; all items are `scale` times as many. */
static struct export_estimate sum_up(const struct work *work, double scale)
{
    struct export_estimate sum = {0};
    for (uint64_t i = 0; i < work->made; i++)
        for (unsigned o = 0; o < work->run->spool_count; o++) {
            const struct sample *sample = &work->samples[i];
            const double length = scale * (double)sample->lengths[o];
            sum.bytes += length;
            if (!has_equal(work, work->made, sample, o)) {
                sum.unique += length;
                sum.once += length;
            } else if (!has_equal(work, i, sample, o)) {
                sum.once += (double)sample->lengths[o];
            }
        }
    return sum;
}

bool spool_run_estimate(const struct spool_run *run, struct export_estimate *estimate,
                        struct error *error)
{
    struct work work = {.run = run, .first = run->first, .together = ESTIMATE_TOGETHER};
    struct in_order_sample sample = {ESTIMATE_BLOCKS_MIN, ESTIMATE_BLOCKS, ESTIMATE_MS, 0, 0.0};
    struct in_order blocks = blocks_of(&work);
    blocks.use = note_block;
    if (!in_order_sample(&blocks, &sample, error))
        return false;
    const double count = (double)(run->end - run->first);
    *estimate = sum_up(&work, work.made ? count / (double)work.made : 0.0);
    estimate->seconds = sample.seconds;
    return true;
}
