/* One octave over a row of a grid that lies across its lattice, for bases on a lattice in two
 * dimensions; compiled in the basis' file by ADD_TURNED().
 *
 * Coordinates before displacement follow from the row's first sample in integers. The distances of
 * a chunk's samples from its first one are the same in all rows (struct kernel_turned_walk), and so
 * is the number of cells that a chunk may span. So all chunks of an octave look up their corners in
 * the octave's window in the same way, but for those that lie in one cell. Displaced, each chunk
 * spans what the extremes of its displacement tell. Internal to this folder. */
#ifndef TERRANE_NOISE_KERNELS_TURNED_H
#define TERRANE_NOISE_KERNELS_TURNED_H

#include "core/base/lanes.h"
#include "core/noise/kernels_displaced.h"

/* The case that a kernel is compiled for. */
struct turned_form {
    struct corner_rule rule;
    enum vectors vectors;
    bool displaced;
};

/* The chunks of a row on one axis. Those behind the row are computed, but not used. */
struct turned_axis {
    uint32_t least[KERNEL_CHUNKS_PADDED]; /* the least cell of the samples, */
    uint32_t span[KERNEL_CHUNKS_PADDED];  /* and the distance to their greatest, or more */
    /* The first sample before displacement, packed, from a cell on that is the least if samples are
     * not displaced. */
    uint32_t base[KERNEL_CHUNKS_PADDED], high[KERNEL_CHUNKS_PADDED], low[KERNEL_CHUNKS_PADDED];
};

/* The chunks of a row that are evaluated in the same way: a bit for each. */
struct turned_kinds {
    uint32_t shared, near, tall, wide;
};

/* A coordinate: the cell, and the halves of the fraction. */
struct turned_point {
    uint32_t cell, high, low;
};

/* The first sample of a chunk. */
TERRANE_INLINE struct turned_point chunk_start(const struct kernel_turned_walk *restrict walk,
                                               struct turned_point row, uint32_t chunk)
{
    const uint32_t low = row.low + walk->chunk_low[chunk];
    const uint32_t sum = row.high + walk->chunk_high[chunk];
    const uint32_t high = low < row.low ? sum + 1 : sum;
    const uint32_t cell = row.cell + walk->chunk_cell[chunk] + (sum < row.high ? 1 : 0);
    return (struct turned_point){high < sum ? cell + 1 : cell, high, low};
}

/* The cells from a chunk's base to that of its first sample. */
TERRANE_INLINE uint32_t before_start(const struct kernel_turned_walk *walk)
{
    return walk->rises ? 0 : walk->span;
}

TERRANE_INLINE struct turned_point row_start(const struct kernel_turned_row *row, unsigned axis)
{
    return (struct turned_point){row->cell[axis], (uint32_t)(row->fraction[axis] >> 32),
                                 (uint32_t)row->fraction[axis]};
}

/* Finds the chunks on one axis. Only spans of 0 are exact, and only in coarse octaves. */
TERRANE_INLINE void start_chunks(const struct kernel_turned_row *row, unsigned axis,
                                 struct turned_axis *restrict at)
{
    const struct kernel_turned_walk *restrict walk = &row->walk[axis];
    const struct turned_point start = row_start(row, axis);
    const uint32_t before = before_start(walk), fall = walk->rises ? 0 : 1;
    const uint32_t step = walk->chunk_high[1] + 1 - fall; /* rounded up */
    TERRANE_INDEPENDENT
    for (uint32_t c = 0; c < KERNEL_CHUNKS_PADDED; c++) {
        const struct turned_point own = chunk_start(walk, start, c);
        at->least[c] = at->base[c] = own.cell - before;
        at->span[c] = (own.high + step < own.high ? 1u : 0u) ^ fall;
        at->high[c] = before << 28 | own.high >> 4;
        at->low[c] = own.high << 28 | own.low >> 4;
    }
}

/* A displacement in cells, by the operations of kernel_displace(): rounding is monotonic, so those
 * of extremes are extremes. */
TERRANE_INLINE float least_move(float a, float b, float c, float d)
{
    return min_float(a, b) + min_float(c, d);
}

TERRANE_INLINE float greatest_move(float a, float b, float c, float d)
{
    return max_float(a, b) + max_float(c, d);
}

