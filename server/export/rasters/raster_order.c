/* The format follows from the extension, and values or colours from --layer or --style. An option
 * that is given and means nothing for the file is refused. */
#include "server/export/rasters/raster_order.h"

#include <string.h>

#include "server/render/area.h"

bool raster_order_wanted(const struct options *options, const char *path)
{
    static const enum option_id own[] = {OPTION_RASTER_LAYER, OPTION_EXPORT_STEP, OPTION_CRS,
                                         OPTION_COMPRESS, OPTION_RANGE};
    const struct raster_kind *kind = path ? raster_kind_of(path) : NULL;
    bool is_own = options->command == FOR_EXPORT;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        is_own |= options_given(options, own[i]);
    return kind && (is_own || (!kind->prefers_pictures && options_given(options, OPTION_BBOX)));
}

/* What the samples or pixels of the file are. */
static bool read_content(const struct export_job *job, struct raster_order *order,
                         struct error *error)
{
    const struct raster_kind *kind = order->kind;
    order->layer = options_text(job->options, OPTION_RASTER_LAYER);
    order->style =
        options_given(job->options, job->style) ? options_text(job->options, job->style) : NULL;
    if (order->layer && order->style)
        return error_set(error, ERROR_VALUE,
                         "give either --layer, for samples, or --style, for colours");
    if (order->style && !kind->has_pictures)
        return error_set(error, ERROR_VALUE,
                         "a .%s file holds samples of a --layer, no colours of a --style",
                         kind->name);
    if (order->layer && !kind->has_wide_pixels && kind->has_pictures)
        return error_set(error, ERROR_VALUE,
                         "a .%s file cannot hold samples of a --layer: use .tif, .asc or .png, or "
                         "--style %s for its grey picture",
                         kind->name, order->layer);
    if (order->style && strchr(order->style, ','))
        return error_set(error, ERROR_VALUE, "a raster is of one --style, not \"%s\"",
                         order->style);
    if (!order->style && !order->layer && kind->prefers_pictures)
        order->style = options_text(job->options, job->style);
    return true;
}

static bool refuse(const struct export_job *job, enum option_id id, struct error *error)
{
    return error_set(error, ERROR_VALUE, "--%s does not go with the raster \"%s\"",
                     option_table[id].name, job->path);
}

static bool read_form(const struct export_job *job, struct raster_order *order, struct error *error)
{
    const char *crs = options_text(job->options, OPTION_CRS);
    const char *compress = options_text(job->options, OPTION_COMPRESS);
    if (options_given(job->options, OPTION_CRS) && !order->kind->has_crs)
        return refuse(job, OPTION_CRS, error);
    if (options_given(job->options, OPTION_COMPRESS) && !order->kind->has_overviews)
        return refuse(job, OPTION_COMPRESS, error);
    order->crs = strcmp(crs, "3857") == 0 ? GEOTIFF_WEB_MERCATOR : GEOTIFF_LOCAL;
    order->compression =
        strcmp(compress, "zstd") == 0 ? COMPRESSION_ZSTD : COMPRESSION_ADOBE_DEFLATE;
    return true;
}

/* For samples that are scaled to 16 bits. */
static bool read_range(const struct export_job *job, struct raster_order *order,
                       struct error *error)
{
    const char *range = options_text(job->options, OPTION_RANGE);
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

static bool read_grid(const struct export_job *job, struct raster_order *order, struct error *error)
{
    const int64_t width = options_whole(job->options, OPTION_WIDTH);
    struct sample_grid *grid = &order->grid;
    if (!(job->step > 0 ? area_of_step(job->box, job->step, grid, error)
                        : area_of_width(job->box, width, grid, error)))
        return error_in_path(error, job->step > 0 ? "--step" : "--width");
    grid->t = job->t;
    if (grid->columns <= order->kind->side_max && grid->rows <= order->kind->side_max)
        return true;
    error_set(error, ERROR_LIMIT, "makes %u x %u pixels: a .%s file has at most %u a side",
              (unsigned)grid->columns, (unsigned)grid->rows, order->kind->name,
              (unsigned)order->kind->side_max);
    return error_in_path(error, job->step > 0 ? "--step" : "--width");
}

bool raster_order_read(const struct export_job *job, struct raster_order *order,
                       struct error *error)
{
    order->kind = raster_kind_of(job->path);
    if (!read_content(job, order, error) || !read_form(job, order, error))
        return false;
    if (options_given(job->options, OPTION_WIDTH) == (job->step > 0))
        return error_set(error, ERROR_VALUE, "a raster needs --width PIXELS or --step METRES");
    if (job->options->command == FOR_RENDER && !options_given(job->options, OPTION_BBOX))
        return error_set(error, ERROR_VALUE, "a raster needs --bbox X0,Y0,X1,Y1");
    return read_range(job, order, error) && read_grid(job, order, error);
}
