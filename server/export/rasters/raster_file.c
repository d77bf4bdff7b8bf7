/* The table of files of rasters, and the writers of those that hold rows. A GeoTIFF takes the tiles
 * of the spool as they are (raster_tiff.c), an ASCII grid its lines; PNG and WebP take pixels,
 * which are opened band by band. */
#define _GNU_SOURCE /* asprintf() */
#include "server/export/rasters/raster_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "core/encode/ascii_grid.h"
#include "core/encode/png_stream.h"
#include "core/encode/webp.h"
#include "server/base/file.h"

bool raster_output_fail(const struct raster_output *output, int reason, struct error *error)
{
    error_set(error, ERROR_IO, "cannot be written: %s", strerror(reason));
    return error_in_file(error, output->path);
}

static bool append(struct raster_output *output, const void *bytes, size_t length,
                   struct error *error)
{
    if (!file_write_at(output->descriptor, bytes, length, output->length))
        return raster_output_fail(output, errno, error);
    output->length += length;
    return true;
}

/* The bands of a raster, as images. */
typedef bool band_user(void *context, const struct image *band, struct error *error);

static void swap_bytes(uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint16_t number;
        memcpy(&number, bytes + 2 * i, sizeof number);
        bytes[2 * i] = (uint8_t)(number >> 8);
        bytes[2 * i + 1] = (uint8_t)number;
    }
}

/* Memory to open bands in. */
struct opener {
    const struct raster_file *file;
    struct tiff_decoder *decoder;
    struct buffer bytes;
    void *pixels;
};

static bool open_band(struct opener *opener, uint64_t index, struct error *error)
{
    buffer_clear(&opener->bytes);
    return spool_read(opener->file->spool, index, &opener->bytes, error) &&
           tiff_tile_decode(opener->decoder, &opener->bytes, opener->pixels, error);
}

static bool use_bands(struct opener *opener, band_user *use, void *context, struct error *error)
{
    const struct raster_file *file = opener->file;
    const struct raster_plan *plan = file->plan;
    struct image band;
    bool done = true;
    raster_shape(plan->raster, &band);
    band.pixels = opener->pixels;
    band.stride = plan->layout.width * (size_t)raster_pixel_bytes(plan->layout.pixel);
    const uint64_t count = raster_plan_count(plan);
    for (uint64_t i = 0; done && i < count; i++) {
        band.height = raster_plan_at(plan, i).window.rows;
        done = open_band(opener, i, error);
        if (done && band.format == IMAGE_GREY16)
            swap_bytes(opener->pixels, band.stride / 2 * band.height);
        done = done && use(context, &band, error) && progress_step(file->progress, i, count, 0);
    }
    return done;
}

/* Calls the function with each band from north to south. */
static bool for_each_band(const struct raster_file *file, band_user *use, void *context,
                          struct error *error)
{
    struct opener opener = {
        .file = file,
        .decoder = tiff_decoder_new(&file->plan->layout),
        .pixels = malloc(tiff_layout_bytes(&file->plan->layout)),
    };
    const bool done = opener.decoder && opener.pixels ? use_bands(&opener, use, context, error)
                                                      : error_memory(error);
    tiff_decoder_free(opener.decoder);
    buffer_free(&opener.bytes);
    free(opener.pixels);
    return done;
}

/* ASCII grids */

static bool encode_lines(const struct raster_plan *plan, const struct raster_window *window,
                         void *pixels, struct buffer *out, struct error *error)
{
    (void)plan;
    ascii_grid_write_rows(pixels, window->columns, window->rows, out);
    return !out->failed || error_memory(error);
}

static bool write_lines(struct raster_output *output, struct buffer *bytes, struct error *error)
{
    const struct raster_file *file = output->file;
    const struct sample_grid *grid = &file->plan->raster->grid;
    const struct sample_raster head = {.columns = grid->columns,
                                       .rows = grid->rows,
                                       .step = grid->step,
                                       .origin = {grid->x, grid->y}};
    const uint64_t count = raster_plan_count(file->plan);
    ascii_grid_write_head(&head, bytes);
    bool done = !bytes->failed || error_memory(error);
    done = done && append(output, bytes->data, bytes->length, error);
    for (uint64_t i = 0; done && i < count; i++) {
        buffer_clear(bytes);
        done = spool_read(file->spool, i, bytes, error) &&
               append(output, bytes->data, bytes->length, error) &&
               progress_step(file->progress, i, count, 0);
    }
    return done;
}

