/* Windows of lattice points hold the points that the lattice has there, wherever they move; and
 * each form of the lookup finds the corners that stand at the indices. */
#include "core/noise/kernels_lookup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/core/random.h"

static uint64_t state = 3;

/* A point that tells its place: its column and its row's hash. */
static void fill_with_places(const struct window_line *line)
{
    for (uint32_t i = 0; i < line->columns; i++) {
        line->points[2 * i] = (float)((line->first_x + i) % 65536);
        line->points[2 * i + 1] = (float)(line->line_y % 65536);
    }
}

static uint32_t rows_filled;
static void fill_and_count(const struct window_line *line)
{
    rows_filled++;
    fill_with_places(line);
}

static struct kernel_window tall_window_for(double cells, double lattice_rows, window_fill *fill)
{
    struct kernel_window window = {0};
    kernel_window_plan(cells, lattice_rows, &window);
    const size_t floats = kernel_window_floats(&window);
    float *points = floats ? malloc(floats * sizeof *points) : NULL;
    assert_int_equal(floats == 0, points == NULL);
    kernel_window_begin(&window, fill, points);
    return window;
}

static struct kernel_window window_for(double cells, window_fill *fill)
{
    return tall_window_for(cells, 0.0, fill);
}

static void assert_corner(const struct corners *corners, int corner, const struct kernel_box *box,
                          uint32_t x, uint32_t y)
{
    assert_true(corners->x[corner] == (float)(x % 65536));
    assert_true(corners->y[corner] == (float)(lattice_line_y(y, box->key_y) % 65536));
}

static void assert_box(const struct kernel_window *window, const struct kernel_box *box)
{
    for (uint32_t y = box->north; y != box->south + 1; y++)
        for (uint32_t x = box->west; x != box->east + 1; x++) {
            const struct corners corners = window_corners(window, x, y);
            for (uint32_t corner = 0; corner < 4; corner++)
                assert_corner(&corners, (int)corner, box, x + (corner & 1), y + (corner >> 1));
        }
}

static uint32_t random_step(uint32_t most)
{
    return (uint32_t)random_whole(&state, -(int64_t)most, (int64_t)most);
}

/* Boxes of every size walk in all directions, by steps of less than a window and beyond it, across
 * the end of the cells' low halves and under changing keys. */
static void windows_move_with_their_samples(void **unused)
{
    (void)unused;
    static const double cells[] = {0.001, 4.0, 9.0, 40.0, 160.0};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        struct kernel_window window = window_for(cells[i], fill_with_places);
        struct kernel_box box = {.key_x = 5, .key_y = 6};
        assert_true(window.columns > cells[i] && window.rows >= 16);
        for (int step = 0; step < 400; step++) {
            box.west += random_step(step % 9 == 0 ? 1000 : 3);
            box.north += random_step(step % 7 == 0 ? 3 * window.rows : 5);
            box.key_y += step % 50 == 49;
            box.east = box.west + (uint32_t)random_whole(&state, 0, (int64_t)window.columns - 2);
            box.south = box.north + (uint32_t)random_whole(&state, 0, (int64_t)window.rows - 2);
            assert_true(kernel_window_ensure(&window, &box));
            assert_box(&window, &box);
        }
        box.south = box.north + window.rows - 1;
        assert_false(kernel_window_ensure(&window, &box));
        box.south = box.north;
        box.east = box.west + window.columns - 1;
        assert_false(kernel_window_ensure(&window, &box));
        free(window.points);
    }
    assert_int_equal(window_for(100000.0, fill_with_places).columns, 0);
}

/* Samples that go one way need each row of points once: 500 rows and the one below the last. */
static void rows_are_filled_once(void **unused)
{
    (void)unused;
    for (int direction = -1; direction <= 1; direction += 2) {
        struct kernel_window window = window_for(40.0, fill_and_count);
        struct kernel_box box = {.east = 20};
        rows_filled = 0;
        for (int row = 0; row < 500; row++) {
            box.north = box.south = (uint32_t)(direction * row);
            assert_true(kernel_window_ensure(&window, &box));
            assert_true(kernel_window_ensure(&window, &box));
        }
        assert_int_equal(rows_filled, 501);
        free(window.points);
    }
}

