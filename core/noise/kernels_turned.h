/* One octave over a row of a grid that lies across its lattice, for bases on a lattice in two
 * dimensions; compiled in the basis' file by ADD_TURNED().
 *
 * kernels_turned.c has found the cells of the row's chunks. Those in one cell share its corners;
 * the others look theirs up in the octave's window, by rectangles where the points are close
 * together. All chunks of a kind are evaluated together, as those of displaced rows are
 * (kernels_displaced.h). Internal to this folder. */
#ifndef TERRANE_NOISE_KERNELS_TURNED_H
#define TERRANE_NOISE_KERNELS_TURNED_H

#include "core/noise/kernels_displaced.h"

/* The case that a kernel is compiled for. */
struct turned_form {
    struct corner_rule rule;
    enum vectors vectors;
    bool displaced;
};

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
                                  unsigned axis, const struct kernel_turned_axis *restrict chunks,
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
        const float fraction = turned_fraction(own);
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
                                         const struct kernel_turned_job *job, uint32_t chunks,
                                         struct turned_points points,
                                         struct chunk_samples *restrict at)
{
    uint32_t x[NOISE_LANES], y[NOISE_LANES];
    for (uint32_t rest = chunks; rest; at++) {
        const uint32_t chunk = next_chunk(&rest);
        locate_turned(form, &job->row, 0, &job->axes[0], chunk, at->tx, x);
        locate_turned(form, &job->row, 1, &job->axes[1], chunk, at->ty, y);
        TERRANE_INDEPENDENT_NO_UNROLL
        for (uint32_t i = 0; i < NOISE_LANES; i++)
            at->index[i] = points.stride * x[i] + points.pitch * y[i];
        fade_chunk_by(job->interpolation, at);
    }
}

/* The points around the least cell of a chunk. */
TERRANE_INLINE const float *chunk_points(const struct kernel_window *window,
                                         const struct kernel_turned_axis axes[2], uint32_t chunk)
{
    return window->points + window_index(window, axes[0].least[chunk], axes[1].least[chunk]);
}

/* Chunks that lie in one cell each. */
TERRANE_INLINE void add_turned_shared(struct turned_form form, const struct kernel_turned_job *job,
                                      uint32_t chunks, struct chunk_samples *samples)
{
    const struct kernel_window window = *job->window;
    const float amplitude = job->amplitude;
    const struct chunk_samples *restrict at = samples;
    locate_turned_chunks(form, job, chunks, (struct turned_points){0}, samples);
    for (uint32_t rest = chunks; rest; at++) {
        const uint32_t chunk = next_chunk(&rest);
        const struct corners g = corners_at(&window, chunk_points(&window, job->axes, chunk));
        add_shared_chunk(form.rule, g, amplitude, at, job->out + chunk * NOISE_LANES);
    }
}

/* Chunks whose corners are points of a rectangle. */
TERRANE_INLINE void add_turned_rectangles(struct turned_form form, struct rectangle rectangle,
                                          const struct kernel_turned_job *job, uint32_t chunks,
                                          struct chunk_samples *samples)
{
    const struct kernel_window window = *job->window;
    const uint32_t pitch = window_pitch(&window), columns = (uint32_t)rectangle.columns;
    const float amplitude = job->amplitude;
    const struct chunk_samples *restrict at = samples;
    locate_turned_chunks(form, job, chunks, (struct turned_points){1, columns}, samples);
    for (uint32_t rest = chunks; rest; at++) {
        const uint32_t chunk = next_chunk(&rest);
        union corner_lanes corners;
        find_near(rectangle, chunk_points(&window, job->axes, chunk), pitch, at->index, &corners);
        add_lanes((struct displaced_form){.rule = form.rule}, VECTORS_SIXTEEN, &corners, at,
                  (struct lanes_out){0, amplitude, job->out + chunk * NOISE_LANES});
    }
}

/* Chunks in any cells of the window. */
TERRANE_INLINE void add_turned_wide(struct turned_form form, const struct kernel_turned_job *job,
                                    uint32_t chunks, struct chunk_samples *samples)
{
    const enum vectors lanes = form.vectors == VECTORS_FOUR ? VECTORS_FOUR : VECTORS_EIGHT;
    const struct kernel_window window = *job->window;
    const float amplitude = job->amplitude;
    const struct chunk_samples *restrict at = samples;
    locate_turned_chunks(form, job, chunks, (struct turned_points){2, window_pitch(&window)},
                         samples);
    for (uint32_t rest = chunks; rest; at++) {
        const uint32_t chunk = next_chunk(&rest);
        const float *points = chunk_points(&window, job->axes, chunk);
        struct lanes_out to = {0, amplitude, job->out + chunk * NOISE_LANES};
        for (; to.first < NOISE_LANES; to.first += (uint32_t)lanes, to.out += lanes) {
            union corner_lanes corners;
            find_corners(lanes, points, window_pitch(&window), at->index + to.first, &corners);
            add_lanes((struct displaced_form){.rule = form.rule}, lanes, &corners, at, to);
        }
    }
}

TERRANE_INLINE void add_turned(struct turned_form form, const struct kernel_turned_job *job)
{
    struct chunk_samples samples[KERNEL_CHUNKS_MAX];
    const struct kernel_turned_kinds kinds = job->kinds;
    add_turned_shared(form, job, kinds.shared, samples);
    if (vectors_permute(form.vectors)) {
        add_turned_rectangles(form, NEAR_RECTANGLE, job, kinds.near, samples);
        add_turned_rectangles(form, SLIM_RECTANGLE, job, kinds.slim, samples);
        add_turned_rectangles(form, TALL_RECTANGLE, job, kinds.tall, samples);
    }
    add_turned_wide(form, job, kinds.wide, samples);
}

#define ADD_TURNED_BY(target_set, name, rule, vectors)                                             \
    target_set static void name(const struct kernel_turned_job *job)                               \
    {                                                                                              \
        if (job->row.dx)                                                                           \
            add_turned((struct turned_form){rule, vectors, true}, job);                            \
        else                                                                                       \
            add_turned((struct turned_form){rule, vectors, false}, job);                           \
    }

/* Defines the function, as ADD_DISPLACED() does. */
#ifdef TERRANE_HAS_CLONES
#define ADD_TURNED(name, rule)                                                                     \
    ADD_TURNED_BY(__attribute__((target("avx512f"))), name##_avx512, rule, VECTORS_SIXTEEN)        \
    ADD_TURNED_BY(__attribute__((target("avx2"))), name##_avx2, rule, VECTORS_EIGHT)               \
    ADD_TURNED_BY(, name##_baseline, rule, VECTORS_FOUR)                                           \
    static void name(const struct kernel_turned_job *job)                                          \
    {                                                                                              \
        if (__builtin_cpu_supports("avx512f"))                                                     \
            name##_avx512(job);                                                                    \
        else if (__builtin_cpu_supports("avx2"))                                                   \
            name##_avx2(job);                                                                      \
        else                                                                                       \
            name##_baseline(job);                                                                  \
    }
#else
#define ADD_TURNED(name, rule) ADD_TURNED_BY(, name, rule, VECTORS_OF_TARGET)
#endif

#endif
