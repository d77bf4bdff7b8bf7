/* Gradients of noises against central differences of a second implementation in double precision,
 * which sums over the corners of a cell as textbooks do. The gradients show in the distance to a
 * zero, |n| / |∇n|, and in damping. Only the lattice (its coordinates, hashes and vectors) is that
 * of the code under test. */
#include "core/noise/noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROWS = 6, COLUMNS = 32, COUNT = ROWS * COLUMNS };

static _Alignas(64) struct noise_scratch scratch;

__extension__ typedef __int128 whole128;

/* A place on the lattice of an octave: its cell, and its position in it. */
struct spot {
    int64_t cell[3];
    double t[3];
};

static struct spot spot_of(const struct noise *noise, unsigned index, const int64_t place[4])
{
    const struct noise_octave *octave = &noise->octaves[index];
    struct spot spot = {{0}, {0}};
    for (unsigned axis = 0; axis < noise->dimensions; axis++) {
        whole128 at = (whole128)octave->offset[axis] << 32;
        for (int i = 0; i < 4; i++)
            at += (whole128)octave->form[axis][i] * place[i];
        spot.cell[axis] = (int64_t)(at >> 64);
        spot.t[axis] = (double)(uint64_t)at * 0x1p-64;
    }
    return spot;
}

static double quintic(double t)
{
    return t * t * t * (10.0 + t * (6.0 * t - 15.0));
}

static uint32_t key_of(const struct noise_octave *octave, unsigned axis, int64_t cell)
{
    return lattice_key(octave->key[axis], cell);
}

/* What a corner of the cell says at the spot: its value, or the product of its gradient with the
 * way to the spot. Bit i of `corner` chooses the side on axis i. */
static double corner_at(const struct noise *noise, unsigned index, const struct spot *spot,
                        unsigned corner)
{
    const struct noise_octave *octave = &noise->octaves[index];
    int64_t cell[3];
    for (int i = 0; i < 3; i++)
        cell[i] = spot->cell[i] + (corner >> i & 1);
    uint32_t key_y = key_of(octave, 1, cell[1]);
    if (noise->dimensions == 3)
        key_y ^= lattice_plane(lattice_line_x((uint32_t)cell[2], key_of(octave, 2, cell[2])), 0);
    const uint32_t hash =
        lattice_hash(lattice_line_x((uint32_t)cell[0], key_of(octave, 0, cell[0])),
                     lattice_line_y((uint32_t)cell[1], key_y));
    float g[3] = {0};
    if (noise->settings.basis == NOISE_VALUE)
        return (double)lattice_value(hash);
    if (noise->dimensions == 3)
        lattice_gradient3(hash, &g[0], &g[1], &g[2]);
    else
        lattice_gradient(hash, &g[0], &g[1]);
    double sum = 0.0;
    for (int i = 0; i < 3; i++)
        sum += (double)g[i] * (spot->t[i] - (double)(corner >> i & 1));
    return sum;
}

static double octave_at(const struct noise *noise, unsigned index, const struct spot *spot)
{
    double sum = 0.0;
    for (unsigned corner = 0; corner < 1u << noise->dimensions; corner++) {
        double weight = 1.0;
        for (unsigned i = 0; i < noise->dimensions; i++)
            weight *= corner >> i & 1 ? quintic(spot->t[i]) : 1.0 - quintic(spot->t[i]);
        sum += weight * corner_at(noise, index, spot, corner);
    }
    const double scale = noise->settings.basis == NOISE_VALUE ? 1.0
                         : noise->dimensions == 3             ? 1.29
                                                              : 1.4142135623730951;
    return sum * scale;
}

/* The derivative by metres along x (0) or y (1) of the world. */
static double octave_slope(const struct noise *noise, unsigned index, const struct spot *spot,
                           int along)
{
    const double cells = 1e-5;
    const double metres = cells * noise->octaves[index].wavelength;
    struct spot ahead = *spot, behind = *spot;
    for (unsigned axis = 0; axis < noise->dimensions; axis++) {
        const double moved = (double)noise->octaves[index].form[axis][along] * 0x1p-48 * metres;
        ahead.t[axis] += moved;
        behind.t[axis] -= moved;
    }
    return (octave_at(noise, index, &ahead) - octave_at(noise, index, &behind)) / (2.0 * metres);
}

/* The fBm at a place: damped, or its distance to a zero; and the error that is allowed. */
struct expected {
    double value, allowed;
};

