#include "server/render/chunk_format.h"

#include <string.h>

#include "core/encode/ascii_grid.h"
#include "core/encode/geotiff.h"
#include "core/encode/glb.h"
#include "core/encode/png.h"
#include "core/encode/predict.h"
#include "core/encode/samples.h"
#include "server/render/coding.h"

#define BYTES "application/octet-stream"
#define METRES "value / 8 - 4096"

enum { BOTH = CHUNK_FLAT | CHUNK_VOLUME, MANY = CHUNK_LAYERS_MAX };

/* Raw floats of terra shrink to 0.6 … 0.8 of their size by gzip or zstd, which is worth its time to
 * whoever asks for it: a seventh or a fifteenth of what sampling takes. With their bytes sorted by
 * significance they would shrink to half, but no client undoes that by itself, and r16z is another
 * six times smaller. */
static const struct chunk_format formats[] = {
    {"r32f", BYTES, "float32, low byte first", CHUNK_R32F, SAMPLES_VERSION, BOTH, MANY, 0,
     CODINGS_ALL},
    {"r16", BYTES, "uint16, low byte first; " METRES, CHUNK_R16, SAMPLES_VERSION, CHUNK_FLAT, MANY,
     0, CODINGS_ALL},
    {"r16z", BYTES, "uint16, predicted, gzip; " METRES, CHUNK_R16Z,
     16 * PREDICT_VERSION + SAMPLES_VERSION, CHUNK_FLAT, MANY, 0, CODINGS_NONE},
    {"png", "image/png", "uint16, grey PNG; " METRES, CHUNK_PNG, 16 * PNG_VERSION + SAMPLES_VERSION,
     CHUNK_FLAT, 1, 0, CODINGS_NONE},
    {"json", "application/json", "numbers, JSON", CHUNK_JSON, 1, BOTH, MANY, 0, CODINGS_ALL},
    {"asc", "text/plain; charset=utf-8", "numbers, ESRI ASCII grid", CHUNK_ASC, ASCII_GRID_VERSION,
     CHUNK_FLAT, 1, 0, CODINGS_ALL},
    {"tif", "image/tiff", "float32, GeoTIFF", CHUNK_TIF, 16 * GEOTIFF_VERSION + SAMPLES_VERSION,
     CHUNK_FLAT, MANY, 0, CODINGS_ALL},
    {"glb", "model/gltf-binary", "float32, glTF mesh", CHUNK_GLB, GLB_VERSION, CHUNK_FLAT, 1, 1,
     CODINGS_ALL},
    {"r8", BYTES, "uint8", CHUNK_R8, SAMPLES_VERSION, CHUNK_VOLUME, 1, 0, CODINGS_ALL},
};

const struct chunk_format *chunk_format_find(const char *name, unsigned shape)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if ((formats[i].shapes & shape) && strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

const struct chunk_format *chunk_format_at(size_t index)
{
    return index < sizeof formats / sizeof *formats ? &formats[index] : NULL;
}

const char *chunk_format_names(unsigned shape)
{
    return shape == CHUNK_VOLUME ? "r32f, r8, json" : "r32f, r16, r16z, png, json, asc, tif, glb";
}
