/* Samples as a GeoTIFF: float32, uncompressed, one band for each layer, low byte first.
 *
 * A file has the tie point and the pixel scale of OGC 19-008r4. y goes to the north in the file: it
 * is the world's with the other sign. The places are in metres of the world, which are those of no
 * system of the Earth: so a program that has to lay the file over others needs one of two systems.
 * - EPSG:3857, in which maps show the world's central square: metres of the world times
 *   π · 6378137 / 2²⁴, about 1.1943.
 * - The same projection with a scale of 1 / 1.1943, as Mercator's of a sphere. Its metres are the
 *   world's, and its degrees the map's, so that programs convert it to EPSG:3857 and others. (PROJ
 *   takes a smaller sphere, which would be simpler, for another planet.) */
#ifndef TERRANE_ENCODE_GEOTIFF_H
#define TERRANE_ENCODE_GEOTIFF_H

#include "core/base/error.h"
#include "core/encode/samples.h"

enum {
    GEOTIFF_VERSION = 1, /* changes when the bytes for the same samples do */
    GEOTIFF_LAYERS_MAX = 257,
};

enum geotiff_crs {
    GEOTIFF_NO_CRS,
    GEOTIFF_LOCAL, /* metres of the world */
    GEOTIFF_WEB_MERCATOR,
};

/* The tags of OGC 19-008r4. */
enum geotiff_tag {
    GEOTIFF_PIXEL_SCALE = 33550,
    GEOTIFF_TIE_POINT = 33922,
    GEOTIFF_KEYS = 34735,
    GEOTIFF_DOUBLES = 34736,
    GEOTIFF_TEXTS = 34737,
};

/* The tags of a file that name the system of its coordinates. */
struct geotiff_keys {
    const uint16_t *numbers; /* the value of GEOTIFF_KEYS; no tag if there are none */
    unsigned number_count;
    const double *doubles; /* of GEOTIFF_DOUBLES */
    unsigned double_count;
    const char *text; /* of GEOTIFF_TEXTS; null if neither tag is needed */
    double metre;     /* coordinates of the system in a metre of the world */
};
const struct geotiff_keys *geotiff_keys_of(enum geotiff_crs crs);

/* Appends the file. `grid` is the first of `layers` grids of one shape, whose samples stand one
 * after another in grid->samples; its layer's name and unit are not written. False, with nothing
 * appended, when memory is out, or there are no samples, too many layers, or more than 2 GiB. */
bool geotiff_write(const struct sample_raster *grid, unsigned layers, enum geotiff_crs crs,
                   struct buffer *out, struct error *error);
/* The same without the samples, which follow as samples_write_r32f() writes them; grid->samples is
 * not read. */
bool geotiff_write_header(const struct sample_raster *grid, unsigned layers, enum geotiff_crs crs,
                          struct buffer *out, struct error *error);

#endif
