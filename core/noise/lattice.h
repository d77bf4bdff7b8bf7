/* The lattice: integer coordinates, the hash of its points, values and gradients. Inline, because
 * all evaluation paths must use the same expressions.
 *
 * Coordinates: a lattice axis is a linear form of the place, in 128 bits and units of 2⁻⁶⁴ cell.
 * Its cell is the high half; the top 24 bits of the low half become a float exactly.
 *
 * Hash: each lattice line (a column's or a row's cell) has a 32-bit hash of its low 32 bits, keyed
 * by (seed, salt, octave, axis, high 32 bits); a lattice point's is the mix of its two lines. A
 * plane of a deeper lattice (its cells along z and t) changes the key of all its rows. There is no
 * table and no period. The two multipliers of the mix are those of Chris Wellons's lowbias32.
 */
#ifndef TERRANE_NOISE_LATTICE_H
#define TERRANE_NOISE_LATTICE_H

#include <stdint.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/int128.h"
#include "core/base/simd.h"

enum {
    LATTICE_AXES = 4,
    LATTICE_FREQUENCY_BITS = 48, /* a form's factors: cells a metre × 2⁴⁸; × 2⁻¹⁶ m are 2⁻⁶⁴ cell */
};

/* A lattice coordinate: 64 bits of cell, the upper 32 of its fraction. */
struct lattice_point {
    int64_t cell;
    uint32_t fraction;
};

static inline struct lattice_point lattice_split(int128 coordinate)
{
    return (struct lattice_point){int128_high(coordinate),
                                  (uint32_t)(int128_low(coordinate) >> 32)};
}

/* The fraction in [0, 1), exactly. */
TERRANE_INLINE float lattice_fraction(uint32_t fraction)
{
    return (float)(int32_t)(fraction >> 8) * 0x1p-24f;
}

/* The key of an axis for the cells that have the same high half as `cell`. */
static inline uint32_t lattice_key(uint64_t axis_key, int64_t cell)
{
    return (uint32_t)(hash_mix(axis_key + (uint64_t)(cell >> 32) * 0x9E3779B97F4A7C15u) >> 32);
}

/* Different multipliers for the axes: the same one would mirror the field about a diagonal. */
TERRANE_INLINE uint32_t lattice_line_x(uint32_t low, uint32_t key)
{
    uint32_t hash = (low ^ key) * 0x9E3779B1u;
    return hash ^ hash >> 16;
}

TERRANE_INLINE uint32_t lattice_line_y(uint32_t low, uint32_t key)
{
    uint32_t hash = (low ^ key) * 0x85EBCA77u;
    return hash ^ hash >> 15;
}

TERRANE_INLINE uint32_t lattice_hash(uint32_t line_x, uint32_t line_y)
{
    uint32_t hash = (line_x ^ line_y) * 0x7FEB352Du;
    hash = (hash ^ hash >> 15) * 0x846CA68Bu;
    return hash ^ hash >> 16;
}

/* The key of a plane, XORed into that of its rows: `line_z` and `line_w` are the hashes of its
 * cells on the third and fourth axes; `line_w` is 0 in three dimensions. */
TERRANE_INLINE uint32_t lattice_plane(uint32_t line_z, uint32_t line_w)
{
    return lattice_hash(line_z, line_w);
}

/* The value with its sign changed if bit 31 is set. */
TERRANE_INLINE float lattice_flip(float value, uint32_t hash)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits ^= hash & 0x80000000u;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

/* A unit vector in the plane: two bits choose the quadrant, the others u in ±½ the angle in it. (x,
 * y) = (1 − (4 − 2√2) u², (1.5307… − 0.4661… u²) u) has length 1 at u = 0 and ±½, and from 0.99975
 * to 1 between; its angle is 90° · u to half a degree. */
TERRANE_INLINE void lattice_gradient(uint32_t hash, float *x, float *y)
{
    float u = (float)((int32_t)(hash << 2) >> 8); /* in 2⁻²⁴: the factors have that too */
    float q = u * u;
    float cosine = 1.0f - 1.171572875f * 0x1p-48f * q;
    float sine = (1.530733729f * 0x1p-24f - 0.466080668f * 0x1p-72f * q) * u;
    float east = (hash & 0x40000000u) ? sine : cosine;
    float south = (hash & 0x40000000u) ? cosine : sine;
    *x = lattice_flip(east, hash);
    *y = lattice_flip(south, hash);
}

/* A unit vector, uniform on the sphere: its height from the hash's low bits, the angle as above. */
TERRANE_INLINE void lattice_gradient3(uint32_t hash, float *x, float *y, float *z)
{
    float height = ((float)(int32_t)(hash & 0x3FFFu) + 0.5f) * 0x1p-13f - 1.0f;
    float radius = __builtin_sqrtf(1.0f - height * height);
    float east, south;
    lattice_gradient(hash, &east, &south);
    *x = radius * east;
    *y = radius * south;
    *z = height;
}

/* A unit vector, uniform on the sphere in four dimensions: two circles whose squared radii add up
 * to 1 (G. Marsaglia, "Choosing a Point from the Surface of a Sphere", 1972). */
TERRANE_INLINE void lattice_gradient4(uint32_t hash, float g[LATTICE_AXES])
{
    float share = ((float)(int32_t)(hash & 0x3FFu) + 0.5f) * 0x1p-10f;
    float near = __builtin_sqrtf(share), far = __builtin_sqrtf(1.0f - share);
    float first[2], second[2];
    lattice_gradient(hash, &first[0], &first[1]);
    lattice_gradient(hash * 0x9E3779B1u, &second[0], &second[1]);
    g[0] = near * first[0];
    g[1] = near * first[1];
    g[2] = far * second[0];
    g[3] = far * second[1];
}

/* A lattice value in [−1, 1). */
TERRANE_INLINE float lattice_value(uint32_t hash)
{
    return (float)((int32_t)hash >> 8) * 0x1p-23f;
}

#endif
