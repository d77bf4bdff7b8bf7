/* ESRI ASCII grids, letter by letter. GDAL reads them in the HTTP tests. */
#include "core/encode/ascii_grid.h"

#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const float samples[] = {3.5f, -7, 0, 0.1f, 1e-7f, 4000000};

/* The southern row has y = −2 + 4 = 2, which is −2 to the north. */
static void file_equals_one_made_by_hand(void **state)
{
    (void)state;
    const struct sample_raster grid = {.layer = "height",
                                       .unit = "m",
                                       .samples = samples,
                                       .columns = 3,
                                       .rows = 2,
                                       .step = 4 * PLACE_METRE,
                                       .origin = {PLACE_METRE / 2, -2 * PLACE_METRE}};
    struct buffer out = {0};
    ascii_grid_write(&grid, &out);
    assert_string_equal(buffer_string(&out), "ncols 3\nnrows 2\nxllcenter 0.5\nyllcenter -2\n"
                                             "cellsize 4\n3.5 -7.0 0.0\n0.1 1e-7 4000000.0\n");
    buffer_free(&out);
}

static void far_origin_and_small_step(void **state)
{
    (void)state;
    static const float far[] = {FLT_MAX};
    const struct sample_raster grid = {.layer = "height",
                                       .samples = far,
                                       .columns = 1,
                                       .rows = 1,
                                       .step = PLACE_METRE / 16,
                                       .origin = {-PLACE_LIMIT, PLACE_LIMIT}};
    struct buffer out = {0};
    ascii_grid_write(&grid, &out);
    const char *text = buffer_string(&out);
    assert_ptr_equal(strstr(text, "ncols 1\nnrows 1\nxllcenter -1099511627776\n"
                                  "yllcenter -1099511627776\ncellsize 0.0625\n"),
                     text);
    buffer_free(&out);
    out.failed = true;
    ascii_grid_write(&grid, &out);
    assert_true(out.failed);
}

int test_ascii_grid(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_equals_one_made_by_hand),
        cmocka_unit_test(far_origin_and_small_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
