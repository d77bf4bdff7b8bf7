/* Samples as an ESRI ASCII grid, which GDAL, QGIS and many others open.
 *
 *   ncols 2
 *   nrows 1
 *   xllcenter 16
 *   yllcenter -32
 *   cellsize 4
 *   197.97603 3.0
 *
 * In the file y goes to the north as usual there, so its y is the world's with the other sign.
 * The corner is the south-western sample itself, not a corner of a cell. */
#ifndef TERRANE_ENCODE_ASCII_GRID_H
#define TERRANE_ENCODE_ASCII_GRID_H

#include "core/encode/samples.h"

enum { ASCII_GRID_VERSION = 1 }; /* changes when the bytes for the same samples do */

/* Appends the lines before the numbers. */
void ascii_grid_write_head(const struct sample_raster *grid, struct buffer *out);
/* Appends lines of numbers, as many as the samples have rows. */
void ascii_grid_write_rows(const float *samples, uint32_t columns, uint32_t rows,
                           struct buffer *out);
/* Appends the file; rows from north to south. Every number reads back to the same float. Layer and
 * unit are not written: the format has no place for them. */
void ascii_grid_write(const struct sample_raster *grid, struct buffer *out);

#endif
