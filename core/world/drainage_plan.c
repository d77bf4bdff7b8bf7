#include "core/world/drainage_plan.h"

#include <stdlib.h>
#include <string.h>

#include "core/noise/cells.h"
#include "core/world/row_kernels_coarse.h"
#include "core/world/sampler_nested.h"
#include "core/world/world_private.h"

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
    struct noise_cells cells;
    int64_t cell_limit; /* a cell before displacement is in ± this */
    double metres;      /* of the scope, between samples */
    bool wanted[DRAINAGE_OUTPUTS];
    float *rows; /* by output: `stride` samples */
    size_t stride, capacity;
};

struct drainage_plan {
    struct sampler_kept *kept;
    const struct world *world;
    struct drainage_network network;
    double spacing;
    drainage_serial request, band;
    struct drainage_view *views;
    size_t view_room;
    struct noise_cells_samples at; /* of the band */
    size_t at_capacity;
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
    for (int axis = 0; axis < 2; axis++) {
        free(plan->at.cell[axis]);
        free(plan->at.t[axis]);
    }
    free(plan->views);
    free(plan);
}

/* ---- fields */

static void limit(float *values, size_t count, float least, float most)
{
    for (size_t i = 0; values && i < count; i++)
        values[i] = values[i] < least ? least : values[i] > most ? most : values[i];
}

