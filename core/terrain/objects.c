#include "core/terrain/objects.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/wide.h"
#include "core/terrain/angle.h"
#include "core/terrain/steepness.h"

#define REACH_LIMIT (PLACE_LIMIT + ((int64_t)1 << (24 + PLACE_BITS)))

/* A candidate: what its hash says. */
struct candidate {
    uint64_t id, priority;
    struct place place;
};

/* The search for one kind. */
struct hunt {
    const struct world *world;
    const struct object_search *search;
    unsigned kind;
    int64_t spacing, distance;
    uint64_t key;
    int64_t column, row;          /* the first cell */
    uint32_t columns, rows;       /* of the box and its neighbourhood */
    struct candidate *candidates; /* first those worth asking, then the accepted ones; by rows */
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

static int64_t floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* The first cell and how many there are from `low` to below `high`, both edges moved outwards by
 * the distance. */
static uint64_t cell_range(int64_t low, int64_t high, int64_t spacing, int64_t distance,
                           int64_t *first)
{
    *first = floor_divide(low - distance, spacing);
    return (uint64_t)(floor_divide(high - 1 + distance, spacing) - *first) + 1;
}

/* Names are hashed, so a kind added to a world moves no object of the others. */
static uint64_t kind_key(const struct world *world, unsigned kind)
{
    const char *name = world_object(world, kind)->name;
    return hash_bytes(name, strlen(name), hash_mix(world_seed_bits(world) + 1)).low;
}

static struct hunt begin_hunt(const struct world *world, const struct object_search *search,
                              unsigned kind)
{
    const struct world_object *object = world_object(world, kind);
    return (struct hunt){
        .world = world,
        .search = search,
        .kind = kind,
        .spacing = object->spacing,
        .distance = object->min_distance,
        .key = kind_key(world, kind),
    };
}

/* Fills the cells of the hunt; how many they are, or something beyond all limits. */
static uint64_t survey_cells(struct hunt *hunt)
{
    const struct object_search *search = hunt->search;
    uint64_t columns =
        cell_range(search->low.x, search->high.x, hunt->spacing, hunt->distance, &hunt->column);
    uint64_t rows =
        cell_range(search->low.y, search->high.y, hunt->spacing, hunt->distance, &hunt->row);
    if (columns > OBJECTS_CANDIDATES_MAX || rows > OBJECTS_CANDIDATES_MAX)
        return (uint64_t)OBJECTS_CANDIDATES_MAX * OBJECTS_CANDIDATES_MAX;
    hunt->columns = (uint32_t)columns;
    hunt->rows = (uint32_t)rows;
    return columns * rows;
}

/* Which part of 2⁶⁴ a hash is, of 0 … 1, in steps of 2⁻²⁴ that a float has exactly. */
static float unit_of(uint64_t bits)
{
    return (float)(bits >> 40) * 0x1p-24f;
}

/* Different words of one id. */
static uint64_t word_of(uint64_t id, uint64_t which)
{
    return hash_mix(id + which * 0x9E3779B97F4A7C15u);
}

enum { WORD_PLACE = 1, WORD_CHANCE, WORD_PRIORITY, WORD_SCALE, WORD_ROTATION };

static uint64_t cell_id(uint64_t key, int64_t column, int64_t row)
{
    return hash_mix(hash_mix(key + (uint64_t)column) + (uint64_t)row);
}

/* A cell's side is at most 2³² units, so 32 bits of hash choose among them without overflow. */
static struct place candidate_place(const struct hunt *hunt, uint64_t id, int64_t column,
                                    int64_t row)
{
    const uint64_t word = word_of(id, WORD_PLACE), spacing = (uint64_t)hunt->spacing;
    return (struct place){
        column * hunt->spacing + (int64_t)((word >> 32) * spacing >> 32),
        row * hunt->spacing + (int64_t)((word & 0xFFFFFFFFu) * spacing >> 32),
    };
}

static bool in_box(const struct object_search *search, struct place place, int64_t margin)
{
    return place.x >= search->low.x - margin && place.x < search->high.x + margin &&
           place.y >= search->low.y - margin && place.y < search->high.y + margin;
}

/* The candidates of the neighbourhood that some density could accept. */
static void list_candidates(struct hunt *hunt)
{
    const float high = world_density_high(hunt->world, hunt->kind);
    for (uint32_t r = 0; r < hunt->rows; r++) {
        hunt->row_starts[r] = hunt->count;
        for (uint32_t c = 0; c < hunt->columns; c++) {
            const int64_t column = hunt->column + c, row = hunt->row + r;
            const uint64_t id = cell_id(hunt->key, column, row);
            if (!(unit_of(word_of(id, WORD_CHANCE)) < high))
                continue;
            struct place place = candidate_place(hunt, id, column, row);
            if (!in_box(hunt->search, place, hunt->distance))
                continue;
            hunt->places[hunt->count] = place;
            hunt->candidates[hunt->count++] =
                (struct candidate){id, word_of(id, WORD_PRIORITY), place};
        }
    }
    hunt->row_starts[hunt->rows] = hunt->count;
}

static bool sample(struct sampler *sampler, const struct hunt *hunt, unsigned layer, uint32_t count,
                   struct error *error)
{
    const struct sample_points points = {.places = hunt->places, .count = count};
    float *const outputs[1] = {hunt->densities};
    const struct sample_request request = {&layer, outputs, 1};
    return count == 0 || sampler_points(sampler, hunt->world, &points, &request, error);
}

static float chance_of(const struct candidate *candidate)
{
    return unit_of(word_of(candidate->id, WORD_CHANCE));
}

/* Keeps the candidates, and their densities, whose chance is below high × (density + slack), in
 * their order. */
static void keep(struct hunt *hunt, float high, float slack)
{
    uint32_t kept = 0;
    for (uint32_t r = 0; r < hunt->rows; r++) {
        uint32_t i = hunt->row_starts[r];
        hunt->row_starts[r] = kept;
        for (; i < hunt->row_starts[r + 1]; i++) {
            if (!(chance_of(&hunt->candidates[i]) < high * (hunt->densities[i] + slack)))
                continue;
            hunt->candidates[kept] = hunt->candidates[i];
            hunt->places[kept] = hunt->places[i];
            hunt->densities[kept++] = hunt->densities[i];
        }
    }
    hunt->row_starts[hunt->rows] = hunt->count = kept;
}

static int64_t steepness_step(int64_t spacing)
{
    int64_t step = 1;
    while (step < spacing)
        step *= 2;
    return step;
}

/* 1 on ground up to OBJECTS_SLOPE_THINS of the limit, and from there down to 0 at the limit. */
static float share_on(float rise, float max_slope)
{
    const double part = angle_of_tangent((double)rise) / (double)max_slope;
    const double share = (1.0 - part) / (1.0 - OBJECTS_SLOPE_THINS);
    return share > 1.0 ? 1.0f : share > 0.0 ? (float)share : 0.0f;
}

/* Keeps those that stand on ground as steep as theirs. */
static bool keep_by_slope(struct sampler *sampler, struct hunt *hunt, struct error *error)
{
    const float max_slope = world_object(hunt->world, hunt->kind)->max_slope;
    if (max_slope >= 90.0f || hunt->count == 0)
        return true;
    float *rises = malloc(hunt->count * sizeof *rises);
    const struct steepness_request request = {hunt->places, hunt->count,
                                              steepness_step(hunt->spacing)};
    bool done = (rises || error_memory(error)) &&
                steepness_at(sampler, hunt->world, &request, rises, error);
    for (uint32_t i = 0; i < hunt->count && done; i++)
        hunt->densities[i] *= share_on(rises[i], max_slope);
    free(rises);
    if (done)
        keep(hunt, 1.0f, 0.0f);
    return done;
}

/* Asks the density at every candidate, the cheap part of it first, then the slope, and keeps the
 * accepted ones in their order. */
static bool accept_candidates(struct sampler *sampler, struct hunt *hunt, struct error *error)
{
    struct world_sieve sieve;
    if (world_density_sieve(hunt->world, hunt->kind, &sieve)) {
        if (!sample(sampler, hunt, sieve.layer, hunt->count, error))
            return false;
        keep(hunt, sieve.high, WORLD_SIEVE_SLACK);
    }
    if (!sample(sampler, hunt, world_density_layer(hunt->world, hunt->kind), hunt->count, error))
        return false;
    keep(hunt, 1.0f, 0.0f);
    return keep_by_slope(sampler, hunt, error);
}

/* Whether b is nearer to a than the distance and comes before it. */
static bool displaces(const struct candidate *b, const struct candidate *a, int64_t distance)
{
    const int64_t dx = b->place.x - a->place.x, dy = b->place.y - a->place.y;
    if (b->priority < a->priority || (b->priority == a->priority && b->id <= a->id))
        return false;
    return wide_less(wide_sum(wide_product(dx, dx), wide_product(dy, dy)),
                     wide_product(distance, distance));
}

/* The first candidate in a row of cells, which has them from west to east, that is not west of x.
 */
static uint32_t find_in_row(const struct hunt *hunt, int64_t row, int64_t x)
{
    uint32_t start = hunt->row_starts[row], end = hunt->row_starts[row + 1];
    while (start < end) {
        const uint32_t middle = start + (end - start) / 2;
        if (hunt->candidates[middle].place.x < x)
            start = middle + 1;
        else
            end = middle;
    }
    return start;
}

static bool stands(const struct hunt *hunt, const struct candidate *candidate)
{
    const struct place place = candidate->place;
    if (hunt->distance == 0)
        return true;
    int64_t first = floor_divide(place.y - hunt->distance, hunt->spacing) - hunt->row;
    int64_t last = floor_divide(place.y + hunt->distance, hunt->spacing) - hunt->row;
    first = first < 0 ? 0 : first;
    last = last < hunt->rows ? last : (int64_t)hunt->rows - 1;
    for (int64_t row = first; row <= last; row++) {
        uint32_t i = find_in_row(hunt, row, place.x - hunt->distance);
        const uint32_t end = hunt->row_starts[row + 1];
        for (; i < end && hunt->candidates[i].place.x < place.x + hunt->distance; i++)
            if (displaces(&hunt->candidates[i], candidate, hunt->distance))
                return false;
    }
    return true;
}

static bool fail_limit(const struct hunt *hunt, struct error *error)
{
    return error_set(error, ERROR_LIMIT,
                     "there are more than %u objects in the box; at most %u are given: ask for a "
                     "smaller one",
                     hunt->search->limit, hunt->search->limit);
}

static bool append(struct object_list *list, const struct object *object)
{
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity ? list->capacity * 2 : 256;
        struct object *larger = realloc(list->objects, capacity * sizeof *larger);
        if (!larger)
            return false;
        list->objects = larger;
        list->capacity = capacity;
    }
    list->objects[list->count++] = *object;
    return true;
}

