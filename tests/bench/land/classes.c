/* See classes.h. */
#include "tests/bench/land/classes.h"

#include <string.h>

#include "tests/bench/land/lab.h"

/* The sample from which a chain of lower numbers leads nowhere; shortens the chain. */
static uint32_t find_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
    const uint32_t first = find_root(parent, a), second = find_root(parent, b);
    if (first < second)
        parent[second] = first;
    else
        parent[first] = second;
}

/* Joins samples of lakes that are side by side; the root of each is its first sample. */
static void join_lakes(const uint8_t *classes, uint32_t side, uint32_t *parent)
{
    for (uint32_t i = 0; i < side * side; i++) {
        parent[i] = i;
        if (classes[i] != LAND_LAKE)
            continue;
        if (i % side > 0 && classes[i - 1] == LAND_LAKE)
            join(parent, i - 1, i);
        if (i >= side && classes[i - side] == LAND_LAKE)
            join(parent, i - side, i);
    }
}

static enum land_class class_without_water(const struct land_samples *samples, uint32_t i)
{
    if (!(samples->heights[i] > 0))
        return LAND_SEA;
    return samples->snow && samples->snow[i] > 0.5f ? LAND_ICE : LAND_PLAIN;
}

void land_classify(const struct land_samples *samples, uint32_t lake_least, uint32_t *scratch,
                   uint8_t *classes)
{
    const uint32_t count = samples->side * samples->side;
    uint32_t *parent = scratch, *size = scratch + count;
    for (uint32_t i = 0; i < count; i++) {
        const bool lake = samples->heights[i] > 0 && samples->depths && samples->depths[i] > 0;
        classes[i] = (uint8_t)(lake ? LAND_LAKE : class_without_water(samples, i));
    }
    join_lakes(classes, samples->side, parent);
    memset(size, 0, count * sizeof *size);
    for (uint32_t i = 0; i < count; i++)
        size[find_root(parent, i)]++;
    for (uint32_t i = 0; i < count; i++)
        if (classes[i] == LAND_LAKE && size[find_root(parent, i)] < lake_least)
            classes[i] = (uint8_t)class_without_water(samples, i);
}

/* The class of three or all of the four closer pixels, or LAND_CLASSES. */
static unsigned class_of_most(const uint8_t *closer, uint32_t side, uint32_t x, uint32_t y)
{
    unsigned count[LAND_CLASSES] = {0};
    for (uint32_t i = 0; i < 4; i++) {
        const unsigned class = closer[(2 * y + i / 2) * 2 * side + 2 * x + i % 2];
        if (++count[class] == 3)
            return class;
    }
    return LAND_CLASSES;
}

/* The distance of a pixel's colour to the mean of the four closer ones. */
static double pixel_difference(const uint8_t *const colours[2], uint32_t side, uint32_t x,
                               uint32_t y)
{
    double here[3], closer[3];
    for (uint32_t channel = 0; channel < 3; channel++) {
        unsigned sum = 0;
        for (uint32_t i = 0; i < 4; i++)
            sum += colours[1][3 * ((2 * y + i / 2) * 2 * side + 2 * x + i % 2) + channel];
        here[channel] = colours[0][3 * (y * side + x) + channel];
        closer[channel] = sum / 4.0;
    }
    return lab_difference(here, closer);
}

void land_agreement_add(struct land_agreement *sums, uint32_t side, const uint8_t *const classes[2],
                        const uint8_t *const colours[2])
{
    for (uint32_t i = 0; i < 4 * side * side; i++)
        sums->count[1][classes[1][i]]++;
    for (uint32_t i = 0; i < side * side; i++) {
        const unsigned here = classes[0][i];
        const unsigned closer = class_of_most(classes[1], side, i % side, i / side);
        sums->pixels++;
        sums->count[0][here]++;
        sums->colour += pixel_difference(colours, side, i % side, i / side);
        if (closer == LAND_CLASSES)
            continue;
        sums->agreed++;
        sums->from_to[here][closer]++;
    }
}

double land_disagreement(const struct land_agreement *sums)
{
    uint64_t same = 0;
    for (unsigned i = 0; i < LAND_CLASSES; i++)
        same += sums->from_to[i][i];
    return sums->agreed > 0 ? (double)(sums->agreed - same) / (double)sums->agreed : 0;
}
