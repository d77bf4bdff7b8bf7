/* What layers of a program cost together, and how far its warp stretches the plane. */
#ifndef TERRANE_PRICE_INSPECT_H
#define TERRANE_PRICE_INSPECT_H

#include "core/noise/work.h"
#include "core/program/program.h"

/* The noise evaluations (octaves) that one sample of all these layers needs at full detail;
 * operations that they share count once. */
unsigned inspect_cost(const struct program *program, const unsigned *layers, unsigned count);

/* The work for these layers together. Octaves that are faded out at the spacing do not count. What
 * a factor of 0 or a condition makes needless at some places counts for its greater part. The seed
 * makes no difference. */
struct sampling_work inspect_work(const struct program *program, const unsigned *layers,
                                  unsigned count, struct sampling sampling);

/* How far from 0 most samples of a layer are, at most; infinite if nothing is known of it. */
double inspect_magnitude(const struct program *program, unsigned layer);

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
