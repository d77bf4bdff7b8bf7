/* Sources, mouths and lakes. The samples of rivers or lakes are marked; those that may be what is
 * looked for are candidates, sorted by their distance. They are checked at full detail, some at a
 * time, until one passes. */
#include <stdlib.h>

#include "core/base/lanes.h"
#include "core/terrain/landmark_private.h"

#define RIVER_STEPS 0.75f /* from a river to its samples, at most */
#define RIVER_FLOW 1e6f   /* m², at least */
enum { CHECKS_ONCE = 16 };

/* A sample within the radius. */
struct candidate {
    uint64_t square; /* of the distance in steps */
    uint32_t sample;
    uint32_t size; /* of its lake, in samples */
};

static bool is_marked(const struct survey *survey, uint32_t sample)
{
    return survey->marks[0][sample] != 0.0f;
}

static void mark_rivers(struct survey *survey)
{
    const float step = (float)place_metres(survey->landmarks->located.step);
    const float flow = max_float(RIVER_FLOW, LANDMARK_SQUARES * step * step);
    float *const *rows = survey->rows;
    for (uint32_t i = 0; i < survey->count; i++) {
        const bool is_river = rows[HEIGHT][i] > 0.0f && rows[FLOW][i] >= flow &&
                              rows[DISTANCE][i] <= RIVER_STEPS * step;
        survey->marks[0][i] = is_river ? 1.0f : 0.0f;
    }
}

/* A river's water stands at its bed, a lake's above. */
static void mark_lakes(struct survey *survey)
{
    float *const *rows = survey->rows;
    for (uint32_t i = 0; i < survey->count; i++) {
        const bool is_lake = rows[WATER][i] > rows[HEIGHT][i] && rows[WATER][i] > rows[BED][i];
        survey->marks[0][i] = is_lake ? 1.0f : 0.0f;
    }
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

static bool is_river_candidate(const struct survey *survey, uint32_t sample)
{
    return is_marked(survey, sample) && survey_is_within(survey, sample) &&
           survey_is_inside(survey, sample, LANDMARK_REACH) &&
           (survey->kind == LANDMARK_SOURCE || is_beside_sea(survey, sample)) &&
           is_end(survey, sample, survey->kind == LANDMARK_SOURCE);
}

static uint32_t list_rivers(const struct survey *survey, struct candidate *list)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < survey->count; i++)
        if (is_river_candidate(survey, i))
            list[count++] = (struct candidate){.square = survey_square(survey, i), .sample = i};
    return count;
}

static float depth_of(const struct survey *survey, uint32_t sample)
{
    return survey->rows[WATER][sample] - survey->rows[HEIGHT][sample];
}

/* The deepest sample of the lake that a sample is in, and the lake's size. Marks are removed from
 * the samples that were counted; `queue` has room for all. */
static struct candidate measure_lake(struct survey *survey, uint32_t sample, uint32_t *queue)
{
    struct candidate lake = {.sample = sample};
    queue[lake.size++] = sample;
    survey->marks[0][sample] = 0.0f;
    for (uint32_t done = 0; done < lake.size; done++) {
        const uint32_t at = queue[done];
        const float deeper = depth_of(survey, at) - depth_of(survey, lake.sample);
        if (deeper > 0.0f || (deeper == 0.0f && at < lake.sample))
            lake.sample = at;
        for (int k = 0; k < 9 && survey_is_inside(survey, at, 1); k++) {
            const uint32_t other = at + (uint32_t)((k / 3 - 1) * survey->side + k % 3 - 1);
            if (!is_marked(survey, other))
                continue;
            survey->marks[0][other] = 0.0f;
            queue[lake.size++] = other;
        }
    }
    lake.square = survey_square(survey, lake.sample);
    return lake;
}

static uint32_t list_lakes(struct survey *survey, struct candidate *list, uint32_t *queue)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < survey->count; i++) {
        if (!is_marked(survey, i))
            continue;
        const struct candidate lake = measure_lake(survey, i, queue);
        if (survey_is_within(survey, lake.sample))
            list[count++] = lake;
    }
    return count;
}

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *first = a, *second = b;
    if (first->square != second->square)
        return first->square < second->square ? -1 : 1;
    return (first->sample > second->sample) - (first->sample < second->sample);
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
        checks->places[i] =
            locate_place(survey->search, survey->landmarks->located.step,
                         survey_east(survey, list[i].sample), survey_south(survey, list[i].sample));
    }
    for (unsigned i = 0; i < LANDMARK_LAYERS_MAX; i++)
        outputs[i] = checks->values[i];
    return sampler_points(survey->sampler, world_program(survey->world), &points, &request, error);
}

static bool passes(const struct survey *survey, const struct checks *checks, uint32_t i)
{
    const float height = checks->values[HEIGHT][i], water = checks->values[WATER][i];
    return survey->kind == LANDMARK_LAKE ? water > height && water > checks->values[BED][i]
                                         : height > 0.0f;
}

static void add_result(struct survey *survey, const struct candidate *found, float height)
{
    struct located *located = &survey->landmarks->located;
    struct landmark_facts *facts = &survey->landmarks->facts[located->count];
    const double step = place_metres(located->step);
    locate_add_place(survey->search, survey_east(survey, found->sample),
                     survey_south(survey, found->sample), located);
    located->places[located->count - 1].height = height;
    if (survey->kind == LANDMARK_LAKE) {
        facts->level = survey->rows[WATER][found->sample];
        facts->area = found->size * step * step;
    } else {
        facts->flow = survey->rows[FLOW][found->sample];
        facts->width = drainage_river_width(facts->flow);
    }
}

/* Adds those of some candidates that pass at full detail, until there are as many as asked for. */
static bool check_some(struct survey *survey, const struct candidate *list, uint32_t count,
                       struct error *error)
{
    struct checks checks;
    if (!sample_checks(survey, list, count, &checks, error))
        return false;
    for (uint32_t i = 0; i < count && survey->landmarks->located.count < survey->search->limit; i++)
        if (passes(survey, &checks, i))
            add_result(survey, &list[i], checks.values[HEIGHT][i]);
    return true;
}

static bool check_nearest(struct survey *survey, const struct candidate *list, uint32_t count,
                          struct error *error)
{
    struct located *located = &survey->landmarks->located;
    const uint32_t most = landmark_checks(survey->search, survey->kind);
    const uint32_t end = count < most ? count : most;
    for (uint32_t first = 0; first < end && located->count < survey->search->limit;
         first += CHECKS_ONCE) {
        const uint32_t some = end - first < CHECKS_ONCE ? end - first : CHECKS_ONCE;
        if (!check_some(survey, list + first, some, error))
            return false;
    }
    located->complete = end == count || located->count == survey->search->limit;
    return true;
}

bool landmark_find_water(struct survey *survey, struct error *error)
{
    struct candidate *list = malloc(survey->count * sizeof *list);
    uint32_t *queue = malloc(survey->count * sizeof *queue), count = 0;
    bool done = list && queue;
    if (done && survey->kind == LANDMARK_LAKE) {
        mark_lakes(survey);
        count = list_lakes(survey, list, queue);
    } else if (done) {
        mark_rivers(survey);
        count = list_rivers(survey, list);
    }
    if (count > 0)
        qsort(list, count, sizeof *list, compare_candidates);
    done = done ? check_nearest(survey, list, count, error) : error_memory(error);
    free(list);
    free(queue);
    return done;
}
