/* From the operations OP_DRAINAGE of a call to samples of the network.
 *
 * Operations are told apart by scope (a view) and output. While a call is planned, each marks its
 * output as wanted in its view. In a band, the first operation of a view that is evaluated finds
 * the cells of the samples (band_cells.h), and has the network write all wanted outputs to rows of
 * the view; those that come later in the same band find theirs there. Serial numbers tell whether a
 * view and its rows are of this call and of this band, so nothing is cleared between them.
 *
 * The network calls back for its fields while it makes streams. They are sampled by a sampler
 * nested in this one, whose program never leads back to the network. */
#include "core/sampling/drainage_plan.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/lanes.h"
#include "core/sampling/band_cells.h"
#include "core/sampling/sampler.h"
#include "core/sampling/sampler_nested.h"

/* Samples lie within ±2⁴⁴ m of the scope's origin before displacement: only scale() by small
 * factors leads out of that, and there the land of the edge goes on. */
#define SAMPLE_LIMIT_LOG2 44
/* Fields are limited to ± this. */
#define FIELD_MAX 0x1p20f

/* The numbers that requests and bands are told apart by; 0 is none. */
typedef uint64_t drainage_serial;

/* A scope: one of the program's node grids, by its number. */
struct drainage_view {
    drainage_serial request; /* that it was begun for */
    drainage_serial band;    /* that the rows are of */
    struct scope_cells scope;
    double metres; /* of the scope, between samples */
    bool wanted[DRAINAGE_OUTPUTS];
    float *rows; /* by output: `stride` samples, whole lanes */
    size_t stride, capacity;
};

struct drainage_plan {
    struct sampler_kept *kept;
    const struct program *program;
    struct drainage_network network;
    double spacing;
    drainage_serial request, band;
    uint32_t rows_after; /* the band */
    struct drainage_view *views;
    size_t view_room;
    struct band_cells found; /* of the band */
};

struct drainage_plan *drainage_plan_new(struct sampler_kept *kept)
{
    struct drainage_plan *plan = calloc(1, sizeof *plan);
    if (plan)
        plan->kept = kept;
    return plan;
}

void drainage_plan_free(struct drainage_plan *plan)
{
    if (!plan)
        return;
    for (size_t i = 0; i < plan->view_room; i++)
        free(plan->views[i].rows);
    band_cells_free(&plan->found);
    free(plan->views);
    free(plan);
}

/* ---- fields */

static void limit(float *values, size_t count, float least, float most)
{
    if (values)
        row_kernel_limit(count, least, most, values);
}

/* The columns of places that are a grid, row by row, `step` apart; 0 if they are none. */
static size_t grid_columns(const struct place *places, size_t count, int64_t *step)
{
    size_t columns = 1;
    while (columns < count && places[columns].y == places[0].y)
        columns++;
    if (columns < 2 || columns == count || count % columns != 0)
        return 0;
    *step = places[1].x - places[0].x;
    struct place place = places[0];
    for (size_t i = 0; i < count; place.y += *step) {
        place.x = places[0].x;
        for (size_t column = 0; column < columns; column++, i++, place.x += *step)
            if (places[i].x != place.x || places[i].y != place.y)
                return 0;
    }
    return *step > 0 ? columns : 0;
}

/* Samples fields as a grid where places are one, which takes less time: with the same bits. */
static bool sample_places(const struct drainage_plan *plan, const struct sample_points *points,
                          const struct sampler_operations *wanted)
{
    int64_t step = 0;
    const size_t columns = grid_columns(points->places, points->count, &step);
    if (columns == 0)
        return sampler_nested_points(plan->kept->fields, plan->program, points, wanted);
    const struct sample_grid grid = {.x = points->places[0].x,
                                     .y = points->places[0].y,
                                     .step = step,
                                     .columns = (uint32_t)columns,
                                     .rows = (uint32_t)(points->count / columns),
                                     .spacing = points->spacing};
    return sampler_nested_grid(plan->kept->fields, plan->program, &grid, wanted);
}

static bool sample_fields(void *context, const struct place *places, size_t count, double spacing,
                          const struct drainage_fields *fields)
{
    const struct drainage_plan *plan = context;
    const struct program_drainage *drainage = &plan->program->drainage;
    const int32_t numbers[] = {drainage->potential, drainage->target, drainage->relief,
                               drainage->lakes};
    float *const rows[] = {fields->potential, fields->target, fields->relief, fields->lakes};
    enum { FIELDS = sizeof rows / sizeof *rows };
    int32_t operations[FIELDS];
    float *outputs[FIELDS];
    unsigned wanted_count = 0;
    for (int i = 0; i < FIELDS; i++)
        if (rows[i]) {
            operations[wanted_count] = numbers[i];
            outputs[wanted_count++] = rows[i];
        }
    const struct sample_points points = {places, count, spacing, 0, 0};
    const struct sampler_operations wanted = {operations, outputs, wanted_count};
    if (!sample_places(plan, &points, &wanted))
        return false;
    limit(fields->potential, count, -FIELD_MAX, FIELD_MAX);
    limit(fields->target, count, -FIELD_MAX, FIELD_MAX);
    limit(fields->relief, count, 0.0f, FIELD_MAX);
    limit(fields->lakes, count, 0.0f, 1.0f);
    return true;
}

