#include "server/export/archives/export_run.h"

enum { TOGETHER = 16, WAITING = 8 };

static bool name_tile(struct error *error, struct tile_address tile)
{
    return error_in_path(error, "tile %d/%lld/%lld", tile.zoom, (long long)tile.x,
                         (long long)tile.y);
}

static void *begin(void)
{
    return tile_maker_new();
}

static void end(void *memory)
{
    tile_maker_free(memory);
}

static bool make_tile(const void *job, void *memory, uint64_t item, unsigned output,
                      struct buffer *out, struct error *error)
{
    const struct export_run *run = job;
    struct tile_order order = run->outputs[output].order;
    order.address = tile_range_world(run->range, tile_range_at(run->range, item));
    if (!tile_check(&order.address, error) || !tile_make(memory, &order, TILE_EXPORT, out, error))
        return name_tile(error, order.address);
    return !out->failed || error_memory(error);
}

static const struct spool_run_maker tile_run_maker = {begin, end, make_tile};

static struct spool_run run_of(const struct export_run *run, struct spool **spools)
{
    for (unsigned i = 0; i < run->output_count; i++)
        spools[i] = run->outputs[i].spool;
    return (struct spool_run){
        .first = run->first,
        .end = run->end,
        .spools = spools,
        .spool_count = run->output_count,
        .threads = run->threads,
        .together = TOGETHER,
        .waiting = WAITING,
        .maker = &tile_run_maker,
        .job = run,
        .progress = run->progress,
        .total = run->end - run->first,
    };
}

bool export_run(const struct export_run *run, struct error *error)
{
    struct spool *spools[EXPORT_OUTPUTS_MAX];
    const struct spool_run tiles = run_of(run, spools);
    return spool_run(&tiles, error);
}

bool export_estimate(const struct export_run *run, struct export_estimate *estimate,
                     struct error *error)
{
    struct spool *spools[EXPORT_OUTPUTS_MAX];
    const struct spool_run tiles = run_of(run, spools);
    return spool_run_estimate(&tiles, estimate, error);
}
