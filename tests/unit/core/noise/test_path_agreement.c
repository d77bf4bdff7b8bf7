/* The three ways to sample a noise (rows of a grid, a displaced grid, a list of places) agree bit
 * for bit: for every noise, fractal, interpolation and level of detail, near the origin and at the
 * edge of the world, and where lattice keys change. */
#include "core/noise/noise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/core/random.h"

enum { ROWS = 5, SAMPLES = ROWS * NOISE_ROW_MAX };

/* One comparison: a grid and the displacement of its samples. */
struct scene {
    struct noise noise;
    struct noise_block block;
    int64_t y;
    float dx[SAMPLES], dy[SAMPLES];
};

static struct noise_scratch scratch;
static struct scene scene;
static uint64_t state = 1;

static size_t scene_count(void)
{
    return (size_t)ROWS * scene.block.columns;
}

static void sample_grid(bool displaced, float *out)
{
    size_t size = noise_grid_size(&scene.noise, &scene.block, displaced);
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
    assert_non_null(memory);
    struct noise_grid *grid = noise_grid_begin(&scene.noise, &scene.block, displaced, memory);
    if (displaced)
        noise_grid_displaced(grid, scene.y, ROWS, scene.dx, scene.dy, &scratch, out);
    else
        noise_grid_rows(grid, scene.y, ROWS, &scratch, out);
    free(memory);
}

static void sample_points(bool displaced, float *out)
{
    static struct place places[SAMPLES];
    for (size_t i = 0; i < scene_count(); i++)
        places[i] = (struct place){
            scene.block.x + (int64_t)(i % scene.block.columns) * scene.block.step,
            scene.y + (int64_t)(i / scene.block.columns) * scene.block.step,
        };
    const struct noise_point_list list = {places, scene_count(), scene.block.uniforms,
                                          displaced ? scene.dx : NULL, displaced ? scene.dy : NULL};
    noise_points(&scene.noise, &list, &scratch, out);
}

static void assert_same(const float *a, const float *b, const char *what)
{
    for (size_t i = 0; i < scene_count(); i++) {
        if (memcmp(&a[i], &b[i], sizeof a[i]) == 0)
            continue;
        const struct noise_settings *s = &scene.noise.settings;
        fail_msg("%s: basis %d interpolation %d fractal %d spacing %g x %lld y %lld step %lld "
                 "sample %zu: %.9g and %.9g",
                 what, s->basis, s->interpolation, s->fractal, scene.block.uniforms.spacing,
                 (long long)scene.block.x, (long long)scene.y, (long long)scene.block.step, i,
                 (double)a[i], (double)b[i]);
    }
}

static void displace_all(float dx, float dy)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        scene.dx[i] = dx;
        scene.dy[i] = dy;
    }
}

static void displace_randomly(double reach)
{
    for (size_t i = 0; i < SAMPLES; i++) {
        scene.dx[i] = (float)(random_unit(&state) * reach);
        scene.dy[i] = (float)(random_unit(&state) * reach);
    }
}

/* A smooth displacement, as most warps are: neighbours have nearly the same. */
static void displace_smoothly(double reach)
{
    double start = random_unit(&state);
    for (size_t i = 0; i < SAMPLES; i++) {
        double along = start + (double)i / SAMPLES;
        scene.dx[i] = (float)((along * along - 0.5) * reach);
        scene.dy[i] = (float)((0.3 - along) * reach);
    }
}

static void assert_undisplaced_agree(void)
{
    static float rows[SAMPLES], other[SAMPLES];
    sample_grid(false, rows);
    sample_points(false, other);
    assert_same(rows, other, "rows and points");
    displace_all(0.0f, 0.0f);
    sample_grid(true, other);
    assert_same(rows, other, "rows and a grid moved by 0");
    sample_points(true, other);
    assert_same(rows, other, "rows and points moved by 0");
}

static void assert_displaced_agree(const char *what)
{
    static float grid[SAMPLES], points[SAMPLES];
    sample_grid(true, grid);
    sample_points(true, points);
    assert_same(grid, points, what);
}

static void assert_all_agree(void)
{
    assert_undisplaced_agree();
    double wavelength = scene.noise.settings.wavelength;
    displace_randomly(0.01 * wavelength);
    assert_displaced_agree("moved a little");
    displace_randomly(40.0 * wavelength);
    assert_displaced_agree("moved over cells");
    displace_smoothly(3.0 * wavelength);
    assert_displaced_agree("moved smoothly");
    displace_all(-12345.678f, 0.25f);
    assert_displaced_agree("moved alike");
    displace_randomly(3e9 * wavelength);
    assert_displaced_agree("moved beyond what a float can tell");
    displace_randomly(3e38);
    assert_displaced_agree("moved beyond everything");
}

