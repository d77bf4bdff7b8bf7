/* Noise at a list of places: groups of NOISE_ROW_MAX, the last padded with its own last place. */
#include <string.h>

#include "core/noise/sites.h"

struct points {
    struct sites_octave octaves[NOISE_OCTAVES_MAX];
    struct sites group;
    struct noise_scratch *scratch;
    float dx[NOISE_ROW_MAX], dy[NOISE_ROW_MAX];
    _Alignas(64) uint32_t east[NOISE_ROW_MAX], south[NOISE_ROW_MAX];
};

/* Where the group's places are from the corner of their box, if they are near each other. */
static void measure_group(struct points *points)
{
    struct sites *group = &points->group;
    struct place low = group->places[0], high = low;
    for (uint32_t i = 1; i < group->members; i++) {
        const struct place place = group->places[i];
        low.x = place.x < low.x ? place.x : low.x;
        low.y = place.y < low.y ? place.y : low.y;
        high.x = place.x > high.x ? place.x : high.x;
        high.y = place.y > high.y ? place.y : high.y;
    }
    const bool near = high.x - low.x < SITES_REACH && high.y - low.y < SITES_REACH;
    group->corner = low;
    group->east = near ? points->east : NULL;
    group->south = near ? points->south : NULL;
    for (uint32_t i = 0; near && i < group->count; i++) {
        const uint32_t from = i < group->members ? i : group->members - 1;
        points->east[i] = (uint32_t)(group->places[from].x - low.x);
        points->south[i] = (uint32_t)(group->places[from].y - low.y);
    }
}

static void add_group(const void *context, unsigned octave, const struct kernel_out *out)
{
    const struct points *points = context;
    sites_add(&points->octaves[octave], &points->group, points->scratch, out);
}

static void open_group(struct points *points, const struct noise_list *list, size_t start)
{
    const size_t left = list->count - start;
    struct sites *group = &points->group;
    group->places = list->places + start;
    group->members = left < NOISE_ROW_MAX ? (uint32_t)left : NOISE_ROW_MAX;
    group->count = (group->members + NOISE_LANES - 1) / NOISE_LANES * NOISE_LANES;
    for (uint32_t i = 0; list->dx && i < group->count; i++) {
        size_t from = start + (i < group->members ? i : group->members - 1);
        points->dx[i] = list->dx[from];
        points->dy[i] = list->dy[from];
    }
    group->dx = list->dx ? points->dx : NULL;
    group->dy = list->dx ? points->dy : NULL;
    measure_group(points);
}

void noise_points(const struct noise *noise, const struct noise_list *list,
                  struct noise_scratch *scratch, float *out)
{
    const double spacing = list->moment.spacing;
    struct points points;
    const struct fractal_source source = {add_group, &points};
    float sum[NOISE_ROW_MAX];
    memset(&points.group, 0, sizeof points.group);
    points.scratch = scratch;
    for (unsigned i = 0; i < noise->settings.octaves; i++)
        if (fractal_octave_counts(noise, i, spacing))
            sites_prepare(noise, i, &list->moment, &points.octaves[i]);
    for (size_t start = 0; start < list->count; start += points.group.members) {
        open_group(&points, list, start);
        fractal_row(noise, spacing, points.group.count, &source, scratch, sum);
        memcpy(out + start, sum, points.group.members * sizeof *out);
    }
}
