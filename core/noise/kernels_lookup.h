/* Looks up the corners of many cells in a window of lattice points (kernels_window.c), in the form
 * that suits the machine's vectors. Inline, for kernels_displaced.h and kernels_turned.h. Internal
 * to this folder.
 *
 * Two floats of a point and two of its right neighbour are loaded for each sample and transposed,
 * in vectors of four or eight floats. With vectors of sixteen there is a second way: a rectangle of
 * NEAR_COLUMNS × NEAR_ROWS points fits into four registers, and one instruction takes the value of
 * each sample from two of them. So does one of SLIM_COLUMNS × TALL_ROWS. One of NEAR_COLUMNS ×
 * TALL_ROWS takes two such instructions. */
#ifndef TERRANE_NOISE_KERNELS_LOOKUP_H
#define TERRANE_NOISE_KERNELS_LOOKUP_H

#include "core/noise/kernels_rows.h"
#include "core/noise/kernels_window.h"

/* The floats in a vector of the machine. */
enum vectors { VECTORS_FOUR = 4, VECTORS_EIGHT = 8, VECTORS_SIXTEEN = 16 };

/* Those of the instruction set that all is compiled for, where there are no clones. */
#if defined(__AVX512F__)
#define VECTORS_OF_TARGET VECTORS_SIXTEEN
#elif defined(__AVX__)
#define VECTORS_OF_TARGET VECTORS_EIGHT
#else
#define VECTORS_OF_TARGET VECTORS_FOUR
#endif

enum { NEAR_COLUMNS = 8, NEAR_ROWS = 4, SLIM_COLUMNS = 4, TALL_ROWS = 8 };
/* A rectangle of points. */
struct rectangle {
    int columns, rows;
};
#define NEAR_RECTANGLE ((struct rectangle){NEAR_COLUMNS, NEAR_ROWS})
#define SLIM_RECTANGLE ((struct rectangle){SLIM_COLUMNS, TALL_ROWS})
#define TALL_RECTANGLE ((struct rectangle){NEAR_COLUMNS, TALL_ROWS})
_Static_assert((int)NEAR_COLUMNS <= (int)WINDOW_POINTS_BEYOND &&
                   TALL_ROWS - 2 <= WINDOW_ROWS_BEYOND,
               "the points of the window's last cell may be read as a rectangle");

/* True if the compiler makes one instruction of each lookup of find_near(). */
TERRANE_INLINE bool vectors_permute(enum vectors vectors)
{
#if defined(__GNUC__) && !defined(__clang__)
    return vectors == VECTORS_SIXTEEN;
#else
    return (void)vectors, false;
#endif
}

/* floor() of a number below 2³¹ in size. Vectors of four have no instruction for it, and without
 * one the compiler gives up a loop. */
TERRANE_INLINE float lane_floor(enum vectors vectors, float x)
{
    if (vectors != VECTORS_FOUR)
        return __builtin_floorf(x);
    const float whole = (float)(int32_t)x;
    return whole > x ? whole - 1.0f : whole;
}

typedef float window_sixteen __attribute__((vector_size(64)));
typedef int32_t window_indices __attribute__((vector_size(64)));

/* The corners of as many cells as a vector has floats: a row for {x, y} of each corner in turn. */
union corner_lanes {
    window_four four[8];
    window_eight eight[8];
    window_sixteen sixteen[8];
    float of_four[8][VECTORS_FOUR], of_eight[8][VECTORS_EIGHT], of_sixteen[8][VECTORS_SIXTEEN];
};

TERRANE_INLINE float corner_lane(enum vectors vectors, const union corner_lanes *corners, int row,
                                 uint32_t lane)
{
    return vectors == VECTORS_FOUR    ? corners->of_four[row][lane]
           : vectors == VECTORS_EIGHT ? corners->of_eight[row][lane]
                                      : corners->of_sixteen[row][lane];
}

/* The corners of the cell in one lane. */
TERRANE_INLINE struct corners corners_in_lane(enum vectors vectors,
                                              const union corner_lanes *corners, uint32_t lane)
{
    struct corners cell;
    for (int i = 0; i < 4; i++) {
        cell.x[i] = corner_lane(vectors, corners, 2 * i, lane);
        cell.y[i] = corner_lane(vectors, corners, 2 * i + 1, lane);
    }
    return cell;
}