static const double spacings[] = {0.0, 0.1, 1.0, 37.5, 4000.0};
enum { SPACINGS = sizeof spacings / sizeof *spacings };

static void prepare(enum noise_basis basis, enum noise_interpolation interpolation,
                    enum noise_fractal fractal, double wavelength)
{
    const struct noise_settings settings = {
        .basis = basis,
        .interpolation = interpolation,
        .fractal = fractal,
        .octaves = fractal == NOISE_SINGLE ? 1 : 7,
        .wavelength = wavelength,
        .lacunarity = 2.17,
        .persistence = 0.55,
        .feedback = 1.5f,
        .key = random_bits(&state),
    };
    noise_prepare(&scene.noise, &settings);
}

/* Compares the prepared noise, then its distance to a zero, then the noise damped. */
static void assert_all_agree_with_gradients(void)
{
    struct noise_settings settings = scene.noise.settings;
    assert_all_agree();
    settings.result = NOISE_ZERO_DISTANCE;
    noise_prepare(&scene.noise, &settings);
    assert_all_agree();
    settings.result = NOISE_SAMPLE;
    settings.damping = 0.7f;
    noise_prepare(&scene.noise, &settings);
    assert_all_agree();
    settings.damping = 0.0f;
    noise_prepare(&scene.noise, &settings);
}

/* A block about a place, its samples about `spacing` apart. */
static void place_block(int64_t centre_x, int64_t centre_y, double spacing)
{
    static const uint32_t widths[] = {16, 65, 1, NOISE_ROW_MAX};
    int64_t step = spacing > 0.0 ? (int64_t)(spacing * (double)PLACE_METRE)
                                 : random_whole(&state, 1, 4 * PLACE_METRE);
    scene.block.columns = widths[random_bits(&state) % 4];
    scene.block.step = step > 0 ? step : 1;
    scene.block.uniforms.spacing = spacing;
    scene.block.x = centre_x + random_whole(&state, -PLACE_METRE * 5000, PLACE_METRE * 5000);
    scene.y = centre_y + random_whole(&state, -PLACE_METRE * 5000, PLACE_METRE * 5000);
}

static void every_noise_agrees(void **unused)
{
    (void)unused;
    static const int64_t centres[] = {0, PLACE_LIMIT, -PLACE_LIMIT};
    for (unsigned kind = 0; kind < 2 * 5 * 5; kind++)
        for (unsigned spacing = 0; spacing < SPACINGS; spacing++) {
            double wavelength = random_bits(&state) % 2 ? 1024.0 : 777.7;
            prepare(kind % 2, kind / 2 % 5, kind / 10, wavelength);
            place_block(centres[random_bits(&state) % 3], centres[random_bits(&state) % 3],
                        spacings[spacing]);
            assert_all_agree_with_gradients();
        }
}

static void wavelength_extremes_agree(void **unused)
{
    (void)unused;
    static const double wavelengths[] = {NOISE_WAVELENGTH_MIN, 0.3, 3.0, 100000.0,
                                         NOISE_WAVELENGTH_MAX};
    for (unsigned i = 0; i < 5; i++)
        for (unsigned basis = NOISE_VALUE; basis <= NOISE_PERLIN; basis++) {
            prepare(basis, NOISE_QUINTIC, NOISE_SINGLE, wavelengths[i]);
            place_block(random_whole(&state, -PLACE_LIMIT, PLACE_LIMIT),
                        random_whole(&state, -PLACE_LIMIT, PLACE_LIMIT), 0.0);
            assert_all_agree_with_gradients();
        }
}

__extension__ typedef __int128 int128;

/* The first position whose cell on an axis has that high half. */
static int64_t position_of_high(const struct noise_octave *octave, unsigned axis, int64_t high)
{
    /* position · form + offset·2³² ≥ high·2³²·2⁶⁴ */
    int128 wanted = ((int128)high * ((int128)1 << 96)) - ((int128)octave->offset[axis] << 32);
    int128 frequency = octave->form[axis][axis];
    int128 position = wanted / frequency;
    return (int64_t)(position + (position * frequency < wanted));
}

static int64_t high_at(const struct noise_octave *octave, unsigned axis, int64_t position)
{
    int128 at = (int128)position * octave->form[axis][axis] + ((int128)octave->offset[axis] << 32);
    return (int64_t)(at >> 96);
}

