/* The ground along a line: heights at equal distances, and how far one climbs on the way. */
#ifndef TERRANE_TERRAIN_PROFILE_H
#define TERRANE_TERRAIN_PROFILE_H

#include "core/world/sampler.h"

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
    float height;    /* metres, at full detail, z = t = 0 */
};

struct profile {
    /* What is asked for: */
    struct profile_line line;
    struct profile_point *points; /* room for `count`, the caller's; the answer's */
    uint32_t count;               /* 2 … PROFILE_SAMPLES_MAX */
    /* The answer: */
    double length;          /* metres */
    double ascent, descent; /* metres: the sums of what goes up and of what goes down, both ≥ 0 */
    uint32_t lowest, highest; /* indices of the first lowest and the first highest point */
};

/* Metres from the first corner to the last along the line. */
double profile_length(const struct profile_line *line);
/* The place `distance` metres along the line, to the nearest 2⁻¹⁶ m; its ends beyond them. */
struct place profile_place(const struct profile_line *line, double distance);

/* Fills the points, at equal distances and both ends included, and what they sum up to. Errors are
 * those of sampler_points(). */
bool profile_sample(struct sampler *sampler, const struct world *world, struct profile *profile,
                    struct error *error);

#endif
