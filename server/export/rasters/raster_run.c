/* Level by level: the blocks of level 0 are sampled, those of an overview are decoded from the
 * spool and reduced. So memory holds the blocks that threads work on, and of a level the places of
 * its blocks in the spool, but never its pixels. */
#include "server/export/rasters/raster_run.h"

#include <stdlib.h>

#include "core/sampling/sampler.h"

/* Blocks that may wait in memory for each thread: bands of wide rasters are large. */
enum { WAITING = 2 };

/* One level of a run. */
struct job {
    const struct raster_run *run;
    const struct spool_entry *below; /* where the blocks of the level below are; of overviews */
};

struct memory {
    struct canvas *canvas;
    struct tiff_decoder *decoder; /* of overviews */
    struct buffer bytes;
    void *pixels, *below;
    size_t length; /* of each of these */
};

static void *begin(const void *argument)
{
    const struct job *job = argument;
    struct memory *memory = calloc(1, sizeof *memory);
    if (memory)
        memory->canvas = canvas_new();
    if (memory && memory->canvas) {
        sampler_set_cache(canvas_sampler(memory->canvas), job->run->network);
        return memory;
    }
    free(memory);
    return NULL;
}

static void end(void *argument)
{
    struct memory *memory = argument;
    canvas_free(memory->canvas);
    tiff_decoder_free(memory->decoder);
    buffer_free(&memory->bytes);
    free(memory->pixels);
    free(memory->below);
    free(memory);
}

/* Samples are four bytes each while they are scaled. */
static bool reserve(struct memory *memory, const struct tiff_layout *layout)
{
    const size_t length = (size_t)layout->width * layout->height * 4;
    if (!memory->pixels)
        memory->pixels = malloc(length);
    return memory->pixels != NULL;
}

/* Overviews have tiles. */
static bool reserve_overview(struct memory *memory, const struct tiff_layout *layout)
{
    if (!memory->below)
        memory->below = malloc(tiff_layout_bytes(layout));
    if (!memory->decoder)
        memory->decoder = tiff_decoder_new(layout);
    return memory->below && memory->decoder;
}

/* Puts the up to four blocks of the level below together. */
static bool make_overview(const struct job *job, struct memory *memory,
                          const struct raster_block *block, struct error *error)
{
    const struct raster_plan *plan = job->run->plan;
    const struct raster_level *level = &plan->levels[block->level - 1];
    if (!reserve_overview(memory, &plan->layout))
        return error_memory(error);
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t column = 2 * block->column + i % 2, row = 2 * block->row + i / 2;
        if (column >= level->across || row >= level->down)
            continue;
        buffer_clear(&memory->bytes);
        if (!spool_read_bytes(job->run->spool, &job->below[(uint64_t)row * level->across + column],
                              &memory->bytes, error) ||
            !tiff_tile_decode(memory->decoder, &memory->bytes, memory->below, error))
            return false;
        raster_reduce(&plan->layout, memory->below, i % 2, i / 2, memory->pixels);
    }
    return true;
}

static bool encode(const struct job *job, const struct raster_block *block, void *pixels,
                   struct buffer *out, struct error *error)
{
    const struct raster_plan *plan = job->run->plan;
    if (job->run->encode)
        return job->run->encode(plan, &block->window, pixels, out, error);
    if (block->level == 0)
        raster_spread(&plan->layout, block->window.columns, block->window.rows, pixels);
    raster_pad(&plan->layout, block->window.columns, block->window.rows, pixels);
    return tiff_tile_encode(&plan->layout, pixels, out, error);
}

static bool make(const void *argument, void *scratch, struct spool_item item, struct buffer *out,
                 struct error *error)
{
    const struct job *job = argument;
    struct memory *memory = scratch;
    const struct raster_plan *plan = job->run->plan;
    const struct raster_block block = raster_plan_at(plan, item.number);
    bool done = reserve(memory, &plan->layout) || error_memory(error);
    if (done && block.level > 0)
        done = make_overview(job, memory, &block, error);
    else if (done)
        done = raster_read(plan->raster, memory->canvas, &block.window, memory->pixels, error);
    if (done && encode(job, &block, memory->pixels, out, error))
        return true;
    return error_in_path(error, "block %u/%u/%u", block.level, (unsigned)block.column,
                         (unsigned)block.row);
}

static const struct spool_run_maker maker = {begin, end, make};

static struct spool_run level_run(const struct raster_run *run, const struct job *job,
                                  unsigned level)
{
    const struct raster_level *made = &run->plan->levels[level];
    return (struct spool_run){
        .end = made->first + raster_level_count(made),
        .spools = &run->spool,
        .spool_count = 1,
        .threads = run->threads,
        .together = 1,
        .waiting = WAITING,
        .maker = &maker,
        .job = job,
        .progress = run->progress,
        .total = raster_plan_count(run->plan),
    };
}

/* The entries of a level's blocks, to be freed; null with an error. */
static struct spool_entry *read_entries(const struct raster_run *run,
                                        const struct raster_level *level, struct error *error)
{
    const uint64_t count = raster_level_count(level);
    struct spool_entry *entries = malloc(count * sizeof *entries);
    bool done = entries || error_memory(error);
    for (uint64_t i = 0; done && i < count; i++)
        done = spool_read_entry(run->spool, level->first + i, &entries[i], error);
    if (done)
        return entries;
    free(entries);
    return NULL;
}

static bool make_level(const struct raster_run *run, unsigned level, struct error *error)
{
    struct spool_entry *below = NULL;
    if (level > 0 && !(below = read_entries(run, &run->plan->levels[level - 1], error)))
        return false;
    const struct job job = {run, below};
    const struct spool_run blocks = level_run(run, &job, level);
    const bool done = spool_run(&blocks, error);
    free(below);
    return done;
}

bool raster_run(const struct raster_run *run, struct error *error)
{
    for (unsigned level = 0; level < run->plan->level_count; level++) {
        const struct raster_level *made = &run->plan->levels[level];
        if (spool_count(run->spool) < made->first + raster_level_count(made) &&
            !make_level(run, level, error))
            return false;
    }
    return true;
}

bool raster_run_estimate(const struct raster_run *run, struct export_estimate *estimate,
                         struct error *error)
{
    const struct job job = {run, NULL};
    const struct spool_run blocks = level_run(run, &job, 0);
    const double levels =
        (double)raster_plan_count(run->plan) / (double)raster_level_count(&run->plan->levels[0]);
    if (!spool_run_estimate(&blocks, estimate, error))
        return false;
    estimate->bytes *= levels;
    estimate->unique *= levels;
    estimate->once *= levels;
    estimate->seconds *= levels;
    return true;
}
