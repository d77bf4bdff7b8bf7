#include "core/terrain/landmark.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/lanes.h"
#include "core/terrain/prominence.h"

/* What is sampled, in the order of layers. */
enum { HEIGHT, BED, FLOW, DISTANCE, WATER = FLOW };

#define RIVER_STEPS 0.75f /* from a river to its samples, at most */
#define RIVER_FLOW 1e6f   /* m², at least */
enum { CHECKS_ONCE = 16 };

struct survey {
    struct sampler *sampler;
    const struct world *world;
    const struct locate_search *search;
    enum landmark_kind kind;
    struct landmark *landmark;
    int32_t side;   /* samples */
    uint32_t count; /* of samples in all */
    float *rows[LANDMARK_LAYERS_MAX];
    float *marks[2]; /* of all samples: prominences of peaks and passes; or the first, what is a
                        river or lake */
};

/* A sample within the radius, and its place in the order of the search. */
struct candidate {
    uint64_t square; /* of the distance in steps */
    uint32_t sample;
};

bool landmark_needs_drainage(enum landmark_kind kind)
{
    return kind >= LANDMARK_SOURCE;
}

unsigned landmark_layers(const struct world *world, enum landmark_kind kind,
                         unsigned layers[LANDMARK_LAYERS_MAX])
{
    layers[HEIGHT] = world_height_layer(world);
    if (!landmark_needs_drainage(kind))
        return 1;
    layers[BED] = world_drainage_layer(world, DRAINAGE_BED);
    if (kind == LANDMARK_LAKE) {
        layers[WATER] = world_drainage_layer(world, DRAINAGE_WATER);
        return 3;
    }
    layers[FLOW] = world_drainage_layer(world, DRAINAGE_FLOW);
    layers[DISTANCE] = world_drainage_layer(world, DRAINAGE_DISTANCE);
    return 4;
}

uint32_t landmark_side(const struct locate_search *search)
{
    return 2 * (uint32_t)(search->radius / locate_begin(search).step) + 1;
}

/* Steps from the place. */
static int32_t east_of(const struct survey *survey, uint32_t sample)
{
    return (int32_t)sample % survey->side - survey->side / 2;
}

static int32_t south_of(const struct survey *survey, uint32_t sample)
{
    return (int32_t)sample / survey->side - survey->side / 2;
}

static uint64_t square_of(const struct survey *survey, uint32_t sample)
{
    const int64_t east = east_of(survey, sample), south = south_of(survey, sample);
    return (uint64_t)(east * east + south * south);
}

static bool is_within(const struct survey *survey, uint32_t sample)
{
    const double radius = place_metres(survey->search->radius);
    const double step = place_metres(survey->landmark->located.step);
    return (double)square_of(survey, sample) * step * step <= radius * radius;
}

/* True if all samples up to `steps` away on each axis are in the grid. */
static bool is_inside(const struct survey *survey, uint32_t sample, int32_t steps)
{
    const int32_t reach = survey->side / 2 - steps;
    return abs(east_of(survey, sample)) <= reach && abs(south_of(survey, sample)) <= reach;
}

static bool sample_grid(struct survey *survey, struct error *error)
{
    const struct located *located = &survey->landmark->located;
    const int64_t reach = survey->side / 2 * located->step;
    unsigned layers[LANDMARK_LAYERS_MAX];
    const unsigned count = landmark_layers(survey->world, survey->kind, layers);
    const struct sample_request request = {layers, survey->rows, count};
    const struct sample_grid grid = {.x = survey->search->place.x - reach,
                                     .y = survey->search->place.y - reach,
                                     .step = located->step,
                                     .columns = (uint32_t)survey->side,
                                     .rows = (uint32_t)survey->side,
                                     .spacing = located->spacing};
    survey->landmark->located.samples = survey->count;
    return sampler_grid(survey->sampler, survey->world, &grid, &request, error);
}

/* ---- peaks and passes */

static bool find_greatest(struct survey *survey, struct error *error)
{
    struct landmark *landmark = survey->landmark;
    const float *prominences = survey->marks[survey->kind == LANDMARK_PASS];
    uint32_t found = 0;
    float height, *output = &height;
    const unsigned layer = world_height_layer(survey->world);
    const struct sample_points points = {.places = &landmark->located.place, .count = 1};
    const struct sample_request request = {&layer, &output, 1};
    const uint32_t side = (uint32_t)survey->side;
    if (!prominence_find(survey->rows[HEIGHT], side, side, survey->marks[0], survey->marks[1]))
        return error_memory(error);
    for (uint32_t i = 0; i < survey->count; i++)
        if (prominences[i] > landmark->prominence && is_within(survey, i)) {
            landmark->prominence = prominences[i];
            found = i;
        }
    if (landmark->prominence == 0.0f)
        return true;
    locate_set_place(survey->search, east_of(survey, found), south_of(survey, found),
                     &landmark->located);
    if (!sampler_points(survey->sampler, survey->world, &points, &request, error))
        return false;
    landmark->located.value = height;
    return true;
}

