/* Peaks and passes, and what all searches for landmarks begin with: the samples of the grid. */
#include <stdlib.h>
#include <string.h>

#include "core/terrain/landmark_private.h"
#include "core/terrain/prominence.h"

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

unsigned landmark_checks(const struct locate_search *search, enum landmark_kind kind)
{
    return search->limit + (landmark_needs_drainage(kind) ? LANDMARK_FAILURES_MAX : 0);
}

static bool sample_grid(struct survey *survey, struct error *error)
{
    const struct located *located = &survey->landmarks->located;
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
    survey->landmarks->located.samples = survey->count;
    return sampler_grid(survey->sampler, world_program(survey->world), &grid, &request, error);
}

/* The samples within the radius that have the greatest prominences, the greatest first, of equals
 * the first sample: as many as the search asks for, if there are so many. Returns their number. */
static unsigned list_greatest(const struct survey *survey, const float *prominences,
                              uint32_t list[LOCATE_PLACES_MAX])
{
    const unsigned limit = survey->search->limit;
    unsigned count = 0;
    for (uint32_t i = 0; i < survey->count; i++) {
        unsigned at = count;
        if (prominences[i] <= 0.0f || !survey_is_within(survey, i))
            continue;
        while (at > 0 && prominences[list[at - 1]] < prominences[i])
            at--;
        if (at == limit)
            continue;
        if (count < limit)
            count++;
        memmove(&list[at + 1], &list[at], (count - 1 - at) * sizeof *list);
        list[at] = i;
    }
    return count;
}

static bool add_greatest(struct survey *survey, const float *prominences, struct error *error)
{
    struct landmarks *landmarks = survey->landmarks;
    uint32_t list[LOCATE_PLACES_MAX];
    const unsigned count = list_greatest(survey, prominences, list);
    struct place places[LOCATE_PLACES_MAX];
    float heights[LOCATE_PLACES_MAX], *output = heights;
    const unsigned layer = world_height_layer(survey->world);
    const struct sample_points points = {.places = places, .count = count};
    const struct sample_request request = {&layer, &output, 1};
    for (unsigned i = 0; i < count; i++) {
        locate_add_place(survey->search, survey_east(survey, list[i]),
                         survey_south(survey, list[i]), &landmarks->located);
        places[i] = landmarks->located.places[i].place;
        landmarks->facts[i].prominence = prominences[list[i]];
    }
    if (count > 0 &&
        !sampler_points(survey->sampler, world_program(survey->world), &points, &request, error))
        return false;
    for (unsigned i = 0; i < count; i++)
        landmarks->located.places[i].height = heights[i];
    return true;
}

static bool find_greatest(struct survey *survey, struct error *error)
{
    const uint32_t side = (uint32_t)survey->side;
    if (!prominence_find(survey->rows[HEIGHT], side, side, survey->marks[0], survey->marks[1]))
        return error_memory(error);
    return add_greatest(survey, survey->marks[survey->kind == LANDMARK_PASS], error);
}

bool landmark_find(struct sampler *sampler, const struct world *world,
                   const struct landmark_search *search, struct landmarks *landmarks,
                   struct error *error)
{
    const uint32_t side = landmark_side(search->circle), count = side * side;
    float *memory = malloc((LANDMARK_LAYERS_MAX + 2) * (size_t)count * sizeof *memory);
    struct survey survey = {
        .sampler = sampler,
        .world = world,
        .search = search->circle,
        .kind = search->kind,
        .landmarks = landmarks,
        .side = (int32_t)side,
        .count = count,
    };
    *landmarks = (struct landmarks){.located = locate_begin(search->circle)};
    if (!memory)
        return error_memory(error);
    for (unsigned i = 0; i < LANDMARK_LAYERS_MAX; i++)
        survey.rows[i] = memory + i * (size_t)count;
    for (unsigned i = 0; i < 2; i++)
        survey.marks[i] = memory + (LANDMARK_LAYERS_MAX + i) * (size_t)count;
    const bool done = sample_grid(&survey, error) &&
                      (landmark_needs_drainage(search->kind) ? landmark_find_water(&survey, error)
                                                             : find_greatest(&survey, error));
    free(memory);
    return done;
}
