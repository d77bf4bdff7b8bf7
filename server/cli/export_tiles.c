/* All mistakes show before a world is loaded, which takes longer than everything here. */
#include "server/cli/export_tiles.h"

#include <string.h>

#include "server/export/area.h"

/* "3-9" or "7". */
static bool parse_zooms(const char *text, int zooms[2], struct error *error)
{
    const size_t length = strcspn(text, "-");
    int64_t low, high;
    const char *second = text[length] ? text + length + 1 : text;
    if (!number_parse_integer(text, length, 0, TILE_ZOOM_MAX, &low) ||
        !number_parse_integer(second, strlen(second), 0, TILE_ZOOM_MAX, &high) || high < low)
        return error_set(error, ERROR_SYNTAX,
                         "must be a zoom, or two such as 0-8, from 0 to %d, not \"%s\"",
                         TILE_ZOOM_MAX, text);
    zooms[0] = (int)low;
    zooms[1] = (int)high;
    return true;
}

/* "2/4"; `first` is the number of the first part. */
static bool parse_shard(const char *text, int first, struct export_tiles *tiles,
                        struct error *error)
{
    const size_t length = strcspn(text, "/");
    int64_t shard, shards;
    if (!text[length] || !number_parse_integer(text, length, first, TILE_SHARDS_MAX, &shard) ||
        !number_parse_integer(text + length + 1, strlen(text + length + 1), 1, TILE_SHARDS_MAX,
                              &shards) ||
        shard - first >= shards)
        return error_set(error, ERROR_SYNTAX, "must be I/N, %s, N at most %d, not \"%s\"",
                         first ? "1/N to N/N" : "0/N to N-1/N", TILE_SHARDS_MAX, text);
    tiles->shard = (unsigned)(shard - first + 1);
    tiles->shards = (unsigned)shards;
    return true;
}

static bool read_shard(const struct options *options, struct export_tiles *tiles,
                       struct error *error)
{
    const char *text = options_text(options, OPTION_SHARD);
    const int first = options_given(options, OPTION_ZERO_BASED) ? 0 : 1;
    tiles->shard = tiles->shards = 1;
    if (!text && first == 0) {
        error_set(error, ERROR_VALUE, "counts the parts of --shard I/N, which is missing");
        return error_in_path(error, "--zero-based");
    }
    return !text || parse_shard(text, first, tiles, error) || error_in_path(error, "--shard");
}

/* The Mercator square, where no rectangle is given. */
static bool read_box(const struct options *options, int64_t box[4], struct error *error)
{
    const char *text = options_text(options, OPTION_BBOX);
    const int64_t half = (int64_t)1 << 40; /* 2²⁴ m */
    const int64_t square[4] = {-half, -half, half, half};
    memcpy(box, square, sizeof square);
    return !text || area_parse_bbox(text, box, error);
}

static bool read_range(const struct options *options, struct export_tiles *tiles,
                       struct error *error)
{
    int64_t box[4];
    int zooms[2] = {0, 0};
    if (!parse_zooms(options_text(options, OPTION_ZOOMS), zooms, error))
        return error_in_path(error, "--zoom");
    if (!read_box(options, box, error) ||
        !tile_range_init(&tiles->range, box, zooms[0], zooms[1],
                         !options_given(options, OPTION_NO_SHIFT), error))
        return error_in_path(error, "--bbox");
    if (!read_shard(options, tiles, error))
        return false;
    const struct tile_archive_description description = {
        .range = tiles->range, .shard = tiles->shard, .shards = tiles->shards};
    tile_archive_shard(&description, &tiles->first, &tiles->end);
    return true;
}

/* Characters are for terminals. */
static bool is_of_archives(const struct format *format)
{
    return !format_has_columns(format);
}

static bool read_format(const struct options *options, struct export_tiles *tiles,
                        struct error *error)
{
    char names[FORMAT_NAMES_TEXT];
    const char *name = options_text(options, OPTION_TILE_FORMAT);
    tiles->format = format_find(name, strlen(name));
    if (!tiles->format || !is_of_archives(tiles->format)) {
        error_set(error, ERROR_VALUE, "must be one of %s, not \"%s\"",
                  format_names(is_of_archives, names), name);
        return error_in_path(error, "--format");
    }
    tiles->size = options_given(options, OPTION_EXPORT_SIZE)
                      ? (uint32_t)options_whole(options, OPTION_EXPORT_SIZE)
                      : tiles->format->size;
    if (format_allows_size(tiles->format, tiles->size))
        return true;
    error_set(error, ERROR_VALUE, "of %s tiles must be one of %s, not %u", tiles->format->name,
              format_size_names(tiles->format, names), (unsigned)tiles->size);
    return error_in_path(error, "--size");
}

enum exit_status export_tiles_read(const struct options *options, struct export_tiles *tiles)
{
    struct error error = {0};
    const char *path = options_text(options, OPTION_ARCHIVE);
    if (!path && !options_given(options, OPTION_DRY_RUN))
        return command_misuse(options, "-o FILE is needed");
    tiles->kind = path ? tile_archive_kind_of(path, &error) : NULL;
    if (path && !tiles->kind)
        error_in_path(&error, "-o");
    if ((path && !tiles->kind) || !read_range(options, tiles, &error) ||
        !read_format(options, tiles, &error)) {
        command_fail(&error);
        return EXIT_USAGE;
    }
    return EXIT_DONE;
}
