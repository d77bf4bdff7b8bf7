/* The cells that the samples of a displaced row lie in, by chunks of NOISE_LANES samples: the
 * extremes of the displacement tell which chunks lie in one cell, which few, and which points the
 * window must have. Inline, for kernels_displaced.h. Internal to this folder. */
#ifndef TERRANE_NOISE_DISPLACED_CELLS_H
#define TERRANE_NOISE_DISPLACED_CELLS_H

#include "core/noise/kernels_lookup.h"

/* The extreme positions of a row in cells from the base, before the columns' fractions are added;
 * `north` and `south` are whole. */
struct row_extent {
    float west, east, north, south;
};

/* True if no displacement that leads to positions from `low` to `high` is clamped: the fraction
 * adds less than 1 to a displacement. */
TERRANE_INLINE bool displacement_in_range(float low, float high)
{
    return low > 1.0f - KERNEL_CELLS_MAX && high < KERNEL_CELLS_MAX;
}

/* False if a displacement is clamped. */
TERRANE_INLINE bool row_extent_of(const struct kernel_job *job, struct row_extent *extent)
{
    const struct kernel_row *row = job->row;
    const struct kernel_bounds *bounds = job->bounds;
    const float scale = row->cells_per_metre, fraction_y = row->fraction_y;
    extent->west = bounds->row_dx_low * scale;
    extent->east = bounds->row_dx_high * scale;
    extent->north = __builtin_floorf(bounds->row_dy_low * scale + fraction_y);
    extent->south = __builtin_floorf(bounds->row_dy_high * scale + fraction_y);
    return displacement_in_range(extent->west, extent->east + 1.0f) &&
           displacement_in_range(extent->north, extent->south);
}

/* Makes the window hold all corners of the row; false if it is too small. */
TERRANE_INLINE bool ensure_row_window(const struct kernel_job *job, const struct row_extent *extent)
{
    const struct kernel_row *row = job->row;
    const float west = __builtin_floorf(extent->west), east = __builtin_floorf(extent->east + 1.0f);
    const struct kernel_box box = {
        .west = row->base_x[0] + (uint32_t)(int32_t)west,
        .east = row->base_x[job->count - 1] + (uint32_t)(int32_t)east,
        .north = row->base_y + (uint32_t)(int32_t)extent->north,
        .south = row->base_y + (uint32_t)(int32_t)extent->south,
        .key_x = row->key_x[0],
        .key_y = row->key_y[0],
    };
    return job->window->points && kernel_window_ensure(job->window, &box);
}

/* The way in which a chunk is evaluated: its samples share a cell, or their corners are points of a
 * rectangle of NEAR_COLUMNS × NEAR_ROWS, or neither. */
enum chunk_kind { CHUNK_SHARED, CHUNK_NEAR, CHUNK_WIDE, CHUNK_KINDS };

/* The north-west cell of each chunk. */
struct chunk_cells {
    float whole_x[KERNEL_CHUNKS_MAX], whole_y[KERNEL_CHUNKS_MAX]; /* cells from the base */
    uint32_t low_x[KERNEL_CHUNKS_MAX], low_y[KERNEL_CHUNKS_MAX];
    uint32_t corner[KERNEL_CHUNKS_MAX]; /* of near chunks: its index in the window */
    uint32_t chunks[CHUNK_KINDS];       /* of each kind: a bit for each chunk */
};

/* Takes the first of a set of chunks. */
TERRANE_INLINE uint32_t next_chunk(uint32_t *chunks)
{
    const uint32_t first = (uint32_t)__builtin_ctz(*chunks);
    *chunks &= *chunks - 1;
    return first;
}

/* 1 << chunk, as a table: SSE2 cannot shift each lane by a number of its own. */
static const uint32_t chunk_bits[] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};
_Static_assert(sizeof chunk_bits / sizeof *chunk_bits == KERNEL_CHUNKS_PADDED, "a bit for each");

