/* terrane render: writes one tile in any format, or a rectangle of any size in the formats that can
 * be written in bands. All options are checked before the catalog is loaded, so that a mistake
 * shows at once. */
#include <ctype.h>
#include <string.h>

#include "server/base/in_order.h"
#include "server/base/output.h"
#include "server/base/process.h"
#include "server/base/progress.h"
#include "server/cli/command.h"
#include "server/cli/export.h"
#include "server/export/job.h"
#include "server/render/area.h"
#include "server/render/format.h"
#include "server/render/picture.h"
#include "server/render/tile_maker.h"

/* The picture to make. */
struct work {
    bool rectangle;
    const struct format *format;
    struct tile_order tile;
    enum tile_effort effort;
    struct sample_grid grid;
    unsigned threads;
};

static bool parse_tile(const char *text, struct tile_address *tile, struct error *error)
{
    int64_t parts[3];
    const char *rest = text;
    for (int i = 0; i < 3; i++) {
        size_t length = i < 2 ? strcspn(rest, "/") : strlen(rest);
        if ((i < 2 && !rest[length]) ||
            !number_parse_integer(rest, length, INT64_MIN, INT64_MAX, &parts[i]))
            return error_set(error, ERROR_SYNTAX, "must be Z/X/Y such as 3/4/2, not \"%s\"", text);
        rest += length + (i < 2);
    }
    if (parts[0] < 0 || parts[0] > TILE_ZOOM_MAX)
        return error_set(error, ERROR_LIMIT, "the zoom must be from 0 to %d, not %.*s",
                         TILE_ZOOM_MAX, (int)strcspn(text, "/"), text);
    *tile = (struct tile_address){(int)parts[0], parts[1], parts[2]};
    return tile_check(tile, error);
}

/* Finds a format by its name, in upper or lower case; null if there is none. */
static const struct format *find_format(const char *name)
{
    char lower[16] = "";
    size_t length = strlen(name);
    for (size_t i = 0; i < length && i < sizeof lower - 1; i++)
        lower[i] = (char)tolower((unsigned char)name[i]);
    return length < sizeof lower ? format_find(lower, length) : NULL;
}

/* The format of the file's extension; null if there is none. */
static const struct format *format_of_path(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    return dot ? find_format(dot + 1) : NULL;
}

/* The format of --format, of the extension, or PNG for standard output. Both together must agree.
 */
static bool read_format(const struct options *options, struct work *work)
{
    const char *path = options_text(options, OPTION_OUTPUT);
    const char *name = options_text(options, OPTION_FORMAT);
    char names[FORMAT_NAMES_TEXT];
    if (!path) {
        command_misuse(options, "-o FILE is needed (\"-\" for standard output)");
        return false;
    }
    const struct format *extension =
        strcmp(path, "-") == 0 ? find_format(name ? name : "png") : format_of_path(path);
    work->format = name ? find_format(name) : extension;
    if (!work->format && name)
        command_misuse(options, "--format must be one of %s, not \"%s\"", format_names(NULL, names),
                       name);
    else if (!work->format)
        command_misuse(options, "the extension of \"%s\" must be one of %s, or --format say one",
                       path, format_names(NULL, names));
    else if (extension && extension != work->format)
        command_misuse(options, "--format %s and the extension of \"%s\" are not the same",
                       work->format->name, path);
    else
        return true;
    return false;
}

/* Refuses an option that the format does not use. */
static bool check_use(const struct options *options, enum option_id id, bool used,
                      const struct format *format)
{
    if (used || !options_given(options, id))
        return true;
    command_misuse(options, "--%s is for other formats than %s", option_table[id].name,
                   format->name);
    return false;
}

static bool read_size(const struct options *options, struct work *work)
{
    const struct format *format = work->format;
    work->tile.size = format->size;
    if (!options_given(options, OPTION_SIZE))
        return true;
    work->tile.size = (uint32_t)options_whole(options, OPTION_SIZE);
    if (format_allows_size(format, work->tile.size))
        return true;
    char names[FORMAT_NAMES_TEXT];
    command_misuse(options, "--size of %s tiles must be one of %s, not %u", format->name,
                   format_size_names(format, names), (unsigned)work->tile.size);
    return false;
}

static bool read_interval(const struct options *options, struct work *work)
{
    work->tile.interval = options_number(options, OPTION_INTERVAL);
    if (!options_given(options, OPTION_INTERVAL) ||
        (work->tile.interval > 0.0 && work->tile.interval <= TILE_INTERVAL_MAX))
        return true;
    command_misuse(options, "--interval must be above 0, to %.0f, not %s", TILE_INTERVAL_MAX,
                   options_text(options, OPTION_INTERVAL));
    return false;
}

/* Reads the options that depend on the format. */
static bool read_form(const struct options *options, struct work *work)
{
    const struct format *format = work->format;
    work->tile.format = format;
    work->tile.columns = (uint32_t)options_whole(options, OPTION_COLS);
    work->tile.labels = options_given(options, OPTION_LABELS);
    return check_use(options, OPTION_COLS, format->columns, format) &&
           check_use(options, OPTION_INTERVAL, format->interval, format) &&
           check_use(options, OPTION_LABELS, format->interval, format) &&
           check_use(options, OPTION_STYLE, !format->interval, format) &&
           read_size(options, work) && read_interval(options, work);
}

static struct picture picture_of(const struct work *work)
{
    return (struct picture){
        .world = work->tile.world,
        .painter = work->tile.painter,
        .format = work->format,
        .effort = work->effort,
        .grid = work->grid,
        .threads = work->threads,
    };
}

