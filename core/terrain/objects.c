/* Finds the objects in a box, kind after kind (the header defines the placement exactly):
 *
 *   1. list the candidates of all cells within min_distance of the box, and drop those whose chance
 *      is not below the upper bound of the density;
 *   2. sample the early reject of the density, if it has one, and drop what it rejects;
 *   3. sample the density at the rest, and drop those that it does not accept;
 *   4. sample the slope of the ground, if the kind has a limit, and thin out by it;
 *   5. of the accepted candidates in the box, keep each that no accepted one with a higher priority
 *      is too near to.
 *
 * The order is that of cost: a hash, a few octaves, the whole world. Candidates outside the box go
 * through steps 1 to 4 as well, because they may displace one inside; that is what makes the result
 * independent of the box. Step 5 is local, as priority alone decides, whether or not the winner
 * survives itself: no chain of decisions can run through the world.
 *
 * Candidates stay sorted by rows of cells, and within a row from west to east, so the neighbours
 * of one are found by binary search in a few rows. The search limit is checked on the number of
 * cells before anything is allocated. */
#include "core/terrain/objects.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/hash.h"
#include "core/base/int128.h"
#include "core/terrain/angle.h"
#include "core/terrain/steepness.h"

#define SEARCH_LIMIT (PLACE_LIMIT + ((int64_t)1 << (24 + PLACE_BITS)))

/* The one possible object of a cell, from its hash. */
struct candidate {
    uint64_t id, priority;
    struct place place;
};

/* The search for one kind. */
struct placement {
    struct sampler *sampler;
    const struct world *world;
    const struct object_search *search;
    unsigned kind;
    int64_t spacing, distance;
    uint64_t key;
    int64_t column, row;          /* the first cell */
    uint32_t columns, rows;       /* of the box and its neighbourhood */
    struct candidate *candidates; /* those not rejected so far, by rows of cells */
    struct place *places;
    float *densities;
    uint32_t *row_starts; /* the first candidate of each row of cells, and the end */
    uint32_t count;
};

void object_list_free(struct object_list *list)
{
    free(list->objects);
    *list = (struct object_list){0};
}

/* The first cell and how many there are from `low` to below `high`, both edges moved outwards by
 * the distance. */
static uint64_t cell_range(int64_t low, int64_t high, int64_t spacing, int64_t distance,
                           int64_t *first)
{
    *first = place_floor_divide(low - distance, spacing);
    return (uint64_t)(place_floor_divide(high - 1 + distance, spacing) - *first) + 1;
}

/* Names are hashed, so a kind added to a world moves no object of the others. */
static uint64_t kind_key(const struct world *world, unsigned kind)
{
    const char *name = world_object(world, kind)->name;
    return hash_bytes(name, strlen(name), hash_mix(world_seed_number(world) + 1)).low;
}

static struct placement placement_begin(struct sampler *sampler, const struct world *world,
                                        const struct object_search *search, unsigned kind)
{
    const struct world_object *object = world_object(world, kind);
    return (struct placement){
        .sampler = sampler,
        .world = world,
        .search = search,
        .kind = kind,
        .spacing = object->spacing,
        .distance = object->min_distance,
        .key = kind_key(world, kind),
    };
}

/* Sets the cells of the search; returns their number, or a number beyond all limits. */
static uint64_t placement_set_cells(struct placement *placement)
{
    const struct object_search *search = placement->search;
    uint64_t columns = cell_range(search->low.x, search->high.x, placement->spacing,
                                  placement->distance, &placement->column);
    uint64_t rows = cell_range(search->low.y, search->high.y, placement->spacing,
                               placement->distance, &placement->row);
    if (columns > OBJECTS_CANDIDATES_MAX || rows > OBJECTS_CANDIDATES_MAX)
        return (uint64_t)OBJECTS_CANDIDATES_MAX * OBJECTS_CANDIDATES_MAX;
    placement->columns = (uint32_t)columns;
    placement->rows = (uint32_t)rows;
    return columns * rows;
}