/* ---- planning */

static bool reserve_views(struct drainage_plan *plan, size_t count)
{
    if (count <= plan->view_room)
        return true;
    struct drainage_view *views = realloc(plan->views, count * sizeof *views);
    if (!views)
        return false;
    memset(views + plan->view_room, 0, (count - plan->view_room) * sizeof *views);
    plan->views = views;
    plan->view_room = count;
    return true;
}

bool drainage_plan_begin(struct drainage_plan *plan, const struct program *program, double spacing)
{
    struct sampler_kept *kept = plan->kept;
    plan->program = program;
    plan->spacing = spacing;
    plan->request++;
    plan->network = (struct drainage_network){
        .identity = program->identity,
        .key = program->drainage.key,
        .spacing_log2 = program->drainage.spacing_log2,
        .lakes = program->drainage.lakes >= 0,
        .deltas = program->drainage.deltas,
        .sample = sample_fields,
        .context = plan,
        .work = &kept->work,
    };
    struct drainage_cache *cache = sampler_kept_cache(kept);
    kept->drainage = !kept->drainage && cache ? drainage_new(cache) : kept->drainage;
    kept->fields = kept->fields ? kept->fields : sampler_new_nested(kept);
    return kept->drainage && kept->fields && reserve_views(plan, program->node_grid_count);
}

const struct drainage_network *drainage_plan_network(const struct drainage_plan *plan)
{
    return &plan->network;
}

static void begin_view(struct drainage_plan *plan, struct drainage_view *view,
                       const struct node_grid *grid)
{
    const double metres = plan->spacing / grid->scale;
    const unsigned level = drainage_level(grid->spacing_log2, metres);
    const unsigned cell_log2 = drainage_cell_log2(grid->spacing_log2, level);
    noise_cells_prepare(&view->scope.cells, &grid->domain,
                        (double)((uint32_t)1 << cell_log2) * grid->scale);
    memset(view->wanted, 0, sizeof view->wanted);
    view->scope.limit = (int64_t)1 << (SAMPLE_LIMIT_LOG2 - cell_log2);
    view->metres = metres;
    view->request = plan->request;
    view->band = 0;
}

void drainage_plan_add(struct drainage_plan *plan, uint32_t number)
{
    const struct program *program = plan->program;
    const struct operation *operation = &program->operations[number];
    struct drainage_view *view = &plan->views[operation->table_index];
    if (view->request != plan->request)
        begin_view(plan, view, &program->node_grids[operation->table_index]);
    view->wanted[(int)operation->k[0]] = true;
}

void drainage_plan_begin_band(struct drainage_plan *plan, uint32_t rows_after)
{
    plan->band++;
    plan->rows_after = rows_after;
}

/* ---- samples of a band */

/* How far the samples of a view go on after the band, in metres; 0 if they lie far apart. */
static double metres_after(const struct drainage_plan *plan, const struct drainage_view *view,
                           const struct band *band)
{
    const double step = place_metres(band->step);
    return band->places || step > plan->spacing
               ? 0.0
               : (double)plan->rows_after * view->metres * (step / plan->spacing);
}

/* Samples all outputs that the call needs in a view. */
static bool sample_view(struct drainage_plan *plan, struct drainage_view *view,
                        const struct band *band, const float *const moved[2])
{
    const size_t stride = (band->count + LANES - 1) / LANES * LANES;
    float *outputs[DRAINAGE_OUTPUTS];
    if (!band_cells_find(&plan->found, &view->scope, band, moved) ||
        !band_reserve(&view->rows, &view->capacity, DRAINAGE_OUTPUTS * stride, sizeof(float)))
        return false;
    view->stride = stride;
    for (int i = 0; i < DRAINAGE_OUTPUTS; i++)
        outputs[i] = view->wanted[i] ? view->rows + (size_t)i * stride : NULL;
    const struct noise_cells_samples *at = &plan->found.at;
    const struct drainage_samples samples = {
        {at->cell[0], at->cell[1]}, {at->t[0], at->t[1]}, metres_after(plan, view, band)};
    if (!drainage_sample(plan->kept->drainage, &plan->network, view->metres, band->count, &samples,
                         outputs))
        return false;
    for (int i = 0; i < DRAINAGE_OUTPUTS; i++)
        limit(outputs[i], band->count, drainage_outputs[i].low, drainage_outputs[i].high);
    view->band = plan->band;
    return true;
}

const float *drainage_plan_run(struct drainage_plan *plan, uint32_t number, const struct band *band,
                               const float *const moved[2])
{
    const struct operation *operation = &plan->program->operations[number];
    struct drainage_view *view = &plan->views[operation->table_index];
    if (view->band != plan->band && !sample_view(plan, view, band, moved))
        return NULL;
    return view->rows + (size_t)operation->k[0] * view->stride;
}