/* Half of a block's columns (or rows) on either side of where an octave's lattice key changes. */
static void place_across(const struct noise_octave *octave, int64_t high_x, int64_t high_y)
{
    int64_t step = (int64_t)(octave->wavelength / 3.0 * (double)PLACE_METRE) + 1;
    int64_t x = position_of_high(octave, 0, high_x);
    int64_t y = position_of_high(octave, 1, high_y);
    assert_int_equal(high_at(octave, 0, x), high_x);
    assert_int_equal(high_at(octave, 0, x - 1), high_x - 1);
    assert_int_equal(high_at(octave, 1, y), high_y);
    assert_int_equal(high_at(octave, 1, y - 1), high_y - 1);
    scene.block = (struct noise_block){x - 24 * step, step, 48, {0}};
    scene.y = y - 2 * step;
}

static void key_change_within_block(void **unused)
{
    (void)unused;
    for (unsigned kind = 0; kind < 2 * 4 * 3; kind++) {
        prepare(kind & 1, kind >> 1 & 3, kind >> 3, 2.0);
        for (unsigned i = 0; i < scene.noise.settings.octaves; i += 3) {
            const struct noise_octave *octave = &scene.noise.octaves[i];
            place_across(octave, 0, 1);
            assert_all_agree_with_gradients();
            place_across(octave, 1, 0);
            scene.y += 1000 * scene.block.step; /* only columns cross */
            assert_all_agree_with_gradients();
            place_across(octave, -20, 17);
            scene.block.x -= 10000 * scene.block.step; /* only rows cross */
            assert_all_agree_with_gradients();
        }
    }
}

static void displacement_across_keys(void **unused)
{
    (void)unused;
    for (unsigned basis = NOISE_VALUE; basis <= NOISE_PERLIN; basis++) {
        prepare(basis, NOISE_CUBIC, NOISE_FBM, 2.0);
        place_across(&scene.noise.octaves[0], 1, 0);
        scene.block.x -= 30000 * scene.block.step; /* 10000 cells west of the change */
        scene.y -= 30000 * scene.block.step;
        displace_randomly(40000.0);
        assert_displaced_agree("moved across a change of keys");
        displace_all(20001.0f, 20000.0f);
        assert_displaced_agree("moved onto a change of keys");
    }
}

/* The greatest difference between a displacement by whole cells and sampling at that place. */
static float difference_of_move(int64_t east, int64_t south)
{
    static float moved[SAMPLES], elsewhere[SAMPLES];
    float most = 0.0f;
    int64_t cell = (int64_t)scene.noise.settings.wavelength;
    displace_all((float)(cell * east), (float)(cell * south));
    sample_grid(true, moved);
    assert_displaced_agree("moved by whole cells");
    scene.block.x += cell * east * PLACE_METRE;
    scene.y += cell * south * PLACE_METRE;
    sample_grid(false, elsewhere);
    for (size_t i = 0; i < scene_count(); i++) {
        float difference = __builtin_fabsf(moved[i] - elsewhere[i]);
        most = difference > most ? difference : most;
    }
    return most;
}

/* With a wavelength of a power of two, a displacement one cell north-west is exact (t − 1 has the
 * bits of t). Further away as many bits of the place are lost as the distance in cells has. */
static void whole_cell_displacement(void **unused)
{
    (void)unused;
    for (unsigned kind = 0; kind < 2 * 4; kind++) {
        prepare(kind & 1, kind >> 1, NOISE_SINGLE, 64.0);
        place_block(0, PLACE_LIMIT / 3, 0.0);
        assert_true(difference_of_move(-1, -1) == 0.0f);
        assert_true(difference_of_move(0, -1) == 0.0f);
        assert_true(difference_of_move(4000, -4000) < 4096.0f * 0x1p-24f * 8.0f);
    }
}

/* The same into cells with another lattice key, from a block that has only one itself. */
static void whole_cells_across_keys(void **unused)
{
    (void)unused;
    for (unsigned kind = 0; kind < 2 * 4; kind++) {
        prepare(kind & 1, kind >> 1, NOISE_SINGLE, 2.0);
        const struct noise_octave *octave = &scene.noise.octaves[0];
        place_across(octave, 1, 0);
        scene.block.step = PLACE_METRE / 64; /* a block of less than a cell */
        scene.block.x = position_of_high(octave, 0, 1);
        scene.y = position_of_high(octave, 1, 0);
        assert_true(difference_of_move(-1, -1) == 0.0f);
        assert_int_equal(high_at(octave, 0, scene.block.x), 0);
        assert_int_equal(high_at(octave, 1, scene.y), -1);
        assert_true(difference_of_move(2, 2) < 1e-6f); /* back, and a cell further */
        assert_true(difference_of_move(300, 300) < 1e-4f);
        assert_true(difference_of_move(-900, -900) < 1e-3f);
    }
}

