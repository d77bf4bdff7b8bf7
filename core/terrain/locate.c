#include "core/terrain/locate.h"

#include <math.h>

#include "core/terrain/angle.h"
#include "core/terrain/surface.h"

enum { BLOCK = 32 }; /* samples of a block's side */

/* Offsets are in steps, from the place. */
struct offset {
    int32_t column, row;
};

struct hunt {
    struct sampler *sampler;
    const struct world *world;
    const struct locate_search *search;
    struct located *located;
    int32_t reach; /* steps to the edge of the square */
    uint64_t left; /* samples that may still be looked at */
    uint32_t slopes;
    struct offset best;
    int64_t best_square; /* squared distance in steps; INT64_MAX while there is none */
};

static int64_t square_of(struct offset offset)
{
    return (int64_t)offset.column * offset.column + (int64_t)offset.row * offset.row;
}

static struct place place_of(const struct hunt *hunt, struct offset offset)
{
    return (struct place){hunt->search->place.x + offset.column * hunt->located->step,
                          hunt->search->place.y + offset.row * hunt->located->step};
}

static bool is_better(const struct hunt *hunt, struct offset offset, int64_t square)
{
    if (square != hunt->best_square)
        return square < hunt->best_square;
    return offset.row != hunt->best.row ? offset.row < hunt->best.row
                                        : offset.column < hunt->best.column;
}

/* Within the circle: distance² ≤ radius², both in metres. */
static bool is_within(const struct hunt *hunt, int64_t square)
{
    double radius = place_metres(hunt->search->radius), step = place_metres(hunt->located->step);
    return (double)square * step * step <= radius * radius;
}

/* Whether the ground is gentle and dry enough; asked last, as it samples. */
static bool check_ground(struct hunt *hunt, struct offset offset, bool *fits, struct error *error)
{
    const struct locate_search *search = hunt->search;
    struct surface surface;
    *fits = search->slope_high >= LOCATE_ANY_SLOPE && !search->dry;
    if (*fits)
        return true;
    if (hunt->slopes == LOCATE_SLOPES_MAX) {
        hunt->left = 0;
        hunt->located->complete = false;
        return true;
    }
    hunt->slopes++;
    if (!surface_at(hunt->sampler, hunt->world, place_of(hunt, offset), 0, 0, 0, &surface, error))
        return false;
    *fits = surface.slope <= search->slope_high && (!search->dry || surface.height > surface.water);
    return true;
}

static bool consider(struct hunt *hunt, struct offset offset, float value, struct error *error)
{
    int64_t square = square_of(offset);
    bool fits;
    if (value < hunt->search->low || value > hunt->search->high ||
        !is_better(hunt, offset, square) || !is_within(hunt, square))
        return true;
    if (!check_ground(hunt, offset, &fits, error))
        return false;
    if (fits) {
        hunt->best = offset;
        hunt->best_square = square;
        hunt->located->value = value;
    }
    return true;
}

static int32_t clamp(int32_t value, int32_t most)
{
    return value < -most ? -most : value > most ? most : value;
}

/* Block (i, k) has the offsets BLOCK·i − BLOCK/2 … BLOCK·i + BLOCK/2 − 1, and likewise for k, as
 * far as they are in the square. */
static bool search_block(struct hunt *hunt, int32_t i, int32_t k, struct error *error)
{
    float samples[BLOCK * BLOCK], *output = samples;
    int32_t west = clamp(BLOCK * i - BLOCK / 2, hunt->reach);
    int32_t east = clamp(BLOCK * i + BLOCK / 2 - 1, hunt->reach);
    int32_t north = clamp(BLOCK * k - BLOCK / 2, hunt->reach);
    int32_t south = clamp(BLOCK * k + BLOCK / 2 - 1, hunt->reach);
    struct place corner = place_of(hunt, (struct offset){west, north});
    struct sample_grid grid = {.x = corner.x,
                               .y = corner.y,
                               .step = hunt->located->step,
                               .columns = (uint32_t)(east - west + 1),
                               .rows = (uint32_t)(south - north + 1)};
    uint64_t count = (uint64_t)grid.columns * grid.rows;
    if (count > hunt->left) {
        hunt->located->complete = false;
        hunt->left = 0;
        return true;
    }
    hunt->left -= count;
    hunt->located->samples += count;
    struct sample_request request = {&hunt->search->layer, &output, 1};
    if (!sampler_grid(hunt->sampler, hunt->world, &grid, &request, error))
        return false;
    for (int32_t row = north; row <= south; row++)
        for (int32_t column = west; column <= east; column++)
            if (!consider(hunt, (struct offset){column, row}, *output++, error))
                return false;
    return true;
}

/* The blocks around the square of those already searched. */
static bool search_ring(struct hunt *hunt, int32_t ring, struct error *error)
{
    for (int32_t k = -ring; k <= ring; k++) {
        int32_t stride = k == -ring || k == ring || ring == 0 ? 1 : 2 * ring;
        for (int32_t i = -ring; i <= ring; i += stride)
            if (hunt->located->complete && !search_block(hunt, i, k, error))
                return false;
    }
    return true;
}

static void conclude(const struct hunt *hunt)
{
    struct located *located = hunt->located;
    located->found = hunt->best_square < INT64_MAX;
    if (!located->found)
        return;
    located->place = place_of(hunt, hunt->best);
    located->distance = sqrt((double)hunt->best_square) * place_metres(located->step);
    located->bearing = angle_bearing(hunt->best.column, -hunt->best.row);
}

bool locate_nearest(struct sampler *sampler, const struct world *world,
                    const struct locate_search *search, struct located *located,
                    struct error *error)
{
    unsigned cost = world_layer(world, search->layer)->cost;
    int64_t step = (search->radius + LOCATE_STEPS - 1) / LOCATE_STEPS;
    *located = (struct located){.step = step < PLACE_METRE ? PLACE_METRE : step, .complete = true};
    struct hunt hunt = {
        .sampler = sampler,
        .world = world,
        .search = search,
        .located = located,
        .reach = (int32_t)(search->radius / located->step),
        .left = search->cost_most / (cost ? cost : 1),
        .best_square = INT64_MAX,
    };
    for (int32_t ring = 0; located->complete; ring++) {
        int64_t nearest = ring == 0 ? 0 : BLOCK * ring - BLOCK / 2;
        if (nearest > hunt.reach || hunt.best_square < nearest * nearest)
            break;
        if (!search_ring(&hunt, ring, error))
            return false;
    }
    conclude(&hunt);
    return true;
}
