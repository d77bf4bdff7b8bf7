/* A tile is made in bands of rows: the pieces of in_order.h, tile after tile, so that one large
 * tile has all threads, too, and each of them holds one band. A band is sampled with all layers at
 * once, which share work, and is encoded by the thread that sampled it; only the writing to the
 * folder, with digests and extremes, is done by one thread at a time. Where an engine's rows run
 * from the south, bands are taken from the south, and their rows turned round. */
#include "server/export/grids/grid_run.h"

#include <stdlib.h>

#include "core/sampling/sampler.h"
#include "core/worldfile/materials.h"
#include "server/base/in_order.h"

enum {
    BAND_SAMPLES = 1 << 18, /* about: in the nearest caches, and enough to share work along rows */
    ESTIMATE_BANDS = 64,
    ESTIMATE_MS = 2000,
};

/* Some rows of a tile, in the order of the file. */
struct band {
    uint32_t tile, first, rows;
};

/* What a thread makes bands in. */
struct memory {
    struct sampler *sampler;
    float *samples; /* a plane for each layer */
    struct buffer bytes;
    size_t ends[GRID_LAYERS_MAX]; /* of each layer, in `bytes` */
};

struct work {
    const struct grid_run *run;
    uint32_t *tiles; /* to be made */
    uint32_t tile_count;
    uint64_t rows, bytes; /* written */
};

/* Bands */

static uint32_t band_rows(const struct grid_plan *plan)
{
    const uint32_t side = grid_plan_side(plan), rows = BAND_SAMPLES / side;
    return rows < 1 ? 1 : rows < side ? rows : side;
}

static uint32_t bands_of_tile(const struct grid_plan *plan)
{
    return (grid_plan_side(plan) + band_rows(plan) - 1) / band_rows(plan);
}

static struct band band_at(const struct grid_plan *plan, uint32_t tile, uint32_t index)
{
    const uint32_t first = index * band_rows(plan), left = grid_plan_side(plan) - first;
    return (struct band){tile, first, left < band_rows(plan) ? left : band_rows(plan)};
}

/* The first row of the grid is the northern one, of the file the engine's. */
static struct sample_grid band_grid(const struct grid_plan *plan, const struct band *band)
{
    const struct place origin = grid_plan_origin(plan, band->tile);
    const uint32_t north =
        plan->engine->from_south ? plan->size + 1 - band->first - band->rows : band->first;
    return (struct sample_grid){
        .x = origin.x,
        .y = origin.y + north * plan->step,
        .step = plan->step,
        .columns = grid_plan_side(plan),
        .rows = band->rows,
        .spacing = place_metres(plan->step),
        .t = plan->t,
    };
}

static bool sample(const struct grid_plan *plan, const struct sample_grid *grid,
                   struct memory *memory, struct error *error)
{
    const size_t plane = (size_t)grid->columns * grid->rows;
    float *outputs[GRID_LAYERS_MAX];
    for (unsigned i = 0; i < plan->layer_count; i++)
        outputs[i] = memory->samples + i * plane;
    const struct sample_request request = {plan->layers, outputs, plan->layer_count};
    if (!sampler_grid(memory->sampler, world_program(plan->world->world), grid, &request, error))
        return false;
    if (plan->layer_count > 1)
        materials_share(outputs + 1, plan->layer_count - 1, plane);
    return true;
}

static bool check_heights(const struct grid_plan *plan, const float *heights, size_t count,
                          struct error *error)
{
    char low[NUMBER_TEXT], high[NUMBER_TEXT], height[NUMBER_TEXT];
    for (size_t i = 0; plan->format->is_scaled && i < count; i++) {
        if (grid_scale_holds(&plan->scale, heights[i]))
            continue;
        number_format_double(plan->scale.low, low);
        number_format_double(plan->scale.high, high);
        number_format_float(heights[i], height);
        return error_set(error, ERROR_LIMIT,
                         "the height %s m lies outside of the range from %s to %s m: give a wider "
                         "one with --range LOW,HIGH",
                         height, low, high);
    }
    return true;
}

static void encode(const struct grid_plan *plan, uint32_t rows, struct memory *memory)
{
    const uint32_t side = grid_plan_side(plan);
    buffer_clear(&memory->bytes);
    for (unsigned layer = 0; layer < plan->layer_count; layer++) {
        const struct grid_format *format = grid_plan_format(plan, layer);
        const float *plane = memory->samples + (size_t)layer * side * rows;
        for (uint32_t i = 0; i < rows; i++) {
            const uint32_t row = plan->engine->from_south ? rows - 1 - i : i;
            format->write(&plan->scale, plane + (size_t)row * side, side, &memory->bytes);
        }
        memory->ends[layer] = memory->bytes.length;
    }
}