/* A sample does not depend on the samples it is taken with: lists of any length, rows one by one.
 */
static void batching_changes_no_sample(void **unused)
{
    (void)unused;
    static float all[SAMPLES], one[NOISE_ROW_MAX];
    prepare(NOISE_PERLIN, NOISE_QUINTIC, NOISE_RIDGED, 300.0);
    place_block(-PLACE_LIMIT, 0, 1.0);
    sample_grid(false, all);
    struct scene whole = scene;
    for (int row = ROWS - 1; row >= 0; row--) {
        size_t size = noise_grid_size(&scene.noise, &scene.block, false);
        void *memory = aligned_alloc(64, (size + 63) / 64 * 64);
        struct noise_grid *grid = noise_grid_begin(&scene.noise, &scene.block, false, memory);
        noise_grid_rows(grid, whole.y + row * whole.block.step, 1, &scratch, one);
        free(memory);
        assert_memory_equal(one, all + row * (int)whole.block.columns,
                            whole.block.columns * sizeof *one);
    }
    for (size_t i = 0; i < scene_count(); i += 7) {
        struct place place = {whole.block.x + (int64_t)(i % whole.block.columns) * whole.block.step,
                              whole.y + (int64_t)(i / whole.block.columns) * whole.block.step};
        const struct noise_point_list list = {&place, 1, whole.block.uniforms, NULL, NULL};
        noise_points(&scene.noise, &list, &scratch, one);
        assert_memory_equal(one, all + i, sizeof *one);
    }
}

/* Groups of a list are padded with its last place, never with memory beyond it. */
static void point_lists_of_any_length(void **unused)
{
    (void)unused;
    static float all[SAMPLES], some[SAMPLES];
    prepare(NOISE_VALUE, NOISE_COSINE, NOISE_FBM, 50.0);
    place_block(0, 0, 0.0);
    displace_randomly(300.0);
    sample_grid(true, all);
    static const size_t counts[] = {1, 15, 16, 17, NOISE_ROW_MAX - 1};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        size_t count = counts[i] < scene.block.columns ? counts[i] : scene.block.columns;
        struct place *places = malloc(count * sizeof *places);
        float *dx = malloc(count * sizeof *dx), *dy = malloc(count * sizeof *dy);
        assert_true(places && dx && dy);
        for (size_t k = 0; k < count; k++)
            places[k] = (struct place){scene.block.x + (int64_t)k * scene.block.step, scene.y};
        memcpy(dx, scene.dx, count * sizeof *dx);
        memcpy(dy, scene.dy, count * sizeof *dy);
        const struct noise_point_list list = {places, count, {0}, dx, dy};
        noise_points(&scene.noise, &list, &scratch, some);
        assert_memory_equal(some, all, count * sizeof *some);
        free(places);
        free(dx);
        free(dy);
    }
}

/* A list whose places are less than a cell apart, on both sides of lattice lines, and one that
 * spans cells: each place has the sample that it has alone. Cells are 2ⁿ metres or no round number.
 */
static void lists_across_lattice_lines(void **unused)
{
    (void)unused;
    enum { COUNT = 90 };
    static const double wavelengths[] = {1024.0, 1000.0, 65536.0, 7.0, 8.0, 1e7};
    struct place places[COUNT];
    float all[COUNT], one;
    for (unsigned kind = 0; kind < NOISE_BASES * 6; kind++) {
        const double wavelength = wavelengths[kind % 6];
        prepare(kind / 6, NOISE_QUINTIC, NOISE_SINGLE, wavelength);
        for (int round = 0; round < 20; round++) {
            const double reach = wavelength * (round % 4 == 3 ? 5.0 : 0.9);
            const int64_t x = (int64_t)(random_bits(&state) >> 20), y = -x / 3;
            for (size_t i = 0; i < COUNT; i++)
                places[i] = (struct place){x + place_from_metres(random_unit(&state) * reach),
                                           y + place_from_metres(random_unit(&state) * reach)};
            noise_points(&scene.noise, &(struct noise_point_list){.places = places, .count = COUNT},
                         &scratch, all);
            for (size_t i = 0; i < COUNT; i++) {
                noise_points(&scene.noise,
                             &(struct noise_point_list){.places = &places[i], .count = 1}, &scratch,
                             &one);
                assert_memory_equal(&one, &all[i], sizeof one);
            }
        }
    }
}