static bool sample_fields(void *context, const struct place *places, size_t count, double spacing,
                          const struct drainage_fields *fields)
{
    const struct drainage_plan *plan = context;
    const struct program_drainage *drainage = &plan->world->program.drainage;
    const int32_t numbers[] = {drainage->potential, drainage->target, drainage->relief};
    float *const rows[] = {fields->potential, fields->target, fields->relief};
    int32_t operations[3];
    float *outputs[3];
    unsigned wanted_count = 0;
    for (int i = 0; i < 3; i++)
        if (rows[i]) {
            operations[wanted_count] = numbers[i];
            outputs[wanted_count++] = rows[i];
        }
    const struct sample_points points = {places, count, spacing, 0, 0};
    const struct sampler_operations wanted = {operations, outputs, wanted_count};
    if (!sampler_nested_points(plan->kept->fields, plan->world, &points, &wanted))
        return false;
    limit(fields->potential, count, -FIELD_MAX, FIELD_MAX);
    limit(fields->target, count, -FIELD_MAX, FIELD_MAX);
    limit(fields->relief, count, 0.0f, FIELD_MAX);
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

bool drainage_plan_begin(struct drainage_plan *plan, const struct world *world, double spacing)
{
    const struct program *program = &world->program;
    struct sampler_kept *kept = plan->kept;
    plan->world = world;
    plan->spacing = spacing;
    plan->request++;
    plan->network = (struct drainage_network){
        .identity = program->identity,
        .key = program->drainage.key,
        .spacing_log2 = program->drainage.spacing_log2,
        .sample = sample_fields,
        .context = plan,
    };
    kept->drainage = kept->drainage ? kept->drainage : drainage_new(kept->drainage_bytes);
    kept->fields = kept->fields ? kept->fields : sampler_new_nested(kept);
    return kept->drainage && kept->fields && reserve_views(plan, program->node_grid_count);
}

static void begin_view(struct drainage_plan *plan, struct drainage_view *view,
                       const struct node_grid *grid)
{
    const double metres = plan->spacing / grid->scale;
    const unsigned level = drainage_level(grid->spacing_log2, metres);
    const unsigned cell_log2 = drainage_cell_log2(grid->spacing_log2, level);
    noise_cells_prepare(&view->cells, &grid->domain,
                        (double)((uint32_t)1 << cell_log2) * grid->scale);
    memset(view->wanted, 0, sizeof view->wanted);
    view->cell_limit = (int64_t)1 << (SAMPLE_LIMIT_LOG2 - cell_log2);
    view->metres = metres;
    view->request = plan->request;
    view->band = 0;
}

void drainage_plan_add(struct drainage_plan *plan, uint32_t number)
{
    const struct program *program = &plan->world->program;
    const struct operation *operation = &program->operations[number];
    struct drainage_view *view = &plan->views[operation->table_index];
    if (view->request != plan->request)
        begin_view(plan, view, &program->node_grids[operation->table_index]);
    view->wanted[(int)operation->k[0]] = true;
}

void drainage_plan_begin_band(struct drainage_plan *plan)
{
    plan->band++;
}

/* ---- samples of a band */

/* Makes room for `count` items; what they were is lost. */
static bool reserve(void *items, size_t *capacity, size_t count, size_t size)
{
    void **memory = items;
    if (count <= *capacity)
        return true;
    free(*memory);
    *memory = malloc(count * size);
    *capacity = *memory ? count : 0;
    return *memory != NULL;
}

static bool reserve_positions(struct drainage_plan *plan, size_t count)
{
    const size_t had = plan->at_capacity;
    for (int axis = 0; axis < 2; axis++) {
        size_t cells = had, fractions = had;
        if (!reserve(&plan->at.cell[axis], &cells, count, sizeof(int64_t)) ||
            !reserve(&plan->at.t[axis], &fractions, count, sizeof(float))) {
            plan->at_capacity = 0;
            return false;
        }
    }
    plan->at_capacity = count > had ? count : had;
    return true;
}

/* Writes the cells of all samples of a band on an axis, before displacement. */
static void write_positions(const struct drainage_view *view, const struct band *band,
                            unsigned axis, const struct noise_cells_samples *samples)
{
    struct noise_cells_samples at = *samples;
    if (band->places)
        noise_cells_list(&view->cells, axis, band->places, band->count, &at);
    for (uint32_t row = 0; !band->places && row < band->rows; row++) {
        const struct place first = {band->x, band->y + row * band->step};
        noise_cells_row(&view->cells, axis, first, band->step, band->columns, &at);
        at.cell[axis] += band->columns;
        at.t[axis] += band->columns;
    }
    row_kernel_limit_cells(band->count, view->cell_limit, samples->cell[axis]);
}

/* Samples all outputs that the call needs in a view: one of them into `out`, the others into rows.
 */
static bool sample_view(struct drainage_plan *plan, struct drainage_view *view,
                        const struct band *band, const float *const moved[2], int output,
                        float *out)
{
    float *outputs[DRAINAGE_OUTPUTS];
    if (!reserve_positions(plan, band->count) ||
        !reserve(&view->rows, &view->capacity, DRAINAGE_OUTPUTS * band->count, sizeof(float)))
        return false;
    view->stride = band->count;
    for (unsigned axis = 0; axis < 2; axis++)
        write_positions(view, band, axis, &plan->at);
    if (moved[0])
        noise_cells_displace(&view->cells, moved[0], moved[1], band->count, &plan->at);
    for (int i = 0; i < DRAINAGE_OUTPUTS; i++)
        outputs[i] = i == output       ? out
                     : view->wanted[i] ? view->rows + (size_t)i * view->stride
                                       : NULL;
    const struct drainage_samples samples = {{plan->at.cell[0], plan->at.cell[1]},
                                             {plan->at.t[0], plan->at.t[1]}};
    if (!drainage_sample(plan->kept->drainage, &plan->network, view->metres, band->count, &samples,
                         outputs))
        return false;
    for (int i = 0; i < DRAINAGE_OUTPUTS; i++)
        limit(outputs[i], band->count, drainage_outputs[i].low, drainage_outputs[i].high);
    view->band = plan->band;
    return true;
}

bool drainage_plan_run(struct drainage_plan *plan, uint32_t number, const struct band *band,
                       const float *const moved[2], float *out)
{
    const struct operation *operation = &plan->world->program.operations[number];
    struct drainage_view *view = &plan->views[operation->table_index];
    const int output = (int)operation->k[0];
    if (view->band != plan->band)
        return sample_view(plan, view, band, moved, output, out);
    memcpy(out, view->rows + (size_t)output * view->stride, band->count * sizeof *out);
    return true;
}
