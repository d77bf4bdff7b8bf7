/* Gradient noise on the cubic lattice, after K. Perlin, "Improving Noise" (SIGGRAPH 2002), with
 * unit gradients in any direction (lattice.h) and hashed lines instead of a permutation table, so
 * it has no period. Three and four dimensions are slices (slice.h): a gradient's parts along the
 * further axes become the corner's constant.
 *
 * The noise reaches √n/2 in n dimensions, which the scales of one and two dimensions undo. In three
 * and four it comes near that so rarely that the greatest of 6·10⁷ samples is scaled to 1. */
#include "core/noise/basis.h"
#include "core/noise/kernels_cell.h"

TERRANE_INLINE struct corner perlin1_corner(uint32_t line_x, uint32_t line_y,
                                            const struct slice *slice, int plane)
{
    (void)slice, (void)plane;
    return (struct corner){.x = lattice_value(lattice_hash(line_x, line_y))};
}

TERRANE_INLINE struct corner perlin2_corner(uint32_t line_x, uint32_t line_y,
                                            const struct slice *slice, int plane)
{
    struct corner corner = {0};
    (void)slice, (void)plane;
    lattice_gradient(lattice_hash(line_x, line_y), &corner.x, &corner.y);
    return corner;
}

TERRANE_INLINE struct corner perlin3_corner(uint32_t line_x, uint32_t line_y,
                                            const struct slice *slice, int plane)
{
    struct corner corner;
    float z;
    lattice_gradient3(lattice_hash(line_x, line_y), &corner.x, &corner.y, &z);
    corner.c = z * slice->t_z[plane];
    return corner;
}

TERRANE_INLINE struct corner perlin4_corner(uint32_t line_x, uint32_t line_y,
                                            const struct slice *slice, int plane)
{
    float g[LATTICE_AXES];
    lattice_gradient4(lattice_hash(line_x, line_y), g);
    return (struct corner){g[0], g[1], g[2] * slice->t_z[plane] + g[3] * slice->t_w[plane]};
}

#define PERLIN_RULE(function, count, ...)                                                          \
    ((struct corner_rule){.corner = function, .planes = count, __VA_ARGS__})
CELL_KERNELS(perlin1, PERLIN_RULE(perlin1_corner, 1, .has_constant = false))
PLANE_KERNELS(perlin2, PERLIN_RULE(perlin2_corner, 1, .has_window = true))
CELL_KERNELS(perlin3, PERLIN_RULE(perlin3_corner, 2, .has_constant = true))
CELL_KERNELS(perlin4, PERLIN_RULE(perlin4_corner, 4, .has_constant = true))

static const double steepness[] = {
    [NOISE_LINEAR] = 3.42, [NOISE_COSINE] = 2.53, [NOISE_CUBIC] = 2.54, [NOISE_QUINTIC] = 2.93};

const struct basis perlin_basis = {
    .interpolates = true,
    .variants = {{0},
                 {1, {2.0f, 0.0f, 0.211f, 0.658f}, {0.08f, 0.0f, 1.1f, 2.2f}, .cell = &perlin1},
                 {1,
                  {0x1.6a09e6p+0f, 0.0f, 0.249f, 0.595f},
                  {0.10f, 0.8f, 1.3f, 2.7f},
                  .cell = &perlin2,
                  .steepness = steepness}, /* √2 */
                 {3, {1.29f, 0.0f, 0.202f, 0.657f}, {0.11f, 2.5f, 2.4f, 6.6f}, .cell = &perlin3},
                 {6, {1.45f, 0.0f, 0.200f, 0.661f}, {0.14f, 7.4f, 1.6f, 18.0f}, .cell = &perlin4}},
};