/* A window holds a row of samples that lies across as many lattice rows as it was planned for, and
 * the corners to both sides of its ends. */
static void windows_are_tall_enough(void **unused)
{
    (void)unused;
    for (uint32_t lattice_rows = 0; lattice_rows <= 150; lattice_rows += 10) {
        struct kernel_window window = tall_window_for(150.0, lattice_rows, fill_with_places);
        struct kernel_box box = {.south = lattice_rows + 1};
        for (int step = 0; step < 40; step++, box.north += 5, box.south += 5) {
            assert_true(kernel_window_ensure(&window, &box));
            assert_box(&window, &box);
        }
        free(window.points);
    }
}

static void assert_lanes(enum vectors vectors, const union corner_lanes *lanes,
                         const struct kernel_window *window, const uint32_t *index)
{
    const uint32_t corners[4] = {0, 2, 2 * window->columns, 2 * window->columns + 2};
    for (uint32_t lane = 0; lane < (uint32_t)vectors; lane++) {
        const struct corners found = corners_in_lane(vectors, lanes, lane);
        for (int i = 0; i < 4; i++) {
            assert_true(found.x[i] == window->points[index[lane] + corners[i]]);
            assert_true(found.y[i] == window->points[index[lane] + corners[i] + 1]);
        }
    }
}

static void every_lookup_finds_the_corners(void **unused)
{
    (void)unused;
    static const enum vectors forms[] = {VECTORS_FOUR, VECTORS_EIGHT};
    struct kernel_window window = window_for(30.0, fill_with_places);
    union corner_lanes lanes;
    uint32_t index[NOISE_LANES];
    for (size_t i = 0; i < kernel_window_floats(&window); i++)
        window.points[i] = (float)i;
    for (int round = 0; round < 100; round++)
        for (size_t form = 0; form < sizeof forms / sizeof *forms; form++) {
            for (int i = 0; i < NOISE_LANES; i++)
                index[i] =
                    2 * (uint32_t)random_whole(&state, 0, window.columns * (window.rows - 1) - 2);
            find_corners(forms[form], window.points, window_pitch(&window), index, &lanes);
            assert_lanes(forms[form], &lanes, &window, index);
        }
    free(window.points);
}

/* Rectangles in every place of a window, the last cells included; every cell of a rectangle. */
static void check_near_lookups(struct kernel_window *window, struct rectangle rectangle)
{
    union corner_lanes lanes;
    uint32_t cells[NOISE_LANES], index[NOISE_LANES];
    for (uint32_t row = 0; row + 1 < window->rows; row++)
        for (uint32_t column = 0; column + 1 < window->columns; column++) {
            const uint32_t corner = window_index(window, column, row);
            for (uint32_t i = 0; i < NOISE_LANES; i++) {
                const uint32_t x = (uint32_t)random_whole(&state, 0, rectangle.columns - 2);
                const uint32_t y = (uint32_t)random_whole(&state, 0, rectangle.rows - 2);
                const bool inside = column + x + 1 < window->columns && row + y + 1 < window->rows;
                cells[i] = inside ? x + (uint32_t)rectangle.columns * y : 0;
                index[i] = corner + (inside ? 2 * (x + window->columns * y) : 0);
            }
            find_near(rectangle, window->points + corner, window_pitch(window), cells, &lanes);
            assert_lanes(VECTORS_SIXTEEN, &lanes, window, index);
        }
}

static void near_lookups_find_the_corners(void **unused)
{
    (void)unused;
    struct kernel_window window = window_for(30.0, fill_with_places);
    for (size_t i = 0; i < kernel_window_floats(&window); i++)
        window.points[i] = (float)i;
    check_near_lookups(&window, NEAR_RECTANGLE);
    check_near_lookups(&window, SLIM_RECTANGLE);
    check_near_lookups(&window, TALL_RECTANGLE);
    free(window.points);
}

int test_kernels_window(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows_move_with_their_samples),
        cmocka_unit_test(rows_are_filled_once),
        cmocka_unit_test(windows_are_tall_enough),
        cmocka_unit_test(every_lookup_finds_the_corners),
        cmocka_unit_test(near_lookups_find_the_corners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
