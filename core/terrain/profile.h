/* An elevation profile: heights and water levels at equal distances along a line, total ascent and
 * descent. */
#ifndef TERRANE_TERRAIN_PROFILE_H
#define TERRANE_TERRAIN_PROFILE_H

#include "core/sampling/sampler.h"
#include "core/worldfile/world.h"

enum {
    PROFILE_CORNERS_MAX = 64,
    PROFILE_SAMPLES_MAX = 4096,
};

/* From the first corner to the last one; at least two, and not all the same. */
struct profile_line {
    struct place corners[PROFILE_CORNERS_MAX];
    unsigned count;
};

struct profile_point {
    struct place place;
    double distance; /* metres from the start along the line */
    float height;    /* metres, z = t = 0 */
    float water;     /* water level in metres, also where it is below the ground */
};

struct profile {
    /* Set by the caller: */
    struct profile_line line;
    struct profile_point *points; /* room for `count`, owned by the caller; filled in */
    uint32_t count;               /* 2 … PROFILE_SAMPLES_MAX */
    double spacing;               /* level of detail in metres; 0 is full detail */
    /* Filled in: */
    double length;            /* metres */
    double ascent, descent;   /* metres: the sums of all rises and of all falls, both ≥ 0 */
    uint32_t lowest, highest; /* indices of the first lowest and the first highest point */
};

/* Metres from the first corner to the last along the line. */
double profile_length(const struct profile_line *line);
/* The place `distance` metres along the line, to the nearest 2⁻¹⁶ m; an end of the line beyond it.
 */
struct place profile_place(const struct profile_line *line, double distance);

/* Fills in the points, at equal distances with both ends, and the totals. Errors are those of
 * sampler_points(). */
bool profile_sample(struct sampler *sampler, const struct world *world, struct profile *profile,
                    struct error *error);

#endif
