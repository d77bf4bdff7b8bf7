/* Tiles of a zoom in an order as if at random, which follows from the zoom and a seed alone, and
 * when one of them is land. What a tile costs, or looks like, depends on how much of it is land:
 * chosen by that, figures of two versions of a world compare whatever land each has. */
#ifndef TERRANE_BENCH_CHOICE_H
#define TERRANE_BENCH_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/tile/address.h"

enum {
    CHOICE_PROBE = 16, /* samples along a tile that may be chosen */
    CHOICE_SAMPLES = CHOICE_PROBE * CHOICE_PROBE,
};

struct choice {
    int zoom;
    int64_t low, high; /* indices of tiles within ±2²⁷ m, both axes alike */
    uint64_t state;
};

struct choice choice_start(int zoom, uint64_t seed);
/* The next tile that is not among those that were chosen already. */
struct tile_address choice_next(struct choice *choice, const struct tile_address *chosen,
                                unsigned count);
/* Samples of a tile that are above the sea, of CHOICE_SAMPLES heights. */
unsigned choice_count_land(const float *heights);
/* True if more than nine tenths of a tile are above the sea. */
bool choice_is_land(unsigned above);

#endif
