/* The parameters of paths and queries: one row for each, and for each use that differs. */
#include <stdlib.h>
#include <string.h>

#include "core/encode/terminal.h"
#include "core/terrain/locate.h"
#include "core/terrain/profile.h"
#include "core/tile/address.h"
#include "core/tile/mercator.h"
#include "server/http/routes/openapi.h"
#include "server/queries/query.h"
#include "server/render/chunk_maker.h"
#include "server/render/tile_maker.h"

#define COORDINATE_MAX 0x1p40 /* metres or seconds */
#define NUMBER_PATTERN "-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?"
#define BETWEEN(least, most) .low = (least), .high = (most)
#define INTEGER_PATTERN "-?[0-9]+"

static const struct openapi_parameter rows[] = {
    /* Of paths. */
    {"world", "tileOfQuery", "the world, as in /worlds/{world}; the default one if not given",
     OPENAPI_TEXT, .pattern = NULL},
    {"world", NULL,
     "NAME, or NAME~SEED for the same formulas with another seed (a whole number, or "
     "percent-encoded text); either with @FINGERPRINT behind it is pinned: 410 if the world is "
     "another one by now",
     OPENAPI_TEXT, .required = true},
    {"style", "tileOfQuery wmts gdal",
     "a style of the world, or the name of a layer; @FINGERPRINT behind it pins it", OPENAPI_TEXT,
     .pattern = NULL},
    {"style", NULL, "a style of the world, or the name of a layer; @FINGERPRINT behind it pins it",
     OPENAPI_TEXT, .required = true},
    {"z", "at explain", "the formulas' z, metres", OPENAPI_NUMBER,
     BETWEEN(-COORDINATE_MAX, COORDINATE_MAX), .default_value = "0"},
    {"z", NULL, "zoom: a tile's side is 2^(25 - z) metres", OPENAPI_INTEGER,
     BETWEEN(0, TILE_ZOOM_MAX), .required = true},
    {"x", "tile tile2 tileOfQuery tileOfQuery2",
     "column, from 0 in the west of the central square; it goes on beyond that", OPENAPI_INTEGER,
     BETWEEN(-COORDINATE_MAX, COORDINATE_MAX), .required = true},
    {"y", "tile tile2 tileOfQuery tileOfQuery2",
     "row, from 0 in the north of the central square; it goes on beyond that", OPENAPI_INTEGER,
     BETWEEN(-COORDINATE_MAX, COORDINATE_MAX), .required = true},
    {"cx", NULL, "the chunk's column: it begins at cx * size * step metres east", OPENAPI_INTEGER,
     BETWEEN(-0x1p44, 0x1p44), .required = true},
    {"cy", NULL, "the chunk's row: it begins at cy * size * step metres south", OPENAPI_INTEGER,
     BETWEEN(-0x1p44, 0x1p44), .required = true},
    {"cz", NULL, "the volume's storey: it begins at cz * size * step metres of height",
     OPENAPI_INTEGER, BETWEEN(-0x1p44, 0x1p44), .required = true},
    {"format", "tile tileOfQuery", "what the tile comes as", OPENAPI_TILE_FORMAT, .required = true},
    {"format", "tile2 tileOfQuery2", "what the tile comes as", OPENAPI_TILE_2X_FORMAT,
     .required = true},
    {"format", "chunk", "what the chunk comes as", OPENAPI_CHUNK_FORMAT, .required = true},
    {"format", "volume", "what the volume comes as", OPENAPI_VOLUME_FORMAT, .required = true},
    {"file", NULL, "one of the viewer's files", OPENAPI_TEXT, .required = true},
    /* Of queries. */
    {"format", "tilejson tilejsonDefault",
     "the tiles that are described; mvt has the style contour alone", OPENAPI_ENUM,
     .values = "png mvt", .default_value = "png"},
    {"format", NULL, "JSON, or the bare number or a table as text", OPENAPI_ENUM,
     .values = "json text", .default_value = "json"},
    {"pretty", NULL, "1 indents the JSON", OPENAPI_ENUM, .values = "0 1", .default_value = "0"},
    {"size", "tile tileOfQuery",
     "samples a side: 256 or 512; of json 1, 2, 4 … 64, and 64 if not given", OPENAPI_ENUM,
     .values = "256 512 1 2 4 8 16 32 64"},
    {"size", "tile2 tileOfQuery2", "512, as @2x says already", OPENAPI_ENUM, .values = "512",
     .default_value = "512"},
    {"size", "tilejson tilejsonDefault", "samples a side", OPENAPI_ENUM, .values = "256 512",
     .default_value = "256"},
    {"size", "volume", "steps a side: there are size + 1 samples", OPENAPI_INTEGER,
     BETWEEN(1, CHUNK_VOLUME_SIZE_MAX), .default_value = "32"},
    {"size", NULL, "steps a side: there are size + 1 samples, the last ones being the neighbour's",
     OPENAPI_INTEGER, BETWEEN(1, CHUNK_SIZE_MAX), .default_value = "64"},
    {"step", NULL, "metres between samples, a power of two", OPENAPI_CHUNK_STEP,
     .default_value = "1"},
    {"apron", NULL, "rings of samples around the chunk", OPENAPI_INTEGER,
     BETWEEN(0, CHUNK_APRON_MAX), .default_value = "0"},
    {"layers", NULL,
     "1 to 16 layers with commas between, one after the other in the answer; png, asc and glb have "
     "one. The layer biome is the index of the biome",
     OPENAPI_TEXT, .default_value = "height"},
    {"layer", NULL, "the layer", OPENAPI_TEXT, .default_value = "density"},
    {"t", NULL, "time of layers that move, seconds", OPENAPI_NUMBER,
     BETWEEN(-COORDINATE_MAX, COORDINATE_MAX), .default_value = "0"},
    {"interval", NULL, "metres between the contours of an mvt; the zoom's own if not given",
     OPENAPI_EXCLUSIVE_MINIMUM, BETWEEN(0, TILE_INTERVAL_MAX)},
    {"cols", NULL, "characters across a txt or ansi", OPENAPI_INTEGER,
     BETWEEN(TERMINAL_COLUMNS_MIN, TERMINAL_COLUMNS_MAX), .default_value = "80"},
    {"x", NULL, "metres east; x and y, or lon and lat, must be given", OPENAPI_NUMBER,
     BETWEEN(-COORDINATE_MAX, COORDINATE_MAX)},
    {"y", NULL, "metres south; x and y, or lon and lat, must be given", OPENAPI_NUMBER,
     BETWEEN(-COORDINATE_MAX, COORDINATE_MAX)},
    {"lon", NULL, "degrees east, in Web Mercator over the central square", OPENAPI_NUMBER,
     BETWEEN(-MERCATOR_LONGITUDE_MAX, MERCATOR_LONGITUDE_MAX)},
    {"lat", NULL, "degrees north, likewise", OPENAPI_NUMBER,
     BETWEEN(-MERCATOR_LATITUDE_MAX, MERCATOR_LATITUDE_MAX)},
    {"zoom", NULL, "at the level of detail of this zoom; full detail if not given", OPENAPI_INTEGER,
     BETWEEN(0, TILE_ZOOM_MAX)},
    {"line", NULL, "x,y;x,y[;…]: 2 to 64 places in metres", OPENAPI_TEXT,
     .pattern =
         "^" NUMBER_PATTERN "," NUMBER_PATTERN "(;" NUMBER_PATTERN "," NUMBER_PATTERN "){1,63}$",
     .required = true},
    {"samples", "profile profileSvg", "heights along the line", OPENAPI_INTEGER,
     BETWEEN(2, PROFILE_SAMPLES_MAX), .default_value = "256"},
    {"samples", NULL, "samples along the longer side", OPENAPI_INTEGER,
     BETWEEN(1, QUESTION_SAMPLES_MAX), .default_value = "256"},
    {"bbox", NULL, "x0,y0,x1,y1: west, north, east, south in metres", OPENAPI_TEXT,
     .pattern = "^" NUMBER_PATTERN "(," NUMBER_PATTERN "){3}$", .required = true},
    {"kind", NULL, "only objects of this kind", OPENAPI_TEXT, .pattern = NULL},
    {"biome", NULL, "the name of a biome; it or min_height must be given", OPENAPI_TEXT,
     .pattern = NULL},
    {"min_height", NULL, "ground at least so high, metres; it or biome must be given",
     OPENAPI_NUMBER, BETWEEN(-1e6, 1e6)},
    {"radius", "spawn", "metres that the search goes", OPENAPI_NUMBER, BETWEEN(1, 16777216),
     .default_value = "4096"},
    {"radius", NULL, "metres that the search goes", OPENAPI_NUMBER, BETWEEN(1, 16777216),
     .default_value = "10000"},
    {"from", NULL, "x,y,h: a place and a height above its ground, metres", OPENAPI_TEXT,
     .pattern = "^" NUMBER_PATTERN "(," NUMBER_PATTERN "){2}$", .required = true},
    {"to", NULL, "x,y,h: a place and a height above its ground, metres", OPENAPI_TEXT,
     .pattern = "^" NUMBER_PATTERN "(," NUMBER_PATTERN "){2}$", .required = true},
    {"a", NULL, "a world as in /worlds/{world}; the path's if not given", OPENAPI_TEXT,
     .pattern = NULL},
    {"b", NULL, "the world that it is compared with", OPENAPI_TEXT, .required = true},
    {"chunk", NULL, "cx,cy: the chunk's column and row", OPENAPI_TEXT,
     .pattern = "^" INTEGER_PATTERN "," INTEGER_PATTERN "$", .required = true},
    {"digest", NULL,
     "what you have: X-Terrane-Digest, terrane_digest() of the library; without it nothing is "
     "compared",
     OPENAPI_TEXT, .pattern = "^[0-9a-fA-F]{32}$"},
    /* Of the services', which programs add to every address. */
    {"service", NULL, "in any case", OPENAPI_ENUM, .values = "WMTS WMS"},
    {"SERVICE", NULL, "in any case", OPENAPI_ENUM, .values = "WMTS WMS"},
    {"request", NULL, "in any case", OPENAPI_ENUM, .values = "GetCapabilities"},
    {"REQUEST", NULL, "in any case", OPENAPI_ENUM, .values = "GetCapabilities"},
    {"version", NULL, "passed over", OPENAPI_TEXT, .pattern = NULL},
    {"VERSION", NULL, "passed over", OPENAPI_TEXT, .pattern = NULL},
};

bool openapi_has_word(const char *text, const char *word, size_t length)
{
    for (const char *at = text; at && *at; at += *at == ' ') {
        const size_t part = strcspn(at, " ");
        if (part == length && memcmp(at, word, length) == 0)
            return true;
        at += part;
    }
    return false;
}

const struct openapi_parameter *openapi_parameter_find(const struct openapi_route *row,
                                                       const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i].name) == length && memcmp(rows[i].name, name, length) == 0 &&
            (!rows[i].routes || openapi_has_word(rows[i].routes, row->id, strlen(row->id))))
            return &rows[i];
    return NULL;
}
