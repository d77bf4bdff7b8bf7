/* The slice that a request's z and t cut out of a lattice of three or four dimensions: one or two
 * cells' edges on each further axis, that is 1, 2 or 4 planes, each with its weight. As z and t are
 * the same for a whole block, a lattice point's gradients in all planes add up to one gradient in
 * the plane and one constant, and everything else is done as in two dimensions. Internal to this
 * folder. */
#ifndef TERRANE_NOISE_SLICE_H
#define TERRANE_NOISE_SLICE_H

#include "core/noise/noise.h"

enum { SLICE_PLANES_MAX = 4 };

struct slice {
    /* XORed into the key of the second axis; for unkeyed bases the plane's cell. */
    uint32_t key[SLICE_PLANES_MAX];
    float weight[SLICE_PLANES_MAX];
    float t_z[SLICE_PLANES_MAX], t_w[SLICE_PLANES_MAX]; /* from the plane to the place, in cells */
};

/* Prepares the slice of an octave of a basis with cell_kernels. Their lattice's third and fourth
 * axes depend on z and t alone. Up to two dimensions need one plane with weight 1. */
void slice_prepare(const struct noise *noise, unsigned octave,
                   const struct noise_uniforms *uniforms, struct slice *slice);

/* The part of a lattice coordinate that does not depend on x and y: 64 bits of cell, 64 below. */
int128 slice_origin(const struct noise *noise, unsigned octave, unsigned axis,
                    const struct noise_uniforms *uniforms);
/* The lattice coordinate of a place; `origin` is slice_origin() of the same axis. */
static inline int128 slice_coordinate(const struct noise_octave *octave, unsigned axis,
                                      int128 origin, int64_t x, int64_t y)
{
    int128 at = int128_add(origin, int128_multiply(x, octave->form[axis][0]));
    return octave->form[axis][1] == 0 ? at
                                      : int128_add(at, int128_multiply(y, octave->form[axis][1]));
}

#endif
