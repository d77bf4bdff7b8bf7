/* One octave over a row of a grid that lies across its lattice, for bases on a lattice in two
 * dimensions; compiled in the basis' file by ADD_TURNED().
 *
 * Coordinates follow from the row's first sample in integers. The distances of a chunk's samples
 * from its first one are the same in all rows (struct kernel_turned_walk), and so is the number of
 * cells that a chunk may span. So all chunks of an octave look up their corners in the octave's
 * window in the same way, but for those that lie in one cell. Internal to this folder. */
#ifndef TERRANE_NOISE_KERNELS_TURNED_H
#define TERRANE_NOISE_KERNELS_TURNED_H

#include "core/noise/kernels_displaced.h"

/* The chunks of a row on one axis: the first sample's cell, the chunk's least cell, the first
 * sample's coordinate from that on, packed, and 0 if the next chunk surely begins in the same cell.
 */
struct turned_axis {
    uint32_t cell[KERNEL_CHUNKS_PADDED], least[KERNEL_CHUNKS_PADDED];
    uint32_t high[KERNEL_CHUNKS_PADDED], low[KERNEL_CHUNKS_PADDED];
    uint32_t crosses[KERNEL_CHUNKS_PADDED];
};

/* Finds the chunks; those behind the row are computed, but not used. */
TERRANE_INLINE void start_chunks(const struct kernel_turned_row *row, unsigned axis,
                                 struct turned_axis *restrict at)
{
    const struct kernel_turned_walk *restrict walk = &row->walk[axis];
    const uint32_t start = row->cell[axis], start_low = (uint32_t)row->fraction[axis];
    const uint32_t start_high = (uint32_t)(row->fraction[axis] >> 32);
    const uint32_t before = walk->rises ? 0 : walk->span, fall = walk->rises ? 0 : 1;
    const uint32_t step = walk->chunk_high[1] + 1 - fall; /* rounded up */
    TERRANE_INDEPENDENT
    for (uint32_t c = 0; c < KERNEL_CHUNKS_PADDED; c++) {
        const uint32_t low = start_low + walk->chunk_low[c];
        const uint32_t sum = start_high + walk->chunk_high[c];
        const uint32_t high = low < start_low ? sum + 1 : sum;
        const uint32_t carried = start + walk->chunk_cell[c] + (sum < start_high ? 1 : 0);
        const uint32_t cell = high < sum ? carried + 1 : carried;
        at->cell[c] = cell;
        at->high[c] = before << 28 | high >> 4;
        at->low[c] = high << 28 | low >> 4;
        at->least[c] = cell - before;
        at->crosses[c] = (high + step < high ? 1u : 0u) ^ fall;
    }
}

/* A bit for each of the row's chunks that lies in one cell. */
TERRANE_INLINE uint32_t shared_chunks(const struct turned_axis axes[2], uint32_t all)
{
    uint32_t shared = 0;
    TERRANE_INDEPENDENT
    for (uint32_t c = 0; c < KERNEL_CHUNKS_PADDED; c++)
        shared |= (axes[0].crosses[c] | axes[1].crosses[c]) == 0 ? chunk_bits[c] : 0;
    return shared & all;
}

/* fade_of() for the samples of a chunk. */
TERRANE_INLINE void fade_chunk(enum noise_interpolation interpolation,
                               struct chunk_samples *restrict at)
{
    TERRANE_INDEPENDENT_NO_UNROLL
    for (uint32_t i = 0; i < NOISE_LANES; i++) {
        at->sx[i] = fade_of(interpolation, at->tx[i]);
        at->sy[i] = fade_of(interpolation, at->ty[i]);
    }
}

/* Each interpolation is a constant of its case. */
TERRANE_INLINE void fade_chunk_by(enum noise_interpolation interpolation,
                                  struct chunk_samples *restrict at)
{
    switch (interpolation) {
    case NOISE_LINEAR:
        fade_chunk(NOISE_LINEAR, at);
        break;
    case NOISE_COSINE:
        fade_chunk(NOISE_COSINE, at);
        break;
    case NOISE_CUBIC:
        fade_chunk(NOISE_CUBIC, at);
        break;
    case NOISE_QUINTIC:
        fade_chunk(NOISE_QUINTIC, at);
        break;
    case NOISE_NONE:
        fade_chunk(NOISE_NONE, at);
        break;
    }
}