static bool check_picture(const struct work *work, struct error *error)
{
    const struct picture picture = picture_of(work);
    return picture_check(&picture, error);
}

/* Reads the address of the tile, or the rectangle. */
static bool read_area(const struct options *options, struct work *work)
{
    struct error error = {0};
    int64_t box[4];
    const char *tile = options_text(options, OPTION_TILE), *bbox;
    if (tile && parse_tile(tile, &work->tile.address, &error) &&
        (!work->format->globe || tile_check_globe(&work->tile.address, &error)))
        return true;
    bbox = options_text(options, OPTION_BBOX);
    if (bbox && area_parse_bbox(bbox, box, &error) &&
        area_of_width(box, options_whole(options, OPTION_WIDTH), &work->grid, &error) &&
        check_picture(work, &error))
        return true;
    error_in_path(&error, tile ? "--tile" : "--bbox");
    command_fail(&error);
    return false;
}

/* Checks the combination of options, and then their values. */
static enum exit_status read_usage(const struct options *options, struct work *work)
{
    const bool tile = options_given(options, OPTION_TILE);
    work->rectangle = options_given(options, OPTION_BBOX);
    if (tile == work->rectangle)
        return command_misuse(options, "give either --tile Z/X/Y or --bbox X0,Y0,X1,Y1");
    if (work->rectangle != options_given(options, OPTION_WIDTH))
        return command_misuse(options, work->rectangle ? "--bbox needs --width"
                                                       : "--width goes with --bbox");
    if (!work->rectangle && options_given(options, OPTION_THREADS))
        return command_misuse(options, "--threads goes with --bbox; a tile is made by one");
    if (work->rectangle && options_given(options, OPTION_SIZE))
        return command_misuse(options, "--size goes with --tile; a --bbox has a --width");
    bool read = tile_effort_find(options_text(options, OPTION_EFFORT), &work->effort);
    if (work->rectangle && !options_given(options, OPTION_EFFORT))
        work->effort = TILE_SMALL;
    read =
        read && read_format(options, work) && read_form(options, work) && read_area(options, work);
    return read ? EXIT_DONE : EXIT_USAGE;
}

/* A tile is small enough to be encoded in memory. */
static bool write_tile(const struct work *work, struct output *output, struct error *error)
{
    struct buffer bytes = {0};
    struct tile_maker *maker = tile_maker_new();
    bool done =
        maker ? tile_make(maker, &work->tile, work->effort, &bytes, error) : error_memory(error);
    done = done && (bytes.length == 0 || output_write(output, bytes.data, bytes.length, error));
    tile_maker_free(maker);
    buffer_free(&bytes);
    return done;
}

/* The output of a rectangle, with its progress bar. */
struct picture_file {
    struct output *output;
    struct progress progress;
};

static bool write_file(void *context, const void *bytes, size_t length, struct error *error)
{
    struct picture_file *file = context;
    return output_write(file->output, bytes, length, error);
}

static void show_progress(void *context, uint64_t done, uint64_t total)
{
    struct picture_file *file = context;
    progress_show(&file->progress, done, total);
}

static bool write_picture(struct picture *picture, struct output *output, struct error *error)
{
    struct picture_file file = {.output = output};
    const struct picture_output to_file = {write_file, show_progress, &file};
    picture->network = drainage_cache_new(EXPORT_NETWORK_MEMORY);
    progress_begin(&file.progress);
    bool done = picture->network ? picture_write(picture, &to_file, error) : error_memory(error);
    progress_end(&file.progress);
    drainage_cache_release(picture->network);
    return done;
}

/* Not every format holds pictures of 16 bits a pixel. */
static bool check_depth(const struct work *work, struct error *error)
{
    const struct tile_order *order = &work->tile;
    if (!painter_is_16bit(order->painter) || order->format->supports_16bit)
        return true;
    char names[FORMAT_NAMES_TEXT];
    return error_set(
        error, ERROR_VALUE,
        "the style \"%s\" has 16 bits a pixel, which %s cannot hold: use one of %s",
        painter_name(order->painter), order->format->name,
        format_names(work->rectangle ? format_supports_16bit_rectangles : format_supports_16bit,
                     names));
}

/* The output appears at its path only if everything was written. */
static bool write_work(struct work *work, const char *path, struct error *error)
{
    struct picture picture = picture_of(work);
    struct output output;
    if (!output_open(&output, path, error))
        return false;
    bool done = work->rectangle ? write_picture(&picture, &output, error)
                                : write_tile(work, &output, error);
    return output_close(&output, done, done ? error : NULL) && done;
}

static bool render(const struct options *options, const struct catalog_world *world, void *context,
                   struct error *error)
{
    struct work *work = context;
    work->tile.t = work->grid.t = place_from_metres(options_number(options, OPTION_TIME));
    work->threads =
        process_threads((unsigned)options_whole(options, OPTION_THREADS), IN_ORDER_THREADS_MAX);
    work->tile.world = world->world;
    work->tile.painter = catalog_painter(world, options_text(options, OPTION_STYLE), error);
    return work->tile.painter && check_depth(work, error) &&
           write_work(work, options_text(options, OPTION_OUTPUT), error);
}

enum exit_status command_render(const struct options *options)
{
    struct work work = {0};
    enum exit_status status;
    if (export_rendered(options, &status))
        return status;
    status = read_usage(options, &work);
    return status == EXIT_DONE ? command_with_world(options, render, &work) : status;
}
