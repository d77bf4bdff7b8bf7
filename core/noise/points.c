/* Noise at a list of places: groups of NOISE_ROW_MAX, the last padded with its own last place. */
#include "core/noise/fractal.h"
#include "core/noise/sites.h"

#include <string.h>

/* One group of a list. */
struct group {
    const struct noise_list *list;
    size_t start;
    uint32_t count, padded;
    float dx[NOISE_ROW_MAX], dy[NOISE_ROW_MAX];
};

static void group_open(struct group *group, const struct noise_list *list, size_t start)
{
    size_t left = list->count - start;
    group->list = list;
    group->start = start;
    group->count = left < NOISE_ROW_MAX ? (uint32_t)left : NOISE_ROW_MAX;
    group->padded = (group->count + NOISE_LANES - 1) / NOISE_LANES * NOISE_LANES;
    for (uint32_t i = 0; list->dx && i < group->padded; i++) {
        size_t from = start + (i < group->count ? i : group->count - 1);
        group->dx[i] = list->dx[from];
        group->dy[i] = list->dy[from];
    }
}

static void place_group(const struct group *group, const struct noise_octave *octave,
                        struct noise_scratch *scratch, bool *uniform)
{
    int64_t low_x = INT64_MAX, high_x = INT64_MIN, low_y = INT64_MAX, high_y = INT64_MIN;
    for (uint32_t i = 0; i < group->padded; i++) {
        uint32_t member = i < group->count ? i : group->count - 1;
        const struct place *place = &group->list->places[group->start + member];
        struct lattice_point x =
            lattice_split(lattice_product(place->x, octave->frequency, octave->offset_x));
        struct lattice_point y =
            lattice_split(lattice_product(place->y, octave->frequency, octave->offset_y));
        scratch->cell_x[i] = x.cell;
        scratch->cell_y[i] = y.cell;
        scratch->base_x[i] = (uint32_t)x.cell;
        scratch->base_y[i] = (uint32_t)y.cell;
        scratch->fraction_x[i] = lattice_fraction(x.fraction);
        scratch->fraction_y[i] = lattice_fraction(y.fraction);
        low_x = x.cell < low_x ? x.cell : low_x;
        high_x = x.cell > high_x ? x.cell : high_x;
        low_y = y.cell < low_y ? y.cell : low_y;
        high_y = y.cell > high_y ? y.cell : high_y;
    }
    *uniform = sites_share_key(low_x, high_x) && sites_share_key(low_y, high_y);
}

static void add_group(const struct noise *noise, const struct group *group, unsigned octave,
                      struct noise_scratch *scratch, float *out)
{
    bool displaced = group->list->dx != NULL;
    struct sites sites = {
        .count = group->padded,
        .cell_x = scratch->cell_x,
        .cell_y = scratch->cell_y,
        .base_x = scratch->base_x,
        .base_y = scratch->base_y,
        .fraction_x = scratch->fraction_x,
        .fraction_y = scratch->fraction_y,
        .dx = displaced ? group->dx : NULL,
        .dy = displaced ? group->dy : NULL,
    };
    place_group(group, &noise->octaves[octave], scratch, &sites.uniform);
    sites_add(noise, octave, group->list->spacing, &sites, scratch, out);
}

static void sample_group(const struct noise *noise, const struct group *group,
                         struct noise_scratch *scratch, float *sum)
{
    bool folds = fractal_folds(noise);
    double spacing = group->list->spacing;
    for (uint32_t i = 0; i < group->padded; i++) {
        sum[i] = 0.0f;
        scratch->weight[i] = 1.0f;
    }
    for (unsigned octave = 0; octave < noise->settings.octaves; octave++) {
        bool counts = fractal_octave_counts(noise, octave, spacing);
        if (!counts && folds)
            fractal_fold_rest(noise, octave, group->padded, scratch->weight, sum);
        if (!counts)
            break;
        if (!folds) {
            add_group(noise, group, octave, scratch, sum);
            continue;
        }
        memset(scratch->one, 0, group->padded * sizeof *scratch->one);
        add_group(noise, group, octave, scratch, scratch->one);
        fractal_fold(noise, octave, spacing, group->padded, scratch, sum);
    }
}

void noise_points(const struct noise *noise, const struct noise_list *list,
                  struct noise_scratch *scratch, float *out)
{
    struct group group;
    float sum[NOISE_ROW_MAX];
    for (size_t start = 0; start < list->count; start += group.count) {
        group_open(&group, list, start);
        sample_group(noise, &group, scratch, sum);
        memcpy(out + start, sum, group.count * sizeof *out);
    }
}
