/* The table of formats of grids for engines: bare numbers, low byte first, as one file each. A new
 * format is a row. */
#ifndef TERRANE_SERVER_EXPORT_GRIDS_GRID_FORMAT_H
#define TERRANE_SERVER_EXPORT_GRIDS_GRID_FORMAT_H

#include <stdbool.h>

#include "core/base/buffer.h"
#include "server/render/names.h"

/* The heights in metres of the numbers 0 and 65535; low < high. */
struct grid_scale {
    double low, high;
};

struct grid_format {
    const char *name; /* the extension */
    const char *numbers;
    unsigned bytes; /* of a number */
    bool is_scaled; /* uses the scale; samples beyond it become 0 and 65535 */
    void (*write)(const struct grid_scale *scale, const float *samples, size_t count,
                  struct buffer *out);
    float (*read)(const uint8_t *number); /* the number, not scaled back; exact */
};

/* Null if there is none of that name. */
const struct grid_format *grid_format_find(const char *name);
/* "r16, raw …". Returns the text. */
const char *grid_format_names(char text[FORMAT_NAMES_TEXT]);
/* Of shares of materials, 0 … 255; not among those that are found. */
extern const struct grid_format grid_share_format;

/* Metres from one number to the next. */
double grid_scale_step(const struct grid_scale *scale);
/* True if the nearest number is at most half a step from the height. */
bool grid_scale_holds(const struct grid_scale *scale, float height);

/* The least and the greatest number of some bytes. */
struct grid_extremes {
    float low, high;
};
extern const struct grid_extremes grid_no_extremes; /* to begin with */
/* Widens them by the numbers. */
void grid_format_extremes(const struct grid_format *format, const uint8_t *bytes, size_t length,
                          struct grid_extremes *extremes);

#endif
