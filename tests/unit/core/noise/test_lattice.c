/* The lattice hash has no correlation that statistics could find: between neighbours, axes,
 * octaves and seeds, near the origin and 2⁴⁰ m away. Two bad hashes fail the same measures. */
#include "core/noise/slice.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { SIDE = 512 };
#define Z_LIMIT 5.0

/* The value at a lattice point, under a pair of keys. */
typedef float lattice_function(uint32_t x, uint32_t y, const uint32_t keys[2]);

static float lattice_hash_value(uint32_t x, uint32_t y, const uint32_t keys[2])
{
    return lattice_value(lattice_hash(lattice_line_x(x, keys[0]), lattice_line_y(y, keys[1])));
}

/* One multiply and no shift: neighbours differ by a constant. */
static float one_multiply(uint32_t x, uint32_t y, const uint32_t keys[2])
{
    return lattice_value(((x ^ keys[0]) + 57u * (y ^ keys[1])) * 0x9E3779B1u);
}

/* The same multiplier and key for both axes: the field is its own mirror image. */
static float mirrored(uint32_t x, uint32_t y, const uint32_t keys[2])
{
    return lattice_value(lattice_hash(lattice_line_x(x, keys[0]), lattice_line_x(y, keys[0])));
}

/* The first cell of a lattice, and its keys. */
struct lattice {
    uint32_t x, y, keys[2];
};

/* The lattice that noise_prepare() and the grids make for an octave of the noise of a seed; the
 * block begins at a place in metres. */
static struct lattice lattice_of(uint64_t seed, unsigned octave, int64_t metres)
{
    const struct noise_settings settings = {
        .basis = NOISE_VALUE,
        .interpolation = NOISE_QUINTIC,
        .fractal = NOISE_FBM,
        .octaves = octave + 1,
        .wavelength = 64.0,
        .lacunarity = 2.0,
        .persistence = 0.5,
        .key = hash_mix(seed),
    };
    struct noise noise;
    noise_prepare(&noise, &settings);
    const struct noise_octave *o = &noise.octaves[octave];
    const int64_t place = metres * PLACE_METRE;
    const struct noise_uniforms uniforms = {0};
    int64_t cell[2];
    for (unsigned axis = 0; axis < 2; axis++)
        cell[axis] =
            lattice_split(slice_coordinate(o, axis, slice_origin(&noise, octave, axis, &uniforms),
                                           place, place))
                .cell;
    return (struct lattice){(uint32_t)cell[0],
                            (uint32_t)cell[1],
                            {lattice_key(o->key[0], cell[0]), lattice_key(o->key[1], cell[1])}};
}

/* The second value of a pair: its lattice, and its distance in cells from the first. */
struct sample_pairing {
    struct lattice other;
    uint32_t lag_x, lag_y;
    bool turned; /* x and y change places */
};

/* Pearson's correlation of SIDE² pairs, in standard deviations from none: r·√n. */
static double z_score(lattice_function *function, const struct lattice *lattice,
                      const struct sample_pairing *sample_pairing)
{
    double a = 0, b = 0, aa = 0, bb = 0, ab = 0;
    const double count = (double)SIDE * SIDE;
    for (uint32_t j = 0; j < SIDE; j++)
        for (uint32_t i = 0; i < SIDE; i++) {
            const uint32_t u = (sample_pairing->turned ? j : i) + sample_pairing->lag_x;
            const uint32_t v = (sample_pairing->turned ? i : j) + sample_pairing->lag_y;
            const double p = (double)function(lattice->x + i, lattice->y + j, lattice->keys);
            const double q =
                (double)function(sample_pairing->other.x + u, sample_pairing->other.y + v,
                                 sample_pairing->other.keys);
            a += p, b += q, aa += p * p, bb += q * q, ab += p * q;
        }
    double covariance = ab / count - a / count * (b / count);
    double spread = (aa / count - a * a / count / count) * (bb / count - b * b / count / count);
    return covariance / sqrt(spread) * sqrt(count);
}

static const int64_t places[] = {0, -SIDE * 32, 1 << 20, ((int64_t)1 << 40) - SIDE * 64,
                                 -((int64_t)1 << 40)};
enum { PLACES = sizeof places / sizeof *places };

/* A lag reaches back as well as ahead: unsigned cells wrap. */
static const uint32_t lags[][2] = {{1, 0}, {0, 1},  {1, 1},  {1, 0u - 1}, {2, 0},   {0, 2},
                                   {3, 5}, {16, 0}, {0, 16}, {64, 64},    {256, 0}, {0, 256}};