/* ---- rivers and lakes */

static bool is_marked(const struct survey *survey, uint32_t sample)
{
    return survey->marks[0][sample] != 0.0f;
}

static void mark_rivers(struct survey *survey)
{
    const float step = (float)place_metres(survey->landmark->located.step);
    const float flow = max_float(RIVER_FLOW, LANDMARK_SQUARES * step * step);
    float *const *rows = survey->rows;
    for (uint32_t i = 0; i < survey->count; i++)
        survey->marks[0][i] = rows[HEIGHT][i] > 0.0f && rows[FLOW][i] >= flow &&
                              rows[DISTANCE][i] <= RIVER_STEPS * step;
}

/* A river's water stands at its bed, a lake's above. */
static void mark_lakes(struct survey *survey)
{
    float *const *rows = survey->rows;
    for (uint32_t i = 0; i < survey->count; i++)
        survey->marks[0][i] = rows[WATER][i] > rows[HEIGHT][i] && rows[WATER][i] > rows[BED][i];
}

/* True if the river there is an end of the rivers around: `upper` or lower than they. */
static bool is_end(const struct survey *survey, uint32_t sample, bool upper)
{
    const float *bed = survey->rows[BED];
    const float sign = upper ? 1.0f : -1.0f;
    for (int32_t row = -LANDMARK_REACH; row <= LANDMARK_REACH; row++)
        for (int32_t column = -LANDMARK_REACH; column <= LANDMARK_REACH; column++) {
            const uint32_t other = sample + (uint32_t)(row * survey->side + column);
            const float above = sign * (bed[other] - bed[sample]);
            if (is_marked(survey, other) && (above > 0.0f || (above == 0.0f && other < sample)))
                return false;
        }
    return true;
}

static bool is_beside_sea(const struct survey *survey, uint32_t sample)
{
    for (int32_t row = -1; row <= 1; row++)
        for (int32_t column = -1; column <= 1; column++)
            if (survey->rows[HEIGHT][sample + (uint32_t)(row * survey->side + column)] <= 0.0f)
                return true;
    return false;
}

static bool is_candidate(const struct survey *survey, uint32_t sample)
{
    const int32_t reach = survey->kind == LANDMARK_LAKE ? 0 : LANDMARK_REACH;
    if (!is_marked(survey, sample) || !is_within(survey, sample) ||
        !is_inside(survey, sample, reach))
        return false;
    switch (survey->kind) {
    case LANDMARK_SOURCE:
        return is_end(survey, sample, true);
    case LANDMARK_MOUTH:
        return is_beside_sea(survey, sample) && is_end(survey, sample, false);
    default:
        return true;
    }
}

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *first = a, *second = b;
    if (first->square != second->square)
        return first->square < second->square ? -1 : 1;
    return (first->sample > second->sample) - (first->sample < second->sample);
}

/* Lists the candidates, the nearest first; the list is the caller's. Null when memory is out. */
static struct candidate *list_candidates(const struct survey *survey, uint32_t *count)
{
    struct candidate *list = malloc((survey->count + 1) * sizeof *list);
    *count = 0;
    for (uint32_t i = 0; list && i < survey->count; i++)
        if (is_candidate(survey, i))
            list[(*count)++] = (struct candidate){square_of(survey, i), i};
    if (list && *count > 0)
        qsort(list, *count, sizeof *list, compare_candidates);
    return list;
}

/* The lake's area: that of the samples of lakes that are connected with one of it. Their marks are
 * removed as they are counted. `queue` has room for all. */
static double lake_area(struct survey *survey, uint32_t sample, struct candidate *queue)
{
    const double step = place_metres(survey->landmark->located.step);
    uint32_t count = 0;
    queue[count++].sample = sample;
    survey->marks[0][sample] = 0.0f;
    for (uint32_t done = 0; done < count; done++) {
        const uint32_t at = queue[done].sample;
        for (int k = 0; k < 9 && is_inside(survey, at, 1); k++) {
            const uint32_t other = at + (uint32_t)((k / 3 - 1) * survey->side + k % 3 - 1);
            if (!is_marked(survey, other))
                continue;
            survey->marks[0][other] = 0.0f;
            queue[count++].sample = other;
        }
    }
    return count * step * step;
}

