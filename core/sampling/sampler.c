/* Runs a program over a grid or a list of places.
 *
 * A grid is cut into blocks of columns, and a block into bands of rows whose results stay in the
 * nearest caches; one operation at a time runs over a whole band, so every inner loop is a simple
 * loop over floats that the compiler vectorises, and the cost of dispatch is spread over 2048
 * samples. Points run as bands of NOISE_ROW_MAX places, in an order of their own if there is a
 * drainage network (ordered_points.c). Each call is planned (sampler_plan.c), then its bands are
 * evaluated (sampler_evaluate.c). */
#include "core/sampling/node_store.h"
#include "core/sampling/sampler_private.h"

#include <stdlib.h>
#include <string.h>

enum {
    BAND_SAMPLES = 2048, /* 8 KB for a result */
    /* With a drainage network, whose cells are 8 samples wide at least: in higher bands fewer of
     * them are visited twice. */
    BAND_SAMPLES_DRAINAGE = 4096,
    APART_COLUMNS_MIN = 8, /* of blocks whose samples are far apart */
};
/* The width of such blocks: 128 cells of the finest level. 128 × 128 samples of terra 234 m apart
 * take 0.53 s so, with half of it 0.65 s, with double 0.77 s, and by whole rows 2.0 s. */
#define APART_ACROSS ((int64_t)8192 * PLACE_METRE)
#define SAMPLER_SLACK ((int64_t)1 << (25 + PLACE_BITS))

struct sampler *sampler_new(void)
{
    struct sampler *sampler = aligned_alloc(_Alignof(struct sampler), sizeof *sampler);
    if (!sampler)
        return NULL;
    memset(sampler, 0, sizeof *sampler);
    sampler->kept = &sampler->own;
    sampler_set_limit(sampler, &(struct work_limit){.most = WORK_UNLIMITED});
    return sampler;
}

void sampler_set_cache(struct sampler *sampler, struct drainage_cache *cache)
{
    struct sampler_kept *own = &sampler->own;
    drainage_free(own->drainage);
    drainage_cache_release(own->cache);
    own->drainage = NULL;
    own->cache = cache ? drainage_cache_retain(cache) : NULL;
}

struct drainage_cache *sampler_cache(struct sampler *sampler)
{
    return sampler_kept_cache(sampler->kept);
}

struct drainage_cache *sampler_kept_cache(struct sampler_kept *kept)
{
    kept->cache = kept->cache ? kept->cache : drainage_cache_new(SAMPLER_MEMORY_DEFAULT);
    return kept->cache;
}

void sampler_set_limit(struct sampler *sampler, const struct work_limit *limit)
{
    work_begin(&sampler->own.work, limit);
}

const struct work_meter *sampler_meter(const struct sampler *sampler)
{
    return &sampler->own.work;
}

void sampler_free(struct sampler *sampler)
{
    if (!sampler)
        return;
    sampling_plan_free(&sampler->plan);
    free(sampler->rows.bytes);
    free(sampler->grids.bytes);
    coarse_free(sampler->coarse);
    drainage_plan_free(sampler->drainage);
    ordered_points_free(&sampler->order);
    sampler_free(sampler->own.fields);
    sampler_set_cache(sampler, NULL);
    node_store_free(sampler->own.nodes);
    free(sampler);
}

struct sampler *sampler_new_nested(struct sampler_kept *kept)
{
    struct sampler *sampler = sampler_new();
    if (sampler)
        sampler->kept = kept;
    return sampler;
}

void sampler_free_nested(struct sampler *sampler)
{
    sampler_free(sampler);
}

/* Plans the nodes of the call, if it needs any. */
static bool plan_coarse(struct sampler *sampler)
{
    const struct sampling_plan *plan = &sampler->plan;
    if (plan->coarse_count > 0 && !sampler->coarse)
        sampler->coarse = coarse_new(sampler->kept);
    if (plan->coarse_count > 0 &&
        (!sampler->coarse ||
         !coarse_begin(sampler->coarse, sampler->program, &sampler->band.uniforms)))
        return false;
    for (uint32_t i = 0; i < plan->coarse_count; i++)
        if (!coarse_add(sampler->coarse, plan->operations[i].coarse))
            return false;
    return true;
}

