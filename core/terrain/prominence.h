/* The prominence of the peaks in a grid of heights.
 *
 * A peak's prominence is how far one must go down from it, at least, to reach higher ground: its
 * height above its key saddle, the highest of the lowest points of all ways there. Ways go from a
 * sample to the eight around it. Ground at the edge of the grid counts as higher, because what lies
 * beyond it is not known; so a prominence is never greater than on a larger grid. The sea, 0 m and
 * below, counts as a saddle at 0 m. The first of equally high samples is the higher one. */
#ifndef TERRANE_TERRAIN_PROMINENCE_H
#define TERRANE_TERRAIN_PROMINENCE_H

#include <stdbool.h>
#include <stdint.h>

/* Writes in metres, by sample: to `peaks` the prominence of the peaks, and to `passes` that of the
 * peak whose key saddle it is, of several the greatest; elsewhere 0. False when memory is out. */
bool prominence_find(const float *heights, uint32_t columns, uint32_t rows, float *peaks,
                     float *passes);

#endif
