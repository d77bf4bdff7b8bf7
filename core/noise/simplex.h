/* The simplex lattice in two and three dimensions, turned so that its points stand in rows along x.
 * Internal to this folder.
 *
 * A simplex lattice is not changed by being turned, so it can lie as suits a grid of samples. In
 * two dimensions triangles with sides of √⅔ wavelengths stand in rows √½ apart, every second row
 * moved by half a side. In three the lattice is body-centred cubic: rows with points a wavelength
 * apart stand √½ wavelengths from each other in two directions square to x, and those whose numbers
 * add up to an odd one are moved by half. These two directions are y and z turned about x, by an
 * angle at which no slice along z shows the lattice's planes.
 *
 * A lattice point's part is (½ − d²)⁴ g·d. √½ is just how far a simplex' corner is from the side
 * across, so of the points at the left and right in the rows around a place all that are no corners
 * of its simplex have a part of 0: it is safe to add them, and to leave them out. */
#ifndef TERRANE_NOISE_SIMPLEX_H
#define TERRANE_NOISE_SIMPLEX_H

#include "core/noise/lattice.h"

/* Wavelengths between the points of a row, and between rows. */
#define SIMPLEX_SIDE2 0.816496581f
#define SIMPLEX_SIDE3 1.0f
#define SIMPLEX_ROW 0.707106781f
/* Just under ½, by more than what the roundings of d² add up to: points that are no corners have a
 * part of exactly 0. */
#define SIMPLEX_RADIUS_SQUARED (0.5f - 0x1p-20f)

/* How far the two directions are turned from y and z: 22.6°. */
#define SIMPLEX_COSINE 0.923076923f
#define SIMPLEX_SINE 0.384615385f

/* What a plane of rows of three dimensions changes the key of its rows by. */
TERRANE_INLINE uint32_t simplex_plane_key(uint32_t low, uint32_t key)
{
    return lattice_plane(lattice_line_x(low, key), 0);
}

/* A lattice point's gradient: along x and the two directions square to it. */
struct simplex_gradient {
    float x, y, z;
};

TERRANE_INLINE struct simplex_gradient simplex_gradient_of(bool is_3d, uint32_t hash)
{
    struct simplex_gradient g = {0};
    if (is_3d)
        lattice_gradient3(hash, &g.x, &g.y, &g.z);
    else
        lattice_gradient(hash, &g.x, &g.y);
    return g;
}

/* (reach − y² − x²)⁴ · dot, where `remaining` is the reach less y². */
TERRANE_INLINE float simplex_contribution(float remaining, float x, float dot)
{
    float m = remaining - x * x;
    m = m < 0.0f ? 0.0f : m;
    const float m2 = m * m;
    return (m2 * m2) * dot;
}

#endif
