/* Where an octave's lattice key changes, all ways to sample a noise agree bit for bit, and a
 * displacement by whole cells is exact. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/core/noise/sampling_paths.h"

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

int test_lattice_keys(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(key_change_within_block),
        cmocka_unit_test(displacement_across_keys),
        cmocka_unit_test(whole_cell_displacement),
        cmocka_unit_test(whole_cells_across_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
