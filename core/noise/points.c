/* Noise at a list of places: groups of NOISE_ROW_MAX, the last padded with its own last place. */
#include <string.h>

#include "core/noise/sites.h"

struct points {
    struct sites_octave octaves[NOISE_OCTAVES_MAX];
    struct sites group;
    struct noise_scratch *scratch;
    float dx[NOISE_ROW_MAX], dy[NOISE_ROW_MAX];
};

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