/* Sets four rows of lanes to {x, y} of the points at the indices and of their right neighbours. */
TERRANE_INLINE void find_four(const float *points, const uint32_t *restrict index,
                              window_four rows[4])
{
    window_four r[4];
    for (int i = 0; i < 4; i++)
        memcpy(&r[i], points + index[i], sizeof r[i]);
    const window_four left01 = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
    const window_four left23 = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
    const window_four right01 = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
    const window_four right23 = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
    rows[0] = __builtin_shufflevector(left01, left23, 0, 1, 4, 5);
    rows[1] = __builtin_shufflevector(left01, left23, 2, 3, 6, 7);
    rows[2] = __builtin_shufflevector(right01, right23, 0, 1, 4, 5);
    rows[3] = __builtin_shufflevector(right01, right23, 2, 3, 6, 7);
}

/* The corners of four or eight cells, by the index of their north-west corners from `north` on. */
TERRANE_INLINE void find_corners(enum vectors vectors, const float *north, size_t pitch,
                                 const uint32_t *restrict index, union corner_lanes *corners)
{
    const float *south = north + pitch;
    if (vectors == VECTORS_FOUR) {
        find_four(north, index, corners->four);
        find_four(south, index, corners->four + 4);
    } else {
        window_points(north, index, corners->eight);
        window_points(south, index, corners->eight + 4);
    }
}

#if defined(__GNUC__) && !defined(__clang__)
/* Sets `out` to the values at the indices, two rows of NEAR_COLUMNS or four of SLIM_COLUMNS values
 * in a vector. */
TERRANE_INLINE void take_near(bool four, const window_sixteen *of, const window_indices *index,
                              window_sixteen *out)
{
    const window_indices upper = (window_indices)__builtin_shuffle(of[0], of[1], *index);
    *out = (window_sixteen)upper;
    if (four) {
        const window_indices lower = (window_indices)__builtin_shuffle(of[2], of[3], *index);
        const window_indices below = (*index & NEAR_COLUMNS * NEAR_ROWS) != 0;
        *out = (window_sixteen)((upper & ~below) | (lower & below));
    }
}

/* Loads a row of NEAR_COLUMNS points, or two of SLIM_COLUMNS. */
TERRANE_INLINE void load_points(int columns, const float *points, size_t pitch, window_sixteen *row)
{
    window_eight first, second;
    if (columns == NEAR_COLUMNS) {
        memcpy(row, points, sizeof *row);
        return;
    }
    memcpy(&first, points, sizeof first);
    memcpy(&second, points + pitch, sizeof second);
    *row = __builtin_shufflevector(first, second, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
                                   15);
}

/* The corners of NOISE_LANES cells near `points`, the north-west corner of a rectangle; the indices
 * count the points of the rectangle. */
TERRANE_INLINE void find_near(struct rectangle rectangle, const float *points, size_t pitch,
                              const uint32_t *index, union corner_lanes *corners)
{
    const window_indices even = {0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30};
    const int columns = rectangle.columns, pairs = columns * rectangle.rows / NOISE_LANES;
    const size_t step = columns == NEAR_COLUMNS ? pitch : 2 * pitch;
    window_sixteen x[TALL_ROWS / 2], y[TALL_ROWS / 2], row, next;
    window_indices north_west;
    memcpy(&north_west, index, sizeof north_west);
    for (int i = 0; i < pairs; i++, points += 2 * step) {
        load_points(columns, points, pitch, &row);
        load_points(columns, points + step, pitch, &next);
        x[i] = __builtin_shuffle(row, next, even);
        y[i] = __builtin_shuffle(row, next, even + 1);
    }
    for (int i = 0; i < 4; i++) {
        const window_indices corner = north_west + ((i & 1) + columns * (i >> 1));
        take_near(pairs == 4, x, &corner, &corners->sixteen[2 * i]);
        take_near(pairs == 4, y, &corner, &corners->sixteen[2 * i + 1]);
    }
}
#else
TERRANE_INLINE void find_near(struct rectangle rectangle, const float *points, size_t pitch,
                              const uint32_t *index, union corner_lanes *corners)
{
    const uint32_t columns = (uint32_t)rectangle.columns;
    for (int i = 0; i < NOISE_LANES; i++)
        for (uint32_t corner = 0; corner < 4; corner++) {
            const size_t row = index[i] / columns + (corner >> 1);
            const size_t column = index[i] % columns + (corner & 1);
            corners->of_sixteen[2 * corner][i] = points[row * pitch + 2 * column];
            corners->of_sixteen[2 * corner + 1][i] = points[row * pitch + 2 * column + 1];
        }
}
#endif

#endif