/* A hash as a number from 0 to below 1, in steps of 2⁻²⁴, which a float holds exactly. */
static float unit_of(uint64_t bits)
{
    return (float)(bits >> 40) * 0x1p-24f;
}

/* Independent random words from one id. */
static uint64_t word_of(uint64_t id, uint64_t word_index)
{
    return hash_mix(id + word_index * 0x9E3779B97F4A7C15u);
}

enum { WORD_PLACE = 1, WORD_CHANCE, WORD_PRIORITY, WORD_SCALE, WORD_ROTATION };

static uint64_t cell_id(uint64_t key, int64_t column, int64_t row)
{
    return hash_mix(hash_mix(key + (uint64_t)column) + (uint64_t)row);
}

/* A cell's side is at most 2³² units, so 32 bits of hash choose among them without overflow. */
static struct place candidate_place(const struct placement *placement, uint64_t id, int64_t column,
                                    int64_t row)
{
    const uint64_t word = word_of(id, WORD_PLACE), spacing = (uint64_t)placement->spacing;
    return (struct place){
        column * placement->spacing + (int64_t)((word >> 32) * spacing >> 32),
        row * placement->spacing + (int64_t)((word & 0xFFFFFFFFu) * spacing >> 32),
    };
}

static bool in_box(const struct object_search *search, struct place place, int64_t margin)
{
    return place.x >= search->low.x - margin && place.x < search->high.x + margin &&
           place.y >= search->low.y - margin && place.y < search->high.y + margin;
}

/* Step 1: the candidates of the box and its neighbourhood that the density could accept. */
static void list_candidates(struct placement *placement)
{
    const float high = world_density_high(placement->world, placement->kind);
    for (uint32_t r = 0; r < placement->rows; r++) {
        placement->row_starts[r] = placement->count;
        for (uint32_t c = 0; c < placement->columns; c++) {
            const int64_t column = placement->column + c, row = placement->row + r;
            const uint64_t id = cell_id(placement->key, column, row);
            if (!(unit_of(word_of(id, WORD_CHANCE)) < high))
                continue;
            struct place place = candidate_place(placement, id, column, row);
            if (!in_box(placement->search, place, placement->distance))
                continue;
            placement->places[placement->count] = place;
            placement->candidates[placement->count++] =
                (struct candidate){id, word_of(id, WORD_PRIORITY), place};
        }
    }
    placement->row_starts[placement->rows] = placement->count;
}

static bool sample_layer(const struct placement *placement, unsigned layer, uint32_t count,
                         struct error *error)
{
    const struct sample_points points = {.places = placement->places, .count = count};
    float *const outputs[1] = {placement->densities};
    const struct sample_request request = {&layer, outputs, 1};
    return count == 0 || sampler_points(placement->sampler, world_program(placement->world),
                                        &points, &request, error);
}

static float chance_of(const struct candidate *candidate)
{
    return unit_of(word_of(candidate->id, WORD_CHANCE));
}

/* Keeps the candidates whose chance is below high × (density + slack), with their densities and in
 * their order. */
static void filter_candidates(struct placement *placement, float high, float slack)
{
    uint32_t kept = 0;
    for (uint32_t r = 0; r < placement->rows; r++) {
        uint32_t i = placement->row_starts[r];
        placement->row_starts[r] = kept;
        for (; i < placement->row_starts[r + 1]; i++) {
            if (!(chance_of(&placement->candidates[i]) < high * (placement->densities[i] + slack)))
                continue;
            placement->candidates[kept] = placement->candidates[i];
            placement->places[kept] = placement->places[i];
            placement->densities[kept++] = placement->densities[i];
        }
    }
    placement->row_starts[placement->rows] = placement->count = kept;
}

/* The spacing rounded up to a power of two units. */
static int64_t steepness_step(int64_t spacing)
{
    int64_t step = 1;
    while (step < spacing)
        step *= 2;
    return step;
}

/* The share of objects that stand on ground of a slope: 1 up to OBJECTS_SLOPE_FADE_START of the
 * limit, then falling linearly to 0 at the limit. */
