/* The corners of cells, taken from a window of lattice points (see kernels_window.c). Inline, for
 * the kernels of bases. Internal to this folder. */
#ifndef TERRANE_NOISE_KERNELS_WINDOW_H
#define TERRANE_NOISE_KERNELS_WINDOW_H

#include "core/noise/cell_corners.h"

enum { WINDOW_LANES = 8 };

/* Vectors of GNU C; the compiler splits them where the machine's are shorter. */
typedef float window_four __attribute__((vector_size(16)));
typedef float window_eight __attribute__((vector_size(32)));

/* Memory behind the last point that is read with it, but not used: kernels_lookup.h takes points in
 * rectangles. */
enum { WINDOW_ROWS_BEYOND = 6, WINDOW_POINTS_BEYOND = 8 };

/* The distance from a row of points to the next, in floats. */
TERRANE_INLINE uint32_t window_pitch(const struct kernel_window *window)
{
    return 2 * window->columns;
}

/* The index of a cell's north-west corner among the window's floats. */
TERRANE_INLINE uint32_t window_index(const struct kernel_window *window, uint32_t x, uint32_t y)
{
    return 2 * ((y - window->first_y) * window->columns + (x - window->first_x));
}

/* The corners of a cell whose north-west corner is at `north` in the window. */
TERRANE_INLINE struct corners corners_at(const struct kernel_window *window, const float *north)
{
    const float *south = north + window_pitch(window);
    return (struct corners){.x = {north[0], north[2], south[0], south[2]},
                            .y = {north[1], north[3], south[1], south[3]}};
}

/* The corners of a cell that is in the window. */
TERRANE_INLINE struct corners window_corners(const struct kernel_window *window, uint32_t x,
                                             uint32_t y)
{
    return corners_at(window, window->points + window_index(window, x, y));
}

/* Loads four floats from each of two addresses. */
TERRANE_INLINE void window_load(const float *a, const float *b, window_eight *both)
{
    window_four low, high;
    memcpy(&low, a, sizeof low);
    memcpy(&high, b, sizeof high);
    *both = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

/* Gathers and transposes: {x, y} of a point and of its right neighbour for WINDOW_LANES cells
 * become four rows of a lane each. With vectors of eight floats where the machine has them;
 * compilers split those badly, so there is a second form for vectors of four. */
#if defined(__AVX__) || defined(TERRANE_HAS_CLONES)
TERRANE_INLINE void window_points(const float *points, const uint32_t *restrict index,
                                  window_eight out[4])
{
    window_eight r0, r1, r2, r3;
    window_load(points + index[0], points + index[4], &r0);
    window_load(points + index[1], points + index[5], &r1);
    window_load(points + index[2], points + index[6], &r2);
    window_load(points + index[3], points + index[7], &r3);
    window_eight left01 = __builtin_shufflevector(r0, r1, 0, 8, 1, 9, 4, 12, 5, 13);
    window_eight left23 = __builtin_shufflevector(r2, r3, 0, 8, 1, 9, 4, 12, 5, 13);
    window_eight right01 = __builtin_shufflevector(r0, r1, 2, 10, 3, 11, 6, 14, 7, 15);
    window_eight right23 = __builtin_shufflevector(r2, r3, 2, 10, 3, 11, 6, 14, 7, 15);
    out[0] = __builtin_shufflevector(left01, left23, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = __builtin_shufflevector(left01, left23, 2, 3, 10, 11, 6, 7, 14, 15);
    out[2] = __builtin_shufflevector(right01, right23, 0, 1, 8, 9, 4, 5, 12, 13);
    out[3] = __builtin_shufflevector(right01, right23, 2, 3, 10, 11, 6, 7, 14, 15);
}
#else
TERRANE_INLINE void window_points(const float *points, const uint32_t *restrict index,
                                  window_eight out[4])
{
    window_four r[4], rows[4];
    for (int half = 0; half < 2; half++, index += 4) {
        for (int i = 0; i < 4; i++)
            memcpy(&r[i], points + index[i], sizeof r[i]);
        window_four left01 = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
        window_four left23 = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
        window_four right01 = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
        window_four right23 = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
        rows[0] = __builtin_shufflevector(left01, left23, 0, 1, 4, 5);
        rows[1] = __builtin_shufflevector(left01, left23, 2, 3, 6, 7);
        rows[2] = __builtin_shufflevector(right01, right23, 0, 1, 4, 5);
        rows[3] = __builtin_shufflevector(right01, right23, 2, 3, 6, 7);
        for (int i = 0; i < 4; i++)
            memcpy((char *)&out[i] + half * (int)sizeof rows[i], &rows[i], sizeof rows[i]);
    }
}
#endif

/* The corners of WINDOW_LANES cells: rows of {x, y} of each corner in turn. */
union window_cells {
    window_eight rows[8];
    float of[8][WINDOW_LANES];
};
TERRANE_INLINE void window_take(const struct kernel_window *window, const uint32_t *index,
                                union window_cells *cells)
{
    window_points(window->points, index, cells->rows);
    window_points(window->points + window_pitch(window), index, cells->rows + 4);
}

/* The corners of the cell in one lane. */
TERRANE_INLINE struct corners window_cell(const union window_cells *cells, uint32_t lane)
{
    const float(*of)[WINDOW_LANES] = cells->of;
    return (struct corners){.x = {of[0][lane], of[2][lane], of[4][lane], of[6][lane]},
                            .y = {of[1][lane], of[3][lane], of[5][lane], of[7][lane]}};
}

/* Fills a row of a window with the corners of a basis in two dimensions. */
TERRANE_INLINE void fill_window_line(struct corner_rule rule, const struct window_line *line)
{
    const uint32_t key_x = line->key_x, line_y = line->line_y, first_x = line->first_x;
    const uint32_t columns = line->columns;
    float *restrict points = line->points;
    for (size_t i = 0; i < columns; i++) { /* size_t cannot wrap, so the loop is vectorised */
        const uint32_t line_x = corner_line_x(rule, first_x + (uint32_t)i, key_x);
        const struct corner corner = rule.corner(line_x, line_y, NULL, 0);
        points[2 * i] = corner.x;
        points[2 * i + 1] = corner.y;
    }
}

#define WINDOW_FILL(name, rule)                                                                    \
    TERRANE_CLONES                                                                                 \
    static void name(const struct window_line *line)                                               \
    {                                                                                              \
        fill_window_line(rule, line);                                                              \
    }

#endif
