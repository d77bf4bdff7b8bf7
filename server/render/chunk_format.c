/* The formats of chunks and volumes. As in format.c, a row has everything that depends on the
 * format, and its id and version are part of recipes. The order of rows is the order of names in
 * messages. */
#include "server/render/chunk_format.h"

#include <string.h>

#include "core/encode/ascii_grid.h"
#include "core/encode/geotiff.h"
#include "core/encode/glb.h"
#include "core/encode/predict.h"
#include "core/encode/samples.h"
#include "server/render/chunk_task.h"
#include "server/render/coding.h"
#include "server/render/names.h"

#define BYTES "application/octet-stream"
#define METRES "value / 8 - 4096"

enum { BOTH = CHUNK_FLAT | CHUNK_VOLUME, MANY = CHUNK_LAYERS_MAX };

/* Raw floats of the world terra shrink to 0.6 … 0.8 of their size by gzip or zstd, which costs a
 * seventh or a fifteenth of the time that sampling takes. With their bytes sorted by significance
 * they would shrink to half, but no client undoes that by itself, and r16z is another six times
 * smaller. */
static const struct chunk_format formats[] = {
    {
        .name = "r32f",
        .id = 1,
        .version = SAMPLES_VERSION,
        .content_type = BYTES,
        .encoding = "float32, low byte first",
        .shapes = BOTH,
        .layers = MANY,
        .codings = CODINGS_ALL,
        .sample_bytes = 4,
        .encode = chunk_encode_r32f,
    },
    {
        .name = "r16",
        .id = 2,
        .version = SAMPLES_VERSION,
        .content_type = BYTES,
        .encoding = "uint16, low byte first; " METRES,
        .shapes = CHUNK_FLAT,
        .layers = MANY,
        .codings = CODINGS_ALL,
        .sample_bytes = 2,
        .encode = chunk_encode_r16,
    },
    {
        .name = "r16z",
        .id = 3,
        .version = 16 * PREDICT_VERSION + SAMPLES_VERSION,
        .content_type = BYTES,
        .encoding = "uint16, predicted, gzip; " METRES,
        .shapes = CHUNK_FLAT,
        .layers = MANY,
        .sample_bytes = 2,
        .encode = chunk_encode_r16z,
    },
    {
        .name = "r8",
        .id = 9,
        .version = SAMPLES_VERSION,
        .content_type = BYTES,
        .encoding = "uint8",
        .shapes = CHUNK_VOLUME,
        .layers = 1,
        .codings = CODINGS_ALL,
        .scaled_to_range = true,
        .sample_bytes = 1,
        .encode = chunk_encode_r8,
    },
    {
        .name = "png",
        .id = 4,
        .version = 16 * PNG_VERSION + SAMPLES_VERSION,
        .content_type = "image/png",
        .encoding = "uint16, grey PNG; " METRES,
        .shapes = CHUNK_FLAT,
        .layers = 1,
        .sample_bytes = 2,
        .encode = chunk_encode_png,
    },
    {
        .name = "json",
        .id = 5,
        .version = 1,
        .content_type = "application/json",
        .encoding = "numbers, JSON",
        .shapes = BOTH,
        .layers = MANY,
        .codings = CODINGS_ALL,
        .text = true,
        .sample_bytes = 12,
        .encode = chunk_encode_json,
    },
    {
        .name = "asc",
        .id = 6,
        .version = ASCII_GRID_VERSION,
        .content_type = "text/plain; charset=utf-8",
        .encoding = "numbers, ESRI ASCII grid",
        .shapes = CHUNK_FLAT,
        .layers = 1,
        .codings = CODINGS_ALL,
        .text = true,
        .sample_bytes = 12,
        .encode = chunk_encode_asc,
    },
    {
        .name = "tif",
        .id = 7,
        .version = 16 * GEOTIFF_VERSION + SAMPLES_VERSION,
        .content_type = "image/tiff",
        .encoding = "float32, GeoTIFF",
        .shapes = CHUNK_FLAT,
        .layers = MANY,
        .codings = CODINGS_ALL,
        .sample_bytes = 4,
        .encode = chunk_encode_tif,
    },
    {
        .name = "glb",
        .id = 8,
        .version = GLB_VERSION,
        .content_type = "model/gltf-binary",
        .encoding = "float32, glTF mesh",
        .shapes = CHUNK_FLAT,
        .layers = 1,
        .ring = 1,
        .codings = CODINGS_ALL,
        .sample_bytes = 52,
        .encode = chunk_encode_glb,
    },
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
