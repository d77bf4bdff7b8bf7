/* Checks of sets of contours, independent of the code that makes them. Include cmocka.h
 * first. */
#ifndef TERRANE_TESTS_CONTOUR_CHECK_H
#define TERRANE_TESTS_CONTOUR_CHECK_H

#include <math.h>
#include <stdlib.h>

#include "core/terrain/contour.h"

/* A field of `columns` × `rows` samples of a function of column and row; free its samples. */
static inline struct contour_field field_of(double (*height)(double x, double y), uint32_t columns,
                                            uint32_t rows)
{
    float *samples = malloc((size_t)columns * rows * sizeof *samples);
    assert_non_null(samples);
    for (uint32_t y = 0; y < rows; y++)
        for (uint32_t x = 0; x < columns; x++)
            samples[(size_t)y * columns + x] = (float)height(x, y);
    return (struct contour_field){samples, columns, rows, 0};
}

/* The field between its samples, bilinear, at sample coordinates. */
static inline double field_at(const struct contour_field *field, double x, double y)
{
    size_t column = (size_t)x, row = (size_t)y;
    column = column > field->columns - 2 ? field->columns - 2 : column;
    row = row > field->rows - 2 ? field->rows - 2 : row;
    double tx = x - (double)column, ty = y - (double)row;
    const float *at = field->samples + row * field->columns + column;
    const float *below = at + field->columns;
    return ((double)at[0] * (1 - tx) + (double)at[1] * tx) * (1 - ty) +
           ((double)below[0] * (1 - tx) + (double)below[1] * tx) * ty;
}

/* The largest difference of two samples side by side. */
static inline double field_steepness(const struct contour_field *field)
{
    double most = 0;
    for (uint32_t y = 0; y < field->rows; y++) {
        for (uint32_t x = 0; x < field->columns; x++) {
            const float *at = field->samples + (size_t)y * field->columns + x;
            if (x + 1 < field->columns)
                most = fmax(most, fabs((double)at[0] - (double)at[1]));
            if (y + 1 < field->rows)
                most = fmax(most, fabs((double)at[0] - (double)at[field->columns]));
        }
    }
    return most;
}

/* Twice the area by the shoelace formula, y down. */
static inline double area_of(const struct contours *lines, size_t index)
{
    const struct contour_line *line = &lines->lines[index];
    const struct contour_point *points = lines->points + line->first;
    double area = 0;
    for (size_t i = 0; i < line->count; i++) {
        struct contour_point a = points[i], b = points[(i + 1) % line->count];
        area += (double)a.x * b.y - (double)b.x * a.y;
    }
    return area;
}

/* The sum over all rings, exteriors and holes. */
static inline double total_area(const struct contours *rings)
{
    double area = 0;
    for (size_t i = 0; i < rings->line_count; i++)
        area += area_of(rings, i);
    return area;
}

/* By the crossings of a ray to the east; for points on no side. */
static inline bool is_in_ring(const struct contours *lines, size_t index, double x, double y)
{
    const struct contour_line *line = &lines->lines[index];
    const struct contour_point *points = lines->points + line->first;
    bool inside = false;
    for (size_t i = 0; i < line->count; i++) {
        struct contour_point a = points[i], b = points[(i + 1) % line->count];
        if ((a.y > y) != (b.y > y) && x < a.x + (y - a.y) * (b.x - a.x) / (double)(b.y - a.y))
            inside = !inside;
    }
    return inside;
}

/* Even-odd over all rings. */
static inline bool is_in_area(const struct contours *rings, double x, double y)
{
    bool inside = false;
    for (size_t i = 0; i < rings->line_count; i++)
        inside ^= is_in_ring(rings, i, x, y);
    return inside;
}

#endif