/* Plans what the call needs of the network. */
static bool plan_drainage(struct sampler *sampler)
{
    const struct sampling_plan *plan = &sampler->plan;
    if (plan->drainage_count == 0)
        return true;
    if (!sampler->drainage)
        sampler->drainage = drainage_plan_new(sampler->kept);
    if (!sampler->drainage ||
        !drainage_plan_begin(sampler->drainage, sampler->program, sampler->band.uniforms.spacing))
        return false;
    for (uint32_t i = 0; i < plan->drainage_count; i++)
        drainage_plan_add(sampler->drainage, plan->operations[i].drainage);
    return true;
}

/* Plans the call. */
static bool plan_call(struct sampler *sampler, const struct program *program,
                      const struct sampler_operations *wanted)
{
    sampler->program = program;
    sampler->wanted = *wanted;
    sampler->failed = false;
    if (!sampling_plan_begin(&sampler->plan, sampler->program, sampler->band.places != NULL))
        return false;
    for (unsigned i = 0; i < wanted->count; i++) /* read once more, at the end of the band */
        sampling_plan_add(&sampler->plan, sampler->program, wanted->operations[i],
                          &sampler->band.uniforms, &sampler->scratch);
    return plan_coarse(sampler) && plan_drainage(sampler);
}

/* The operations of the layers that are requested. */
static struct sampler_operations operations_of(struct sampler *sampler,
                                               const struct program *program,
                                               const struct sample_request *request)
{
    for (unsigned i = 0; i < request->count; i++)
        sampler->operations[i] = program->values[request->layers[i]];
    return (struct sampler_operations){sampler->operations, request->outputs, request->count};
}

/* The slack lets a picture at the edge of the world have its apron of samples. */
static bool in_range(int64_t first, int64_t step, uint32_t count)
{
    if (step > 4 * PLACE_LIMIT)
        return false;
    const int64_t slack = 2 * step > SAMPLER_SLACK ? 2 * step : SAMPLER_SLACK;
    const int128 last = int128_add(int128_from(first), int128_multiply(step, (int64_t)count - 1));
    return first >= -PLACE_LIMIT - slack && !int128_less(int128_from(PLACE_LIMIT + slack), last);
}

/* Ends a call that has failed: out of memory, or beyond its limit of work. */
static bool fail(const struct sampler *sampler, struct error *error)
{
    return work_fail(&sampler->kept->work, error);
}

static bool fail_range(struct error *error)
{
    return error_set(error, ERROR_LIMIT, "coordinates must be from -2^40 to 2^40 m (about 1.1e12)");
}

static bool grid_in_range(const struct sample_grid *grid, struct error *error)
{
    return (in_range(grid->x, grid->step, grid->columns) &&
            in_range(grid->y, grid->step, grid->rows)) ||
           fail_range(error);
}

/* Plans a grid whose blocks have at most `width` columns. */
static bool begin_grid(struct sampler *sampler, const struct program *program,
                       const struct sample_grid *grid, uint32_t width,
                       const struct sampler_operations *wanted)
{
    const uint32_t rows = sampler_band_rows(program, width);
    sampler->band =
        (struct band){.uniforms = {grid->z, grid->t, grid->spacing}, .step = grid->step};
    sampler->band_rows = rows < grid->rows ? rows : grid->rows;
    sampler->output_stride = grid->columns;
    return plan_call(sampler, program, wanted) &&
           sampler_reserve_rows(sampler, (size_t)sampler->band_rows * width);
}

/* Begins the block of `width` columns from column `first` on. */
static bool begin_block(struct sampler *sampler, const struct sample_grid *grid, uint32_t first,
                        uint32_t width)
{
    sampler->band.x = grid->x + first * grid->step;
    sampler->band.y = grid->y;
    sampler->band.columns = width;
    sampler->band.rows = 0;
    sampler->rows_left = grid->rows;
    sampler->output_offset = first;
    if (sampler->plan.coarse_count > 0)
        coarse_begin_block(sampler->coarse);
    return sampler_reserve_grids(sampler);
}

uint32_t sampler_band_rows(const struct program *program, uint32_t columns)
{
    const uint32_t most = program->drainage.spacing_log2 > 0 ? BAND_SAMPLES_DRAINAGE : BAND_SAMPLES;
    return columns < most ? most / columns : 1;
}

