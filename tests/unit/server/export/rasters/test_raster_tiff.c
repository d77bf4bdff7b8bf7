/* GeoTIFF files of blocks that the tests make, read by libtiff: classic ones and BigTIFF, which
 * differ in no pixel, and where their parts lie. Rasters of more than 4 GB would take too long
 * here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/export/rasters/raster_file.h"
#include "tests/unit/temporary_folder.h"

enum { COLUMNS = 1100, ROWS = 600, PIXELS = RASTER_TILE * RASTER_TILE };

/* Each block has its number in all pixels. */
static struct spool *fill(const struct raster_plan *plan, const char *path)
{
    struct error error = {0};
    struct buffer recipe = {0}, bytes = {0};
    float *pixels = malloc(PIXELS * sizeof *pixels);
    buffer_text(&recipe, "test");
    struct spool *spool = spool_open(path, &recipe, false, &error);
    assert_non_null(spool);
    for (uint64_t block = 0; block < raster_plan_count(plan); block++) {
        for (size_t i = 0; i < PIXELS; i++)
            pixels[i] = (float)block;
        buffer_clear(&bytes);
        assert_true(tiff_tile_encode(&plan->layout, pixels, &bytes, &error));
        assert_true(spool_append(spool, bytes.data, bytes.length, &error));
    }
    free(pixels);
    buffer_free(&recipe);
    buffer_free(&bytes);
    return spool;
}

/* Reads every tile; the offset of the first one of a level is behind all of the smaller levels. */
static void check_file(const char *path, const struct raster_plan *plan, bool is_big)
{
    float *pixels = malloc(PIXELS * sizeof *pixels);
    TIFF *tiff = TIFFOpen(path, "r");
    uint64_t before = UINT64_MAX;
    assert_non_null(tiff);
    assert_int_equal(TIFFIsBigTIFF(tiff) != 0, is_big);
    for (unsigned level = 0; level < plan->level_count; level++) {
        uint32_t columns = 0, rows = 0;
        assert_true(TIFFSetDirectory(tiff, (tdir_t)level));
        assert_true(TIFFCurrentDirOffset(tiff) < 4096);
        TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &columns);
        TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &rows);
        assert_int_equal(columns, plan->levels[level].columns);
        assert_int_equal(rows, plan->levels[level].rows);
        assert_int_equal(TIFFNumberOfTiles(tiff), raster_level_count(&plan->levels[level]));
        for (uint32_t i = 0; i < TIFFNumberOfTiles(tiff); i++) {
            assert_true(TIFFReadEncodedTile(tiff, i, pixels, -1) > 0);
            assert_true(pixels[0] == (float)(plan->levels[level].first + i));
            assert_true(pixels[PIXELS - 1] == pixels[0]);
            assert_true(TIFFGetStrileOffset(tiff, i) < before);
        }
        before = TIFFGetStrileOffset(tiff, 0);
    }
    assert_int_equal(TIFFNumberOfDirectories(tiff), plan->level_count);
    TIFFClose(tiff);
    free(pixels);
}

static void files_are_big_beyond_a_size(void **state)
{
    (void)state;
    const struct raster raster = {
        .grid = {.x = 1, .y = 2, .step = 65536, .columns = COLUMNS, .rows = ROWS}};
    struct raster_plan plan;
    raster_plan_tiles(&plan, &raster, COMPRESSION_ADOBE_DEFLATE);
    struct spool *spool = fill(&plan, temporary_path("blocks"));
    for (int is_big = 0; is_big < 2; is_big++)
        for (int crs = GEOTIFF_NO_CRS; crs <= GEOTIFF_WEB_MERCATOR; crs++) {
            struct error error = {0};
            const char *path = temporary_path("area-%d-%d.tif", is_big, crs);
            const struct raster_description description = {.title = "height",
                                                           .unit = "m",
                                                           .crs = (enum geotiff_crs)crs,
                                                           .notes = {{"terrane:world", "a & b"}},
                                                           .note_count = 1,
                                                           .classic_max =
                                                               is_big ? 0 : RASTER_CLASSIC_MAX};
            const struct raster_file file = {&plan, spool, &description, NULL};
            assert_true(raster_file_make(raster_kind_of(path), &file, path, &error));
            check_file(path, &plan, is_big);
        }
    spool_remove(spool);
}

static bool is_third_step(void)
{
    static unsigned steps;
    return ++steps >= 3;
}

static void a_file_that_is_not_finished_is_not_there(void **state)
{
    (void)state;
    const struct raster raster = {.grid = {.step = 65536, .columns = COLUMNS, .rows = ROWS}};
    struct progress progress = {.is_interrupted = is_third_step};
    const struct raster_description description = {
        .title = "height", .unit = "", .classic_max = RASTER_CLASSIC_MAX};
    struct raster_plan plan;
    struct error error = {0};
    progress_begin_phase(&progress, "blocks", "finishing");
    raster_plan_tiles(&plan, &raster, COMPRESSION_ZSTD);
    struct spool *spool = fill(&plan, temporary_path("blocks"));
    const struct raster_file file = {&plan, spool, &description, &progress};
    const char *path = temporary_path("area.tif");
    assert_false(raster_file_make(raster_kind_of(path), &file, path, &error));
    assert_int_equal(error.code, ERROR_NONE);
    assert_null(fopen(path, "r"));
    assert_null(fopen(temporary_path("area.tif.part-file"), "r"));
    spool_remove(spool);
}

int test_raster_tiff(void)
{
    TIFFSetWarningHandler(NULL); /* of tags that libtiff does not know */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(files_are_big_beyond_a_size, temporary_folder_remove),
        cmocka_unit_test_teardown(a_file_that_is_not_finished_is_not_there,
                                  temporary_folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
