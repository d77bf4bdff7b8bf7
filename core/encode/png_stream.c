/* Writes a PNG of any size band by band, with libpng's row writer and zlib. Memory is a few rows,
 * and bytes go to the sink as they come. Filters are those of png.c, except that smooth grey has
 * UP.
 *
 * libpng reports failure by a long jump. Every function that calls it sets the jump's target first
 * and keeps all state in the stream, which outlives the jump. The stream counts failed allocations
 * itself, as libpng does not say that memory was out. */
#include "core/encode/png_stream.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* zlib's level: at higher ones pictures are hardly smaller and take twice as long. */
enum { STREAM_LEVEL = 4 };

struct png_stream {
    png_structp png;
    png_infop info;
    png_sink *sink;
    void *context;
    enum image_format format;
    uint32_t width, rows_left;
    char message[120]; /* libpng's message before it jumped */
    bool memory;       /* an allocation has failed */
    bool has_header;   /* it is written, with the texts */
};

static void stream_write(png_structp png, png_bytep bytes, size_t length)
{
    struct png_stream *stream = png_get_io_ptr(png);
    if (!stream->sink(stream->context, bytes, length))
        png_error(png, "the picture could not be written");
}

static void stream_flush(png_structp png)
{
    (void)png;
}

static void stream_error(png_structp png, png_const_charp message)
{
    struct png_stream *stream = png_get_error_ptr(png);
    strncpy(stream->message, message, sizeof stream->message - 1);
    png_longjmp(png, 1);
}

static void stream_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static png_voidp stream_allocate(png_structp png, png_alloc_size_t size)
{
    struct png_stream *stream = png_get_mem_ptr(png);
    void *memory = malloc(size);
    stream->memory |= !memory;
    return memory;
}

static void stream_release(png_structp png, png_voidp memory)
{
    (void)png;
    free(memory);
}

static void set_header(struct png_stream *stream, const struct image *shape)
{
    static const struct {
        int depth, colour;
    } formats[] = {
        [IMAGE_GREY8] = {8, PNG_COLOR_TYPE_GRAY},
        [IMAGE_PALETTE8] = {8, PNG_COLOR_TYPE_PALETTE},
        [IMAGE_RGB8] = {8, PNG_COLOR_TYPE_RGB},
        [IMAGE_GREY16] = {16, PNG_COLOR_TYPE_GRAY},
    };
    static const int filters[] = {
        [IMAGE_PICTURE] = PNG_FILTER_UP, [IMAGE_AREAS] = PNG_FILTER_NONE,
        [IMAGE_DATA] = PNG_FILTER_PAETH, [IMAGE_SMOOTH] = PNG_FILTER_UP,
        [IMAGE_DRAWING] = PNG_FILTER_UP,
    };
    png_set_write_fn(stream->png, stream, stream_write, stream_flush);
    png_set_user_limits(stream->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_set_IHDR(stream->png, stream->info, shape->width, shape->height,
                 formats[shape->format].depth, formats[shape->format].colour, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (shape->format == IMAGE_PALETTE8) {
        png_color colours[PNG_MAX_PALETTE_LENGTH];
        for (uint32_t i = 0; i < shape->palette_count && i < PNG_MAX_PALETTE_LENGTH; i++)
            colours[i] = (png_color){shape->palette[3 * i], shape->palette[3 * i + 1],
                                     shape->palette[3 * i + 2]};
        png_set_PLTE(stream->png, stream->info, colours, (int)shape->palette_count);
    }
    png_set_filter(stream->png, PNG_FILTER_TYPE_BASE, filters[shape->content]);
    png_set_compression_level(stream->png, STREAM_LEVEL);
}

static bool stream_failed(const struct png_stream *stream, struct error *error)
{
    return stream->memory ? error_memory(error)
                          : error_set(error, ERROR_IO, "PNG: %s", stream->message);
}

struct png_stream *png_stream_new(const struct image *shape, png_sink *sink, void *context,
                                  struct error *error)
{
    if (shape->width == 0 || shape->height == 0 || shape->width > PNG_UINT_31_MAX ||
        shape->height > PNG_UINT_31_MAX) {
        error_set(error, ERROR_LIMIT, "a PNG picture has 1 to 2147483647 pixels a side");
        return NULL;
    }
    struct png_stream *stream = calloc(1, sizeof *stream);
    if (stream)
        stream->png =
            png_create_write_struct_2(PNG_LIBPNG_VER_STRING, stream, stream_error, stream_warning,
                                      stream, stream_allocate, stream_release);
    if (stream && stream->png)
        stream->info = png_create_info_struct(stream->png);
    if (!stream || !stream->info) {
        png_stream_free(stream);
        return error_memory_null(error);
    }
    stream->sink = sink;
    stream->context = context;
    stream->format = shape->format;
    stream->width = shape->width;
    stream->rows_left = shape->height;
    if (setjmp(png_jmpbuf(stream->png))) {
        stream_failed(stream, error);
        png_stream_free(stream);
        return NULL;
    }
    set_header(stream, shape);
    return stream;
}

bool png_stream_rows(struct png_stream *stream, const struct image *band, struct error *error)
{
    if (band->width != stream->width || band->format != stream->format ||
        band->height > stream->rows_left)
        return error_set(error, ERROR_VALUE, "a band of rows does not fit the picture");
    if (setjmp(png_jmpbuf(stream->png)))
        return stream_failed(stream, error);
    if (!stream->has_header)
        png_write_info(stream->png, stream->info);
    stream->has_header = true;
    for (uint32_t y = 0; y < band->height; y++)
        png_write_row(stream->png, band->pixels + y * band->stride);
    stream->rows_left -= band->height;
    return true;
}

bool png_stream_text(struct png_stream *stream, const char *key, const char *text,
                     struct error *error)
{
    bool is_ascii = true;
    for (const char *c = text; *c; c++)
        is_ascii = is_ascii && (unsigned char)*c < 0x80;
    png_text entry = {
        .compression = is_ascii ? PNG_TEXT_COMPRESSION_NONE : PNG_ITXT_COMPRESSION_NONE,
        .key = (png_charp)(uintptr_t)key,
        .text = (png_charp)(uintptr_t)text,
        .text_length = is_ascii ? strlen(text) : 0,
        .itxt_length = is_ascii ? 0 : strlen(text),
    };
    if (setjmp(png_jmpbuf(stream->png)))
        return stream_failed(stream, error);
    png_set_text(stream->png, stream->info, &entry, 1);
    return true;
}

bool png_stream_end(struct png_stream *stream, struct error *error)
{
    if (stream->rows_left > 0)
        return error_set(error, ERROR_VALUE,
                         "the picture is incomplete: its last rows are missing");
    if (setjmp(png_jmpbuf(stream->png)))
        return stream_failed(stream, error);
    png_write_end(stream->png, NULL);
    return true;
}

void png_stream_free(struct png_stream *stream)
{
    if (!stream)
        return;
    if (stream->png)
        png_destroy_write_struct(&stream->png, &stream->info);
    free(stream);
}
