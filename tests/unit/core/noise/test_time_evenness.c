/* Noise changes evenly over time. Near a lattice line on the axis t a noise changes little, as its
 * fade is flat there. If the lines of all octaves coincided at whole t, the sum would pulse. The
 * octaves' own offsets prevent that. */
#include "core/noise/noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROWS = 48, PHASES = 16, BLOCKS = 24, COUNT = ROWS * NOISE_ROW_MAX };

static void sample(const struct noise *noise, int64_t i, int64_t t, float *out)
{
    static struct noise_scratch scratch;
    const struct noise_block block = {.x = i * 100003 * PLACE_METRE,
                                      .step = 61 * PLACE_METRE,
                                      .columns = NOISE_ROW_MAX,
                                      .uniforms.t = t};
    void *memory = aligned_alloc(64, (noise_grid_size(noise, &block, false) + 63) / 64 * 64);
    assert_non_null(memory);
    struct noise_grid *grid = noise_grid_begin(noise, &block, false, memory);
    noise_grid_rows(grid, -i * 70001 * PLACE_METRE, ROWS, &scratch, out);
    free(memory);
}

/* The change of the noise at time t: the variance, over a large area, of its change in 1/64 of the
 * first octave's cell. */
static double change_at(const struct noise *noise, int64_t t)
{
    static float before[COUNT], after[COUNT];
    double squares = 0.0;
    for (int64_t i = 0; i < BLOCKS; i++) {
        sample(noise, i, t - PLACE_METRE / 128, before);
        sample(noise, i, t + PLACE_METRE / 128, after);
        for (size_t k = 0; k < COUNT; k++) {
            const double change = (double)after[k] - (double)before[k];
            squares += change * change;
        }
    }
    return squares / ((double)BLOCKS * COUNT);
}

/* The greatest change over the least, over the time of a lattice cell from a whole t on. */
static double change_ratio(const struct noise *noise)
{
    double least = 1e9, greatest = 0.0;
    for (int phase = 0; phase < PHASES; phase++) {
        const double change = change_at(noise, 1000 * PLACE_METRE + phase * PLACE_METRE / PHASES);
        least = change < least ? change : least;
        greatest = change > greatest ? change : greatest;
    }
    return greatest / least;
}

static struct noise noise_over_time(enum noise_basis basis, enum noise_fractal fractal)
{
    const struct noise_settings settings = {
        .basis = basis,
        .interpolation = NOISE_QUINTIC,
        .axes = NOISE_XYT,
        .fractal = fractal,
        .octaves = 6,
        .wavelength = 1000.0,
        .wavelength_z = 1000.0,
        .wavelength_t = 1.0,
        .lacunarity = 2.0,
        .persistence = 0.5,
        .feedback = 1.5f,
        .key = 20260521,
    };
    struct noise noise;
    noise_prepare(&noise, &settings);
    return noise;
}

static void change_is_even_over_time(void **state)
{
    (void)state;
    static const enum noise_fractal fractals[] = {NOISE_FBM, NOISE_BILLOW};
    for (int i = 0; i < 4; i++) {
        struct noise noise = noise_over_time(i % 2 ? NOISE_VALUE : NOISE_PERLIN, fractals[i / 2]);
        const double ratio = change_ratio(&noise);
        for (unsigned octave = 0; octave < noise.settings.octaves; octave++)
            noise.octaves[octave].offset[2] = (uint64_t)1 << 63;
        const double control = change_ratio(&noise);
        print_message("greatest over least change: %.2f, without offsets %.2f\n", ratio, control);
        /* Gradient noise never stands still, as the gradients of a moment go on through it. */
        if (i % 2 == 0)
            assert_true(ratio < 1.5);
        else
            assert_true(ratio < 6.0 && control > 20.0 * ratio);
    }
}

int test_time_evenness(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(change_is_even_over_time)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
