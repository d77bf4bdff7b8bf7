#include "server/render/picture.h"

#include <stdlib.h>
#include <string.h>

#include "core/encode/png_stream.h"
#include "core/encode/samples.h"
#include "core/encode/webp.h"
#include "server/cli/progress.h"

/* Pixels made at once, about. */
enum { BAND_PIXELS = 1 << 18 };

/* A picture on its way. */
struct drawing {
    const struct picture *picture;
    struct canvas *canvas;
    struct output *output;
    struct error output_error; /* of a write inside of libpng */
    struct png_stream *stream; /* PNG */
    struct image whole;        /* WebP: its pixels are owned */
    float *samples;            /* numbers: of a band */
    struct buffer bytes;
};

static bool paint_band(struct drawing *drawing, const struct sample_grid *band, struct image *image,
                       struct error *error)
{
    return painter_paint(drawing->picture->painter, drawing->canvas, band, image, error);
}

static bool write_png(void *context, const uint8_t *bytes, size_t length)
{
    struct drawing *drawing = context;
    return output_write(drawing->output, bytes, length, &drawing->output_error);
}

static bool png_band(struct drawing *drawing, const struct sample_grid *band, uint32_t row,
                     struct error *error)
{
    struct image image;
    if (!paint_band(drawing, band, &image, error))
        return false;
    if (row == 0) {
        struct image shape = image;
        shape.height = drawing->picture->grid.rows;
        drawing->stream = png_stream_new(&shape, write_png, drawing, error);
    }
    return drawing->stream && png_stream_rows(drawing->stream, &image, error);
}

static bool png_end(struct drawing *drawing, struct error *error)
{
    return png_stream_end(drawing->stream, error);
}

static bool webp_band(struct drawing *drawing, const struct sample_grid *band, uint32_t row,
                      struct error *error)
{
    struct image image, *whole = &drawing->whole;
    if (!paint_band(drawing, band, &image, error))
        return false;
    if (row == 0) {
        *whole = image;
        whole->height = drawing->picture->grid.rows;
        whole->pixels = malloc(whole->stride * whole->height);
    }
    if (!whole->pixels)
        return error_memory(error);
    memcpy(whole->pixels + row * whole->stride, image.pixels, whole->stride * image.height);
    return true;
}

static bool webp_end(struct drawing *drawing, struct error *error)
{
    return webp_encode(&drawing->whole, WEBP_EXPORT, &drawing->bytes, error) &&
           output_write(drawing->output, drawing->bytes.data, drawing->bytes.length, error);
}

static bool raw_band(struct drawing *drawing, const struct sample_grid *band, uint32_t row,
                     struct error *error)
{
    const struct picture *picture = drawing->picture;
    const size_t count = (size_t)band->columns * band->rows;
    const unsigned layer = painter_layer(picture->painter);
    if (row == 0) /* no later band is higher */
        drawing->samples = malloc(count * sizeof *drawing->samples);
    if (!drawing->samples)
        return error_memory(error);
    const struct sample_request request = {&layer, &drawing->samples, 1};
    if (!sampler_grid(canvas_sampler(drawing->canvas), picture->world, band, &request, error))
        return false;
    buffer_clear(&drawing->bytes);
    if (picture->format->id == FORMAT_R32F)
        samples_write_r32f(drawing->samples, count, &drawing->bytes);
    else
        samples_write_r16(drawing->samples, count, &drawing->bytes);
    if (drawing->bytes.failed)
        return error_memory(error);
    return output_write(drawing->output, drawing->bytes.data, drawing->bytes.length, error);
}

static bool raw_end(struct drawing *drawing, struct error *error)
{
    (void)drawing;
    (void)error;
    return true;
}

/* How a format takes bands and ends, by the formats' numbers. `side` is the most pixels a side. */
static const struct writer {
    bool (*band)(struct drawing *drawing, const struct sample_grid *band, uint32_t row,
                 struct error *error);
    bool (*end)(struct drawing *drawing, struct error *error);
    uint32_t side;
} writers[] = {
    [FORMAT_PNG] = {png_band, png_end, INT32_MAX},
    [FORMAT_WEBP] = {webp_band, webp_end, WEBP_SIDE_MAX},
    [FORMAT_R32F] = {raw_band, raw_end, UINT32_MAX},
    [FORMAT_R16] = {raw_band, raw_end, UINT32_MAX},
};

static const struct writer *writer_of(const struct format *format)
{
    const size_t count = sizeof writers / sizeof *writers;
    return (size_t)format->id < count && writers[format->id].band ? &writers[format->id] : NULL;
}

const char *picture_formats(void)
{
    return "png, webp, r32f, r16";
}

const char *picture_deep_format_names(void)
{
    return "png, r32f, r16";
}

bool picture_check(const struct format *format, const struct sample_grid *grid, struct error *error)
{
    const struct writer *writer = writer_of(format);
    if (!writer)
        return error_set(error, ERROR_VALUE, "a rectangle comes as %s; %s is of a --tile",
                         picture_formats(), format->name);
    if (grid->columns <= writer->side && grid->rows <= writer->side)
        return true;
    return error_set(error, ERROR_LIMIT,
                     "a %s picture of %u x %u pixels: at most %u a side, use a smaller --width or "
                     "another format",
                     format->name, (unsigned)grid->columns, (unsigned)grid->rows,
                     (unsigned)writer->side);
}

/* The rows from `first` on that are made at once. */
static struct sample_grid band_grid(const struct sample_grid *whole, uint32_t first)
{
    struct sample_grid band = *whole;
    const uint32_t most = BAND_PIXELS / whole->columns;
    const uint32_t left = whole->rows - first;
    band.rows = most < 1 ? 1 : most < left ? most : left;
    band.y += (int64_t)first * whole->step;
    return band;
}

static bool write_bands(struct drawing *drawing, struct error *error)
{
    const struct sample_grid *grid = &drawing->picture->grid;
    const struct writer *writer = writer_of(drawing->picture->format);
    struct progress progress;
    struct sample_grid band;
    bool done = true;
    progress_begin(&progress);
    for (uint32_t row = 0; row < grid->rows && done; row += band.rows) {
        band = band_grid(grid, row);
        done = writer->band(drawing, &band, row, error);
        progress_show(&progress, row, grid->rows);
    }
    done = done && writer->end(drawing, error);
    progress_end(&progress);
    return done;
}

bool picture_write(const struct picture *picture, struct output *output, struct error *error)
{
    struct drawing drawing = {.picture = picture, .output = output, .canvas = canvas_new()};
    bool done = drawing.canvas ? write_bands(&drawing, error) : error_memory(error);
    if (drawing.output_error.code != ERROR_NONE)
        *error = drawing.output_error;
    png_stream_free(drawing.stream);
    free(drawing.whole.pixels);
    free(drawing.samples);
    buffer_free(&drawing.bytes);
    canvas_free(drawing.canvas);
    return done;
}
