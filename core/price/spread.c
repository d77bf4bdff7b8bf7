/* See spread.h. The operations that displace a scope are sampled at places and at their neighbours,
 * a list for each distance and level of detail. */
#include "core/price/spread.h"

#include <math.h>
#include <string.h>

#include "core/base/extremes.h"
#include "core/base/lanes.h"
#include "core/price/corners.h"
#include "core/price/node_counts.h"
#include "core/sampling/sampler.h"
#include "core/sampling/sampler_nested.h"

enum {
    SCOPES_MAX = 32,        /* that are measured */
    MEASURE_WORK = 5000000, /* nanoseconds of sampling for all of them, at most */
    REACH_BITS = 22,        /* places are within ±2²¹ m */
    PARTS = 4,              /* widths that a region is looked at in */
};
#define LEAST_METRES 0.0625
#define RATIO_MAX 1e15 /* also where a displacement is not finite */

static double metres_of(unsigned distance)
{
    return LEAST_METRES * (double)((uint64_t)1 << 2 * distance);
}

static float ratio(double x, double y, double metres)
{
    const double apart = __builtin_sqrt(x * x + y * y) / metres;
    return apart < RATIO_MAX ? (float)apart : (float)RATIO_MAX; /* a NaN too */
}

/* The scope that is measured. */
struct measurement {
    struct sampler *sampler;
    const struct program *program;
    int32_t moves[2]; /* operations */
    struct spread *spread;
};

/* Fills in the ratios of one distance at a level of detail. */
static bool measure_distance(const struct measurement *measurement, double metres, double spacing,
                             struct spread_ratios ratios[SPREAD_PLACES])
{
    struct spread *spread = measurement->spread;
    struct place places[SPREAD_PLACES * CORNERS];
    float x[SPREAD_PLACES * CORNERS], y[SPREAD_PLACES * CORNERS];
    float *const outputs[2] = {x, y};
    const struct sample_points points = {places, SPREAD_PLACES * CORNERS, spacing, 0, 0};
    const struct sampler_operations wanted = {measurement->moves, outputs, 2};
    for (unsigned i = 0; i < SPREAD_PLACES; i++)
        corners_write(hash_mix(i), REACH_BITS, place_from_metres(metres),
                      places + (size_t)i * CORNERS);
    if (!sampler_nested_points(measurement->sampler, measurement->program, &points, &wanted))
        return false;
    for (unsigned i = 0; i < SPREAD_PLACES; i++) {
        const float *u = x + (size_t)i * CORNERS, *v = y + (size_t)i * CORNERS;
        spread->moved[0][i] = u[0];
        spread->moved[1][i] = v[0];
        ratios[i] = (struct spread_ratios){
            ratio(metres + (double)u[1] - (double)u[0], (double)v[1] - (double)v[0], metres),
            ratio((double)u[2] - (double)u[0], metres + (double)v[2] - (double)v[0], metres)};
    }
    return true;
}

static bool measure_scope(struct sampler *sampler, const struct program *program,
                          const struct node_grid *grid, struct spread *spread)
{
    const struct measurement scope = {sampler, program, {grid->dx, grid->dy}, spread};
    for (unsigned i = 0; i < SPREAD_DISTANCES; i++) {
        const double metres = metres_of(i);
        if (!measure_distance(&scope, metres, metres, spread->level[i]))
            return false;
    }
    for (unsigned i = 0; i < SPREAD_DISTANCES; i++)
        if (!measure_distance(&scope, metres_of(i), 0.0, spread->full[i]))
            return false;
    return true;
}

static struct spread *new_spread(struct program *program)
{
    return arena_allocate(&program->arena, 1, sizeof(struct spread));
}

/* The next scope of drainage() that is displaced and was not measured, from operation *i on. Null
 * after the last one. */
static struct node_grid *next_scope(const struct program *program, uint32_t *i)
{
    for (; *i < program->count; ++*i) {
        const struct operation *operation = &program->operations[*i];
        struct node_grid *grid =
            operation->code == OP_DRAINAGE ? &program->node_grids[operation->table_index] : NULL;
        if (grid && grid->dx >= 0 && !grid->spread)
            return grid;
    }
    return NULL;
}