/* The samples of a chunk on one axis: fractions, and cells from the chunk's least one. */
TERRANE_INLINE void locate_turned(const struct kernel_turned_walk *restrict walk,
                                  const struct turned_axis *restrict axis, uint32_t chunk,
                                  float *restrict t, uint32_t *restrict cells)
{
    const uint32_t high = axis->high[chunk], low = axis->low[chunk];
    TERRANE_INDEPENDENT_NO_UNROLL
    for (uint32_t i = 0; i < NOISE_LANES; i++) {
        const uint32_t sum = high + walk->packed_high[i];
        const uint32_t own = low + walk->packed_low[i] < low ? sum + 1 : sum;
        t[i] = (float)(int32_t)(own & 0x0FFFFFF0u) * 0x1p-28f;
        cells[i] = own >> 28;
    }
}

/* The samples of the chunks of a set. The index of a cell among points counts `stride` from a
 * column to the next and `pitch` from a row to the next. */
TERRANE_INLINE void locate_turned_chunks(const struct kernel_turned_job *job,
                                         const struct turned_axis axes[2], uint32_t chunks,
                                         uint32_t stride, uint32_t pitch,
                                         struct chunk_samples *restrict at)
{
    uint32_t x[NOISE_LANES], y[NOISE_LANES];
    for (uint32_t rest = chunks; rest; at++) {
        const uint32_t chunk = next_chunk(&rest);
        locate_turned(&job->row->walk[0], &axes[0], chunk, at->tx, x);
        locate_turned(&job->row->walk[1], &axes[1], chunk, at->ty, y);
        TERRANE_INDEPENDENT_NO_UNROLL
        for (uint32_t i = 0; i < NOISE_LANES; i++)
            at->index[i] = stride * x[i] + pitch * y[i];
        fade_chunk_by(job->interpolation, at);
    }
}

/* The points around the least cell of a chunk. */
TERRANE_INLINE const float *chunk_points(const struct kernel_window *window,
                                         const struct turned_axis axes[2], uint32_t chunk)
{
    return window->points + window_index(window, axes[0].least[chunk], axes[1].least[chunk]);
}

/* Chunks that lie in one cell each. */
TERRANE_INLINE void add_turned_shared(struct corner_rule rule, const struct kernel_turned_job *job,
                                      const struct turned_axis axes[2], uint32_t chunks,
                                      struct chunk_samples *samples)
{
    const struct kernel_window window = *job->window;
    const float amplitude = job->row->amplitude;
    const struct chunk_samples *restrict at = samples;
    locate_turned_chunks(job, axes, chunks, 0, 0, samples);
    for (uint32_t rest = chunks; rest; at++) {
        const uint32_t chunk = next_chunk(&rest);
        const struct corners g = window_corners(&window, axes[0].cell[chunk], axes[1].cell[chunk]);
        float *restrict out = job->out + chunk * NOISE_LANES;
        TERRANE_INDEPENDENT_NO_UNROLL
        for (uint32_t i = 0; i < NOISE_LANES; i++)
            out[i] += corners_interpolate(
                rule, g, amplitude,
                (struct cell_position){at->tx[i], at->sx[i], at->ty[i], at->sy[i]});
    }
}

/* Chunks whose corners are points of a small rectangle. */
TERRANE_INLINE void add_turned_near(struct corner_rule rule, int rows,
                                    const struct kernel_turned_job *job,
                                    const struct turned_axis axes[2], uint32_t chunks,
                                    struct chunk_samples *samples)
{
    const struct kernel_window window = *job->window;
    const uint32_t pitch = window_pitch(&window);
    const float amplitude = job->row->amplitude;
    const struct chunk_samples *restrict at = samples;
    locate_turned_chunks(job, axes, chunks, 1, NEAR_COLUMNS, samples);
    for (uint32_t rest = chunks; rest; at++) {
        const uint32_t chunk = next_chunk(&rest);
        union corner_lanes corners;
        find_near(rows, chunk_points(&window, axes, chunk), pitch, at->index, &corners);
        add_lanes((struct displaced_form){.rule = rule}, VECTORS_SIXTEEN, &corners, at,
                  (struct lanes_out){0, amplitude, job->out + chunk * NOISE_LANES});
    }
}

