/* How far a view of land agrees with the next closer one: classes of pixels, and colours. */
#ifndef TERRANE_BENCH_LAND_CLASSES_H
#define TERRANE_BENCH_LAND_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

enum land_class { LAND_PLAIN, LAND_SEA, LAND_LAKE, LAND_ICE, LAND_CLASSES };

/* side × side samples, row by row: heights and depths of lakes and rivers in metres, and the share
 * of snow, 0 … 1. A world without lakes or without snow has a null pointer there. */
struct land_samples {
    uint32_t side;
    const float *heights, *depths, *snow;
};

/* Writes the class of each sample: sea where the height is not above 0; ice where more than half is
 * snow; lake where the depth is above 0 in `lake_least` samples or more that are joined by
 * their edges. `scratch` has room for two numbers a sample. */
void land_classify(const struct land_samples *samples, uint32_t lake_least, uint32_t *scratch,
                   uint8_t *classes);

/* What the pixels of views have in common with the 2 × 2 pixels that each of them is a zoom closer;
 * sums over views. */
struct land_agreement {
    uint64_t pixels;
    uint64_t agreed;                              /* at least three of the four have one class */
    uint64_t from_to[LAND_CLASSES][LAND_CLASSES]; /* of these: the class here, that closer by */
    uint64_t count[2][LAND_CLASSES];              /* pixels of a class, here and closer by */
    double colour;                                /* the sum of differences of colours (lab.h) */
};

/* Adds a view of side × side pixels and the closer one of 2 side × 2 side: classes, and colours as
 * red, green, blue bytes. */
void land_agreement_add(struct land_agreement *sums, uint32_t side, const uint8_t *const classes[2],
                        const uint8_t *const colours[2]);
/* The share of the agreed pixels that have another class here, 0 … 1; 0 of none. */
double land_disagreement(const struct land_agreement *sums);

#endif
