/* For targets that compile worlds: samples them two ways and compares. */
#ifndef TERRANE_TESTS_FUZZ_COMPARE_SAMPLING_H
#define TERRANE_TESTS_FUZZ_COMPARE_SAMPLING_H

#include "core/worldfile/world.h"

/* Every layer at 16 places, and over a grid of 20 × 5 and at the grid's places: all finite, and the
 * last two the same bits. `salt` chooses places and spacings. */
void sampling_check(const struct world *world, uint64_t salt);

#endif
