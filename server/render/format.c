/* The formats of tiles. A row has everything that depends on the format, so that no other code
 * tests which format it is: parsers read sizes and flags, the tile maker calls `encode`, admission
 * calls `price`, rectangles are written by `pictures`, and messages join the names of
 * rows.
 *
 * Pictures (png, webp, ansi) are painted by a style; the others are the samples of the layer that
 * the style shows, and so keep their 16 bits and more. `id` and `version` are bytes of the recipe
 * that cache keys and entity tags are made of: an id is never used again for another format, and a
 * change of the encoded bytes increases the version, so that caches and clients fetch the new
 * bytes. */
#include "server/render/format.h"

#include <string.h>

#include "core/encode/geotiff.h"
#include "core/encode/mvt.h"
#include "core/encode/npy.h"
#include "core/encode/png.h"
#include "core/encode/quantized_mesh.h"
#include "core/encode/samples.h"
#include "core/encode/terminal.h"
#include "core/encode/webp.h"
#include "server/render/coding.h"
#include "server/render/picture_task.h"
#include "server/render/price.h"
#include "server/render/tile_task.h"

enum { TIFF_SIDE_MAX = 23170 }; /* pixels: a GeoTIFF has 2²⁹ samples at most */

/* How the samples of a rectangle are written, by the function that writes the header; or null. */
#define SAMPLES_PICTURE(header, side)                                                              \
    {                                                                                              \
        picture_sample, header, picture_write_samples, NULL, side, 2.0, 0.0                        \
    }
/* With any effort. */
#define PICTURES_OF_SAMPLES(header, side)                                                          \
    {                                                                                              \
        SAMPLES_PICTURE(header, side), SAMPLES_PICTURE(header, side)                               \
    }

/* Floats lose an eighth of their size by either coding. For a tile of r32f gzip takes 2.6 ms,
 * longer than sampling it and than sending what it saves at 100 Mbit/s; zstd takes 0.3 ms. */
