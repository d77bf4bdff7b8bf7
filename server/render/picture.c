/* Pictures of rectangles, band by band: PNG goes through a streaming encoder, samples are written
 * as they are, and only WebP, which has no streaming encoder, needs the whole picture in memory. */
#include "server/render/picture.h"

#include <stdlib.h>
#include <string.h>

#include "core/encode/webp.h"
#include "server/render/picture_task.h"

/* Pixels of a band, about: enough rows to share work between them, few enough to stay in the cache.
 */
enum { BAND_PIXELS = 1 << 18 };

static bool write_bytes(struct picture_task *task, struct error *error)
{
    return task->output->write(task->output->context, task->bytes.data, task->bytes.length, error);
}

static bool paint_band(struct picture_task *task, const struct sample_grid *band,
                       struct image *image, struct error *error)
{
    return painter_paint(task->picture->painter, task->canvas, band, image, error);
}

/* The callback of libpng. Its error is kept aside, as libpng reports an error of its own. */
static bool write_png(void *context, const uint8_t *bytes, size_t length)
{
    struct picture_task *task = context;
    return task->output->write(task->output->context, bytes, length, &task->output_error);
}

/* The first band creates the stream, as only painting tells the pixel format. */
bool picture_png_band(struct picture_task *task, const struct sample_grid *band, uint32_t row,
                      struct error *error)
{
    struct image image;
    if (!paint_band(task, band, &image, error))
        return false;
    if (row == 0) {
        struct image shape = image;
        shape.height = task->picture->grid.rows;
        task->stream = png_stream_new(&shape, write_png, task, error);
    }
    return task->stream && png_stream_rows(task->stream, &image, error);
}

bool picture_png_end(struct picture_task *task, struct error *error)
{
    return png_stream_end(task->stream, error);
}

/* Collects the bands into one picture. */
bool picture_webp_band(struct picture_task *task, const struct sample_grid *band, uint32_t row,
                       struct error *error)
{
    struct image image, *whole = &task->whole;
    if (!paint_band(task, band, &image, error))
        return false;
    if (row == 0) {
        *whole = image;
        whole->height = task->picture->grid.rows;
        whole->pixels = malloc(whole->stride * whole->height);
    }
    if (!whole->pixels)
        return error_memory(error);
    memcpy(whole->pixels + row * whole->stride, image.pixels, whole->stride * image.height);
    return true;
}

bool picture_webp_end(struct picture_task *task, struct error *error)
{
    return webp_encode(&task->whole, WEBP_EXPORT, &task->bytes, error) && write_bytes(task, error);
}

bool picture_samples_band(struct picture_task *task, const struct sample_grid *band, uint32_t row,
                          struct error *error)
{
    const struct picture *picture = task->picture;
    const size_t count = (size_t)band->columns * band->rows;
    const unsigned layer = painter_layer(picture->painter);
    if (row == 0) /* no later band is higher */
        task->samples = malloc(count * sizeof *task->samples);
    if (!task->samples)
        return error_memory(error);
    const struct sample_request request = {&layer, &task->samples, 1};
    if (!sampler_grid(canvas_sampler(task->canvas), picture->world, band, &request, error))
        return false;
    buffer_clear(&task->bytes);
    picture->format->write_samples(task->samples, count, &task->bytes);
    if (task->bytes.failed)
        return error_memory(error);
    return write_bytes(task, error);
}

bool picture_check(const struct format *format, const struct sample_grid *grid, struct error *error)
{
    const uint32_t most = format->picture.side_max;
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

/* The band of rows that begins at `first`. */
static struct sample_grid band_grid(const struct sample_grid *whole, uint32_t first)
{
    struct sample_grid band = *whole;
    const uint32_t most = BAND_PIXELS / whole->columns;
    const uint32_t left = whole->rows - first;
    band.rows = most < 1 ? 1 : most < left ? most : left;
    band.y += (int64_t)first * whole->step;
    return band;
}

static bool write_bands(struct picture_task *task, struct error *error)
{
    const struct sample_grid *grid = &task->picture->grid;
    const struct picture_format *format = &task->picture->format->picture;
    struct sample_grid band;
    for (uint32_t row = 0; row < grid->rows; row += band.rows) {
        band = band_grid(grid, row);
        if (!format->band(task, &band, row, error))
            return false;
        if (task->output->progress)
            task->output->progress(task->output->context, row, grid->rows);
    }
    return !format->end || format->end(task, error);
}

bool picture_write(const struct picture *picture, const struct picture_output *output,
                   struct error *error)
{
    struct picture_task task = {.picture = picture, .output = output, .canvas = canvas_new()};
    bool done = task.canvas ? write_bands(&task, error) : error_memory(error);
    if (task.output_error.code != ERROR_NONE)
        *error = task.output_error;
    png_stream_free(task.stream);
    free(task.whole.pixels);
    free(task.samples);
    buffer_free(&task.bytes);
    canvas_free(task.canvas);
    return done;
}
