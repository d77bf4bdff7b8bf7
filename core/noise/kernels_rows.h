/* Octaves over rows of a grid that is displaced, or that lies across the lattice, in two
 * dimensions.
 *
 * A row is evaluated in two steps. First the cells of its samples are found, by chunks of
 * NOISE_LANES: which chunks lie in one cell, and which in few. The window is made to hold their
 * corners. Then the kernel of the basis adds the octave (kernels_displaced.h, kernels_turned.h).
 * The cells of all octaves of a row should be found one after another before any octave is added:
 * then the processor does not wait for them. Internal to this folder. */
#ifndef TERRANE_NOISE_KERNELS_ROWS_H
#define TERRANE_NOISE_KERNELS_ROWS_H

#include "core/noise/kernels.h"

enum { KERNEL_CHUNKS_MAX = NOISE_ROW_MAX / NOISE_LANES };

/* Arrays with an entry for each chunk have some more, so that loops over chunks need no rest. */
enum { KERNEL_CHUNKS_PADDED = 32 };

/* The columns of a row before displacement, by chunks of NOISE_LANES; entries beyond them repeat
 * the first. */
struct kernel_chunks {
    uint32_t base[KERNEL_CHUNKS_PADDED]; /* of the first column */
    float span[KERNEL_CHUNKS_PADDED];    /* cells from the first column's to the last one's */
    float fraction_first[KERNEL_CHUNKS_PADDED], fraction_last[KERNEL_CHUNKS_PADDED];
    uint32_t row_one_base; /* 1 if all columns of the row have it */
    float row_fraction_last;
};
void kernel_chunks_prepare(uint32_t count, const uint32_t *base, const float *fraction,
                           struct kernel_chunks *chunks);

/* The least and greatest displacement in each chunk of a row; entries beyond its chunks repeat the
 * first. */
struct kernel_bounds {
    float dx_low[KERNEL_CHUNKS_PADDED], dx_high[KERNEL_CHUNKS_PADDED];
    float dy_low[KERNEL_CHUNKS_PADDED], dy_high[KERNEL_CHUNKS_PADDED];
    float row_dx_low, row_dx_high, row_dy_low, row_dy_high; /* of all chunks */
};
void kernel_displacement_bounds(uint32_t count, const float *dx, const float *dy,
                                struct kernel_bounds *bounds);

/* A row of a grid before displacement, and its displacement. */
struct kernel_row {
    const uint32_t *base_x;
    const float *fraction_x;
    const struct kernel_chunks *chunks;
    uint32_t base_y;
    float fraction_y;
    const float *dx, *dy; /* metres */
    float cells_per_metre;
    uint32_t key_x[2], key_y[2];
};

/* The way in which a displaced chunk is evaluated: its samples share a cell, or their corners are
 * points of a small rectangle, or neither. */
enum kernel_chunk_kind { CHUNK_SHARED, CHUNK_NEAR, CHUNK_WIDE, CHUNK_KINDS };
/* The north-west cell of each chunk. */
struct kernel_chunk_cells {
    float whole_x[KERNEL_CHUNKS_PADDED], whole_y[KERNEL_CHUNKS_PADDED]; /* cells from the base */
    uint32_t low_x[KERNEL_CHUNKS_PADDED];
    uint32_t corner[KERNEL_CHUNKS_PADDED]; /* its index in the window */
    uint32_t chunks[CHUNK_KINDS];          /* of each kind: a bit for each chunk */
};
/* The cells of a displaced row. */
struct kernel_row_cells {
    enum {
        ROW_SCATTERED, /* a displacement is clamped, or the window is too small */
        ROW_IN_ONE_CELL,
        ROW_IN_CHUNKS, /* as `chunks` tells */
    } kind;
    float west, north; /* in whole cells from the base; ROW_SCATTERED has none */
    struct kernel_chunk_cells chunks;
};
/* An octave over a displaced row: its cells are found first. */
struct kernel_job {
    uint32_t count; /* a multiple of NOISE_LANES */
    struct kernel_row row;
    const struct kernel_bounds *bounds;
    struct kernel_window *window;
    struct kernel_row_cells cells;
    float amplitude, *out;
};
void kernel_find_cells(struct kernel_job *job);

/* One axis of the rows of a grid across the lattice, as distances from the first sample: that of
 * each chunk's first sample, and those of a chunk's samples from its first one, packed: 4 bits of
 * cell and 28 of fraction, then the next 32 of fraction. The last 4, which a fraction has besides,
 * must be 0: then they carry nothing. */
struct kernel_turned_walk {
    _Alignas(64) uint32_t packed_high[NOISE_LANES], packed_low[NOISE_LANES];
    uint32_t chunk_cell[KERNEL_CHUNKS_PADDED], chunk_high[KERNEL_CHUNKS_PADDED];
    uint32_t chunk_low[KERNEL_CHUNKS_PADDED];
    bool rises; /* coordinates do not fall */
};
/* Returns false if the samples of a chunk cannot be packed. */
bool kernel_turned_walk_prepare(const struct kernel_walk *samples, struct kernel_turned_walk *walk);
/* The fraction of a packed coordinate, in 2⁻²⁴. */
TERRANE_INLINE float turned_fraction(uint32_t packed)
{
    return (float)(int32_t)(packed & 0x0FFFFFF0u) * 0x1p-28f;
}

/* A row of a grid across the lattice: by axis, the cells of the first sample and of that behind the
 * last one, the first one's fraction in 2⁻⁶⁴, and the cells for a metre of displacement in x and y.
 */
struct kernel_turned_row {
    const struct kernel_turned_walk *walk;
    uint32_t cell[2], behind[2], key[2];
    uint64_t fraction[2];
    const float (*displacement)[2];
    const float *dx, *dy; /* metres, by less than KERNEL_CELLS_MAX cells; or null */
    const struct kernel_bounds *bounds;
};

/* The chunks of such a row on one axis. Those behind the row are computed, but not used. */
struct kernel_turned_axis {
    uint32_t least[KERNEL_CHUNKS_PADDED]; /* the least cell of the samples, */
    uint32_t span[KERNEL_CHUNKS_PADDED];  /* and the distance to their greatest, or more */
    /* The first sample before displacement, packed, from a cell on that is the least if samples are
     * not displaced. */
    uint32_t base[KERNEL_CHUNKS_PADDED], high[KERNEL_CHUNKS_PADDED], low[KERNEL_CHUNKS_PADDED];
};
/* The chunks that are evaluated in the same way, a bit for each: their samples share a cell, or
 * their corners are points of a rectangle that is small, slim or tall, or of none of these. */
struct kernel_turned_kinds {
    uint32_t shared, near, slim, tall, wide;
};
struct kernel_turned_job {
    uint32_t count; /* a multiple of NOISE_LANES */
    enum noise_interpolation interpolation;
    struct kernel_turned_row row;
    struct kernel_window *window;
    struct kernel_turned_axis axes[2];
    struct kernel_turned_kinds kinds;
    float amplitude, *out;
};
/* Returns false if the window is too small. */
bool kernel_find_turned_cells(struct kernel_turned_job *job);

#endif