/* Squares of 4 × 4 places all over the world, as the nodes around places are, on lattices along the
 * axes, turned by 90° and by any angle; and lists in which one place breaks a square. */
static void squares_of_places(void **unused)
{
    (void)unused;
    enum { COUNT = NOISE_ROW_MAX + 32 };
    static const double turns[][2] = {{0, 0}, {0, 1}, {-1, 0}, {0.6, 0.8}};
    static struct place places[COUNT];
    static float all[COUNT];
    float one;
    for (int kind = 0; kind < 16; kind++) {
        prepare(NOISE_PERLIN, NOISE_QUINTIC, NOISE_FBM, 1e6 / (kind + 1));
        struct noise_settings settings = scene.noise.settings;
        settings.domain.cosine = turns[kind % 4][0];
        settings.domain.sine = turns[kind % 4][1];
        noise_prepare(&scene.noise, &settings);
        for (size_t i = 0; i < COUNT; i += 16) {
            const int64_t x = (int64_t)random_bits(&state) >> 12, y = -x / 3 + kind;
            const int64_t step = (int64_t)1 << (i % 23);
            for (int k = 0; k < 16; k++)
                places[i + (size_t)k] = (struct place){x + k % 4 * step, y + k / 4 * step};
        }
        if (kind >= 8)
            places[random_bits(&state) % COUNT].y += 12345;
        if (kind >= 12)
            places[random_bits(&state) % COUNT].x -= 12345;
        noise_points(&scene.noise, &(struct noise_point_list){.places = places, .count = COUNT},
                     &scratch, all);
        for (size_t i = 0; i < COUNT; i++) {
            noise_points(&scene.noise, &(struct noise_point_list){.places = &places[i], .count = 1},
                         &scratch, &one);
            assert_memory_equal(&one, &all[i], sizeof one);
        }
    }
}

static void assert_all_equal(const float *samples, float value)
{
    for (size_t i = 0; i < scene_count(); i++)
        assert_memory_equal(&samples[i], &value, sizeof value);
}

/* A noise without a visible octave has its value at every place, moved or not, in all ways to
 * sample it. */
static void faded_noises_are_uniform(void **unused)
{
    (void)unused;
    static float samples[SAMPLES];
    const double spacing = 4000.0, wavelength = 2.0 * spacing;
    for (unsigned kind = 0; kind < NOISE_BASES * 5 * 2 * 2; kind++) {
        const enum noise_fractal fractal = kind / NOISE_BASES % 5;
        struct noise_settings settings = {
            .basis = kind % NOISE_BASES,
            .interpolation = NOISE_QUINTIC,
            .fractal = fractal,
            .octaves = fractal == NOISE_SINGLE ? 1 : 7,
            .wavelength = wavelength,
            .lacunarity = 2.0,
            .persistence = 0.5,
            .feedback = 1.5f,
            .rotate_octaves = kind / (5 * NOISE_BASES) % 2,
            .key = random_bits(&state),
        };
        if (settings.basis < NOISE_SIMPLEX && kind / (10 * NOISE_BASES) && fractal != NOISE_SINGLE)
            settings.damping = 1.0f;
        place_block(0, 0, spacing);
        noise_prepare(&scene.noise, &settings);
        assert_true(noise_is_faded(&scene.noise, spacing));
        assert_false(noise_is_faded(&scene.noise, 0.99 * spacing));
        const float value = noise_faded_value(&scene.noise, spacing, &scratch);
        displace_randomly(3.0 * wavelength);
        for (int displaced = 0; displaced < 2; displaced++) {
            sample_grid(displaced, samples);
            assert_all_equal(samples, value);
            sample_points(displaced, samples);
            assert_all_equal(samples, value);
        }
    }
}

int test_path_agreement(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_noise_agrees),         cmocka_unit_test(wavelength_extremes_agree),
        cmocka_unit_test(key_change_within_block),    cmocka_unit_test(displacement_across_keys),
        cmocka_unit_test(whole_cell_displacement),    cmocka_unit_test(whole_cells_across_keys),
        cmocka_unit_test(batching_changes_no_sample), cmocka_unit_test(point_lists_of_any_length),
        cmocka_unit_test(faded_noises_are_uniform),   cmocka_unit_test(lists_across_lattice_lines),
        cmocka_unit_test(squares_of_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
