/* `render` has options of tiles and pictures too: one that is given and means nothing for a raster
 * is refused. The format follows from the extension, and values or colours from --layer or --style.
 */
#include "server/cli/raster_order.h"

#include <string.h>

#include "server/base/process.h"
#include "server/export/area.h"

/* Options of `render` that only rasters have. */
static const enum option_id own_options[] = {OPTION_RASTER_LAYER, OPTION_EXPORT_STEP, OPTION_CRS,
                                             OPTION_COMPRESS, OPTION_RANGE};
/* Options of `render` that go with tiles or other formats. */
static const enum option_id other_options[] = {OPTION_TILE, OPTION_SIZE, OPTION_COLS,
                                               OPTION_INTERVAL, OPTION_FORMAT};
enum { OWN = sizeof own_options / sizeof *own_options };
enum { OTHER = sizeof other_options / sizeof *other_options };

bool raster_order_wanted(const struct options *options)
{
    const char *path = options_text(options, OPTION_OUTPUT);
    const struct raster_kind *kind = path ? raster_kind_of(path) : NULL;
    for (unsigned i = 0; i < OWN; i++)
        if (options_given(options, own_options[i]))
            return true;
    return kind && !kind->prefers_pictures && options_given(options, OPTION_BBOX);
}

static enum exit_status refuse(const struct options *options, enum option_id id, const char *path)
{
    return command_misuse(options, "--%s does not go with the raster \"%s\"", option_table[id].name,
                          path);
}

/* What the samples or pixels of the file are. */
static enum exit_status read_content(const struct options *options, struct raster_order *order)
{
    const enum option_id style = order->is_export ? OPTION_STYLES_OF : OPTION_STYLE;
    const struct raster_kind *kind = order->kind;
    order->layer = options_text(options, OPTION_RASTER_LAYER);
    order->style = options_given(options, style) ? options_text(options, style) : NULL;
    if (order->layer && order->style)
        return command_misuse(options, "give either --layer, for samples, or --style, for colours");
    if (order->style && !kind->has_pictures)
        return command_misuse(options,
                              "a .%s file holds samples of a --layer, no colours of a "
                              "--style",
                              kind->name);
    if (order->layer && !kind->has_wide_pixels && kind->has_pictures)
        return command_misuse(options,
                              "a .%s file cannot hold samples of a --layer: use .tif, "
                              ".asc or .png, or --style %s for its grey picture",
                              kind->name, order->layer);
    if (order->style && strchr(order->style, ','))
        return command_misuse(options, "a raster is of one --style, not \"%s\"", order->style);
    if (!order->style && !order->layer && kind->prefers_pictures)
        order->style = options_text(options, style);
    return EXIT_DONE;
}

static enum exit_status read_form(const struct options *options, struct raster_order *order)
{
    const char *crs = options_text(options, OPTION_CRS);
    const char *compress = options_text(options, OPTION_COMPRESS);
    if (options_given(options, OPTION_CRS) && !order->kind->has_crs)
        return refuse(options, OPTION_CRS, order->path);
    if (options_given(options, OPTION_COMPRESS) && !order->kind->has_overviews)
        return refuse(options, OPTION_COMPRESS, order->path);
    order->crs = strcmp(crs, "3857") == 0 ? GEOTIFF_WEB_MERCATOR : GEOTIFF_LOCAL;
    order->compression =
        strcmp(compress, "zstd") == 0 ? COMPRESSION_ZSTD : COMPRESSION_ADOBE_DEFLATE;
    return EXIT_DONE;
}

/* For samples that are scaled to 16 bits. */
static bool read_range(const struct options *options, struct raster_order *order,
                       struct error *error)
{
    const char *range = options_text(options, OPTION_RANGE);
    order->has_range = range != NULL;
    if (!range)
        return true;
    if (!order->kind->is_scaled || order->style)
        error_set(error, ERROR_VALUE,
                  "is for samples of a --layer as 16-bit numbers, in .png files");
    else if (area_parse_range(range, &order->low, &order->high, error))
        return true;
    return error_in_path(error, "--range");
}

/* The Mercator square, where an export has no rectangle. */
static bool read_grid(const struct options *options, struct raster_order *order,
                      struct error *error)
{
    const int64_t half = (int64_t)1 << 40; /* 2²⁴ m */
    int64_t box[4] = {-half, -half, half, half}, step;
    const char *bbox = options_text(options, OPTION_BBOX);
    const char *metres = options_text(options, OPTION_EXPORT_STEP);
    if (bbox && !area_parse_bbox(bbox, box, error))
        return error_in_path(error, "--bbox");
    if (metres && !area_parse_step(metres, &step, error))
        return error_in_path(error, "--step");
    if (!(metres ? area_of_step(box, step, &order->grid, error)
                 : area_of_width(box, options_whole(options, OPTION_WIDTH), &order->grid, error)))
        return error_in_path(error, metres ? "--step" : "--width");
    if (order->grid.columns <= order->kind->side_max && order->grid.rows <= order->kind->side_max)
        return true;
    error_set(error, ERROR_LIMIT, "makes %u x %u pixels: a .%s file has at most %u a side",
              (unsigned)order->grid.columns, (unsigned)order->grid.rows, order->kind->name,
              (unsigned)order->kind->side_max);
    return error_in_path(error, metres ? "--step" : "--width");
}

static enum exit_status read_kind(const struct options *options, struct raster_order *order)
{
    char names[FORMAT_NAMES_TEXT];
    order->is_export = options->command == FOR_EXPORT;
    order->path = options_text(options, order->is_export ? OPTION_ARCHIVE : OPTION_OUTPUT);
    if (!order->path)
        return command_misuse(options, "-o FILE is needed");
    order->kind = raster_kind_of(order->path);
    for (unsigned i = 0; !order->kind && i < OWN; i++)
        if (options_given(options, own_options[i]))
            return command_misuse(options, "--%s is for files %s, not for \"%s\"",
                                  option_table[own_options[i]].name, raster_kind_names(names),
                                  order->path);
    for (unsigned i = 0; i < OTHER; i++)
        if (options_given(options, other_options[i]))
            return refuse(options, other_options[i], order->path);
    return EXIT_DONE;
}

enum exit_status raster_order_read(const struct options *options, struct raster_order *order)
{
    struct error error = {0};
    enum exit_status status = read_kind(options, order);
    if (status == EXIT_DONE)
        status = read_content(options, order);
    if (status == EXIT_DONE)
        status = read_form(options, order);
    if (status != EXIT_DONE)
        return status;
    if (options_given(options, OPTION_WIDTH) == options_given(options, OPTION_EXPORT_STEP))
        return command_misuse(options, "a raster needs --width PIXELS or --step METRES");
    if (!order->is_export && !options_given(options, OPTION_BBOX))
        return command_misuse(options, "a raster needs --bbox X0,Y0,X1,Y1");
    order->threads =
        process_threads((unsigned)options_whole(options, OPTION_THREADS), EXPORT_THREADS_MAX);
    order->is_dry = options_given(options, OPTION_DRY_RUN);
    order->is_resumed = options_given(options, OPTION_RESUME) && !order->is_dry;
    if (read_range(options, order, &error) && read_grid(options, order, &error)) {
        order->grid.t = place_from_metres(options_number(options, OPTION_TIME));
        return EXIT_DONE;
    }
    command_fail(&error);
    return EXIT_USAGE;
}