/* Moves the chunks by the extremes of their displacements. */
TERRANE_INLINE void move_chunks(enum vectors vectors, const struct kernel_turned_row *row,
                                unsigned axis, struct turned_axis *restrict at)
{
    const struct kernel_turned_walk *restrict walk = &row->walk[axis];
    const float *restrict dx_low = row->bounds->dx_low, *restrict dx_high = row->bounds->dx_high;
    const float *restrict dy_low = row->bounds->dy_low, *restrict dy_high = row->bounds->dy_high;
    const struct turned_point start = row_start(row, axis);
    const uint32_t behind = walk->rises ? 0 : 1; /* the lesser end is the next chunk's first */
    const float east = row->displacement[axis][0], south = row->displacement[axis][1];
    TERRANE_INDEPENDENT
    for (uint32_t c = 0; c < KERNEL_CHUNKS_PADDED; c++) {
        const struct turned_point lesser = chunk_start(walk, start, c + behind);
        const struct turned_point greater = chunk_start(walk, start, c + 1 - behind);
        const float a = dx_low[c] * east, b = dx_high[c] * east;
        const float d = dy_low[c] * south, e = dy_high[c] * south;
        const float low = least_move(a, b, d, e) + lattice_fraction(lesser.high);
        const float high = greatest_move(a, b, d, e) + lattice_fraction(greater.high);
        const uint32_t least = lesser.cell + (uint32_t)(int32_t)lane_floor(vectors, low);
        at->least[c] = least;
        at->span[c] = greater.cell + (uint32_t)(int32_t)lane_floor(vectors, high) - least;
    }
}

/* The kinds of displaced chunks. */
TERRANE_INLINE struct turned_kinds displaced_kinds(struct turned_form form,
                                                   const struct turned_axis axes[2], uint32_t all)
{
    uint32_t shared = 0, near = 0, tall = 0;
    TERRANE_INDEPENDENT
    for (uint32_t c = 0; c < KERNEL_CHUNKS_PADDED; c++) {
        const uint32_t columns = axes[0].span[c], rows = axes[1].span[c];
        const uint32_t narrow = columns < NEAR_COLUMNS - 1 ? chunk_bits[c] : 0;
        shared |= (columns | rows) == 0 ? chunk_bits[c] : 0;
        near |= rows < NEAR_ROWS - 1 ? narrow : 0;
        tall |= rows < TALL_ROWS - 1 ? narrow : 0;
    }
    if (!vectors_permute(form.vectors))
        near = tall = 0;
    return (struct turned_kinds){all & shared, all & near & ~shared, all & tall & ~(near | shared),
                                 all & ~(tall | near | shared)};
}