/* Chunks in any cells of the window. */
TERRANE_INLINE void add_turned_wide(struct corner_rule rule, enum vectors vectors,
                                    const struct kernel_turned_job *job,
                                    const struct turned_axis axes[2], uint32_t chunks,
                                    struct chunk_samples *samples)
{
    const enum vectors lanes = vectors == VECTORS_FOUR ? VECTORS_FOUR : VECTORS_EIGHT;
    const struct kernel_window window = *job->window;
    const float amplitude = job->row->amplitude;
    const struct chunk_samples *restrict at = samples;
    locate_turned_chunks(job, axes, chunks, 2, window_pitch(&window), samples);
    for (uint32_t rest = chunks; rest; at++) {
        const uint32_t chunk = next_chunk(&rest);
        const float *points = chunk_points(&window, axes, chunk);
        struct lanes_out to = {0, amplitude, job->out + chunk * NOISE_LANES};
        for (; to.first < NOISE_LANES; to.first += (uint32_t)lanes, to.out += lanes) {
            union corner_lanes corners;
            find_corners(lanes, points, window_pitch(&window), at->index + to.first, &corners);
            add_lanes((struct displaced_form){.rule = rule}, lanes, &corners, at, to);
        }
    }
}

/* The cells of a row on one axis, and of the least cells of its chunks: the last chunk's may be one
 * before that of the sample behind the row. */
struct turned_cells {
    uint32_t first, last;
};
TERRANE_INLINE struct turned_cells row_cells(const struct kernel_turned_row *row, unsigned axis)
{
    const uint32_t start = row->cell[axis], behind = row->behind[axis];
    return row->walk[axis].rises ? (struct turned_cells){start, behind}
                                 : (struct turned_cells){behind - 1, start};
}

TERRANE_INLINE bool add_turned(struct corner_rule rule, enum vectors vectors,
                               const struct kernel_turned_job *job)
{
    struct chunk_samples samples[KERNEL_CHUNKS_MAX];
    struct turned_axis axes[2];
    const struct kernel_turned_row *row = job->row;
    const struct turned_cells x = row_cells(row, 0), y = row_cells(row, 1);
    const struct kernel_box box = {x.first, x.last, y.first, y.last, row->key[0], row->key[1]};
    const uint32_t columns = row->walk[0].span, rows = row->walk[1].span;
    const uint32_t all = (1u << job->count / NOISE_LANES) - 1;
    if (!kernel_window_ensure(job->window, &box))
        return false;
    start_chunks(row, 0, &axes[0]);
    start_chunks(row, 1, &axes[1]);
    uint32_t shared = 0;
    if (row->cell[0] == row->behind[0] && row->cell[1] == row->behind[1])
        shared = all;
    else if (row->walk[0].coarse && row->walk[1].coarse)
        shared = shared_chunks(axes, all);
    if (shared)
        add_turned_shared(rule, job, axes, shared, samples);
    if (shared == all)
        return true;
    if (vectors_permute(vectors) && columns < NEAR_COLUMNS - 1 && rows < NEAR_ROWS - 1)
        add_turned_near(rule, NEAR_ROWS, job, axes, all & ~shared, samples);
    else if (vectors_permute(vectors) && columns < NEAR_COLUMNS - 1 && rows < TALL_ROWS - 1)
        add_turned_near(rule, TALL_ROWS, job, axes, all & ~shared, samples);
    else
        add_turned_wide(rule, vectors, job, axes, all & ~shared, samples);
    return true;
}

#define ADD_TURNED_BY(target_set, name, rule, vectors)                                             \
    target_set static bool name(const struct kernel_turned_job *job)                               \
    {                                                                                              \
        return add_turned(rule, vectors, job);                                                     \
    }

/* Defines the function, as ADD_DISPLACED() does. */
#ifdef TERRANE_HAS_CLONES
#define ADD_TURNED(name, rule)                                                                     \
    ADD_TURNED_BY(__attribute__((target("avx512f"))), name##_avx512, rule, VECTORS_SIXTEEN)        \
    ADD_TURNED_BY(__attribute__((target("avx2"))), name##_avx2, rule, VECTORS_EIGHT)               \
    ADD_TURNED_BY(, name##_baseline, rule, VECTORS_FOUR)                                           \
    static bool name(const struct kernel_turned_job *job)                                          \
    {                                                                                              \
        return __builtin_cpu_supports("avx512f") ? name##_avx512(job)                              \
               : __builtin_cpu_supports("avx2")  ? name##_avx2(job)                                \
                                                 : name##_baseline(job);                            \
    }
#elif defined(__AVX512F__)
#define ADD_TURNED(name, rule) ADD_TURNED_BY(, name, rule, VECTORS_SIXTEEN)
#elif defined(__AVX__)
#define ADD_TURNED(name, rule) ADD_TURNED_BY(, name, rule, VECTORS_EIGHT)
#else
#define ADD_TURNED(name, rule) ADD_TURNED_BY(, name, rule, VECTORS_FOUR)
#endif

#endif