static struct expected expected_at(const struct noise *noise, const int64_t place[4])
{
    double n = 0.0, slope[2] = {0.0, 0.0}, damping_slope[2] = {0.0, 0.0};
    for (unsigned i = 0; i < noise->settings.octaves; i++) {
        const struct noise_octave *octave = &noise->octaves[i];
        const struct spot spot = spot_of(noise, i, place);
        for (int along = 0; along < 2; along++) {
            const double own = octave_slope(noise, i, &spot, along);
            slope[along] += (double)octave->share * own;
            damping_slope[along] += own * octave->wavelength; /* for one cell of the octave */
        }
        const double damping =
            1.0 + (double)noise->settings.damping *
                      (damping_slope[0] * damping_slope[0] + damping_slope[1] * damping_slope[1]);
        n += (double)octave->share * octave_at(noise, i, &spot) / damping;
    }
    if (noise->settings.result != NOISE_ZERO_DISTANCE)
        return (struct expected){n, 1e-6};
    /* The noise has an error of 1e-6 and the slope one of 1e-5 for a wavelength. */
    const double limit = noise->settings.wavelength, size = __builtin_fabs(n);
    const double steep = __builtin_sqrt(slope[0] * slope[0] + slope[1] * slope[1]);
    const double distance = size < limit * steep ? size / steep : limit;
    return (struct expected){n < 0.0 ? -distance : distance,
                             (1e-6 + 1e-5 * distance / limit) / steep};
}

/* Compares a block of a grid; with `displaced`, the samples are moved by 0. */
static void check_block(const struct noise *noise, int64_t x, int64_t y, bool displaced)
{
    static const float still[COUNT];
    const struct noise_block block = {
        x, 3 * PLACE_METRE + 12345, COLUMNS, {.z = 7654321, .t = 0, .spacing = 0.0}};
    float out[COUNT];
    void *memory = aligned_alloc(64, (noise_grid_size(noise, &block, displaced) + 63) / 64 * 64);
    assert_non_null(memory);
    struct noise_grid *grid = noise_grid_begin(noise, &block, displaced, memory);
    if (displaced)
        noise_grid_displaced(grid, &(struct noise_displaced_rows){y, ROWS, still, still}, &scratch,
                             out);
    else
        noise_grid_rows(grid, y, ROWS, &scratch, out);
    free(memory);
    for (int i = 0; i < COUNT; i++) {
        const int64_t place[] = {x + i % COLUMNS * block.step, y + i / COLUMNS * block.step,
                                 block.uniforms.z, 0};
        const struct expected expected = expected_at(noise, place);
        if (!(__builtin_fabs((double)out[i] - expected.value) <= expected.allowed))
            fail_msg("basis %d dimensions %u octaves %u turned %d damping %g displaced %d at "
                     "%lld, %lld: %.9g, not %.9g",
                     (int)noise->settings.basis, noise->dimensions, noise->settings.octaves,
                     (int)noise->settings.rotate_octaves, (double)noise->settings.damping,
                     (int)displaced, (long long)place[0], (long long)place[1], (double)out[i],
                     expected.value);
    }
}

static void check_settings(const struct noise_settings *settings)
{
    static const int64_t places[] = {0, -PLACE_LIMIT, PLACE_LIMIT - 4096 * PLACE_METRE, 987654321};
    struct noise noise;
    noise_prepare(&noise, settings);
    for (int i = 0; i < 4; i++)
        for (int displaced = 0; displaced < 2; displaced++)
            check_block(&noise, places[i], places[(i + 1) % 4], displaced);
}

static void check_all(struct noise_settings settings)
{
    for (int kind = 0; kind < 16; kind++) {
        settings.basis = kind & 1 ? NOISE_PERLIN : NOISE_VALUE;
        settings.axes = kind & 2 ? NOISE_XYZ : NOISE_XY;
        settings.octaves = kind & 4 ? 3 : 1;
        settings.rotate_octaves = kind & 8;
        if (settings.axes == NOISE_XYZ && settings.basis == NOISE_VALUE)
            continue; /* a lattice of values has no gradients of its own to get wrong in depth */
        settings.key = hash_mix((uint64_t)kind);
        check_settings(&settings);
    }
}

static const struct noise_settings base_settings = {
    .interpolation = NOISE_QUINTIC,
    .fractal = NOISE_FBM,
    .wavelength = 75.0,
    .wavelength_z = 60.0,
    .lacunarity = 2.1,
    .persistence = 0.6,
};

static void distances_to_zero(void **unused)
{
    (void)unused;
    struct noise_settings settings = base_settings;
    settings.result = NOISE_ZERO_DISTANCE;
    check_all(settings);
    settings.domain = (struct noise_domain){.cosine = 0.6, .sine = -0.8};
    check_all(settings);
}

static void damped_sums(void **unused)
{
    (void)unused;
    struct noise_settings settings = base_settings;
    settings.damping = 0.8f;
    check_all(settings);
}

int test_gradients(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_to_zero),
        cmocka_unit_test(damped_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