/* The kinds of chunks that are not displaced. */
TERRANE_INLINE struct turned_kinds octave_kinds(struct turned_form form,
                                                const struct kernel_turned_row *row,
                                                const struct turned_axis axes[2], uint32_t all)
{
    const uint32_t columns = row->walk[0].span, rows = row->walk[1].span;
    struct turned_kinds kinds = {0};
    if (row->cell[0] == row->behind[0] && row->cell[1] == row->behind[1]) {
        kinds.shared = all;
    } else if (row->walk[0].coarse && row->walk[1].coarse) {
        TERRANE_INDEPENDENT
        for (uint32_t c = 0; c < KERNEL_CHUNKS_PADDED; c++)
            kinds.shared |= (axes[0].span[c] | axes[1].span[c]) == 0 ? chunk_bits[c] : 0;
        kinds.shared &= all;
    }
    const bool narrow = vectors_permute(form.vectors) && columns < NEAR_COLUMNS - 1;
    *(narrow && rows < NEAR_ROWS - 1   ? &kinds.near
      : narrow && rows < TALL_ROWS - 1 ? &kinds.tall
                                       : &kinds.wide) = all & ~kinds.shared;
    return kinds;
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
TERRANE_INLINE void locate_turned(struct turned_form form, const struct kernel_turned_row *row,
                                  unsigned axis, const struct turned_axis *restrict chunks,
                                  uint32_t chunk, float *restrict t, uint32_t *restrict cells)
{
    const struct kernel_turned_walk *restrict walk = &row->walk[axis];
    const uint32_t high = chunks->high[chunk], low = chunks->low[chunk];
    const uint32_t beyond = form.displaced ? chunks->base[chunk] - chunks->least[chunk] : 0;
    const float *restrict dx = form.displaced ? row->dx + chunk * NOISE_LANES : NULL;
    const float *restrict dy = form.displaced ? row->dy + chunk * NOISE_LANES : NULL;
    const float east = row->displacement[axis][0], south = row->displacement[axis][1];
    TERRANE_INDEPENDENT_NO_UNROLL
    for (uint32_t i = 0; i < NOISE_LANES; i++) {
        const uint32_t sum = high + walk->packed_high[i];
        const uint32_t own = low + walk->packed_low[i] < low ? sum + 1 : sum;
        const float fraction = (float)(int32_t)(own & 0x0FFFFFF0u) * 0x1p-28f;
        if (form.displaced) {
            const float moved = (dx[i] * east + dy[i] * south) + fraction;
            const float whole = lane_floor(form.vectors, moved);
            t[i] = moved - whole;
            cells[i] = (own >> 28) + beyond + (uint32_t)(int32_t)whole;
        } else {
            t[i] = fraction;
            cells[i] = own >> 28;
        }
    }
}

/* The samples of the chunks of a set. The index of a cell among points counts `stride` from a
 * column to the next and `pitch` from a row to the next. */
struct turned_points {
    uint32_t stride, pitch;
};
TERRANE_INLINE void locate_turned_chunks(struct turned_form form,
                                         const struct kernel_turned_job *job,
                                         const struct turned_axis axes[2], uint32_t chunks,
                                         struct turned_points points,
                                         struct chunk_samples *restrict at)
{
    uint32_t x[NOISE_LANES], y[NOISE_LANES];
    for (uint32_t rest = chunks; rest; at++) {
        const uint32_t chunk = next_chunk(&rest);
        locate_turned(form, job->row, 0, &axes[0], chunk, at->tx, x);
        locate_turned(form, job->row, 1, &axes[1], chunk, at->ty, y);
        TERRANE_INDEPENDENT_NO_UNROLL
        for (uint32_t i = 0; i < NOISE_LANES; i++)
            at->index[i] = points.stride * x[i] + points.pitch * y[i];
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
TERRANE_INLINE void add_turned_shared(struct turned_form form, const struct kernel_turned_job *job,
                                      const struct turned_axis axes[2], uint32_t chunks,
                                      struct chunk_samples *samples)
{
    const struct kernel_window window = *job->window;
    const float amplitude = job->row->amplitude;
    const uint32_t x = form.displaced ? 0 : before_start(&job->row->walk[0]);
    const uint32_t y = form.displaced ? 0 : before_start(&job->row->walk[1]);
    const struct chunk_samples *restrict at = samples;
    locate_turned_chunks(form, job, axes, chunks, (struct turned_points){0}, samples);
    for (uint32_t rest = chunks; rest; at++) {
        const uint32_t chunk = next_chunk(&rest);
        const struct corners g =
            window_corners(&window, axes[0].least[chunk] + x, axes[1].least[chunk] + y);
        float *restrict out = job->out + chunk * NOISE_LANES;
        TERRANE_INDEPENDENT_NO_UNROLL
        for (uint32_t i = 0; i < NOISE_LANES; i++)
            out[i] += corners_interpolate(
                form.rule, g, amplitude,
                (struct cell_position){at->tx[i], at->sx[i], at->ty[i], at->sy[i]});
    }
}

/* Chunks whose corners are points of a small rectangle. */
TERRANE_INLINE void add_turned_near(struct turned_form form, int rows,
                                    const struct kernel_turned_job *job,
                                    const struct turned_axis axes[2], uint32_t chunks,
                                    struct chunk_samples *samples)
{
    const struct kernel_window window = *job->window;
    const uint32_t pitch = window_pitch(&window);
    const float amplitude = job->row->amplitude;
    const struct chunk_samples *restrict at = samples;
    locate_turned_chunks(form, job, axes, chunks, (struct turned_points){1, NEAR_COLUMNS}, samples);
    for (uint32_t rest = chunks; rest; at++) {
        const uint32_t chunk = next_chunk(&rest);
        union corner_lanes corners;
        find_near(rows, chunk_points(&window, axes, chunk), pitch, at->index, &corners);
        add_lanes((struct displaced_form){.rule = form.rule}, VECTORS_SIXTEEN, &corners, at,
                  (struct lanes_out){0, amplitude, job->out + chunk * NOISE_LANES});
    }
}

/* Chunks in any cells of the window. */
TERRANE_INLINE void add_turned_wide(struct turned_form form, const struct kernel_turned_job *job,
                                    const struct turned_axis axes[2], uint32_t chunks,
                                    struct chunk_samples *samples)
{
    const enum vectors lanes = form.vectors == VECTORS_FOUR ? VECTORS_FOUR : VECTORS_EIGHT;
    const struct kernel_window window = *job->window;
    const float amplitude = job->row->amplitude;
    const struct chunk_samples *restrict at = samples;
    locate_turned_chunks(form, job, axes, chunks, (struct turned_points){2, window_pitch(&window)},
                         samples);
    for (uint32_t rest = chunks; rest; at++) {
        const uint32_t chunk = next_chunk(&rest);
        const float *points = chunk_points(&window, axes, chunk);
        struct lanes_out to = {0, amplitude, job->out + chunk * NOISE_LANES};
        for (; to.first < NOISE_LANES; to.first += (uint32_t)lanes, to.out += lanes) {
            union corner_lanes corners;
            find_corners(lanes, points, window_pitch(&window), at->index + to.first, &corners);
            add_lanes((struct displaced_form){.rule = form.rule}, lanes, &corners, at, to);
        }
    }
}

/* The cells of a row on one axis, with the least cells of its chunks: undisplaced, the last chunk's
 * may be one before that of the sample behind the row. */
struct turned_cells {
    uint32_t first, last;
};
TERRANE_INLINE struct turned_cells row_cells(struct turned_form form,
                                             const struct kernel_turned_row *row, unsigned axis)
{
    const uint32_t start = row->cell[axis], behind = row->behind[axis];
    const bool rises = row->walk[axis].rises;
    struct turned_cells cells = {rises ? start : behind - 1, rises ? behind : start};
    if (form.displaced) {
        const struct kernel_bounds *bounds = row->bounds;
        const float east = row->displacement[axis][0], south = row->displacement[axis][1];
        const float a = bounds->row_dx_low * east, b = bounds->row_dx_high * east;
        const float c = bounds->row_dy_low * south, d = bounds->row_dy_high * south;
        cells.first += (uint32_t)(int32_t)__builtin_floorf(least_move(a, b, c, d));
        cells.last += (uint32_t)(int32_t)__builtin_floorf(greatest_move(a, b, c, d) + 1.0f);
    }
    return cells;
}

TERRANE_INLINE bool add_turned(struct turned_form form, const struct kernel_turned_job *job)
{
    struct chunk_samples samples[KERNEL_CHUNKS_MAX];
    struct turned_axis axes[2];
    const struct kernel_turned_row *row = job->row;
    const struct turned_cells x = row_cells(form, row, 0), y = row_cells(form, row, 1);
    const struct kernel_box box = {x.first, x.last, y.first, y.last, row->key[0], row->key[1]};
    const uint32_t all = (1u << job->count / NOISE_LANES) - 1;
    if (!kernel_window_ensure(job->window, &box))
        return false;
    for (unsigned axis = 0; axis < 2; axis++) {
        start_chunks(row, axis, &axes[axis]);
        if (form.displaced)
            move_chunks(form.vectors, row, axis, &axes[axis]);
    }
    const struct turned_kinds kinds =
        form.displaced ? displaced_kinds(form, axes, all) : octave_kinds(form, row, axes, all);
    add_turned_shared(form, job, axes, kinds.shared, samples);
    if (vectors_permute(form.vectors)) {
        add_turned_near(form, NEAR_ROWS, job, axes, kinds.near, samples);
        add_turned_near(form, TALL_ROWS, job, axes, kinds.tall, samples);
    }
    add_turned_wide(form, job, axes, kinds.wide, samples);
    return true;
}

#define ADD_TURNED_BY(target_set, name, rule, vectors)                                             \
    target_set static bool name(const struct kernel_turned_job *job)                               \
    {                                                                                              \
        return job->row->dx ? add_turned((struct turned_form){rule, vectors, true}, job)           \
                            : add_turned((struct turned_form){rule, vectors, false}, job);         \
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