static bool write_asc(struct raster_output *output, struct error *error)
{
    struct buffer bytes = {0};
    const bool done = write_lines(output, &bytes, error);
    buffer_free(&bytes);
    return done;
}

/* PNG */

/* What the library is given: the output, and the error of a write inside it. */
struct png_sink {
    struct raster_output *output;
    struct error error;
};

static bool sink(void *context, const uint8_t *bytes, size_t length)
{
    struct png_sink *png = context;
    return append(png->output, bytes, length, &png->error);
}

static bool use_png(void *context, const struct image *band, struct error *error)
{
    return png_stream_rows(context, band, error);
}

static bool write_png(struct raster_output *output, struct error *error)
{
    const struct raster_description *description = output->file->description;
    struct png_sink png = {.output = output};
    struct image shape;
    raster_shape(output->file->plan->raster, &shape);
    struct png_stream *stream = png_stream_new(&shape, sink, &png, error);
    bool done = stream != NULL;
    for (unsigned i = 0; done && i < description->note_count; i++)
        done =
            png_stream_text(stream, description->notes[i].name, description->notes[i].value, error);
    done = done && for_each_band(output->file, use_png, stream, error);
    done = done && png_stream_end(stream, error);
    if (png.error.code != ERROR_NONE)
        *error = png.error;
    png_stream_free(stream);
    return done;
}

/* WebP has no encoder of rows: the whole picture is in memory. */

struct whole {
    struct image image;
    uint32_t row;
};

static bool use_webp(void *context, const struct image *band, struct error *error)
{
    struct whole *whole = context;
    (void)error;
    for (uint32_t y = 0; y < band->height; y++)
        memcpy(whole->image.pixels + (whole->row + y) * whole->image.stride,
               band->pixels + y * band->stride, whole->image.stride);
    whole->row += band->height;
    return true;
}

static bool write_webp(struct raster_output *output, struct error *error)
{
    struct whole whole = {.row = 0};
    struct buffer bytes = {0};
    raster_shape(output->file->plan->raster, &whole.image);
    whole.image.pixels = malloc(whole.image.stride * whole.image.height);
    const bool done = (whole.image.pixels || error_memory(error)) &&
                      for_each_band(output->file, use_webp, &whole, error) &&
                      webp_encode(&whole.image, WEBP_EXPORT, &bytes, error) &&
                      append(output, bytes.data, bytes.length, error);
    buffer_free(&bytes);
    free(whole.image.pixels);
    return done;
}

/* All kinds */

static const struct raster_kind kinds[] = {
    {"tif", "tiff", .has_overviews = true, .has_crs = true, .has_pictures = true,
     .has_wide_pixels = true, .side_max = RASTER_SIDE_MAX, .write = raster_tiff_write},
    {"asc", NULL, .side_max = RASTER_SIDE_MAX, .encode = encode_lines, .write = write_asc},
    {"png", NULL, .has_pictures = true, .prefers_pictures = true, .is_scaled = true,
     .has_wide_pixels = true, .side_max = RASTER_SIDE_MAX, .write = write_png},
    {"webp", NULL, .has_pictures = true, .prefers_pictures = true, .side_max = WEBP_SIDE_MAX,
     .write = write_webp},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const char *raster_kind_names(char text[FORMAT_NAMES_TEXT])
{
    size_t length = 0;
    for (size_t i = 0; i < KINDS; i++) {
        char name[16];
        snprintf(name, sizeof name, ".%s", kinds[i].name);
        names_add(text, &length, name);
    }
    return text;
}

const struct raster_kind *raster_kind_of(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    for (size_t i = 0; dot && i < KINDS; i++)
        if (strcasecmp(dot + 1, kinds[i].name) == 0 ||
            (kinds[i].alias && strcasecmp(dot + 1, kinds[i].alias) == 0))
            return &kinds[i];
    return NULL;
}

static bool write_file(const struct raster_kind *kind, const struct raster_file *file,
                       const char *path, struct error *error)
{
    struct raster_output output = {.file = file, .path = path};
    output.descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (output.descriptor < 0)
        return raster_output_fail(&output, errno, error);
    const bool done = kind->write(&output, error);
    close(output.descriptor);
    return done;
}

bool raster_file_make(const struct raster_kind *kind, const struct raster_file *file,
                      const char *path, struct error *error)
{
    char *temporary;
    if (asprintf(&temporary, "%s.part-file", path) < 0)
        return error_memory(error);
    const bool done =
        write_file(kind, file, temporary, error) && file_publish(temporary, path, error);
    if (!done)
        unlink(temporary);
    free(temporary);
    return done;
}