enum { LAGS = sizeof lags / sizeof *lags };

static double worst_of_lags(lattice_function *function)
{
    double worst = 0;
    for (unsigned p = 0; p < PLACES; p++)
        for (unsigned i = 0; i < LAGS; i++) {
            const struct lattice lattice = lattice_of(p, 0, places[p]);
            const struct sample_pairing sample_pairing = {lattice, lags[i][0], lags[i][1], false};
            worst = fmax(worst, fabs(z_score(function, &lattice, &sample_pairing)));
        }
    return worst;
}

static double worst_of_axes(lattice_function *function)
{
    double worst = 0;
    for (uint32_t i = 0; i < 16; i++) {
        /* On the diagonal of the lattice, where a mirror would stand. */
        struct lattice lattice = lattice_of(i, 0, 0);
        lattice.y = lattice.x;
        const struct sample_pairing sample_pairing = {lattice, 0, 0, true};
        worst = fmax(worst, fabs(z_score(function, &lattice, &sample_pairing)));
    }
    return worst;
}

static double worst_of_octaves(lattice_function *function)
{
    double worst = 0;
    for (unsigned p = 0; p < PLACES; p++)
        for (unsigned octave = 0; octave < 6; octave++) {
            const struct lattice lattice = lattice_of(7, octave, places[p]);
            const struct sample_pairing sample_pairing = {lattice_of(7, octave + 1, places[p]), 0,
                                                          0, false};
            worst = fmax(worst, fabs(z_score(function, &lattice, &sample_pairing)));
        }
    return worst;
}

static double worst_of_seeds(lattice_function *function)
{
    double worst = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        const struct lattice lattice = lattice_of(seed, 0, places[seed % PLACES]);
        const struct sample_pairing sample_pairing = {
            lattice_of(seed + 1, 0, places[seed % PLACES]), 0, 0, false};
        worst = fmax(worst, fabs(z_score(function, &lattice, &sample_pairing)));
    }
    return worst;
}

static void assert_below(double z, const char *what)
{
    print_message("%s: at most %.2f standard deviations\n", what, z);
    if (!(z < Z_LIMIT))
        fail_msg("%s: %.2f standard deviations from no correlation", what, z);
}

static void hash_has_no_correlation(void **unused)
{
    (void)unused;
    assert_below(worst_of_lags(lattice_hash_value), "neighbours");
    assert_below(worst_of_axes(lattice_hash_value), "axes");
    assert_below(worst_of_octaves(lattice_hash_value), "octaves");
    assert_below(worst_of_seeds(lattice_hash_value), "seeds");
}

static void bad_hashes_fail_the_same_measures(void **unused)
{
    (void)unused;
    assert_true(worst_of_lags(one_multiply) > 10 * Z_LIMIT);
    assert_true(worst_of_axes(mirrored) > 10 * Z_LIMIT);
}

/* Each bit of a cell's number changes each bit of the hash half of the time. */
static void hash_avalanche(void **unused)
{
    (void)unused;
    enum { TRIALS = 4096 };
    double worst = 0;
    for (unsigned bit = 0; bit < 64; bit++) {
        unsigned changed[32] = {0};
        for (uint64_t trial = 0; trial < TRIALS; trial++) {
            const uint64_t cell = hash_mix(trial), other = cell ^ (uint64_t)1 << bit;
            const uint32_t key = 0x12345678u;
            uint32_t a = lattice_hash(lattice_line_x((uint32_t)cell, key),
                                      lattice_line_y((uint32_t)(cell >> 32), key));
            uint32_t b = lattice_hash(lattice_line_x((uint32_t)other, key),
                                      lattice_line_y((uint32_t)(other >> 32), key));
            for (unsigned i = 0; i < 32; i++)
                changed[i] += (a ^ b) >> i & 1;
        }
        for (unsigned i = 0; i < 32; i++)
            worst = fmax(worst, fabs(changed[i] - TRIALS / 2.0) / sqrt(TRIALS / 4.0));
    }
    print_message("avalanche: at most %.2f standard deviations\n", worst);
    assert_true(worst < Z_LIMIT);
}

int test_lattice(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_has_no_correlation),
        cmocka_unit_test(bad_hashes_fail_the_same_measures),
        cmocka_unit_test(hash_avalanche),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