bool spread_measure(struct program *program)
{
    uint32_t i = 0;
    struct node_grid *grid = next_scope(program, &i);
    if (!grid)
        return true;
    struct sampler *sampler = sampler_new();
    if (!sampler)
        return false;
    sampler_set_limit(sampler, &(struct work_limit){.most = MEASURE_WORK});
    bool done = true;
    for (unsigned scopes = 0; grid && scopes < SCOPES_MAX && done; scopes++) {
        struct spread *spread = new_spread(program);
        if (spread && measure_scope(sampler, program, grid, spread))
            grid->spread = spread;
        else
            done = spread && sampler_meter(sampler)->verdict == WORK_TOO_MUCH;
        i += !grid->spread;
        grid = next_scope(program, &i);
    }
    sampler_free(sampler);
    return done;
}

/* Both programs have the same operations: a seed changes only numbers. */
bool spread_copy(struct program *program, const struct program *base)
{
    for (uint32_t i = 0; i < program->node_grid_count; i++) {
        const struct spread *from = i < base->node_grid_count ? base->node_grids[i].spread : NULL;
        struct spread *spread = from ? new_spread(program) : NULL;
        if (spread)
            *spread = *from;
        program->node_grids[i].spread = spread;
        if (from && !spread)
            return false;
    }
    return true;
}

static double moved_by(const struct node_grid *grid, int axis, unsigned place)
{
    return grid->spread ? (double)grid->spread->moved[axis][place] : 0.0;
}

double spread_between(const struct node_grid *a, const struct node_grid *b)
{
    const double shift[2] = {place_metres(a->domain.shift_x) - place_metres(b->domain.shift_x),
                             place_metres(a->domain.shift_y) - place_metres(b->domain.shift_y)};
    double sum = 0.0;
    if ((a->dx >= 0 && !a->spread) || (b->dx >= 0 && !b->spread) ||
        a->domain.sine != b->domain.sine || a->domain.cosine != b->domain.cosine)
        return INFINITY;
    for (unsigned i = 0; i < SPREAD_PLACES; i++) {
        const double x = shift[0] + moved_by(a, 0, i) - moved_by(b, 0, i);
        const double y = shift[1] + moved_by(a, 1, i) - moved_by(b, 1, i);
        sum += __builtin_sqrt(x * x + y * y);
    }
    return sum < (double)INFINITY ? sum / SPREAD_PLACES : INFINITY;
}

void spread_ratios_at(const struct program *program, const struct node_grid *grid, double metres,
                      double spacing, struct spread_ratios ratios[SPREAD_PLACES])
{
    const struct spread *spread = grid->spread;
    unsigned distance = 0;
    if (spread) {
        while (distance + 1 < SPREAD_DISTANCES && metres_of(distance) * 2.0 < metres)
            distance++;
        const bool full = spacing < metres / 2.0;
        memcpy(ratios, full ? spread->full[distance] : spread->level[distance],
               SPREAD_PLACES * sizeof *ratios);
        return;
    }
    struct displacement displacement = node_displacement(program, grid);
    displacement.slope *= USUAL_SLOPE;
    const float apart =
        metres > 0.0 ? (float)double_min(displaced_metres(displacement, metres) / metres, RATIO_MAX)
                     : 1.0f;
    for (unsigned i = 0; i < SPREAD_PLACES; i++)
        ratios[i] = (struct spread_ratios){apart, apart};
}

/* A place may move less far in the whole width than in a part of it. */
double spread_metres(const struct program *program, const struct node_grid *grid, double metres,
                     double spacing)
{
    struct spread_ratios ratios[SPREAD_PLACES], most[SPREAD_PLACES] = {{0.0f, 0.0f}};
    double area = 0.0;
    if (metres <= 0.0 || grid->dx < 0)
        return metres;
    float share = 1.0f; /* of the width */
    for (int k = 0; k < PARTS; k++, share /= SPREAD_FACTOR) {
        spread_ratios_at(program, grid, metres * (double)share, spacing, ratios);
        for (unsigned i = 0; i < SPREAD_PLACES; i++) {
            most[i].east = max_float(most[i].east, share * ratios[i].east);
            most[i].south = max_float(most[i].south, share * ratios[i].south);
        }
    }
    for (unsigned i = 0; i < SPREAD_PLACES; i++)
        area += (double)most[i].east * (double)most[i].south;
    return metres * __builtin_sqrt(area / SPREAD_PLACES);
}

double spread_network_metres(const struct program *program, double metres)
{
    const struct operation *operation =
        &program->operations[program->drainage.outputs[DRAINAGE_FLOW]];
    while (operation->code == OP_BY_SPACING)
        operation = &program->operations[operation->a];
    return operation->code == OP_DRAINAGE
               ? spread_metres(program, &program->node_grids[operation->table_index], metres, 0.0)
               : metres;
}
