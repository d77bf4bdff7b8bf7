/* The part of its range that each noise and fractal uses, over a large area. */
#include "core/noise/noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROWS = 16, BLOCKS = 1500, COUNT = ROWS * NOISE_ROW_MAX };

/* The expectation: a range, and the share of it that the samples reach from end to end. */
struct expectation {
    const char *name;
    struct noise_settings settings;
    float low, high, share;
};

#define QUINTIC .interpolation = NOISE_QUINTIC

/* The bound of a sum of octaves is reached where all of them peak, so almost never: eight
 * independent octaves, each half as high as the last, have 0.58 of one octave's spread. Gradient
 * noise has a bound too that it hardly reaches the deeper it is; worley's is a diagonal of the
 * cells around a place. */
static const struct expectation expectations[] = {
    {"white", {.basis = NOISE_WHITE, .interpolation = NOISE_NONE}, -1, 1, 0.99f},
    {"white 4-D", {.interpolation = NOISE_NONE, .axes = NOISE_XYZT}, -1, 1, 0.99f},
    {"value linear", {.basis = NOISE_VALUE, .interpolation = NOISE_LINEAR}, -1, 1, 0.95f},
    {"value", {.basis = NOISE_VALUE, QUINTIC}, -1, 1, 0.95f},
    {"value 1-D", {.basis = NOISE_VALUE, QUINTIC, .axes = NOISE_X}, -1, 1, 0.95f},
    {"value 3-D", {.basis = NOISE_VALUE, QUINTIC, .axes = NOISE_XYZ}, -1, 1, 0.95f},
    {"value 4-D", {.basis = NOISE_VALUE, QUINTIC, .axes = NOISE_XYZT}, -1, 1, 0.9f},
    {"perlin linear", {.basis = NOISE_PERLIN, .interpolation = NOISE_LINEAR}, -1, 1, 0.85f},
    {"perlin cosine", {.basis = NOISE_PERLIN, .interpolation = NOISE_COSINE}, -1, 1, 0.85f},
    {"perlin cubic", {.basis = NOISE_PERLIN, .interpolation = NOISE_CUBIC}, -1, 1, 0.85f},
    {"perlin", {.basis = NOISE_PERLIN, QUINTIC}, -1, 1, 0.85f},
    {"perlin 1-D", {.basis = NOISE_PERLIN, QUINTIC, .axes = NOISE_X}, -1, 1, 0.9f},
    {"perlin 3-D", {.basis = NOISE_PERLIN, QUINTIC, .axes = NOISE_XYZ}, -1, 1, 0.85f},
    {"perlin 3-D in t", {.basis = NOISE_PERLIN, QUINTIC, .axes = NOISE_XYT}, -1, 1, 0.85f},
    {"perlin 4-D", {.basis = NOISE_PERLIN, QUINTIC, .axes = NOISE_XYZT}, -1, 1, 0.8f},
    {"perlin2002", {.basis = NOISE_PERLIN2002, QUINTIC, .axes = NOISE_XYZ}, -1.01f, 1.01f, 0.9f},
    {"simplex 1-D", {.basis = NOISE_SIMPLEX, .axes = NOISE_X}, -1, 1, 0.9f},
    {"simplex", {.basis = NOISE_SIMPLEX}, -1, 1, 0.98f},
    {"simplex 3-D", {.basis = NOISE_SIMPLEX, .axes = NOISE_XYZ}, -1, 1, 0.95f},
    {"simplex 4-D", {.basis = NOISE_SIMPLEX, .axes = NOISE_XYZT}, -1, 1, 0.9f},
    {"worley f1 1-D", {.basis = NOISE_WORLEY, .axes = NOISE_X}, 0, 1, 0.9f},
    {"worley f1", {.basis = NOISE_WORLEY}, 0, 1.4143f, 0.75f},
    {"worley f1 3-D", {.basis = NOISE_WORLEY, .axes = NOISE_XYZ}, 0, 1.7321f, 0.6f},
    {"worley f2", {.basis = NOISE_WORLEY, .feature = NOISE_F2}, 0, 2, 0.6f},
    {"worley f2-f1", {.basis = NOISE_WORLEY, .feature = NOISE_F2_F1}, 0, 2, 0.6f},
    {"worley cell", {.basis = NOISE_WORLEY, .feature = NOISE_CELL}, -1, 1, 0.98f},
    {"worley x", {.basis = NOISE_WORLEY, .feature = NOISE_POINT_X}, -1.4143f, 1.4143f, 0.5f},
    {"worley y", {.basis = NOISE_WORLEY, .feature = NOISE_POINT_Y}, -1.4143f, 1.4143f, 0.5f},
    {"worley edge", {.basis = NOISE_WORLEY, .feature = NOISE_EDGE}, 0, 1, 0.6f},
    {"fbm", {.basis = NOISE_PERLIN, QUINTIC, .fractal = NOISE_FBM}, -1, 1, 0.55f},
    {"fbm 3-D",
     {.basis = NOISE_PERLIN, QUINTIC, .fractal = NOISE_FBM, .axes = NOISE_XYT},
     -1,
     1,
     0.45f},
    {"fbm of value", {.basis = NOISE_VALUE, QUINTIC, .fractal = NOISE_FBM}, -1, 1, 0.75f},
    {"fbm of simplex", {.basis = NOISE_SIMPLEX, .fractal = NOISE_FBM}, -1, 1, 0.75f},
    {"fbm of worley", {.basis = NOISE_WORLEY, .fractal = NOISE_FBM}, -1, 1, 0.6f},
    {"damped",
     {.basis = NOISE_PERLIN, QUINTIC, .fractal = NOISE_FBM, .damping = 0.5f},
     -1,
     1,
     0.15f},
    {"billow", {.basis = NOISE_PERLIN, QUINTIC, .fractal = NOISE_BILLOW}, -1, 1, 0.6f},
    {"billow of white", {.interpolation = NOISE_NONE, .fractal = NOISE_BILLOW}, -1, 1, 0.8f},
    {"turbulence", {.basis = NOISE_PERLIN, QUINTIC, .fractal = NOISE_TURBULENCE}, 0, 1, 0.6f},
    {"ridged", {.basis = NOISE_PERLIN, QUINTIC, .fractal = NOISE_RIDGED}, 0, 1, 0.85f},
    {"ridged of value", {.basis = NOISE_VALUE, QUINTIC, .fractal = NOISE_RIDGED}, 0, 1, 0.85f},
    {"ridged of simplex", {.basis = NOISE_SIMPLEX, .fractal = NOISE_RIDGED}, 0, 1, 0.85f},
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
            .x = (i - BLOCKS / 2) * 7919 * PLACE_METRE,
            .step = 3 * PLACE_METRE,
            .columns = NOISE_ROW_MAX,
            .uniforms = {.z = i * 1234567, .t = -i * 7654321},
        };
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
        const bool single = e->settings.fractal == NOISE_SINGLE;
        struct noise_settings settings = e->settings;
        settings.octaves = single ? 1 : 8;
        settings.wavelength = settings.wavelength_z = settings.wavelength_t =
            single ? 10.0 : 1280.0;
        settings.lacunarity = 2.0;
        settings.persistence = 0.5;
        settings.feedback = 1.5f;
        settings.key = 42;
        struct noise noise;
        noise_prepare(&noise, &settings);
        const struct extent extent = measure(&noise);
        const float share = (extent.high - extent.low) / (e->high - e->low);
        print_message("%s: %.3f ... %.3f, %.0f%% of its range\n", e->name, (double)extent.low,
                      (double)extent.high, (double)share * 100.0);
        if (extent.low < e->low - 2e-6f || extent.high > e->high + 2e-6f)
            fail_msg("%s leaves its range %g ... %g", e->name, (double)e->low, (double)e->high);
        if (share < e->share)
            fail_msg("%s uses %.3f of its range, not %.3f", e->name, (double)share,
                     (double)e->share);
    }
}

int test_value_range(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_noise_uses_its_range)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
