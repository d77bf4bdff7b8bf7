/* How much of its range each noise and fractal uses, over a large area. */
#include "core/noise/noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROWS = 16, BLOCKS = 400, COUNT = ROWS * NOISE_ROW_MAX };

/* What is wanted of a noise: its range, and what share of it the samples reach from end to end. */
struct expectation {
    const char *name;
    enum noise_basis basis;
    enum noise_interpolation interpolation;
    enum noise_fractal fractal;
    float low, high, share;
};

/* The bound of a sum of octaves is reached where all of them peak, so almost never: eight
 * independent octaves, each half as high as the last, have 0.58 of one octave's spread. */
static const struct expectation expectations[] = {
    {"white", NOISE_VALUE, NOISE_NONE, NOISE_SINGLE, -1.0f, 1.0f, 0.99f},
    {"value linear", NOISE_VALUE, NOISE_LINEAR, NOISE_SINGLE, -1.0f, 1.0f, 0.95f},
    {"value", NOISE_VALUE, NOISE_QUINTIC, NOISE_SINGLE, -1.0f, 1.0f, 0.95f},
    {"perlin linear", NOISE_PERLIN, NOISE_LINEAR, NOISE_SINGLE, -1.0f, 1.0f, 0.85f},
    {"perlin cosine", NOISE_PERLIN, NOISE_COSINE, NOISE_SINGLE, -1.0f, 1.0f, 0.85f},
    {"perlin", NOISE_PERLIN, NOISE_QUINTIC, NOISE_SINGLE, -1.0f, 1.0f, 0.85f},
    {"fbm", NOISE_PERLIN, NOISE_QUINTIC, NOISE_FBM, -1.0f, 1.0f, 0.55f},
    {"fbm of value", NOISE_VALUE, NOISE_QUINTIC, NOISE_FBM, -1.0f, 1.0f, 0.75f},
    {"billow", NOISE_PERLIN, NOISE_QUINTIC, NOISE_BILLOW, -1.0f, 1.0f, 0.6f},
    {"billow of white", NOISE_VALUE, NOISE_NONE, NOISE_BILLOW, -1.0f, 1.0f, 0.8f},
    {"turbulence", NOISE_PERLIN, NOISE_QUINTIC, NOISE_TURBULENCE, 0.0f, 1.0f, 0.6f},
    {"ridged", NOISE_PERLIN, NOISE_QUINTIC, NOISE_RIDGED, 0.0f, 1.0f, 0.85f},
    {"ridged of value", NOISE_VALUE, NOISE_QUINTIC, NOISE_RIDGED, 0.0f, 1.0f, 0.85f},
};

struct extent {
    float low, high;
};

/* BLOCKS blocks of samples a third of the shortest octave apart, far from each other. */
static struct extent measure(const struct noise *noise)
{
    static struct noise_scratch scratch;
    static float out[COUNT];
    struct extent extent = {1e9f, -1e9f};
    for (int64_t i = 0; i < BLOCKS; i++) {
        const struct noise_block block = {
            .x = (i - BLOCKS / 2) * 7919 * PLACE_METRE, .step = 3 * PLACE_METRE, .columns = 288};
        size_t size = (noise_grid_size(noise, &block, false) + 63) / 64 * 64;
        void *memory = aligned_alloc(64, size);
        assert_non_null(memory);
        struct noise_grid *grid = noise_grid_begin(noise, &block, false, memory);
        noise_grid_rows(grid, i * 104729 * PLACE_METRE, ROWS, &scratch, out);
        free(memory);
        for (size_t k = 0; k < COUNT; k++) {
            extent.low = out[k] < extent.low ? out[k] : extent.low;
            extent.high = out[k] > extent.high ? out[k] : extent.high;
        }
    }
    return extent;
}

static void every_noise_uses_its_range(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof expectations / sizeof *expectations; i++) {
        const struct expectation *e = &expectations[i];
        const struct noise_settings settings = {
            .basis = e->basis,
            .interpolation = e->interpolation,
            .fractal = e->fractal,
            .octaves = e->fractal == NOISE_SINGLE ? 1 : 8,
            .wavelength = e->fractal == NOISE_SINGLE ? 10.0 : 1280.0,
            .lacunarity = 2.0,
            .persistence = 0.5,
            .feedback = 1.5f,
            .key = 42,
        };
        struct noise noise;
        noise_prepare(&noise, &settings);
        const struct extent extent = measure(&noise);
        const float share = (extent.high - extent.low) / (e->high - e->low);
        print_message("%s: %.3f ... %.3f, %.0f%% of its range\n", e->name, (double)extent.low,
                      (double)extent.high, (double)share * 100.0);
        /* A gradient is a unit vector to 1e-5. */
        if (extent.low < e->low - 2e-5f || extent.high > e->high + 2e-5f)
            fail_msg("%s leaves its range %g ... %g", e->name, (double)e->low, (double)e->high);
        if (share < e->share)
            fail_msg("%s uses %.3f of its range, not %.3f", e->name, (double)share,
                     (double)e->share);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_noise_uses_its_range)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
