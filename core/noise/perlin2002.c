/* Ken Perlin's published improved noise, to the bit in what its lattice holds: his permutation of
 * 0 … 255 and his twelve gradients, the edges of a cube. K. Perlin, "Improving Noise" (SIGGRAPH
 * 2002) and its reference implementation.
 *
 * The function has no seed: a lattice line is its cell modulo 256, and octaves have no offset. (The
 * 2³¹ cells that all offsets have in common are whole periods.) It is defined in three dimensions;
 * the axes xy are its slice z = 0. */
#include "core/noise/basis.h"
#include "core/noise/kernels_cell.h"

static const uint8_t permutation[256] = {
    151, 160, 137, 91,  90,  15,  131, 13,  201, 95,  96,  53,  194, 233, 7,   225, 140, 36,  103,
    30,  69,  142, 8,   99,  37,  240, 21,  10,  23,  190, 6,   148, 247, 120, 234, 75,  0,   26,
    197, 62,  94,  252, 219, 203, 117, 35,  11,  32,  57,  177, 33,  88,  237, 149, 56,  87,  174,
    20,  125, 136, 171, 168, 68,  175, 74,  165, 71,  134, 139, 48,  27,  166, 77,  146, 158, 231,
    83,  111, 229, 122, 60,  211, 133, 230, 220, 105, 92,  41,  55,  46,  245, 40,  244, 102, 143,
    54,  65,  25,  63,  161, 1,   216, 80,  73,  209, 76,  132, 187, 208, 89,  18,  169, 200, 196,
    135, 130, 116, 188, 159, 86,  164, 100, 109, 198, 173, 186, 3,   64,  52,  217, 226, 250, 124,
    123, 5,   202, 38,  147, 118, 126, 255, 82,  85,  212, 207, 206, 59,  227, 47,  16,  58,  17,
    182, 189, 28,  42,  223, 183, 170, 213, 119, 248, 152, 2,   44,  154, 163, 70,  221, 153, 101,
    155, 167, 43,  172, 9,   129, 22,  39,  253, 19,  98,  108, 110, 79,  113, 224, 232, 178, 185,
    112, 104, 218, 246, 97,  228, 251, 34,  242, 193, 238, 210, 144, 12,  191, 179, 162, 241, 81,
    51,  145, 235, 249, 14,  239, 107, 49,  192, 214, 31,  181, 199, 106, 157, 184, 84,  204, 176,
    115, 121, 50,  45,  127, 4,   150, 254, 138, 236, 205, 93,  222, 114, 67,  29,  24,  72,  243,
    141, 128, 195, 78,  66,  215, 61,  156, 180,
};

/* By the published grad(): u = h < 8 ? x : y; v = h < 4 ? y : h is 12 or 14 ? x : z; bit 0 turns
 * u's sign, bit 1 v's. */
static const signed char gradients[16][3] = {
    {1, 1, 0}, {-1, 1, 0}, {1, -1, 0}, {-1, -1, 0}, {1, 0, 1}, {-1, 0, 1}, {1, 0, -1}, {-1, 0, -1},
    {0, 1, 1}, {0, -1, 1}, {0, 1, -1}, {0, -1, -1}, {1, 1, 0}, {0, -1, 1}, {-1, 1, 0}, {0, -1, -1},
};

/* The slice's key is the plane's cell. */
TERRANE_INLINE struct corner published_corner(uint32_t x, uint32_t y, const struct slice *slice,
                                              int plane)
{
    const uint32_t line = permutation[x & 255] + y;
    const uint32_t row = permutation[line & 255] + slice->key[plane];
    const signed char *g = gradients[permutation[row & 255] & 15];
    return (struct corner){(float)g[0], (float)g[1], (float)g[2] * slice->t_z[plane]};
}

CELL_KERNELS(published,
             ((struct corner_rule){
                 .corner = published_corner, .planes = 2, .has_constant = true, .unkeyed = true}))

const struct basis perlin2002_basis = {
    .interpolation = NOISE_QUINTIC,
    .unkeyed = true,
    .dimensions_min = 3,
    .variants =
        {[3] = {2, {1.0f, 0.0f, 0.221f, 0.632f}, {0.2f, 9.8f, 1.6f, 18.0f}, .cell = &published}},
};
