/* Searches blocks of 32 × 32 samples in square rings around the place, from the middle outwards.
 *
 * After a match, rings are searched on until none can contain a nearer sample: a corner of one ring
 * may be farther away than the side of the next. Blocks are sampled as grids, which is cheaper than
 * point by point. The conditions are tested from cheap to expensive: the value, the
 * distance, then the slope and the water, which need five more samples and are counted against a
 * limit. */
#include "core/terrain/locate.h"

#include <math.h>

#include "core/terrain/angle.h"
#include "core/terrain/surface.h"

/* A sample of the grid: steps east and south of the place. */
struct offset {
    int32_t column, row;
};

struct locate_state {
    struct sampler *sampler;
    const struct world *world;
    const struct locate_search *search;
    struct located *located;
    int32_t edge_steps;    /* steps to the edge of the square */
    uint64_t samples_left; /* samples that may still be looked at */
    uint32_t slopes_checked;
    struct offset best;
    int64_t best_squared; /* squared distance in steps; INT64_MAX while there is none */
};

static int64_t squared_length(struct offset offset)
{
    return (int64_t)offset.column * offset.column + (int64_t)offset.row * offset.row;
}

static struct place offset_place(const struct locate_state *state, struct offset offset)
{
    return (struct place){state->search->place.x + offset.column * state->located->step,
                          state->search->place.y + offset.row * state->located->step};
}

/* True if a sample comes before the best one: nearer, or equally near and farther north, then
 * west. */
static bool is_better(const struct locate_state *state, struct offset offset, int64_t square)
{
    if (square != state->best_squared)
        return square < state->best_squared;
    return offset.row != state->best.row ? offset.row < state->best.row
                                         : offset.column < state->best.column;
}

/* True if a squared distance in steps is within the radius. */
static bool is_within(const struct locate_state *state, int64_t square)
{
    double radius = place_metres(state->search->radius), step = place_metres(state->located->step);
    return (double)square * step * step <= radius * radius;
}

/* Sets *accepted if the ground is gentle and dry enough. At the limit of samples it ends the
 * search. */
static bool check_ground(struct locate_state *state, struct offset offset, bool *accepted,
                         struct error *error)
{
    const struct locate_search *search = state->search;
    struct surface surface;
    *accepted = search->slope_high >= LOCATE_ANY_SLOPE && !search->dry;
    if (*accepted)
        return true;
    if (state->slopes_checked == LOCATE_SLOPES_MAX) {
        state->samples_left = 0;
        state->located->complete = false;
        return true;
    }
    state->slopes_checked++;
    if (!surface_at(state->sampler, state->world, offset_place(state, offset), 0, 0, 0, &surface,
                    error))
        return false;
    *accepted =
        surface.slope <= search->slope_high && (!search->dry || surface.height > surface.water);
    return true;
}

/* Makes a sample the best one if it satisfies all conditions. */
static bool consider_sample(struct locate_state *state, struct offset offset, float value,
                            struct error *error)
{
    int64_t square = squared_length(offset);
    bool accepted;
    if (value < state->search->low || value > state->search->high ||
        !is_better(state, offset, square) || !is_within(state, square))
        return true;
    if (!check_ground(state, offset, &accepted, error))
        return false;
    if (accepted) {
        state->best = offset;
        state->best_squared = square;
        state->located->value = value;
    }
    return true;
}

static int32_t clamp_offset(int32_t value, int32_t most)
{
    return value < -most ? -most : value > most ? most : value;
}

/* Block (i, k) has the columns LOCATE_BLOCK·i − LOCATE_BLOCK/2 … LOCATE_BLOCK·i + LOCATE_BLOCK/2 −
 * 1 and the rows of k alike, as far as they are in the square. */
static bool search_block(struct locate_state *state, int32_t i, int32_t k, struct error *error)
{
    float samples[LOCATE_BLOCK * LOCATE_BLOCK], *output = samples;
    int32_t west = clamp_offset(LOCATE_BLOCK * i - LOCATE_BLOCK / 2, state->edge_steps);
    int32_t east = clamp_offset(LOCATE_BLOCK * i + LOCATE_BLOCK / 2 - 1, state->edge_steps);
    int32_t north = clamp_offset(LOCATE_BLOCK * k - LOCATE_BLOCK / 2, state->edge_steps);
    int32_t south = clamp_offset(LOCATE_BLOCK * k + LOCATE_BLOCK / 2 - 1, state->edge_steps);
    struct place corner = offset_place(state, (struct offset){west, north});
    struct sample_grid grid = {.x = corner.x,
                               .y = corner.y,
                               .step = state->located->step,
                               .columns = (uint32_t)(east - west + 1),
                               .rows = (uint32_t)(south - north + 1)};
    uint64_t count = (uint64_t)grid.columns * grid.rows;
    if (count > state->samples_left) {
        state->located->complete = false;
        state->samples_left = 0;
        return true;
    }
    state->samples_left -= count;
    state->located->samples += count;
    struct sample_request request = {&state->search->layer, &output, 1};
    if (!sampler_grid(state->sampler, state->world, &grid, &request, error))
        return false;
    for (int32_t row = north; row <= south; row++)
        for (int32_t column = west; column <= east; column++)
            if (!consider_sample(state, (struct offset){column, row}, *output++, error))
                return false;
    return true;
}

/* Searches the blocks around those of the ring before: all sides of a square of blocks. */
static bool search_ring(struct locate_state *state, int32_t ring, struct error *error)
{
    for (int32_t k = -ring; k <= ring; k++) {
        int32_t stride = k == -ring || k == ring || ring == 0 ? 1 : 2 * ring;
        for (int32_t i = -ring; i <= ring; i += stride)
            if (state->located->complete && !search_block(state, i, k, error))
                return false;
    }
    return true;
}

static void finish_result(const struct locate_state *state)
{
    struct located *located = state->located;
    located->found = state->best_squared < INT64_MAX;
    if (!located->found)
        return;
    located->place = offset_place(state, state->best);
    located->distance = sqrt((double)state->best_squared) * place_metres(located->step);
    located->bearing = angle_bearing(state->best.column, -state->best.row);
}

bool locate_nearest(struct sampler *sampler, const struct world *world,
                    const struct locate_search *search, struct located *located,
                    struct error *error)
{
    unsigned cost = world_layer(world, search->layer)->cost;
    int64_t step = (search->radius + LOCATE_STEPS - 1) / LOCATE_STEPS;
    *located = (struct located){.step = step < PLACE_METRE ? PLACE_METRE : step, .complete = true};
    struct locate_state state = {
        .sampler = sampler,
        .world = world,
        .search = search,
        .located = located,
        .edge_steps = (int32_t)(search->radius / located->step),
        .samples_left = search->cost_max / (cost ? cost : 1),
        .best_squared = INT64_MAX,
    };
    for (int32_t ring = 0; located->complete; ring++) {
        int64_t nearest = ring == 0 ? 0 : LOCATE_BLOCK * ring - LOCATE_BLOCK / 2;
        if (nearest > state.edge_steps || state.best_squared < nearest * nearest)
            break;
        if (!search_ring(&state, ring, error))
            return false;
    }
    finish_result(&state);
    return true;
}