/* The layers at full detail, at some of the candidates. */
struct checks {
    struct place places[CHECKS_ONCE];
    float values[LANDMARK_LAYERS_MAX][CHECKS_ONCE];
};

static bool sample_checks(const struct survey *survey, const struct candidate *list, uint32_t count,
                          struct checks *checks, struct error *error)
{
    float *outputs[LANDMARK_LAYERS_MAX];
    unsigned layers[LANDMARK_LAYERS_MAX];
    const struct sample_points points = {.places = checks->places, .count = count};
    const struct sample_request request = {layers, outputs,
                                           landmark_layers(survey->world, survey->kind, layers)};
    for (uint32_t i = 0; i < count; i++) {
        struct located at = survey->landmark->located;
        locate_set_place(survey->search, east_of(survey, list[i].sample),
                         south_of(survey, list[i].sample), &at);
        checks->places[i] = at.place;
    }
    for (unsigned i = 0; i < LANDMARK_LAYERS_MAX; i++)
        outputs[i] = checks->values[i];
    return sampler_points(survey->sampler, survey->world, &points, &request, error);
}

static bool passes(const struct survey *survey, const struct checks *checks, uint32_t i)
{
    const float height = checks->values[HEIGHT][i];
    return survey->kind == LANDMARK_LAKE ? height < checks->values[WATER][i] : height > 0.0f;
}

/* Describes what was found; the list of candidates is not needed any more. */
static void set_result(struct survey *survey, uint32_t sample, float height, struct candidate *list)
{
    struct landmark *landmark = survey->landmark;
    locate_set_place(survey->search, east_of(survey, sample), south_of(survey, sample),
                     &landmark->located);
    landmark->located.value = height;
    if (survey->kind == LANDMARK_LAKE) {
        landmark->level = survey->rows[WATER][sample];
        landmark->area = lake_area(survey, sample, list);
    } else {
        landmark->flow = survey->rows[FLOW][sample];
        landmark->width = drainage_river_width(landmark->flow);
    }
}

static bool check_nearest(struct survey *survey, struct candidate *list, uint32_t count,
                          struct error *error)
{
    struct located *located = &survey->landmark->located;
    for (uint32_t first = 0; first < count && !located->found; first += CHECKS_ONCE) {
        struct checks checks;
        const uint32_t some = count - first < CHECKS_ONCE ? count - first : CHECKS_ONCE;
        located->complete = first < LANDMARK_CHECKS_MAX;
        if (!located->complete)
            return true;
        if (!sample_checks(survey, list + first, some, &checks, error))
            return false;
        for (uint32_t i = 0; i < some && !located->found; i++)
            if (passes(survey, &checks, i))
                set_result(survey, list[first + i].sample, checks.values[HEIGHT][i], list);
    }
    return true;
}

static bool find_nearest(struct survey *survey, struct error *error)
{
    uint32_t count = 0;
    if (survey->kind == LANDMARK_LAKE)
        mark_lakes(survey);
    else
        mark_rivers(survey);
    struct candidate *list = list_candidates(survey, &count);
    const bool done = list ? check_nearest(survey, list, count, error) : error_memory(error);
    free(list);
    return done;
}

bool landmark_find(struct sampler *sampler, const struct world *world,
                   const struct locate_search *search, enum landmark_kind kind,
                   struct landmark *landmark, struct error *error)
{
    const uint32_t side = landmark_side(search), count = side * side;
    float *memory = malloc((LANDMARK_LAYERS_MAX + 2) * (size_t)count * sizeof *memory);
    struct survey survey = {
        .sampler = sampler,
        .world = world,
        .search = search,
        .kind = kind,
        .landmark = landmark,
        .side = (int32_t)side,
        .count = count,
    };
    *landmark = (struct landmark){.located = locate_begin(search)};
    if (!memory)
        return error_memory(error);
    for (unsigned i = 0; i < LANDMARK_LAYERS_MAX; i++)
        survey.rows[i] = memory + i * (size_t)count;
    for (unsigned i = 0; i < 2; i++)
        survey.marks[i] = memory + (LANDMARK_LAYERS_MAX + i) * (size_t)count;
    const bool done = sample_grid(&survey, error) &&
                      (landmark_needs_drainage(kind) ? find_nearest(&survey, error)
                                                     : find_greatest(&survey, error));
    free(memory);
    return done;
}
