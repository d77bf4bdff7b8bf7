/* terrane verify: reads every tile of an export, compares the digest of them all with the one that
 * the file has, and makes some of them anew. */
#include <stdio.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/encode/gzip.h"
#include "server/base/progress.h"
#include "server/cli/command.h"
#include "server/export/archives/tile_source.h"
#include "server/render/format.h"
#include "server/render/tile_maker.h"

/* The file that is checked. */
struct work {
    const struct options *options;
    struct tile_source *source;
    struct tile_archive_description description;
    uint64_t first, end; /* its tiles, of the range */
    uint64_t found;
    enum tile_effort effort;
    struct buffer bytes, anew;
};

static bool fail(const struct work *work, struct error *error)
{
    return error_in_file(error, tile_source_path(work->source));
}

/* Reads all tiles, and compares their number and their digest with those that the file names. */
static bool check_tiles(struct work *work, struct progress *progress, struct error *error)
{
    char digest[33];
    struct hash_stream stream = hash_begin(0);
    const char *wanted = tile_source_metadata(work->source, "terrane:digest");
    for (uint64_t i = work->first; i < work->end; i++) {
        const struct tile_address tile = tile_range_at(&work->description.range, i);
        buffer_clear(&work->bytes);
        if (!tile_source_read(work->source, tile, &work->bytes, error))
            return tile_range_name(tile, error);
        const uint64_t block[2] = {work->bytes.length,
                                   gzip_crc32(work->bytes.data, work->bytes.length)};
        hash_blocks(&stream, block, sizeof block);
        work->found += work->bytes.length > 0;
        if (i % 1024 == 0)
            progress_step(progress, i - work->first, work->end - work->first, 0);
    }
    hash_hex(hash_end(&stream, NULL, 0), digest);
    if (work->found != tile_source_count(work->source))
        error_set(error, ERROR_VALUE, "has %llu tiles where it names %llu",
                  (unsigned long long)work->found,
                  (unsigned long long)tile_source_count(work->source));
    else if (!wanted || strcmp(digest, wanted) != 0)
        error_set(error, ERROR_VALUE, "has tiles with the digest %s, not %s as it says", digest,
                  wanted ? wanted : "-");
    else
        return true;
    return fail(work, error);
}

static bool check_tile(struct work *work, struct tile_maker *maker, struct tile_order *order,
                       uint64_t index, struct error *error)
{
    const struct tile_range *range = &work->description.range;
    const struct tile_address tile = tile_range_at(range, index);
    order->address = tile_range_world(range, tile);
    buffer_clear(&work->bytes);
    buffer_clear(&work->anew);
    if (!tile_source_read(work->source, tile, &work->bytes, error) ||
        !tile_make(maker, order, work->effort, &work->anew, error))
        return tile_range_name(tile, error);
    if (work->anew.length == work->bytes.length &&
        memcmp(work->anew.data, work->bytes.data, work->anew.length) == 0)
        return true;
    error_set(error, ERROR_VALUE, "has a tile %d/%lld/%lld that is not what this build makes",
              tile.zoom, (long long)tile.x, (long long)tile.y);
    return fail(work, error);
}

/* What the tiles were made with; false with an error that says what is not here. */
static bool read_order(struct work *work, const struct catalog_world *world,
                       struct tile_order *order, struct error *error)
{
    const char *const *values = work->description.values;
    const char *format =
        strcmp(values[ARCHIVE_FORMAT], "pbf") == 0 ? "mvt" : values[ARCHIVE_FORMAT];
    int64_t size = 0, time = 0;
    *order =
        (struct tile_order){.world = world->world, .format = format_find(format, strlen(format))};
    order->painter = catalog_painter(world, values[ARCHIVE_STYLE], error);
    if (!order->painter)
        return false;
    if (strcmp(world->identity.fingerprint, values[ARCHIVE_WORLD_FINGERPRINT]) != 0 ||
        strcmp(painter_fingerprint(order->painter), values[ARCHIVE_STYLE_FINGERPRINT]) != 0)
        return error_set(error, ERROR_VALUE,
                         "the world or the style is another here than the file's: %s, %s",
                         world->identity.fingerprint, painter_fingerprint(order->painter));
    order->labels = values[ARCHIVE_LABELS][0] != '\0';
    if (order->labels && strcmp(values[ARCHIVE_LABELS], tile_archive_labels(world->world)) != 0)
        return error_set(error, ERROR_VALUE, "the world has other names here than in the file: %s",
                         tile_archive_labels(world->world));
    if (!order->format || order->format->columns ||
        (order->labels && !format_has_interval(order->format)) ||
        !number_parse_integer(values[ARCHIVE_SIZE], strlen(values[ARCHIVE_SIZE]), 1, 1024, &size) ||
        !format_allows_size(order->format, (uint32_t)size) ||
        !tile_effort_find(values[ARCHIVE_EFFORT], &work->effort) ||
        (painter_is_16bit(order->painter) && !order->format->supports_16bit) ||
        !place_parse(values[ARCHIVE_TIME], strlen(values[ARCHIVE_TIME]), &time, error))
        return error_set(error, ERROR_SYNTAX, "the file's metadata make no sense");
    order->size = (uint32_t)size;
    order->t = time;
    order->coding = tile_archive_is_gzipped(&work->description) ? CODING_GZIP : CODING_IDENTITY;
    return true;
}

