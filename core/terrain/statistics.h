/* Statistics of samples: extremes, mean, percentiles and histogram. */
#ifndef TERRANE_TERRAIN_STATISTICS_H
#define TERRANE_TERRAIN_STATISTICS_H

#include "core/base/error.h"

enum {
    STATISTICS_BINS = 16,
    STATISTICS_PERCENTILES = 9,
};

/* 1, 5, 10, 25, 50, 75, 90, 95, 99 */
extern const uint8_t statistics_percents[STATISTICS_PERCENTILES];

struct statistics {
    float minimum, maximum;
    double mean;
    /* By nearest rank: the smallest sample such that at least p % of all are not above it. */
    float percentiles[STATISTICS_PERCENTILES];
    /* The samples in each of STATISTICS_BINS equal parts of minimum … maximum. A sample on a border
     * counts in the upper part, the maximum in the last; if all are equal, they count in the first.
     */
    uint32_t histogram[STATISTICS_BINS];
};

/* `count` ≥ 1 finite samples. False when memory is out. */
bool statistics_measure(const float *samples, size_t count, struct statistics *statistics,
                        struct error *error);

#endif
