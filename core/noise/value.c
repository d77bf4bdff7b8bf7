/* Value noise: random values at lattice points, interpolated. In one dimension it is a row of the
 * lattice in two; three and four dimensions are slices (slice.h). White noise is the same without
 * interpolation: a cell has the value of its north-west corner, so only the statistics differ. */
#include "core/noise/basis.h"
#include "core/noise/kernels_cell.h"

TERRANE_INLINE struct corner value_corner(uint32_t line_x, uint32_t line_y,
                                          const struct slice *slice, int plane)
{
    (void)slice, (void)plane;
    return (struct corner){.x = lattice_value(lattice_hash(line_x, line_y))};
}

#define VALUE_RULE(count, window)                                                                  \
    ((struct corner_rule){                                                                         \
        .corner = value_corner, .planes = count, .is_value = true, .has_window = window})
PLANE_KERNELS(value2, VALUE_RULE(1, true))
CELL_KERNELS(value3, VALUE_RULE(2, false))
CELL_KERNELS(value4, VALUE_RULE(4, false))

static const double steepness[] = {
    [NOISE_LINEAR] = 2.83, [NOISE_COSINE] = 3.15, [NOISE_CUBIC] = 3.01, [NOISE_QUINTIC] = 3.76};

const struct basis value_basis = {
    .interpolates = true,
    .variants = {{0},
                 {1, {1.0f, 0.0f, 0.435f, 0.392f}, {0.08f, 0.0f, 1.1f, 1.9f}, .cell = &value2},
                 {1,
                  {1.0f, 0.0f, 0.379f, 0.447f},
                  {0.10f, 0.4f, 0.8f, 1.9f},
                  .cell = &value2,
                  .steepness = steepness},
                 {2, {1.0f, 0.0f, 0.330f, 0.500f}, {0.10f, 0.7f, 1.1f, 3.0f}, .cell = &value3},
                 {3, {1.0f, 0.0f, 0.289f, 0.549f}, {0.10f, 1.3f, 1.2f, 4.3f}, .cell = &value4}},
};

/* Values are uniform in −1 … 1, so the means are exact. */
#define WHITE_STATISTICS                                                                           \
    {                                                                                              \
        1.0f, 0.0f, 0.5f, 1.0f / 3.0f                                                              \
    }
const struct basis white_basis = {
    .interpolation = NOISE_NONE,
    .variants = {{0},
                 {1, WHITE_STATISTICS, {0.08f, 0.0f, 1.1f, 1.9f}, .cell = &value2},
                 {1, WHITE_STATISTICS, {0.10f, 0.4f, 0.8f, 1.9f}, .cell = &value2},
                 {2, WHITE_STATISTICS, {0.10f, 0.7f, 1.1f, 3.0f}, .cell = &value3},
                 {3, WHITE_STATISTICS, {0.10f, 1.3f, 1.2f, 4.3f}, .cell = &value4}},
};
