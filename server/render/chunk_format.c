/* The formats of chunks and volumes. As in format.c, a row has everything that depends on the
 * format, and its id and version are part of recipes. The order of rows is the order of names in
 * messages. */
#include "server/render/chunk_format.h"

#include <string.h>

#include "core/encode/ascii_grid.h"
#include "core/encode/geotiff.h"
#include "core/encode/glb.h"
#include "core/encode/npy.h"
#include "core/encode/predict.h"
#include "core/encode/samples.h"
#include "server/render/chunk_task.h"
#include "server/render/coding.h"
#include "server/render/format_row.h"
#include "server/render/names.h"

#define BYTES "application/octet-stream"
#define METRES "value / 8 - 4096"

enum { BOTH = CHUNK_FLAT | CHUNK_VOLUME, MANY = CHUNK_LAYERS_MAX };
#define PLANES .materials = CHUNK_MATERIAL_PLANES

/* Raw floats of the world terra shrink to 0.6 … 0.8 of their size by gzip or zstd, which costs a
 * seventh or a fifteenth of the time that sampling takes. With their bytes sorted by significance
 * they would shrink to half, but no client undoes that by itself, and r16z is another six times
 * smaller. */
static const struct chunk_format formats[] = {
    /* Each row begins with name, id, version, content type, encoding, shapes and layers. */
    {"r32f", 1, SAMPLES_VERSION, BYTES, "float32, low byte first", BOTH, MANY, PLANES,
     .codings = CODINGS_ALL, .sample_bytes = 4, .encode = chunk_encode_r32f, .sample_time = 3.6,
     .coding_times = {0.0, 28.0, 5.0}},
    {"r16", 2, SAMPLES_VERSION, BYTES, "uint16, low byte first; " METRES, CHUNK_FLAT, MANY, PLANES,
     .codings = CODINGS_ALL, .sample_bytes = 2, .encode = chunk_encode_r16, .sample_time = 2.2,
     .coding_times = {0.0, 7.0, 3.0}},
    {"r16z", 3, 16 * PREDICT_VERSION + SAMPLES_VERSION, BYTES, "uint16, predicted, gzip; " METRES,
     CHUNK_FLAT, MANY, PLANES, .sample_bytes = 2, .encode = chunk_encode_r16z, .sample_time = 9.0},
    {"r8", 9, SAMPLES_VERSION, BYTES, "uint8", BOTH, MANY, PLANES, .codings = CODINGS_ALL,
     .scaled_to_range = true, .sample_bytes = 1, .encode = chunk_encode_r8, .sample_time = 2.8,
     .coding_times = {0.0, 7.0, 3.0}},
    {"png", 4, 16 * PNG_VERSION + SAMPLES_VERSION, "image/png", "uint16, grey PNG; " METRES,
     CHUNK_FLAT, 1, .materials = CHUNK_MATERIALS_ALONE, .sample_bytes = 2, .share_bytes = 1,
     .encode = chunk_encode_png, .sample_time = 5.0},
    {"json", 5, 1, "application/json", "numbers, JSON", BOTH, MANY, PLANES, .codings = CODINGS_ALL,
     .sample_bytes = 12, .encode = chunk_encode_json, .sample_time = 42.0, .extreme_time = 130.0,
     .coding_times = {0.0, 40.0, 44.0}},
    {"asc", 6, ASCII_GRID_VERSION, "text/plain; charset=utf-8", "numbers, ESRI ASCII grid",
     CHUNK_FLAT, 1, .codings = CODINGS_ALL, .sample_bytes = 12, .encode = chunk_encode_asc,
     .sample_time = 48.0, .extreme_time = 130.0, .coding_times = {0.0, 40.0, 42.0}},
    {"tif", 7, 16 * GEOTIFF_VERSION + SAMPLES_VERSION, "image/tiff", "float32, GeoTIFF", CHUNK_FLAT,
     MANY, PLANES, .codings = CODINGS_ALL, .has_crs = true, .sample_bytes = 4,
     .encode = chunk_encode_tif, .sample_time = 2.8, .coding_times = {0.0, 28.0, 8.0}},
    {"glb", 8, GLB_VERSION, "model/gltf-binary", "float32, glTF mesh", CHUNK_FLAT, 1,
     .materials = CHUNK_MATERIALS_BESIDE, .ring = 1, .codings = CODINGS_ALL, .coloured = true,
     .has_skirt = true, .sample_bytes = 68, .share_bytes = 1, .encode = chunk_encode_glb,
     .sample_time = 80.0, .coding_times = {0.0, 240.0, 92.0}},
    {"npy", 10, 16 * NPY_VERSION + SAMPLES_VERSION, FORMAT_NPY_TYPE,
     "float32, low byte first, NumPy file", BOTH, MANY, PLANES, .codings = CODINGS_ALL,
     .sample_bytes = 4, .encode = chunk_encode_npy, .sample_time = 3.6,
     .coding_times = {0.0, 28.0, 5.0}},
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

const struct chunk_format *chunk_format_find(const char *name, unsigned shape)
{
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if ((formats[i].shapes & shape) && strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

const struct chunk_format *chunk_format_at(size_t index)
{
    return index < FORMAT_COUNT ? &formats[index] : NULL;
}

const char *chunk_format_names(unsigned shape, char text[FORMAT_NAMES_TEXT])
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (formats[i].shapes & shape)
            names_add(text, &length, formats[i].name);
    return text;
}

bool chunk_format_is_coloured(const struct chunk_format *format)
{
    return format->coloured;
}

bool chunk_format_has_crs(const struct chunk_format *format)
{
    return format->has_crs;
}

bool chunk_format_has_materials(const struct chunk_format *format)
{
    return format->materials != CHUNK_NO_MATERIALS;
}

bool chunk_format_has_material_groups(const struct chunk_format *format)
{
    return format->materials == CHUNK_MATERIALS_ALONE;
}

bool chunk_format_has_skirt(const struct chunk_format *format)
{
    return format->has_skirt;
}

const char *chunk_format_names_of(chunk_format_filter *filter, char text[FORMAT_NAMES_TEXT])
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < FORMAT_COUNT; i++)
        if (filter(&formats[i]))
            names_add(text, &length, formats[i].name);
    return text;
}