bool sampler_begin_bands(struct sampler *sampler, const struct program *program,
                         const struct sample_grid *grid, const struct sample_request *request,
                         struct error *error)
{
    const struct sampler_operations wanted = operations_of(sampler, program, request);
    if (!grid_in_range(grid, error))
        return false;
    if (!begin_grid(sampler, program, grid, grid->columns, &wanted))
        return fail(sampler, error);
    sampler_use_output_rows(sampler);
    return begin_block(sampler, grid, 0, grid->columns) || fail(sampler, error);
}

uint32_t sampler_next_band(struct sampler *sampler)
{
    struct band *band = &sampler->band;
    band->y += band->rows * band->step;
    band->rows = sampler->rows_left < sampler->band_rows ? sampler->rows_left : sampler->band_rows;
    band->count = (size_t)band->rows * band->columns;
    sampler->rows_left -= band->rows;
    if (band->rows > 0)
        sampler_run_band(sampler);
    return sampler->failed ? 0 : band->rows;
}

bool sampler_end_bands(const struct sampler *sampler, struct error *error)
{
    return !sampler->failed || fail(sampler, error);
}

/* The columns of a block, at most. Where samples of a drainage network are farther apart than their
 * detail, a row of them needs more streams than are kept until the next row: so blocks are narrow,
 * and rows find again what those above them have left. */
static uint32_t block_columns(const struct program *program, const struct sample_grid *grid)
{
    const int64_t narrow = APART_ACROSS / (grid->step > 0 ? grid->step : 1);
    if (program->drainage.spacing_log2 == 0 || place_metres(grid->step) <= 2.0 * grid->spacing ||
        narrow >= SAMPLER_COLUMNS_MAX)
        return SAMPLER_COLUMNS_MAX;
    return narrow > APART_COLUMNS_MIN ? (uint32_t)narrow : APART_COLUMNS_MIN;
}

bool sampler_nested_grid(struct sampler *sampler, const struct program *program,
                         const struct sample_grid *grid, const struct sampler_operations *wanted)
{
    const uint32_t most = block_columns(program, grid);
    const uint32_t blocks = (grid->columns + most - 1) / most;
    const uint32_t width = (grid->columns + blocks - 1) / blocks;
    if (!begin_grid(sampler, program, grid, width, wanted))
        return false;
    if (blocks == 1)
        sampler_use_output_rows(sampler);
    for (uint32_t first = 0, rows; first < grid->columns; first += width) {
        const uint32_t left = grid->columns - first;
        if (!begin_block(sampler, grid, first, left < width ? left : width))
            return false;
        while ((rows = sampler_next_band(sampler)) > 0)
            sampler->output_offset += rows * sampler->output_stride;
    }
    return !sampler->failed;
}

bool sampler_grid(struct sampler *sampler, const struct program *program,
                  const struct sample_grid *grid, const struct sample_request *request,
                  struct error *error)
{
    const struct sampler_operations wanted = operations_of(sampler, program, request);
    if (!grid_in_range(grid, error))
        return false;
    return sampler_nested_grid(sampler, program, grid, &wanted) || fail(sampler, error);
}

bool sampler_nested_points(struct sampler *sampler, const struct program *program,
                           const struct sample_points *points,
                           const struct sampler_operations *wanted)
{
    struct band *band = &sampler->band;
    *band = (struct band){.places = points->places,
                          .uniforms = {points->z, points->t, points->spacing}};
    if (!plan_call(sampler, program, wanted) ||
        !sampler_reserve_rows(sampler,
                              points->count < NOISE_ROW_MAX ? points->count : NOISE_ROW_MAX))
        return false;
    sampler_use_output_rows(sampler);
    for (size_t start = 0; start < points->count && !sampler->failed; start += band->count) {
        const size_t left = points->count - start;
        band->places = points->places + start;
        band->count = left < NOISE_ROW_MAX ? left : NOISE_ROW_MAX;
        sampler->output_offset = start;
        sampler_run_band(sampler);
    }
    return !sampler->failed;
}

bool sampler_points(struct sampler *sampler, const struct program *program,
                    const struct sample_points *points, const struct sample_request *request,
                    struct error *error)
{
    const struct sampler_operations wanted = operations_of(sampler, program, request);
    for (size_t i = 0; i < points->count; i++)
        if (!in_range(points->places[i].x, 0, 1) || !in_range(points->places[i].y, 0, 1))
            return fail_range(error);
    return (program->drainage.spacing_log2 > 0
                ? ordered_points_sample(&sampler->order, sampler, program, points, &wanted)
                : sampler_nested_points(sampler, program, points, &wanted)) ||
           fail(sampler, error);
}
