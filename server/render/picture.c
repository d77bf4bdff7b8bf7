/* A band of rows is handled as the format of the rectangle needs it: samples are written as they
 * are, and small PNGs go through a streaming encoder. WebP has none, and that of PNG takes ten
 * times as long as the encoder of tiles: so these are collected, and encoded as a whole. */
#include "server/render/picture.h"

#include <stdlib.h>
#include <string.h>

#include "core/encode/geotiff.h"
#include "core/encode/npy.h"
#include "core/encode/png.h"
#include "core/encode/webp.h"
#include "server/render/format.h"
#include "server/render/picture_task.h"

bool picture_paint(const struct picture *picture, struct picture_band *band, struct error *error)
{
    return painter_paint(picture->painter, band->canvas, &band->grid, &band->image, error);
}

/* The callback of libpng. Its error is kept aside, as libpng reports an error of its own. */
static bool write_png(void *context, const uint8_t *bytes, size_t length)
{
    struct picture_task *task = context;
    return task->output->write(task->output->context, bytes, length, &task->output_error);
}

/* The first band creates the stream, as only painting tells the pixel format. */
bool picture_write_png(struct picture_task *task, const struct picture_band *band,
                       struct error *error)
{
    if (band->row == 0) {
        struct image shape = band->image;
        shape.height = task->picture->grid.rows;
        task->stream = png_stream_new(&shape, write_png, task, error);
    }
    return task->stream && png_stream_rows(task->stream, &band->image, error);
}

bool picture_end_png(struct picture_task *task, struct error *error)
{
    return png_stream_end(task->stream, error);
}

/* Collects the bands into one picture. */
bool picture_collect(struct picture_task *task, const struct picture_band *band,
                     struct error *error)
{
    const struct image *image = &band->image;
    struct image *whole = &task->whole;
    if (band->row == 0) {
        *whole = *image;
        whole->height = task->picture->grid.rows;
        whole->pixels = malloc(whole->stride * whole->height);
    }
    if (!whole->pixels)
        return error_memory(error);
    memcpy(whole->pixels + band->row * whole->stride, image->pixels, whole->stride * image->height);
    return true;
}

static bool write_bytes(struct picture_task *task, const struct buffer *bytes, struct error *error)
{
    return task->output->write(task->output->context, bytes->data, bytes->length, error);
}

/* Writes what the encoder has appended. */
static bool write_encoded(struct picture_task *task, bool done, struct buffer *bytes,
                          struct error *error)
{
    done = done && write_bytes(task, bytes, error);
    buffer_free(bytes);
    return done;
}

bool picture_end_webp(struct picture_task *task, struct error *error)
{
    const enum webp_effort effort = task->picture->effort == TILE_FAST ? WEBP_SERVE : WEBP_EXPORT;
    struct buffer bytes = {0};
    const bool done = webp_encode(&task->whole, effort, &bytes, error);
    return write_encoded(task, done, &bytes, error);
}

bool picture_end_whole_png(struct picture_task *task, struct error *error)
{
    struct png_encoder *encoder = png_encoder_new();
    struct buffer bytes = {0};
    const bool done =
        encoder ? png_encode(encoder, &task->whole, PNG_SERVE, &bytes, error) : error_memory(error);
    png_encoder_free(encoder);
    return write_encoded(task, done, &bytes, error);
}

/* In metres of the world, as `terrane export` writes them. */
void picture_header_tif(const struct picture *picture, struct buffer *out)
{
    const struct sample_grid *grid = &picture->grid;
    const struct sample_raster raster = {.columns = grid->columns,
                                         .rows = grid->rows,
                                         .step = grid->step,
                                         .origin = {grid->x, grid->y}};
    struct error error;
    if (!geotiff_write_header(&raster, 1, GEOTIFF_LOCAL, out, &error))
        out->failed = true;
}

void picture_header_npy(const struct picture *picture, struct buffer *out)
{
    npy_write_header((const uint64_t[]){picture->grid.rows, picture->grid.columns}, 2, out);
}

bool picture_sample(const struct picture *picture, struct picture_band *band, struct error *error)
{
    const size_t count = (size_t)band->grid.columns * band->grid.rows;
    const unsigned layer = painter_layer(picture->painter);
    if (band->sample_count < count) {
        free(band->samples);
        band->samples = malloc(count * sizeof *band->samples);
        band->sample_count = band->samples ? count : 0;
    }
    if (!band->samples)
        return error_memory(error);
    const struct sample_request request = {&layer, &band->samples, 1};
    if (!sampler_grid(canvas_sampler(band->canvas), world_program(picture->world), &band->grid,
                      &request, error))
        return false;
    buffer_clear(&band->bytes);
    if (band->row == 0 && picture_format_of(picture)->write_header)
        picture_format_of(picture)->write_header(picture, &band->bytes);
    picture->format->write_samples(band->samples, count, &band->bytes);
    return !band->bytes.failed || error_memory(error);
}

bool picture_write_samples(struct picture_task *task, const struct picture_band *band,
                           struct error *error)
{
    return write_bytes(task, &band->bytes, error);
}

const struct picture_format *picture_format_of(const struct picture *picture)
{
    return &picture->format->pictures[picture->effort];
}

bool picture_check(const struct picture *picture, struct error *error)
{
    const struct format *format = picture->format;
    const struct sample_grid *grid = &picture->grid;
    const uint32_t most = picture_format_of(picture)->side_max;
    char names[FORMAT_NAMES_TEXT];
    if (!format_supports_rectangles(format))
        return error_set(error, ERROR_VALUE, "a rectangle comes as %s; %s is of a --tile",
                         format_names(format_supports_rectangles, names), format->name);
    if (grid->columns <= most && grid->rows <= most)
        return true;
    return error_set(error, ERROR_LIMIT,
                     "a %s picture of %u x %u pixels: at most %u a side, use a smaller --width or "
                     "another format",
                     format->name, (unsigned)grid->columns, (unsigned)grid->rows, (unsigned)most);
}

bool picture_end(struct picture_task *task, struct error *error)
{
    const struct picture_format *format = picture_format_of(task->picture);
    return !format->end || format->end(task, error);
}

void picture_release(struct picture_task *task)
{
    png_stream_free(task->stream);
    free(task->whole.pixels);
}

bool picture_write(const struct picture *picture, const struct picture_output *output,
                   struct error *error)
{
    struct picture_task task = {.picture = picture, .output = output};
    const bool done = picture_run(&task, error) && picture_end(&task, error);
    if (task.output_error.code != ERROR_NONE)
        *error = task.output_error;
    picture_release(&task);
    return done;
}
