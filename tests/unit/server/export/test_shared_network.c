/* Exports of every kind keep streams and land in the cache of their job, which all of their threads
 * share; the files are the same for any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "core/base/hash.h"
#include "core/drainage/store/cache_share.h"
#include "server/base/file.h"
#include "server/export/job.h"
#include "tests/unit/temporary_folder.h"

enum { OPTIONS_MAX = 6 };

/* A command, and a file that it makes. */
struct command {
    const char *output, *file;
    struct {
        enum option_id id;
        const char *value;
    } options[OPTIONS_MAX];
};

/* Each has several bands or blocks. */
static const struct command commands[] = {
    {"tiles.pmtiles", "tiles.pmtiles", {{OPTION_BBOX, "0,0,250000,250000"}, {OPTION_ZOOMS, "9"}}},
    {"raster.tif", "raster.tif", {{OPTION_BBOX, "0,0,24000,24000"}, {OPTION_EXPORT_STEP, "32"}}},
    {"grid/",
     "grid/height_x1_y1.r16",
     {{OPTION_BBOX, "0,0,16000,16000"}, {OPTION_EXPORT_STEP, "32"}, {OPTION_EXPORT_SIZE, "252"}}},
    {"mesh.stl",
     "mesh.stl",
     {{OPTION_BBOX, "0,0,16000,16000"}, {OPTION_EXPORT_STEP, "32"}, {OPTION_SCALE, "100000"}}},
    {"mesh.glb", "mesh.glb", {{OPTION_BBOX, "0,0,16000,16000"}, {OPTION_EXPORT_STEP, "32"}}},
};

static int load(void **state)
{
    const struct catalog_options options = {0};
    struct error error = {0};
    *state = catalog_load(&options, &error);
    if (!*state)
        fail_msg("%s", error.message);
    return 0;
}

static int unload(void **state)
{
    catalog_free(*state);
    return temporary_folder_remove(state);
}

static void read_job(struct export_job *job, const struct command *command, unsigned threads,
                     struct options *options)
{
    struct error error = {0};
    const char *path = temporary_path("%u-%s", threads, command->output);
    char number[8];
    snprintf(number, sizeof number, "%u", threads);
    options->command = FOR_EXPORT;
    bool done = options_add(options, OPTION_ARCHIVE, path, ORIGIN_FLAG, &error) &&
                options_add(options, OPTION_THREADS, number, ORIGIN_FLAG, &error);
    for (int i = 0; done && i < OPTIONS_MAX && command->options[i].value; i++)
        done = options_add(options, command->options[i].id, command->options[i].value, ORIGIN_FLAG,
                           &error);
    done = done && export_job_read(job, export_kind_of(options, path), options, &error);
    if (!done)
        fail_msg("%s: %s", path, error.message);
}

/* What a cache takes that holds nothing. */
static size_t bytes_of_nothing(void)
{
    struct drainage_cache *cache = drainage_cache_new(EXPORT_NETWORK_MEMORY);
    const size_t bytes = drainage_cache_bytes(cache);
    drainage_cache_release(cache);
    return bytes;
}

/* The hash of the file that the command makes. */
static struct hash128 export_by(const struct catalog *catalog, const struct command *command,
                                unsigned threads)
{
    struct options options = {0};
    struct error error = {0};
    struct export_job job;
    struct buffer bytes = {0};
    read_job(&job, command, threads, &options);
    if (!export_job_run(&job, catalog_default(catalog), &error))
        fail_msg("%s: %s: %s", command->output, error.path, error.message);
    assert_true(drainage_cache_bytes(job.network) > bytes_of_nothing());
    export_job_free(&job);
    options_free(&options);
    const char *file = temporary_path("%u-%s", threads, command->file);
    if (!file_read(file, (size_t)1 << 30, &bytes, &error))
        fail_msg("%s: %s", file, error.message);
    const struct hash128 hash = hash_bytes(bytes.data, bytes.length, 0);
    buffer_free(&bytes);
    return hash;
}

static void threads_share_the_cache_of_the_job(void **state)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        const struct hash128 one = export_by(*state, &commands[i], 1);
        const struct hash128 three = export_by(*state, &commands[i], 3);
        assert_int_equal(one.low, three.low);
        assert_int_equal(one.high, three.high);
    }
}

int test_shared_network(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(threads_share_the_cache_of_the_job, load, unload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
