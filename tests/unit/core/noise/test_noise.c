/* Values of the noises that follow from their definition by hand. */
#include "core/noise/noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/core/random.h"

static struct noise_scratch scratch;
static uint64_t state = 99;

static struct noise prepare(const struct noise_settings *settings)
{
    struct noise_settings own = *settings;
    struct noise noise;
    own.octaves = own.octaves ? own.octaves : 1;
    own.lacunarity = own.lacunarity > 0.0 ? own.lacunarity : 2.0;
    own.persistence = own.persistence > 0.0 ? own.persistence : 0.5;
    own.key = random_bits(&state);
    noise_prepare(&noise, &own);
    return noise;
}

static float sample(const struct noise *noise, int64_t x, int64_t y, double spacing)
{
    const struct place place = {x, y};
    const struct noise_point_list list = {&place, 1, {.spacing = spacing}, NULL, NULL};
    float value;
    noise_points(noise, &list, &scratch, &value);
    return value;
}

static struct place random_place(void)
{
    return (struct place){random_whole(&state, -PLACE_LIMIT, PLACE_LIMIT),
                          random_whole(&state, -PLACE_LIMIT, PLACE_LIMIT)};
}

/* λ / (2·spacing) − 1, held in 0 … 1. */
static void detail_by_hand(void **unused)
{
    (void)unused;
    static const struct {
        double wavelength, spacing;
        float detail;
    } cases[] = {
        {64, 0, 1},    {64, 1, 1},       {64, 16, 1},       {64, 20, 0.6f}, {64, 25.6, 0.25f},
        {64, 32, 0},   {64, 33, 0},      {64, 1e9, 0},      {0.01, 0, 1},   {0.01, 1, 0},
        {1e9, 1e6, 1}, {300, 100, 0.5f}, {1, 0.3125, 0.6f},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(noise_detail(cases[i].wavelength, cases[i].spacing) == cases[i].detail);
}

/* An octave with half of its detail has half of its amplitude. */
static void amplitude_follows_detail(void **unused)
{
    (void)unused;
    const struct noise noise = prepare(&(struct noise_settings){
        .basis = NOISE_PERLIN, .fractal = NOISE_SINGLE, .wavelength = 64.0});
    for (int i = 0; i < 200; i++) {
        struct place at = random_place();
        float full = sample(&noise, at.x, at.y, 0.0);
        assert_true(sample(&noise, at.x, at.y, 16.0) == full);
        /* 64 / (2·64/3) − 1 = ½, and halving is exact but for the rounding of the amplitude. */
        assert_true(__builtin_fabsf(sample(&noise, at.x, at.y, 64.0 / 3.0) - full / 2.0f) < 3e-7f);
        assert_true(sample(&noise, at.x, at.y, 32.0) == 0.0f);
    }
}

/* One octave of fBm alone is the noise; two are (n₀ + p·n₁) / (1 + p). */
static void fbm_is_a_weighted_mean(void **unused)
{
    (void)unused;
    struct noise_settings settings = {.basis = NOISE_VALUE,
                                      .fractal = NOISE_FBM,
                                      .octaves = 2,
                                      .wavelength = 100.0,
                                      .persistence = 0.25,
                                      .lacunarity = 4.0};
    const struct noise fbm = prepare(&settings);
    assert_true(fbm.octaves[1].wavelength == 25.0);
    assert_true(fbm.octaves[0].share == 0.8f && fbm.octaves[1].share == 0.2f);
    struct noise first = fbm, second = fbm;
    first.settings.fractal = second.settings.fractal = NOISE_SINGLE;
    first.settings.octaves = second.settings.octaves = 1;
    second.octaves[0] = fbm.octaves[1];
    first.octaves[0].share = second.octaves[0].share = 1.0f;
    for (int i = 0; i < 200; i++) {
        struct place at = random_place();
        float expected =
            0.8f * sample(&first, at.x, at.y, 0) + 0.2f * sample(&second, at.x, at.y, 0);
        assert_true(__builtin_fabsf(sample(&fbm, at.x, at.y, 0) - expected) < 5e-7f);
        /* At 12.5 m a sample the finer octave is gone, the coarser is whole. */
        float coarse = sample(&fbm, at.x, at.y, 12.5);
        assert_true(__builtin_fabsf(coarse - 0.8f * sample(&first, at.x, at.y, 0)) < 3e-7f);
    }
}

/* One octave of ridged is (1 − |n|)². */
static void ridged_octave_formula(void **unused)
{
    (void)unused;
    struct noise ridged = prepare(&(struct noise_settings){.basis = NOISE_PERLIN,
                                                           .interpolation = NOISE_QUINTIC,
                                                           .fractal = NOISE_RIDGED,
                                                           .wavelength = 100.0,
                                                           .feedback = 1.5f});
    struct noise plain = ridged;
    plain.settings.fractal = NOISE_SINGLE;
    for (int i = 0; i < 200; i++) {
        struct place at = random_place();
        float edge = 1.0f - __builtin_fabsf(sample(&plain, at.x, at.y, 0));
        assert_true(__builtin_fabsf(sample(&ridged, at.x, at.y, 0) - edge * edge) < 3e-7f);
        /* Without detail an octave is its mean, the same everywhere. */
        assert_true(sample(&ridged, at.x, at.y, 1000.0) == sample(&ridged, 0, 0, 1000.0));
    }
}

static float bound_of(const struct noise *noise, int count)
{
    float most = 0.0f;
    for (int i = 0; i < count; i++) {
        struct place at = random_place();
        float value = sample(noise, at.x, at.y, 0.0);
        assert_true(noise->settings.fractal != NOISE_RIDGED || value >= 0.0f);
        most = __builtin_fabsf(value) > most ? __builtin_fabsf(value) : most;
    }
    return most;
}

static void samples_stay_in_range(void **unused)
{
    (void)unused;
    for (unsigned kind = 0; kind < 2 * 4 * 3; kind++) {
        const struct noise noise =
            prepare(&(struct noise_settings){.basis = kind & 1 ? NOISE_PERLIN : NOISE_VALUE,
                                             .interpolation = kind >> 1 & 3,
                                             .fractal = kind >> 3,
                                             .octaves = kind >> 3 == NOISE_SINGLE ? 1 : 6,
                                             .wavelength = 97.0,
                                             .feedback = 1.5f});
        float most = bound_of(&noise, 4000);
        /* Gradients are unit vectors to 1e-5. */
        assert_true(most <= 1.0f + 1e-5f);
        assert_true(most > 0.35f);
    }
}

static struct lattice_point point_at(const struct noise_octave *octave, unsigned axis,
                                     int64_t position)
{
    const int128 offset = int128_shift_left(int128_from((int64_t)(octave->offset[axis] >> 32)), 64);
    const int128 within =
        int128_shift_left(int128_from((int64_t)(octave->offset[axis] & 0xFFFFFFFFu)), 32);
    return lattice_split(int128_add(int128_add(offset, within),
                                    int128_multiply(position, octave->form[axis][axis])));
}

/* The place of a lattice corner on the grid of places, for a wavelength of 2⁸ m: 2⁻¹⁶ m are 2⁻²⁴
 * cell, and a fraction has no bits for the rest of an offset. */
static bool find_corner(const struct noise_octave *octave, unsigned axis, int64_t cell,
                        int64_t *position)
{
    const int64_t cells = cell - (int64_t)(octave->offset[axis] >> 32);
    const uint64_t fraction = octave->offset[axis] & 0xFFFFFFFFu;
    *position = cells * ((int64_t)1 << 24) - (int64_t)(fraction >> 8);
    const struct lattice_point point = point_at(octave, axis, *position);
    return point.cell == cell && lattice_fraction(point.fraction) == 0.0f;
}

/* At a corner the offset to it is 0, and so is gradient noise. With a wavelength of 2⁸ m a place
 * in 2⁻¹⁶ m is exactly a float's fraction of a cell, so every corner is on the grid of places. */
static void corners_are_zeros_of_perlin(void **unused)
{
    (void)unused;
    unsigned found = 0;
    for (unsigned i = 0; i < 400; i++) {
        const struct noise noise = prepare(&(struct noise_settings){.basis = NOISE_PERLIN,
                                                                    .interpolation = i % 4,
                                                                    .fractal = NOISE_SINGLE,
                                                                    .wavelength = 256.0});
        const struct noise_octave *octave = &noise.octaves[0];
        int64_t x, y, far = random_whole(&state, -(1LL << 30), 1LL << 30);
        if (!find_corner(octave, 0, far, &x) || !find_corner(octave, 1, far / 3, &y))
            continue;
        found++;
        /* The cosine's polynomial ends 4e-9 beside 0. */
        float least = i % 4 == NOISE_COSINE ? 1e-7f : 0.0f;
        assert_true(__builtin_fabsf(sample(&noise, x, y, 0.0)) <= least);
        assert_true(sample(&noise, x + 77 * PLACE_METRE, y, 0.0) != 0.0f);
    }
    assert_true(found > 100);
}

/* Value noise is linear between corners: a sample half-way is the mean of its ends. */
static void linear_value_noise_is_linear(void **unused)
{
    (void)unused;
    const struct noise noise = prepare(&(struct noise_settings){.basis = NOISE_VALUE,
                                                                .interpolation = NOISE_LINEAR,
                                                                .fractal = NOISE_SINGLE,
                                                                .wavelength = 256.0});
    const struct noise_octave *octave = &noise.octaves[0];
    int64_t cell = 256 * PLACE_METRE;
    for (int i = 0; i < 200; i++) {
        int64_t x = random_whole(&state, -PLACE_LIMIT, PLACE_LIMIT), y = 12345;
        /* The place's own cell: from its start a third and the whole of the way. */
        struct lattice_point point = point_at(octave, 0, x);
        int64_t start = x - (int64_t)(point.fraction >> 8);
        float west = sample(&noise, start + 1, y, 0), east = sample(&noise, start + cell - 1, y, 0);
        float middle = sample(&noise, start + cell / 2, y, 0);
        assert_true(__builtin_fabsf(middle - (west + east) / 2.0f) < 1e-6f);
    }
}

/* Octave i has its own offset and keys: no two octaves, axes or noises share one. */
static void octaves_are_independent(void **unused)
{
    (void)unused;
    struct noise noises[2];
    uint64_t seen[2 * NOISE_OCTAVES_MAX * 4];
    size_t count = 0;
    for (int n = 0; n < 2; n++) {
        noises[n] = prepare(&(struct noise_settings){
            .fractal = NOISE_FBM, .octaves = NOISE_OCTAVES_MAX, .wavelength = 1e9});
        for (int i = 0; i < NOISE_OCTAVES_MAX; i++) {
            const struct noise_octave *octave = &noises[n].octaves[i];
            seen[count++] = octave->offset[0];
            seen[count++] = octave->offset[1];
            seen[count++] = octave->key[0];
            seen[count++] = octave->key[1];
        }
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            assert_true(seen[i] != seen[k]);
}

/* Positions as products over a common denominator, so every expected value is exact by hand. */
static void cycles_by_hand(void **unused)
{
    (void)unused;
    static const struct {
        int64_t position; /* 2⁻¹⁶ m */
        float period, metres, place;
    } cases[] = {
        {0, 100, 0, 0},
        {25 * PLACE_METRE, 100, 0, 0.25f},
        {-25 * PLACE_METRE, 100, 0, 0.75f},
        {-100 * PLACE_METRE, 100, 0, 0},
        {175 * PLACE_METRE, 100, 0, 0.75f},
        {1000000000050 * PLACE_METRE, 100, 0, 0.5f},
        {-1000000000025 * PLACE_METRE, 100, 0, 0.75f},
        {1099511627700 * PLACE_METRE, 100, 0, 0},
        {1099511627775 * PLACE_METRE, 3, 0, 0}, /* 2⁴⁰ − 1 is a multiple of 3 */
        {1099511627776 * PLACE_METRE, 4, 0, 0},
        {-1099511627776 * PLACE_METRE, 4, 0, 0},
        {PLACE_METRE / 2, 1e9f, 0, 0}, /* 5e-10, less than 2⁻²⁴ */
        {PLACE_METRE / 4, 0.5f, 0, 0.5f},
        {1, 0.015625f, 0, 0.0009765625f}, /* 2⁻¹⁶ over 2⁻⁶ */
        {25 * PLACE_METRE, 100, 50, 0.75f},
        {25 * PLACE_METRE, 100, -50, 0.75f},
        {75 * PLACE_METRE, 100, 25, 0},
        {0, 16384, -4096, 0.75f},
        {3 * PLACE_METRE, 16, 1600, 0.1875f},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float place = noise_cycle(cases[i].position, cases[i].period, cases[i].metres);
        if (place != cases[i].place)
            fail_msg("case %zu: %.9g, not %.9g", i, (double)place, (double)cases[i].place);
    }
}

static void cycles_stay_in_their_period(void **unused)
{
    (void)unused;
    for (int i = 0; i < 100000; i++) {
        float period = (float)(0.01 + 1e6 * __builtin_fabs(random_unit(&state)));
        float metres = (float)random_unit(&state) * (i % 2 ? 1e-30f : 3e38f);
        float place = noise_cycle(random_whole(&state, -PLACE_LIMIT, PLACE_LIMIT), period, metres);
        assert_true(place >= 0.0f && place < 1.0f);
    }
}

int test_noise(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(detail_by_hand),
        cmocka_unit_test(amplitude_follows_detail),
        cmocka_unit_test(fbm_is_a_weighted_mean),
        cmocka_unit_test(ridged_octave_formula),
        cmocka_unit_test(samples_stay_in_range),
        cmocka_unit_test(corners_are_zeros_of_perlin),
        cmocka_unit_test(linear_value_noise_is_linear),
        cmocka_unit_test(octaves_are_independent),
        cmocka_unit_test(cycles_by_hand),
        cmocka_unit_test(cycles_stay_in_their_period),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
