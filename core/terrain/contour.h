/* Contours: isolines of a field of samples by marching squares, joined into lines and rings, and
 * the areas below a level as polygons.
 *
 * Coordinates are whole numbers of 2⁻¹⁶ of the distance between samples: x to the east, y to the
 * south, sample (column, row) at (column · 2¹⁶, row · 2¹⁶). All decisions are comparisons of
 * samples and integer arithmetic on differences, so two fields that share samples have the same
 * lines there, moved by whole samples, bit for bit.
 *
 * A sample equal to the level counts as above it, and a crossing keeps a margin of at least 2⁻¹⁶
 * from both samples of its edge. So the lines of a level never touch, even where samples equal the
 * level, and no line crosses itself. A saddle (opposite corners of a cell on the same side) joins
 * its high corners if the mean of the four is at or above the level, else its low ones.
 *
 * Lines run with the higher ground on their left, the lower on their right, north being up. So a
 * ring around low ground turns clockwise on the map and has a positive area by the shoelace formula
 * with y down; one around high ground has a negative area. Lines come in order of their levels;
 * in a level, first the open ones, then the rings, each by their first cell, row by row.
 *
 * A zeroed struct contours is empty and ready for use by one thread; used again, it keeps its
 * memory. All functions replace the content of `out`, and return false with ERROR_MEMORY when
 * memory is out. */
#ifndef TERRANE_TERRAIN_CONTOUR_H
#define TERRANE_TERRAIN_CONTOUR_H

#include <stddef.h>

#include "core/base/error.h"

enum {
    CONTOUR_BITS = 16,
    CONTOUR_ONE = 1 << CONTOUR_BITS, /* from a sample to the next */
    CONTOUR_SIDE_MAX = 16384,        /* columns and rows of a field */
    CONTOUR_LEVELS_MAX = 1000,
    CONTOUR_CROSSINGS_MAX = 1 << 20, /* crossings of cells by levels, in one field */
};

/* Finite samples, row-major, north to south: at least 2 × 2. */
struct contour_field {
    const float *samples;
    uint32_t columns, rows;
    int32_t margin; /* of crossings from samples: 0 … CONTOUR_ONE / 2; 0 means 1 */
};

struct contour_point {
    int32_t x, y;
};

struct contour_line {
    size_t first, count; /* of its points; a ring's first point is not repeated */
    uint32_t level;      /* index into the given levels */
    bool closed;         /* a ring */
    bool hole;           /* of contour_area(): inside the nearest earlier ring that is not a hole */
};

struct contours {
    struct contour_point *points;
    struct contour_line *lines;
    size_t point_count, line_count;
    size_t point_capacity, line_capacity;
    void *scratch; /* memory of the functions below */
    size_t scratch_capacity;
    bool failed; /* an allocation failed */
};

void contours_free(struct contours *contours);
/* Empty, memory kept, and not failed. */
void contours_clear(struct contours *contours);
/* Append a point, and a line of all points behind those of the last line. Failures are remembered.
 */
void contours_add_point(struct contours *contours, int32_t x, int32_t y);
void contours_add_line(struct contours *contours, uint32_t level, bool closed);
/* Scratch memory of `size` > 0 bytes, whose content survives growth; null when memory is out. */
void *contours_scratch(struct contours *contours, size_t size);
/* The index of the first point behind those of the last line: of the line being made. */
size_t contours_tail(const struct contours *contours);
/* Twice the area that a ring's points enclose, positive if it turns clockwise on the map. */
double contour_ring_area(const struct contour_point *points, size_t count);

/* Metres between contours that keep a map of a zoom readable: 1, 2 or 5 times a power of ten; 1 m
 * at zoom 17. A zoom outside 0 … 20 gets the nearest one's. */
double contour_interval_of_zoom(int zoom);

/* All multiples of an interval that the field crosses: level i is the number (first + i) ·
 * interval. ERROR_VALUE unless the interval is finite and above 0; ERROR_LIMIT if there are more
 * than CONTOUR_LEVELS_MAX, or they are too near to each other for float32. */
struct contour_levels {
    double interval;
    int64_t first;
    uint32_t count;
    float values[CONTOUR_LEVELS_MAX];
};
bool contour_list_levels(const struct contour_field *field, double interval,
                         struct contour_levels *levels, struct error *error);
/* Level i as its shortest decimal: 0.3 is the third multiple of 0.1. */
double contour_level_value(const struct contour_levels *levels, uint32_t index);

/* The isolines of `count` strictly increasing levels. ERROR_LIMIT beyond CONTOUR_CROSSINGS_MAX;
 * ERROR_VALUE for sides out of range. */
bool contour_trace(const struct contour_field *field, const float *levels, uint32_t count,
                   struct contours *out, struct error *error);

/* The point of the line through a and b at this x (or y), rounded to nearest. The same from every
 * field, as only differences count. a and b must differ in x (or y). */
struct contour_point contour_at_x(struct contour_point a, struct contour_point b, int32_t x);
struct contour_point contour_at_y(struct contour_point a, struct contour_point b, int32_t y);

/* A rectangle, its border included; west < east, north < south. */
struct contour_box {
    int32_t west, north, east, south;
};

/* Clips lines to the box. A line that leaves it falls into pieces that end on its border; pieces of
 * a single point are left out. */
bool contour_clip(const struct contours *lines, const struct contour_box *box, struct contours *out,
                  struct error *error);

struct contour_area {
    const struct contour_field *field;
    float level;
    struct contour_box box; /* within the field, at least one sample wide and high */
};

/* The part of the box where the field is below the level: rings in `out`, each exterior one
 * (clockwise on the map) followed by its holes (anticlockwise). `work` is scratch memory. */
bool contour_area(const struct contour_area *area, struct contours work[2], struct contours *out,
                  struct error *error);

#endif