static const struct format formats[] = {
    /* Each row begins with name, id, version, content type, sizes and the default of these. */
    {"png", 1, PNG_VERSION, "image/png", 256 | 512, 256, .supports_16bit = true,
     .encode = tile_encode_png, .price = tile_price_painted, .sample_time = 1.8,
     .pictures = {[TILE_FAST] = {picture_paint, NULL, picture_collect, picture_end_whole_png,
                                 PNG_SIDE_MAX, 1.0, 4.0},
                  [TILE_SMALL] = {picture_paint, NULL, picture_write_png, picture_end_png,
                                  INT32_MAX, 250.0, 0.0}}},
    {"webp", 2, WEBP_VERSION, "image/webp", 256 | 512, 256, .encode = tile_encode_webp,
     .price = tile_price_painted, .sample_time = 16.0,
     .pictures = {[TILE_FAST] = {picture_paint, NULL, picture_collect, picture_end_webp,
                                 WEBP_SIDE_MAX, 1.0, 55.0},
                  [TILE_SMALL] = {picture_paint, NULL, picture_collect, picture_end_webp,
                                  WEBP_SIDE_MAX, 1.0, 600.0}}},
    {"r32f", 3, SAMPLES_VERSION, "application/octet-stream", 256 | 512, 256,
     .codings = CODINGS_ZSTD, .supports_16bit = true, .write_samples = samples_write_r32f,
     .encode = tile_encode_samples, .price = tile_price_samples, .sample_time = 2.0,
     .coding_times = {0.0, 0.0, 4.5}, .pictures = PICTURES_OF_SAMPLES(NULL, UINT32_MAX)},
    {"r16", 4, SAMPLES_VERSION, "application/octet-stream", 256 | 512, 256, .codings = CODINGS_ALL,
     .supports_16bit = true, .write_samples = samples_write_r16, .encode = tile_encode_samples,
     .price = tile_price_samples, .sample_time = 2.0, .coding_times = {0.0, 13.0, 3.0},
     .pictures = PICTURES_OF_SAMPLES(NULL, UINT32_MAX)},
    {"json", 5, SAMPLES_VERSION, "application/json", 1 | 2 | 4 | 8 | 16 | 32 | 64, 64,
     .codings = CODINGS_ALL, .unit = true, .supports_16bit = true, .encode = tile_encode_json,
     .price = tile_price_samples, .sample_time = 40.0, .coding_times = {0.0, 150.0, 45.0}},
    {"mvt", 6, MVT_VERSION + VECTOR_TILE_VERSION, "application/vnd.mapbox-vector-tile", 256, 256,
     .alias = "pbf", .codings = CODINGS_ALL, .interval = true, .supports_16bit = true,
     .encode = tile_encode_mvt, .price = tile_price_features, .sample_time = 40.0,
     .coding_times = {0.0, 4.0, 6.0}},
    {"txt", 7, TERMINAL_VERSION, "text/plain; charset=utf-8", 256, 256, .codings = CODINGS_ALL,
     .columns = true, .supports_16bit = true, .encode = tile_encode_txt,
     .price = tile_price_samples, .sample_time = 3.0, .coding_times = {0.0, 1.0, 1.0}},
    {"ansi", 8, TERMINAL_VERSION, "text/plain; charset=utf-8", 256, 256, .codings = CODINGS_ALL,
     .columns = true, .encode = tile_encode_ansi, .price = tile_price_painted, .sample_time = 14.0,
     .coding_times = {0.0, 9.0, 6.0}},
    {"tif", 9, 16 * GEOTIFF_VERSION + SAMPLES_VERSION, "image/tiff", 256 | 512, 256,
     .codings = CODINGS_ZSTD, .supports_16bit = true, .encode = tile_encode_tif,
     .write_samples = samples_write_r32f, .price = tile_price_samples, .sample_time = 2.0,
     .coding_times = {0.0, 0.0, 4.5},
     .pictures = PICTURES_OF_SAMPLES(picture_header_tif, TIFF_SIDE_MAX)},
    {"npy", 10, 16 * NPY_VERSION + SAMPLES_VERSION, FORMAT_NPY_TYPE, 256 | 512, 256,
     .codings = CODINGS_ZSTD, .supports_16bit = true, .encode = tile_encode_npy,
     .write_samples = samples_write_r32f, .price = tile_price_samples, .sample_time = 2.0,
     .coding_times = {0.0, 0.0, 4.5},
     .pictures = PICTURES_OF_SAMPLES(picture_header_npy, INT32_MAX)},
    {"terrain", 11, QUANTIZED_MESH_VERSION, "application/vnd.quantized-mesh", 64, 64,
     .codings = CODINGS_ALL, .globe = true, .supports_16bit = true, .encode = tile_encode_terrain,
     .price = tile_price_mesh, .sample_time = 50.0, .coding_times = {0.0, 45.0, 12.0}},
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

static bool is_name(const char *name, const char *text, size_t length)
{
    return name && strlen(name) == length && memcmp(name, text, length) == 0;
}

const struct format *format_find(const char *name, size_t length)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (is_name(formats[i].name, name, length) || is_name(formats[i].alias, name, length))
            return &formats[i];
    return NULL;
}

const struct format *format_at(size_t index)
{
    return index < FORMAT_COUNT ? &formats[index] : NULL;
}

bool format_has_samples(const struct format *format)
{
    return format->write_samples != NULL;
}

bool format_supports_16bit(const struct format *format)
{
    return format->supports_16bit;
}

bool format_supports_rectangles(const struct format *format)
{
    return format->pictures[TILE_FAST].make != NULL;
}

bool format_supports_16bit_rectangles(const struct format *format)
{
    return format->supports_16bit && format_supports_rectangles(format);
}

bool format_has_columns(const struct format *format)
{
    return format->columns;
}

bool format_has_interval(const struct format *format)
{
    return format->interval;
}

/* Characters are for terminals, and programs that read meshes know no archive of them. */
bool format_is_of_archives(const struct format *format)
{
    return !format->columns && !format->globe;
}

const char *format_names(format_filter *filter, char text[FORMAT_NAMES_TEXT])
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (!filter || filter(&formats[i]))
            names_add(text, &length, formats[i].name);
    return text;
}

bool format_allows_size(const struct format *format, uint32_t size)
{
    return size > 0 && (size & (size - 1)) == 0 && (format->sizes & size);
}

const char *format_size_names(const struct format *format, char text[FORMAT_NAMES_TEXT])
{
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t size = 1; size <= format->sizes; size *= 2) {
        char number[16];
        snprintf(number, sizeof number, "%u", (unsigned)size);
        if (format_allows_size(format, size))
            names_add(text, &length, number);
    }
    return text;
}
