/* Noise at a list of places. The list is sampled in groups of NOISE_ROW_MAX places, through the
 * same sample_positions as rows of a grid; the last group is padded to whole lanes with its own
 * last place. If a group's places are near each other, as those of a profile or of a cluster of
 * objects are, each octave computes one exact coordinate for the corner of their box and vectors of
 * 32-bit distances from it, instead of a 128-bit product for each place. */
#include <string.h>

#include "core/noise/sample_positions.h"

struct points {
    struct prepared_octave octaves[NOISE_OCTAVES_MAX];
    struct sample_positions group;
    struct noise_scratch *scratch;
    float dx[NOISE_ROW_MAX], dy[NOISE_ROW_MAX];
    _Alignas(64) uint32_t east[NOISE_ROW_MAX], south[NOISE_ROW_MAX];
};

/* True if every 16 places are four rows of four, as the nodes around a place are: then each column
 * and each row has one coordinate. */
static bool are_squares(const struct place *places, uint32_t count)
{
    uint64_t differences = count % 16;
    for (uint32_t i = 0; i + 16 <= count && differences == 0; i += 16)
        for (uint32_t k = 0; k < 16; k++)
            differences |= (uint64_t)(places[i + k].x ^ places[i + k % 4].x) |
                           (uint64_t)(places[i + k].y ^ places[i + k / 4 * 4].y);
    return differences == 0;
}

/* Sets the places' distances from the north-west corner of their box, if all are short enough. */
static void set_group_distances(struct points *points)
{
    struct sample_positions *group = &points->group;
    const uint32_t count = group->place_count;
    const struct kernel_place_box box = kernel_find_box(count, group->places);
    const bool near = box.high.x - box.low.x < SAMPLE_POSITIONS_NEAR_MAX &&
                      box.high.y - box.low.y < SAMPLE_POSITIONS_NEAR_MAX;
    group->corner = box.low;
    group->far = box.high;
    group->east = near ? points->east : NULL;
    group->south = near ? points->south : NULL;
    group->squares = !near && are_squares(group->places, count);
    if (!near)
        return;
    kernel_place_distances(count, group->places, box.low, points->east, points->south);
    for (uint32_t i = count; i < group->count; i++) {
        points->east[i] = points->east[count - 1];
        points->south[i] = points->south[count - 1];
    }
}

static void add_group(const void *context, unsigned octave, const struct kernel_out *out)
{
    const struct points *points = context;
    sample_positions_add(&points->octaves[octave], &points->group, points->scratch, out);
}

static void begin_group(struct points *points, const struct noise_point_list *list, size_t start)
{
    const size_t left = list->count - start;
    struct sample_positions *group = &points->group;
    group->places = list->places + start;
    group->place_count = left < NOISE_ROW_MAX ? (uint32_t)left : NOISE_ROW_MAX;
    group->count = (group->place_count + NOISE_LANES - 1) / NOISE_LANES * NOISE_LANES;
    for (uint32_t i = 0; list->dx && i < group->count; i++) {
        size_t from = start + (i < group->place_count ? i : group->place_count - 1);
        points->dx[i] = list->dx[from];
        points->dy[i] = list->dy[from];
    }
    group->dx = list->dx ? points->dx : NULL;
    group->dy = list->dx ? points->dy : NULL;
    group->reach = __builtin_inff();
    set_group_distances(points);
}

void noise_points(const struct noise *noise, const struct noise_point_list *list,
                  struct noise_scratch *scratch, float *out)
{
    const double spacing = list->uniforms.spacing;
    struct points points;
    const struct fractal_source source = {noise, spacing, add_group, &points};
    float sum[NOISE_ROW_MAX];
    memset(&points.group, 0, sizeof points.group);
    points.scratch = scratch;
    for (unsigned i = 0; i < noise->settings.octaves; i++)
        if (fractal_octave_is_active(noise, i, spacing))
            sample_positions_prepare(noise, i, &list->uniforms, &points.octaves[i]);
    for (size_t start = 0; start < list->count; start += points.group.place_count) {
        begin_group(&points, list, start);
        fractal_row(&source, points.group.count, scratch, sum);
        memcpy(out + start, sum, points.group.place_count * sizeof *out);
    }
}