static bool check_sample(const struct options *options, const struct catalog_world *world,
                         void *context, struct error *error)
{
    struct work *work = context;
    struct tile_order order;
    const uint64_t count = work->end - work->first;
    const uint64_t wanted = (uint64_t)options_whole(options, OPTION_TILES_ANEW);
    if (!read_order(work, world, &order, error))
        return fail(work, error);
    struct tile_maker *maker = tile_maker_new();
    bool done = maker || error_memory(error);
    uint64_t made = 0;
    for (; done && made < wanted && made < count; made++) {
        const double share = ((double)made + 0.5) / (double)(wanted < count ? wanted : count);
        done =
            check_tile(work, maker, &order, work->first + (uint64_t)(share * (double)count), error);
    }
    tile_maker_free(maker);
    if (done)
        printf("%s: %llu tiles as they were written, %llu of them made anew with the same bytes\n",
               tile_source_path(work->source), (unsigned long long)work->found,
               (unsigned long long)made);
    return done;
}

static bool check_file(struct work *work, const char *path, struct error *error)
{
    struct progress progress = {0};
    work->source = tile_source_open(path, error);
    if (!work->source || !tile_source_describe(work->source, &work->description, error) ||
        !tile_source_check(work->source, &work->description, error))
        return false;
    tile_archive_shard(&work->description, &work->first, &work->end);
    progress_begin_phase(&progress, "tiles", "reading");
    const bool done = check_tiles(work, &progress, error);
    progress_end(&progress);
    return done;
}

/* The version of the world that the file names. */
static bool add_world(const struct work *work, struct options *options, struct error *error)
{
    const char *const *values = work->description.values;
    struct buffer name = {0};
    buffer_format(&name, "%s@%s", values[ARCHIVE_WORLD], values[ARCHIVE_WORLD_FINGERPRINT]);
    const bool done =
        name.failed ? error_memory(error)
                    : options_add(options, OPTION_WORLD, buffer_string(&name), ORIGIN_FLAG, error);
    buffer_free(&name);
    return done;
}

/* The world is the one that the file names, or that of --world. */
static enum exit_status check_anew(struct work *work)
{
    struct error error = {0};
    struct options options = {0};
    enum exit_status status = EXIT_FAILED;
    if (options_copy(&options, work->options, ORIGIN_DEFAULT, &error) &&
        (options_given(&options, OPTION_WORLD) || add_world(work, &options, &error)))
        status = command_with_world(&options, check_sample, work);
    else
        command_fail(&error);
    options_free(&options);
    return status;
}

enum exit_status command_verify(const struct options *options)
{
    enum exit_status status = EXIT_DONE;
    if (options->argument_count == 0)
        return command_misuse(options, "the file of an export is needed");
    for (size_t i = 0; i < options->argument_count; i++) {
        struct work work = {.options = options};
        struct error error = {0};
        if (!check_file(&work, options->arguments[i], &error))
            status = command_fail(&error);
        else if (check_anew(&work) != EXIT_DONE)
            status = EXIT_FAILED;
        tile_source_close(work.source);
        buffer_free(&work.bytes);
        buffer_free(&work.anew);
    }
    return status;
}