static bool list_objects(const struct hunt *hunt, struct object_list *list, struct error *error)
{
    for (uint32_t i = 0; i < hunt->count; i++) {
        const struct candidate *candidate = &hunt->candidates[i];
        if (!in_box(hunt->search, candidate->place, 0) || !stands(hunt, candidate))
            continue;
        const float scale = unit_of(word_of(candidate->id, WORD_SCALE));
        const struct object object = {
            .id = candidate->id,
            .place = candidate->place,
            .kind = hunt->kind,
            .scale = OBJECTS_SCALE_LOW + scale * (OBJECTS_SCALE_HIGH - OBJECTS_SCALE_LOW),
            .rotation = 360.0f * unit_of(word_of(candidate->id, WORD_ROTATION)),
        };
        if (list->count == hunt->search->limit)
            return fail_limit(hunt, error);
        if (!append(list, &object))
            return error_memory(error);
    }
    return true;
}

/* The heights of the objects from the `first` on. */
static bool measure_ground(struct sampler *sampler, const struct hunt *hunt,
                           struct object_list *list, uint32_t first, struct error *error)
{
    const uint32_t count = list->count - first;
    for (uint32_t i = 0; i < count; i++)
        hunt->places[i] = list->objects[first + i].place;
    if (!sample(sampler, hunt, world_height_layer(hunt->world), count, error))
        return false;
    for (uint32_t i = 0; i < count; i++)
        list->objects[first + i].ground = hunt->densities[i];
    return true;
}

