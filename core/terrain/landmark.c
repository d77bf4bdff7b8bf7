/* Peaks and passes, and what all searches for landmarks begin with: the samples of the grid. */
#include <stdlib.h>

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

static bool find_greatest(struct survey *survey, struct error *error)
{
    struct landmark *landmark = survey->landmark;
    const float *prominences = survey->marks[survey->kind == LANDMARK_PASS];
    uint32_t found = 0;
    float height, *output = &height;
    const unsigned layer = world_height_layer(survey->world);
    const struct sample_points points = {.places = &landmark->located.places[0].place, .count = 1};
    const struct sample_request request = {&layer, &output, 1};
    const uint32_t side = (uint32_t)survey->side;
    if (!prominence_find(survey->rows[HEIGHT], side, side, survey->marks[0], survey->marks[1]))
        return error_memory(error);
    for (uint32_t i = 0; i < survey->count; i++)
        if (prominences[i] > landmark->prominence && survey_is_within(survey, i)) {
            landmark->prominence = prominences[i];
            found = i;
        }
    if (landmark->prominence == 0.0f)
        return true;
    locate_add_place(survey->search, survey_east(survey, found), survey_south(survey, found),
                     &landmark->located);
    if (!sampler_points(survey->sampler, survey->world, &points, &request, error))
        return false;
    landmark->located.places[0].height = height;
    return true;
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
                      (landmark_needs_drainage(kind) ? landmark_find_water(&survey, error)
                                                     : find_greatest(&survey, error));
    free(memory);
    return done;
}
