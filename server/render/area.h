/* A rectangle as a grid of square pixels, with samples at their centres. */
#ifndef TERRANE_SERVER_RENDER_AREA_H
#define TERRANE_SERVER_RENDER_AREA_H

#include "core/sampling/sampler.h"

/* Reads X0,Y0,X1,Y1 in metres into west, north, east, south; the area is not empty. */
bool area_parse_bbox(const char *text, int64_t box[4], struct error *error);

/* Metres above 0 that are a whole number of 2⁻¹⁶ m, which is what *step is in. */
bool area_parse_step(const char *text, int64_t *step, struct error *error);

/* LOW,HIGH: the values of the least and the greatest number of 16 bits. */
bool area_parse_range(const char *text, double *low, double *high, struct error *error);

/* `width` pixels across, whose side is the nearest whole number of 2⁻¹⁶ m; the height is the
 * rectangle's to the nearest pixel. The rectangle is west, north, east, south. Sets all of the grid
 * but its time. False with ERROR_LIMIT if pixels would be too small, or too many. */
bool area_of_width(const int64_t box[4], int64_t width, struct sample_grid *grid,
                   struct error *error);
/* Pixels of `step` from the north-western corner on, as many as cover the rectangle. */
bool area_of_step(const int64_t box[4], int64_t step, struct sample_grid *grid,
                  struct error *error);

#endif