static float slope_acceptance(float rise, float max_slope)
{
    const double part = angle_of_tangent((double)rise) / (double)max_slope;
    const double share = (1.0 - part) / (1.0 - OBJECTS_SLOPE_FADE_START);
    return share > 1.0 ? 1.0f : share > 0.0 ? (float)share : 0.0f;
}

/* Step 4: multiplies densities by what the slope leaves of them, and filters again. */
static bool filter_by_slope(struct placement *placement, struct error *error)
{
    const float max_slope = world_object(placement->world, placement->kind)->max_slope;
    if (max_slope >= 90.0f || placement->count == 0)
        return true;
    float *rises = malloc(placement->count * sizeof *rises);
    const struct steepness_request request = {placement->places, placement->count,
                                              steepness_step(placement->spacing)};
    bool done = (rises || error_memory(error)) &&
                steepness_at(placement->sampler, placement->world, &request, rises, error);
    for (uint32_t i = 0; i < placement->count && done; i++)
        placement->densities[i] *= slope_acceptance(rises[i], max_slope);
    free(rises);
    if (done)
        filter_candidates(placement, 1.0f, 0.0f);
    return done;
}

/* Steps 2 to 4: keeps the accepted candidates in their order. */
static bool accept_candidates(struct placement *placement, struct error *error)
{
    struct world_early_reject early_reject;
    if (world_density_early_reject(placement->world, placement->kind, &early_reject)) {
        if (!sample_layer(placement, early_reject.layer, placement->count, error))
            return false;
        filter_candidates(placement, early_reject.high, WORLD_EARLY_REJECT_SLACK);
    }
    if (!sample_layer(placement, world_density_layer(placement->world, placement->kind),
                      placement->count, error))
        return false;
    filter_candidates(placement, 1.0f, 0.0f);
    return filter_by_slope(placement, error);
}

/* True if b has a higher priority than a and is nearer to it than the distance. */
static bool displaces(const struct candidate *b, const struct candidate *a, int64_t distance)
{
    const int64_t dx = b->place.x - a->place.x, dy = b->place.y - a->place.y;
    if (b->priority < a->priority || (b->priority == a->priority && b->id <= a->id))
        return false;
    return int128_less(int128_add(int128_multiply(dx, dx), int128_multiply(dy, dy)),
                       int128_multiply(distance, distance));
}

/* The first candidate in a row of cells that is not west of x, by binary search. */
static uint32_t find_in_row(const struct placement *placement, int64_t row, int64_t x)
{
    uint32_t start = placement->row_starts[row], end = placement->row_starts[row + 1];
    while (start < end) {
        const uint32_t middle = start + (end - start) / 2;
        if (placement->candidates[middle].place.x < x)
            start = middle + 1;
        else
            end = middle;
    }
    return start;
}

static bool has_highest_priority(const struct placement *placement,
                                 const struct candidate *candidate)
{
    const struct place place = candidate->place;
    if (placement->distance == 0)
        return true;
    int64_t first =
        place_floor_divide(place.y - placement->distance, placement->spacing) - placement->row;
    int64_t last =
        place_floor_divide(place.y + placement->distance, placement->spacing) - placement->row;
    first = first < 0 ? 0 : first;
    last = last < placement->rows ? last : (int64_t)placement->rows - 1;
    for (int64_t row = first; row <= last; row++) {
        uint32_t i = find_in_row(placement, row, place.x - placement->distance);
        const uint32_t end = placement->row_starts[row + 1];
        for (; i < end && placement->candidates[i].place.x < place.x + placement->distance; i++)
            if (displaces(&placement->candidates[i], candidate, placement->distance))
                return false;
    }
    return true;
}

static bool fail_limit(const struct placement *placement, struct error *error)
{
    return error_set(error, ERROR_LIMIT,
                     "there are more than %u objects in the box; at most %u are allowed: use a "
                     "smaller box",
                     placement->search->limit, placement->search->limit);
}