static bool run_hunt(struct sampler *sampler, struct hunt *hunt, struct object_list *list,
                     struct error *error)
{
    const size_t cells = (size_t)hunt->columns * hunt->rows + 1; /* no allocation is empty */
    const uint32_t first = list->count;
    hunt->candidates = calloc(cells, sizeof *hunt->candidates);
    hunt->places = calloc(cells, sizeof *hunt->places);
    hunt->densities = calloc(cells, sizeof *hunt->densities);
    hunt->row_starts = calloc((size_t)hunt->rows + 1, sizeof *hunt->row_starts);
    bool done = (hunt->candidates && hunt->places && hunt->densities && hunt->row_starts) ||
                error_memory(error);
    if (done)
        list_candidates(hunt);
    done = done && accept_candidates(sampler, hunt, error) && list_objects(hunt, list, error) &&
           (!hunt->search->ground || measure_ground(sampler, hunt, list, first, error));
    free(hunt->candidates);
    free(hunt->places);
    free(hunt->densities);
    free(hunt->row_starts);
    return done;
}

static bool check_search(const struct world *world, const struct object_search *search,
                         struct error *error)
{
    uint64_t cells = 0;
    if (search->low.x < -REACH_LIMIT || search->low.y < -REACH_LIMIT ||
        search->high.x > REACH_LIMIT || search->high.y > REACH_LIMIT)
        return error_set(error, ERROR_VALUE,
                         "the box is beyond the world's edge: allowed is -1099511627776 to "
                         "1099511627776");
    for (unsigned i = 0; i < world_object_count(world); i++) {
        struct hunt hunt = begin_hunt(world, search, i);
        if (search->kinds >> i & 1)
            cells += survey_cells(&hunt);
    }
    if (cells <= OBJECTS_CANDIDATES_MAX)
        return true;
    return error_set(error, ERROR_LIMIT,
                     "the box is too large: objects could stand at more than %d places in it; ask "
                     "for a smaller one, or for fewer kinds",
                     OBJECTS_CANDIDATES_MAX);
}

bool objects_find(struct sampler *sampler, const struct world *world,
                  const struct object_search *search, struct object_list *list, struct error *error)
{
    if (search->low.x >= search->high.x || search->low.y >= search->high.y)
        return true;
    if (!check_search(world, search, error))
        return false;
    for (unsigned i = 0; i < world_object_count(world); i++) {
        if (!(search->kinds >> i & 1))
            continue;
        struct hunt hunt = begin_hunt(world, search, i);
        survey_cells(&hunt);
        if (!run_hunt(sampler, &hunt, list, error))
            return false;
    }
    return true;
}
