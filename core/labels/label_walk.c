#include "core/labels/label_walk.h"

#include "core/terrain/shore.h"

#include <math.h>

enum { SIDE = 9, SAMPLES = SIDE * SIDE, MIDDLE = SIDE / 2, FINER = 4 };

/* The samples of a step: in rows, along the feature's axis and across it. */
struct steps {
    float beyond[SAMPLES][2]; /* from the survey's sample, metres */
    float heights[SAMPLES];
    unsigned layer; /* that is sampled: above 0 on land */
};

/* Of a cape the axes are those of the map. */
static void place_steps(const struct survey_feature *feature, double metres, struct steps *steps)
{
    const bool is_cape = feature->kind == NAME_CAPE;
    const float x = is_cape ? 1.0f : feature->axis[0], y = is_cape ? 0.0f : feature->axis[1];
    for (int i = 0; i < SAMPLES; i++) {
        const int column = i % SIDE - MIDDLE, row = i / SIDE - MIDDLE;
        const float along = (float)(column * metres), across = (float)(row * metres);
        steps->beyond[i][0] = feature->beyond[0] + along * x - across * y;
        steps->beyond[i][1] = feature->beyond[1] + along * y + across * x;
    }
}

static bool sample_steps(const struct label_source *source, struct place from, double metres,
                         struct steps *steps, struct error *error)
{
    struct place places[SAMPLES];
    float *output = steps->heights;
    const struct sample_points points = {places, SAMPLES, survey_detail(metres), 0, 0};
    const struct sample_request request = {&steps->layer, &output, 1};
    for (int i = 0; i < SAMPLES; i++)
        places[i] = (struct place){from.x + place_from_metres((double)steps->beyond[i][0]),
                                   from.y + place_from_metres((double)steps->beyond[i][1])};
    return sampler_points(source->sampler, world_program(source->world), &points, &request, error);
}

/* The sample on land that lies farthest in the direction of a cape's axis; SAMPLES if none is. */
static unsigned choose_tip(const struct survey_feature *cape, const struct steps *steps)
{
    unsigned farthest = SAMPLES;
    float most = -INFINITY;
    for (unsigned i = 0; i < SAMPLES; i++) {
        const float along =
            steps->beyond[i][0] * cape->axis[0] + steps->beyond[i][1] * cape->axis[1];
        if (!(steps->heights[i] > 0.0f) || along <= most)
            continue;
        most = along;
        farthest = i;
    }
    return farthest;
}

/* The highest sample of those across the ridge at a place along it. */
static unsigned choose_crest(const struct steps *steps, unsigned along)
{
    unsigned highest = along;
    for (unsigned i = along; i < SAMPLES; i += SIDE)
        highest = steps->heights[i] > steps->heights[highest] ? i : highest;
    return highest;
}

/* Of the ridge's highest samples the lowest, if it is above the valleys; SAMPLES if none is. */
static unsigned choose_saddle(const struct survey_feature *pass, const struct steps *steps)
{
    unsigned lowest = SAMPLES;
    for (unsigned i = 0; i < SIDE; i++) {
        const unsigned crest = choose_crest(steps, i);
        if (steps->heights[crest] > pass->least &&
            (lowest == SAMPLES || steps->heights[crest] < steps->heights[lowest]))
            lowest = crest;
    }
    return lowest;
}

bool label_walk(const struct label_source *source, struct place from, double metres,
                struct survey_feature *feature, struct error *error)
{
    const bool is_cape = feature->kind == NAME_CAPE;
    const double last = metres / LABEL_WALK_FINER;
    double step = metres / 2.0;
    struct steps steps = {.layer = is_cape && shore_exists(source->world)
                                       ? shore_layer(source->world)
                                       : world_height_layer(source->world)};
    while (step >= last) {
        place_steps(feature, step, &steps);
        if (!sample_steps(source, from, step, &steps, error))
            return false;
        step /= FINER;
        const unsigned chosen =
            is_cape ? choose_tip(feature, &steps) : choose_saddle(feature, &steps);
        if (chosen == SAMPLES) {
            feature->samples = 0;
            break;
        }
        feature->beyond[0] = steps.beyond[chosen][0];
        feature->beyond[1] = steps.beyond[chosen][1];
    }
    return true;
}
