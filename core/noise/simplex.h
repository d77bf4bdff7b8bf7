/* The simplex lattice in two and three dimensions, turned so that its points stand in rows along x.
 * Internal to this folder.
 *
 * Simplex noise: K. Perlin (2001), after S. Gustavson, "Simplex noise demystified" (2005), with the
 * falloff (½ − d²)⁴, which has no seams.
 *
 * The lattice has no preferred direction, so it can be turned to suit a grid of samples. In two
 * dimensions, triangles with sides of √⅔ wavelengths stand in rows √½ apart, and every second row
 * is shifted by half a side. In three dimensions the lattice is body-centred cubic: rows with
 * points a wavelength apart stand √½ wavelengths from each other in two directions perpendicular to
 * x. A row is shifted by half a wavelength if the sum of its two numbers is odd. The two directions
 * are y and z turned about x, by an angle at which no slice along z shows the planes of the
 * lattice.
 *
 * A lattice point contributes (½ − d²)⁴ g·d. √½ is exactly the distance of a simplex' corner from
 * the opposite side. So of the points to the left and right in the rows around a position, those
 * that are not corners of its simplex contribute 0, and a kernel may add them or leave them out. */
#ifndef TERRANE_NOISE_SIMPLEX_H
#define TERRANE_NOISE_SIMPLEX_H

#include "core/base/lanes.h"
#include "core/noise/kernels.h"

/* Wavelengths between the points of a row, and between rows. */
#define SIMPLEX_SIDE2 0.816496581f
#define SIMPLEX_SIDE3 1.0f
#define SIMPLEX_ROW 0.707106781f
/* Less than ½ by more than the rounding errors of d²: points that are not corners of the simplex
 * contribute exactly 0. */
#define SIMPLEX_RADIUS_SQUARED (0.5f - 0x1p-20f)

/* The cosine and sine, 12/13 and 5/13, of the two directions' turn from y and z: 22.6°. */
#define SIMPLEX_COSINE 0.923076923f
#define SIMPLEX_SINE 0.384615385f

/* XORed into the key of the rows of a plane, in three dimensions. */
TERRANE_INLINE uint32_t simplex_plane_key(uint32_t low, uint32_t key)
{
    return lattice_plane(lattice_line_x(low, key), 0);
}

/* A lattice point's gradient, along x and the two directions perpendicular to it. */
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

/* (r² − y² − x²)⁴ · dot, where `remaining` is r² − y² (and − z²), r² being the squared radius. */
TERRANE_INLINE float simplex_contribution(float remaining, float x, float dot)
{
    const float m = not_below_zero(remaining - x * x);
    const float m2 = m * m;
    return (m2 * m2) * dot;
}

/* A lattice point near a position: its gradient, and the vector from it to the position.
 * `remaining` is the squared radius less y² and z². */
struct simplex_point {
    struct simplex_gradient g;
    float x, y, z, remaining;
};

TERRANE_INLINE struct gradient_sample simplex_contribution_of(bool with_gradient, bool is_3d,
                                                              const struct simplex_point *at)
{
    float dot = at->g.x * at->x;
    if (is_3d)
        dot += at->g.z * at->z;
    dot += at->g.y * at->y;
    struct gradient_sample contribution = {simplex_contribution(at->remaining, at->x, dot), 0.0f,
                                           0.0f};
    if (with_gradient) {
        const float m = not_below_zero(at->remaining - at->x * at->x);
        const float m2 = m * m, m4 = m2 * m2, bend = 8.0f * (m2 * m) * dot;
        float y = m4 * at->g.y - bend * at->y;
        if (is_3d)
            y = SIMPLEX_COSINE * y - SIMPLEX_SINE * (m4 * at->g.z - bend * at->z);
        contribution.x = m4 * at->g.x - bend * at->x;
        contribution.y = y;
    }
    return contribution;
}

#endif