static bool make_band(const struct grid_plan *plan, const struct band *band, struct memory *memory,
                      struct error *error)
{
    const struct sample_grid grid = band_grid(plan, band);
    uint32_t index[2];
    if (sample(plan, &grid, memory, error) &&
        check_heights(plan, memory->samples, (size_t)grid.columns * grid.rows, error)) {
        encode(plan, band->rows, memory);
        if (!memory->bytes.failed)
            return true;
        error_memory(error);
    }
    grid_plan_index(plan, band->tile, index);
    return error_in_path(error, "tile %u, %u", (unsigned)index[0], (unsigned)index[1]);
}

/* Threads */

static void memory_free(void *argument)
{
    struct memory *memory = argument;
    sampler_free(memory->sampler);
    free(memory->samples);
    buffer_free(&memory->bytes);
    free(memory);
}

static struct memory *memory_new(const struct grid_run *run)
{
    const struct grid_plan *plan = &run->plan;
    const size_t band = (size_t)grid_plan_side(plan) * band_rows(plan);
    struct memory *memory = calloc(1, sizeof *memory);
    if (!memory)
        return NULL;
    memory->sampler = sampler_new();
    memory->samples = malloc(band * plan->layer_count * sizeof *memory->samples);
    if (memory->sampler && memory->samples) {
        sampler_set_cache(memory->sampler, run->network);
        return memory;
    }
    memory_free(memory);
    return NULL;
}

static void *begin(void *context)
{
    const struct work *work = context;
    return memory_new(work->run);
}

static struct band piece_band(const struct work *work, uint64_t piece)
{
    const uint32_t bands = bands_of_tile(&work->run->plan);
    return band_at(&work->run->plan, work->tiles[piece / bands], (uint32_t)(piece % bands));
}

static bool make(void *context, const struct in_order_piece *piece, struct error *error)
{
    const struct work *work = context;
    const struct band band = piece_band(work, piece->number);
    return make_band(&work->run->plan, &band, piece->memory, error);
}

static bool use(void *context, const struct in_order_piece *piece, struct error *error)
{
    struct work *work = context;
    const struct grid_run *run = work->run;
    const struct memory *memory = piece->memory;
    const struct band band = piece_band(work, piece->number);
    bool done = band.first > 0 || grid_folder_begin_tile(run->folder, band.tile, error);
    size_t from = 0;
    for (unsigned layer = 0; done && layer < run->plan.layer_count; layer++) {
        done = grid_folder_add(run->folder, layer, memory->bytes.data + from,
                               memory->ends[layer] - from, error);
        from = memory->ends[layer];
    }
    if (done && band.first + band.rows == grid_plan_side(&run->plan))
        done = grid_folder_end_tile(run->folder, error);
    work->rows += band.rows;
    work->bytes += memory->bytes.length;
    const uint64_t total = (uint64_t)work->tile_count * grid_plan_side(&run->plan);
    return done && progress_step(run->progress, work->rows, total, work->bytes);
}

/* Those that the folder does not have, or all. False when memory is out. */
static bool find_tiles(const struct grid_run *run, struct work *work)
{
    const uint32_t count = grid_plan_tiles(&run->plan);
    work->tiles = malloc(count * sizeof *work->tiles);
    for (uint32_t tile = 0; work->tiles && tile < count; tile++)
        if (!run->folder || !grid_folder_has_tile(run->folder, tile))
            work->tiles[work->tile_count++] = tile;
    return work->tiles != NULL;
}

static struct in_order pieces_of(struct work *work)
{
    return (struct in_order){
        .count = (uint64_t)work->tile_count * bands_of_tile(&work->run->plan),
        .threads = work->run->threads,
        .context = work,
        .begin = begin,
        .end = memory_free,
        .make = make,
        .use = work->run->folder ? use : NULL,
    };
}

bool grid_run(const struct grid_run *run, struct error *error)
{
    struct work work = {.run = run};
    if (!find_tiles(run, &work))
        return error_memory(error);
    const struct in_order pieces = pieces_of(&work);
    const bool done = in_order_run(&pieces, error);
    free(work.tiles);
    return done;
}

bool grid_estimate(const struct grid_run *run, double *seconds, struct error *error)
{
    struct work work = {.run = run};
    struct in_order_sample sample = {1, ESTIMATE_BANDS, ESTIMATE_MS, 0, 0.0};
    if (!find_tiles(run, &work))
        return error_memory(error);
    const struct in_order pieces = pieces_of(&work);
    const bool done = in_order_sample(&pieces, &sample, error);
    *seconds = sample.seconds;
    free(work.tiles);
    return done;
}
