/* How far the warp of a drainage network stretches the plane, and where it folds it. */
#ifndef TERRANE_PRICE_INSPECT_WARP_H
#define TERRANE_PRICE_INSPECT_WARP_H

#include "core/program/program.h"

/* The warp of a world's drainage network. Where it folds the plane, water may find no way down. It
 * folds nowhere if it moves two places that are a metre apart by less than a metre apart. */
enum { INSPECT_WARP_PLACES = 1 << 17 };
struct inspect_warp {
    unsigned places;  /* random ones to look at, a multiple of 64: set by the caller */
    double steepness; /* metres a metre, at most; infinite if not known, 0 without a warp */
    unsigned folded;  /* of the places; not looked for below 1 */
    /* Samples are so many times as far apart as in the world, on average: the root of what becomes
     * of an area. 1 if not looked for; not finite if a move is not. */
    double stretch;
};
/* From this stretch on, tiles need so many more streams that most are refused. */
#define INSPECT_STRETCH_MAX 8.0
struct sampler;
/* False when memory is out. */
bool inspect_warp(const struct program *program, struct sampler *sampler,
                  struct inspect_warp *warp);

#endif