/* Finds the cells of a row that is in range. Rounding is monotonic, so the extremes of the
 * displacement lead to the extremes of the positions. */
TERRANE_INLINE void find_cells(enum vectors vectors, const struct kernel_job *job,
                               struct chunk_cells *restrict cells)
{
    const struct kernel_window window = *job->window;
    const struct kernel_row *row = job->row;
    const struct kernel_bounds *restrict bounds = job->bounds;
    const struct kernel_chunks *restrict chunks = row->chunks;
    const uint32_t base_y = row->base_y, count = job->count / NOISE_LANES;
    const float scale = row->cells_per_metre, fraction_y = row->fraction_y;
    uint32_t shared = 0, near = 0;
    for (uint32_t c = 0; c < count; c++) {
        const float first = chunks->fraction_first[c], last = chunks->fraction_last[c];
        const float west = lane_floor(vectors, bounds->dx_low[c] * scale + first);
        const float east = lane_floor(vectors, bounds->dx_high[c] * scale + last);
        const float north = lane_floor(vectors, bounds->dy_low[c] * scale + fraction_y);
        const float south = lane_floor(vectors, bounds->dy_high[c] * scale + fraction_y);
        const float columns = east - west + chunks->span[c], rows = south - north;
        cells->whole_x[c] = west;
        cells->whole_y[c] = north;
        cells->low_x[c] = chunks->base[c] + (uint32_t)(int32_t)west;
        cells->low_y[c] = base_y + (uint32_t)(int32_t)north;
        shared |= chunks->span[c] + columns + rows == 0.0f ? chunk_bits[c] : 0;
        if (!vectors_permute(vectors))
            continue;
        cells->corner[c] = window_index(&window, cells->low_x[c], cells->low_y[c]);
        near |= ((columns < NEAR_COLUMNS - 1) & (rows < NEAR_ROWS - 1)) ? chunk_bits[c] : 0;
    }
    cells->chunks[CHUNK_SHARED] = shared;
    cells->chunks[CHUNK_NEAR] = near & ~shared;
    cells->chunks[CHUNK_WIDE] = ((1u << count) - 1) & ~(near | shared);
}

/* Samples beside each other. If they share a cell, it is so far from their base. */
struct sample_run {
    size_t start, end;
    float whole_x, whole_y;
};

/* find_cells() for a whole row in range: true if it lies in one cell, as in coarse octaves. */
TERRANE_INLINE bool row_in_one_cell(const struct kernel_job *job, const struct row_extent *extent,
                                    struct sample_run *run)
{
    const struct kernel_chunks *chunks = job->row->chunks;
    const float west = __builtin_floorf(extent->west + chunks->fraction_first[0]);
    const float east = __builtin_floorf(extent->east + chunks->row_fraction_last);
    *run = (struct sample_run){0, job->count, west, extent->north};
    return chunks->row_one_base && west == east && extent->north == extent->south;
}

/* Takes the first chunks of a set that lie beside each other, in one cell and with one base. */
TERRANE_INLINE struct sample_run next_shared_run(const struct chunk_cells *cells, uint32_t *chunks)
{
    const uint32_t first = next_chunk(chunks);
    uint32_t next = first + 1;
    while (*chunks >> next & 1 && cells->low_x[next] == cells->low_x[first] &&
           cells->whole_x[next] == cells->whole_x[first] &&
           cells->whole_y[next] == cells->whole_y[first])
        *chunks &= ~(1u << next++);
    return (struct sample_run){first * NOISE_LANES, next * NOISE_LANES, cells->whole_x[first],
                               cells->whole_y[first]};
}

/* Takes the first chunks of a set that lie beside each other. */
TERRANE_INLINE struct sample_run next_run(uint32_t *chunks)
{
    const uint32_t first = next_chunk(chunks);
    uint32_t next = first + 1;
    for (; *chunks >> next & 1; next++)
        *chunks &= ~(1u << next);
    return (struct sample_run){first * NOISE_LANES, next * NOISE_LANES, 0.0f, 0.0f};
}

#endif
