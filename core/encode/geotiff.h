/* Samples as a GeoTIFF: float32, uncompressed, one band for each layer, low byte first.
 *
 * The places are in metres and belong to no coordinate system of the Earth, so the file names none:
 * of OGC 19-008r4 it has the tie point and the pixel scale. y goes to the north in the file: it is
 * the world's with the other sign. */
#ifndef TERRANE_ENCODE_GEOTIFF_H
#define TERRANE_ENCODE_GEOTIFF_H

#include "core/base/error.h"
#include "core/encode/samples.h"

enum {
    GEOTIFF_VERSION = 1, /* changes when the bytes for the same samples do */
    GEOTIFF_LAYERS_MAX = 257,
};

/* Appends the file. `grid` is the first of `layers` grids of one shape, whose samples stand one
 * after another in grid->samples; its layer's name and unit are not written. False, with nothing
 * appended, when memory is out, or there are no samples, too many layers, or more than 2 GiB. */
bool geotiff_write(const struct sample_raster *grid, unsigned layers, struct buffer *out,
                   struct error *error);

#endif