static bool list_objects(const struct placement *placement, struct object_list *list,
                         struct error *error)
{
    for (uint32_t i = 0; i < placement->count; i++) {
        const struct candidate *candidate = &placement->candidates[i];
        if (!in_box(placement->search, candidate->place, 0) ||
            !has_highest_priority(placement, candidate))
            continue;
        const float scale = unit_of(word_of(candidate->id, WORD_SCALE));
        const struct object object = {
            .id = candidate->id,
            .place = candidate->place,
            .kind = placement->kind,
            .scale = OBJECTS_SCALE_LOW + scale * (OBJECTS_SCALE_HIGH - OBJECTS_SCALE_LOW),
            .rotation = 360.0f * unit_of(word_of(candidate->id, WORD_ROTATION)),
        };
        if (list->count == placement->search->limit)
            return fail_limit(placement, error);
        struct object *objects =
            array_reserve(list->objects, list->count, &list->capacity, sizeof *objects);
        if (!objects)
            return error_memory(error);
        list->objects = objects;
        list->objects[list->count++] = object;
    }
    return true;
}

/* Sets the ground heights of the objects of the list from `first` on. */
static bool measure_ground(const struct placement *placement, struct object_list *list,
                           uint32_t first, struct error *error)
{
    const uint32_t count = list->count - first;
    for (uint32_t i = 0; i < count; i++)
        placement->places[i] = list->objects[first + i].place;
    if (!sample_layer(placement, world_height_layer(placement->world), count, error))
        return false;
    for (uint32_t i = 0; i < count; i++)
        list->objects[first + i].ground = placement->densities[i];
    return true;
}

static bool placement_run(struct placement *placement, struct object_list *list,
                          struct error *error)
{
    const size_t cells =
        (size_t)placement->columns * placement->rows + 1; /* no allocation is empty */
    const uint32_t first = list->count;
    placement->candidates = calloc(cells, sizeof *placement->candidates);
    placement->places = calloc(cells, sizeof *placement->places);
    placement->densities = calloc(cells, sizeof *placement->densities);
    placement->row_starts = calloc((size_t)placement->rows + 1, sizeof *placement->row_starts);
    bool done = (placement->candidates && placement->places && placement->densities &&
                 placement->row_starts) ||
                error_memory(error);
    if (done)
        list_candidates(placement);
    done = done && accept_candidates(placement, error) && list_objects(placement, list, error) &&
           (!placement->search->ground || measure_ground(placement, list, first, error));
    free(placement->candidates);
    free(placement->places);
    free(placement->densities);
    free(placement->row_starts);
    return done;
}

static bool check_search(struct sampler *sampler, const struct world *world,
                         const struct object_search *search, struct error *error)
{
    uint64_t cells = 0;
    if (search->low.x < -SEARCH_LIMIT || search->low.y < -SEARCH_LIMIT ||
        search->high.x > SEARCH_LIMIT || search->high.y > SEARCH_LIMIT)
        return error_set(error, ERROR_VALUE,
                         "the box is beyond the edge of the world: allowed is -1099511627776 to "
                         "1099511627776");
    for (unsigned i = 0; i < world_object_count(world); i++) {
        struct placement placement = placement_begin(sampler, world, search, i);
        if (search->kinds >> i & 1)
            cells += placement_set_cells(&placement);
    }
    if (cells <= OBJECTS_CANDIDATES_MAX)
        return true;
    return error_set(
        error, ERROR_LIMIT,
        "the box is too large: it has more than %d cells where objects could be; use a "
        "smaller box or fewer kinds",
        OBJECTS_CANDIDATES_MAX);
}

bool objects_find(struct sampler *sampler, const struct world *world,
                  const struct object_search *search, struct object_list *list, struct error *error)
{
    if (search->low.x >= search->high.x || search->low.y >= search->high.y)
        return true;
    if (!check_search(sampler, world, search, error))
        return false;
    for (unsigned i = 0; i < world_object_count(world); i++) {
        if (!(search->kinds >> i & 1))
            continue;
        struct placement placement = placement_begin(sampler, world, search, i);
        placement_set_cells(&placement);
        if (!placement_run(&placement, list, error))
            return false;
    }
    return true;
}
