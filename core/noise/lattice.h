/* The lattice: integer coordinates, the hash of its points, gradients and fades. Inline, because
 * the row kernel and the points kernel must evaluate the very same expressions.
 *
 * Coordinates: position × frequency in 128 bits is a lattice coordinate in units of 2⁻³² cell. Its
 * cell has 64 bits; the fraction's top 24 bits become a float exactly.
 *
 * Hash: each lattice line (a column's or a row's cell) has a 32-bit hash of its low 32 bits, keyed
 * by (seed, salt, octave, axis, high 32 bits); a lattice point's is the mix of its two lines. There
 * is no table and no period. The two multipliers of the mix are those of Chris Wellons's lowbias32.
 */
#ifndef TERRANE_NOISE_LATTICE_H
#define TERRANE_NOISE_LATTICE_H

#include <stdint.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/simd.h"

__extension__ typedef __int128 lattice_wide;

enum {
    LATTICE_FREQUENCY_BITS = 56, /* frequency = 2⁵⁶ / wavelength in metres */
    LATTICE_SHIFT = 40,          /* 2⁻¹⁶ m × 2⁻⁵⁶ / m = 2⁻⁷² cell; to 2⁻³² */
};

/* A lattice coordinate: 64 bits of cell, 32 of fraction. */
struct lattice_point {
    int64_t cell;
    uint32_t fraction;
};

static inline lattice_wide lattice_product(int64_t position, uint64_t frequency, uint64_t offset)
{
    return (lattice_wide)position * (lattice_wide)frequency +
           ((lattice_wide)offset << LATTICE_SHIFT);
}

static inline struct lattice_point lattice_split(lattice_wide product)
{
    lattice_wide coordinate = product >> LATTICE_SHIFT;
    return (struct lattice_point){(int64_t)(coordinate >> 32), (uint32_t)coordinate};
}

/* The fraction in [0, 1), exactly. */
TERRANE_INLINE float lattice_fraction(uint32_t fraction)
{
    return (float)(int32_t)(fraction >> 8) * 0x1p-24f;
}

/* What an axis is keyed with while the high half of its cells stays the same. */
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

/* The value with its sign changed if bit 31 is set. */
TERRANE_INLINE float lattice_flip(float value, uint32_t hash)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits ^= hash & 0x80000000u;
    memcpy(&value, &bits, sizeof bits);
    return value;
}

/* A unit vector (its length is 1 ± 1e-5), uniform in angle: two bits choose the quarter, the others
 * the angle θ in ±π/4; cos θ and sin θ are minimax polynomials in u = 2θ/π (errors 1e-5, 6e-7). */
TERRANE_INLINE void lattice_gradient(uint32_t hash, float *x, float *y)
{
    float u = (float)((int32_t)(hash << 2) >> 8) * 0x1p-24f;
    float q = u * u;
    float cosine = (0.24594903f * q - 1.23298041f) * q + 0.99999003f;
    float sine = ((0.07766739f * q - 0.64571199f) * q + 1.57078847f) * u;
    float east = (hash & 0x40000000u) ? sine : cosine;
    float south = (hash & 0x40000000u) ? cosine : sine;
    *x = lattice_flip(east, hash);
    *y = lattice_flip(south, hash);
}

/* A lattice value in [−1, 1). */
TERRANE_INLINE float lattice_value(uint32_t hash)
{
    return (float)((int32_t)hash >> 8) * 0x1p-23f;
}

#endif
