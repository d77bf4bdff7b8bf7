/* One octave over a row of a grid whose samples are displaced, for bases on a lattice in two
 * dimensions; compiled in the basis' file by ADD_DISPLACED().
 *
 * kernel_find_cells() divides the row into chunks and says which of them lie in one cell: those of
 * a coarse octave do, and share their corners. The others look theirs up in the octave's window.
 * Where that does not reach, corners are hashed. All chunks of a kind are evaluated together, so
 * that the processor can predict the branches; in two short loops, as in a long one it cannot look
 * far enough ahead to stay busy while it waits for results. All ways compute the same expressions.
 * Internal to this folder. */
#ifndef TERRANE_NOISE_KERNELS_DISPLACED_H
#define TERRANE_NOISE_KERNELS_DISPLACED_H

#include "core/noise/chunk_sets.h"

/* The case that a kernel is compiled for. */
struct displaced_form {
    struct corner_rule rule;
    enum noise_interpolation interpolation;
    enum vectors vectors;
};

/* The positions of samples in their cells, and the fades. */
struct run_positions {
    _Alignas(64) float tx[NOISE_ROW_MAX], sx[NOISE_ROW_MAX], ty[NOISE_ROW_MAX], sy[NOISE_ROW_MAX];
};

/* A row in one cell. */
TERRANE_INLINE void add_row_in_one_cell(struct displaced_form form, const struct kernel_job *job,
                                        struct run_positions *restrict at)
{
    const struct kernel_row *row = &job->row;
    float *restrict out = job->out;
    const float *restrict dx = row->dx, *restrict dy = row->dy;
    const float *restrict fraction_x = row->fraction_x;
    const float scale = row->cells_per_metre, amplitude = job->amplitude;
    const float fraction_y = row->fraction_y;
    const float whole_x = job->cells.west, whole_y = job->cells.north;
    const uint32_t count = job->count;
    const struct corners g =
        window_corners(job->window, row->base_x[0] + (uint32_t)(int32_t)whole_x,
                       row->base_y + (uint32_t)(int32_t)whole_y);
    for (size_t i = 0; i < count; i++) {
        at->tx[i] = (dx[i] * scale + fraction_x[i]) - whole_x;
        at->ty[i] = (dy[i] * scale + fraction_y) - whole_y;
        at->sx[i] = fade_of(form.interpolation, at->tx[i]);
        at->sy[i] = fade_of(form.interpolation, at->ty[i]);
    }
    for (size_t i = 0; i < count; i++)
        out[i] +=
            corners_interpolate(form.rule, g, amplitude,
                                (struct cell_position){at->tx[i], at->sx[i], at->ty[i], at->sy[i]});
}

/* The samples of a chunk: their positions in their cells, the fades, and the index of their cells
 * among points. */
struct chunk_samples {
    _Alignas(64) float tx[NOISE_LANES], sx[NOISE_LANES], ty[NOISE_LANES], sy[NOISE_LANES];
    uint32_t index[NOISE_LANES];
};

/* The samples of a chunk that lies in one cell, without the index. */
TERRANE_INLINE void locate_shared_chunk(struct displaced_form form, const struct kernel_job *job,
                                        uint32_t chunk, struct chunk_samples *restrict at)
{
    const struct kernel_row *row = &job->row;
    const size_t start = chunk * NOISE_LANES;
    const float *restrict dx = row->dx + start, *restrict dy = row->dy + start;
    const float *restrict fraction_x = row->fraction_x + start;
    const float scale = row->cells_per_metre, fraction_y = row->fraction_y;
    const float whole_x = job->cells.chunks.whole_x[chunk];
    const float whole_y = job->cells.chunks.whole_y[chunk];
    TERRANE_INDEPENDENT_NO_UNROLL
    for (uint32_t i = 0; i < NOISE_LANES; i++) {
        const float x = (dx[i] * scale + fraction_x[i]) - whole_x;
        const float y = (dy[i] * scale + fraction_y) - whole_y;
        at->tx[i] = x;
        at->ty[i] = y;
        at->sx[i] = fade_of(form.interpolation, x);
        at->sy[i] = fade_of(form.interpolation, y);
    }
}

/* Adds the noise of a chunk that lies in one cell. */
TERRANE_INLINE void add_shared_chunk(struct corner_rule rule, struct corners g, float amplitude,
                                     const struct chunk_samples *restrict at, float *restrict out)
{
    TERRANE_INDEPENDENT_NO_UNROLL
    for (uint32_t i = 0; i < NOISE_LANES; i++)
        out[i] += corners_interpolate(
            rule, g, amplitude, (struct cell_position){at->tx[i], at->sx[i], at->ty[i], at->sy[i]});
}

/* Chunks that lie in one cell each. */
TERRANE_INLINE void add_shared_chunks(struct displaced_form form, const struct kernel_job *job,
                                      struct chunk_samples *samples)
{
    const struct kernel_chunk_cells *cells = &job->cells.chunks;
    const struct kernel_window window = *job->window;
    const float amplitude = job->amplitude;
    struct chunk_samples *restrict at = samples;
    for (uint32_t rest = cells->chunks[CHUNK_SHARED]; rest; at++)
        locate_shared_chunk(form, job, next_chunk(&rest), at);
    at = samples;
    for (uint32_t rest = cells->chunks[CHUNK_SHARED]; rest; at++) {
        const uint32_t chunk = next_chunk(&rest);
        const struct corners g = corners_at(&window, window.points + cells->corner[chunk]);
        add_shared_chunk(form.rule, g, amplitude, at, job->out + chunk * NOISE_LANES);
    }
}

/* Points by rows of `columns`, `stride` apart; index 0 is at the column `west` and in the row
 * `north` cells from the base. */
struct point_rows {
    uint32_t stride, west;
    float columns, north;
};

/* Nothing is clamped where there is a window. */
TERRANE_INLINE void locate_chunk(struct displaced_form form, const struct kernel_row *row,
                                 uint32_t chunk, struct point_rows points,
                                 struct chunk_samples *restrict at)
{
    const size_t start = chunk * NOISE_LANES;
    const float *restrict dx = row->dx + start, *restrict dy = row->dy + start;
    const float *restrict fraction_x = row->fraction_x + start;
    const uint32_t *restrict base_x = row->base_x + start;
    const float scale = row->cells_per_metre, fraction_y = row->fraction_y;
    TERRANE_INDEPENDENT_NO_UNROLL
    for (uint32_t i = 0; i < NOISE_LANES; i++) {
        const float cells_x = dx[i] * scale + fraction_x[i], cells_y = dy[i] * scale + fraction_y;
        const float whole_x = lane_floor(form.vectors, cells_x);
        const float whole_y = lane_floor(form.vectors, cells_y);
        const float x = cells_x - whole_x, y = cells_y - whole_y;
        const float from_west = whole_x + points.columns * (whole_y - points.north);
        at->tx[i] = x;
        at->ty[i] = y;
        at->sx[i] = fade_of(form.interpolation, x);
        at->sy[i] = fade_of(form.interpolation, y);
        at->index[i] = points.stride * (base_x[i] - points.west + (uint32_t)(int32_t)from_west);
    }
}

/* Where some samples of a chunk, from `first` on, are added. */
struct lanes_out {
    uint32_t first;
    float amplitude, *out;
};

/* Adds the noise of `lanes` samples whose corners were looked up. */
TERRANE_INLINE void add_lanes(struct displaced_form form, enum vectors lanes,
                              const union corner_lanes *corners,
                              const struct chunk_samples *restrict at, struct lanes_out to)
{
    float *restrict out = to.out;
    TERRANE_INDEPENDENT_NO_UNROLL
    for (uint32_t i = 0; i < (uint32_t)lanes; i++) {
        const uint32_t sample = to.first + i;
        const struct cell_position position = {at->tx[sample], at->sx[sample], at->ty[sample],
                                               at->sy[sample]};
        out[i] += corners_interpolate(form.rule, corners_in_lane(lanes, corners, i), to.amplitude,
                                      position);
    }
}

/* Chunks whose corners are points of a small rectangle. */
TERRANE_INLINE void add_near_chunks(struct displaced_form form, const struct kernel_job *job,
                                    struct chunk_samples *samples)
{
    const struct kernel_chunk_cells *cells = &job->cells.chunks;
    const float *points = job->window->points;
    const uint32_t pitch = window_pitch(job->window);
    const float amplitude = job->amplitude;
    struct chunk_samples *restrict at = samples;
    for (uint32_t rest = cells->chunks[CHUNK_NEAR]; rest; at++) {
        const uint32_t chunk = next_chunk(&rest);
        /* The floats count up to 2²⁴ from the base. */
        const uint32_t north = NEAR_COLUMNS * (uint32_t)(int32_t)cells->whole_y[chunk];
        const struct point_rows rectangle = {1, cells->low_x[chunk] + north, NEAR_COLUMNS, 0.0f};
        locate_chunk(form, &job->row, chunk, rectangle, at);
    }
    at = samples;
    for (uint32_t rest = cells->chunks[CHUNK_NEAR]; rest; at++) {
        const uint32_t chunk = next_chunk(&rest);
        union corner_lanes corners;
        find_near(NEAR_RECTANGLE, points + cells->corner[chunk], pitch, at->index, &corners);
        add_lanes(form, VECTORS_SIXTEEN, &corners, at,
                  (struct lanes_out){0, amplitude, job->out + chunk * NOISE_LANES});
    }
}

/* Chunks in any cells of the window. */
TERRANE_INLINE void add_wide_chunks(struct displaced_form form, const struct kernel_job *job,
                                    struct chunk_samples *samples)
{
    const enum vectors lanes = form.vectors == VECTORS_FOUR ? VECTORS_FOUR : VECTORS_EIGHT;
    const uint32_t chunks = job->cells.chunks.chunks[CHUNK_WIDE];
    const struct kernel_window window = *job->window;
    const float amplitude = job->amplitude, north = job->cells.north;
    const uint32_t row = job->row.base_y + (uint32_t)(int32_t)north - window.first_y;
    const struct point_rows points = {2, window.first_x - window.columns * row,
                                      (float)window.columns, north};
    struct chunk_samples *restrict at = samples;
    for (uint32_t rest = chunks; rest; at++)
        locate_chunk(form, &job->row, next_chunk(&rest), points, at);
    at = samples;
    for (uint32_t rest = chunks; rest; at++) {
        struct lanes_out to = {0, amplitude, job->out + next_chunk(&rest) * NOISE_LANES};
        for (; to.first < NOISE_LANES; to.first += (uint32_t)lanes, to.out += lanes) {
            union corner_lanes corners;
            find_corners(lanes, window.points, window_pitch(&window), at->index + to.first,
                         &corners);
            add_lanes(form, lanes, &corners, at, to);
        }
    }
}

/* Samples whose corners are hashed, each in an array of its own. */
struct scattered_samples {
    struct run_positions at;
    uint32_t low_x[NOISE_ROW_MAX], low_y[NOISE_ROW_MAX];
    uint32_t line_x[2][NOISE_ROW_MAX], line_y[2][NOISE_ROW_MAX];
    float x[4][NOISE_ROW_MAX], y[4][NOISE_ROW_MAX];
};

/* A row in any cells, all corners hashed. */
TERRANE_INLINE void add_scattered_row(struct displaced_form form, const struct kernel_job *job,
                                      struct scattered_samples *restrict s)
{
    const struct corner_rule rule = form.rule;
    const struct kernel_row *row = &job->row;
    float *restrict out = job->out;
    const uint32_t *restrict base_x = row->base_x;
    const float *restrict dx = row->dx, *restrict dy = row->dy;
    const float *restrict fraction_x = row->fraction_x;
    const float scale = row->cells_per_metre, amplitude = job->amplitude;
    const float fraction_y = row->fraction_y;
    const uint32_t base_y = row->base_y, count = job->count;
    const uint32_t key_x[2] = {row->key_x[0], row->key_x[1]};
    const uint32_t key_y[2] = {row->key_y[0], row->key_y[1]};
    for (size_t i = 0; i < count; i++) {
        float cells_x = cells_of(dx[i], scale) + fraction_x[i];
        float cells_y = cells_of(dy[i], scale) + fraction_y;
        float whole_x = __builtin_floorf(cells_x), whole_y = __builtin_floorf(cells_y);
        s->low_x[i] = base_x[i] + (uint32_t)(int32_t)whole_x;
        s->low_y[i] = base_y + (uint32_t)(int32_t)whole_y;
        s->at.tx[i] = cells_x - whole_x;
        s->at.ty[i] = cells_y - whole_y;
        s->at.sx[i] = fade_of(form.interpolation, s->at.tx[i]);
        s->at.sy[i] = fade_of(form.interpolation, s->at.ty[i]);
    }
    for (uint32_t side = 0; side < 2; side++)
        for (size_t i = 0; i < count; i++) {
            s->line_x[side][i] = corner_line_x(rule, s->low_x[i] + side, key_x[side]);
            s->line_y[side][i] = corner_line_y(rule, s->low_y[i] + side, key_y[side], NULL, 0);
        }
    for (uint32_t c = 0; c < 4; c++)
        for (size_t i = 0; i < count; i++) {
            const struct corner corner =
                rule.corner(s->line_x[c & 1][i], s->line_y[c >> 1][i], NULL, 0);
            s->x[c][i] = corner.x;
            s->y[c][i] = corner.y;
        }
    for (size_t i = 0; i < count; i++) {
        const struct corners g = {
            .x = {s->x[0][i], s->x[1][i], s->x[2][i], s->x[3][i]},
            .y = {s->y[0][i], s->y[1][i], s->y[2][i], s->y[3][i]},
        };
        out[i] += corners_interpolate(
            rule, g, amplitude,
            (struct cell_position){s->at.tx[i], s->at.sx[i], s->at.ty[i], s->at.sy[i]});
    }
}

TERRANE_INLINE void add_displaced(struct displaced_form form, const struct kernel_job *job)
{
    union {
        struct run_positions row;
        struct chunk_samples chunks[KERNEL_CHUNKS_MAX];
        struct scattered_samples scattered;
    } scratch;
    switch (job->cells.kind) {
    case ROW_SCATTERED:
        add_scattered_row(form, job, &scratch.scattered);
        break;
    case ROW_IN_ONE_CELL:
        add_row_in_one_cell(form, job, &scratch.row);
        break;
    case ROW_IN_CHUNKS:
        add_shared_chunks(form, job, scratch.chunks);
        if (vectors_permute(form.vectors))
            add_near_chunks(form, job, scratch.chunks);
        add_wide_chunks(form, job, scratch.chunks);
        break;
    }
}

/* Each interpolation is a constant of its case. */
TERRANE_INLINE void add_displaced_by(struct corner_rule rule, enum vectors vectors,
                                     enum noise_interpolation interpolation,
                                     const struct kernel_job *job)
{
    switch (interpolation) {
    case NOISE_LINEAR:
        add_displaced((struct displaced_form){rule, NOISE_LINEAR, vectors}, job);
        break;
    case NOISE_COSINE:
        add_displaced((struct displaced_form){rule, NOISE_COSINE, vectors}, job);
        break;
    case NOISE_CUBIC:
        add_displaced((struct displaced_form){rule, NOISE_CUBIC, vectors}, job);
        break;
    case NOISE_QUINTIC:
        add_displaced((struct displaced_form){rule, NOISE_QUINTIC, vectors}, job);
        break;
    case NOISE_NONE:
        add_displaced((struct displaced_form){rule, NOISE_NONE, vectors}, job);
        break;
    }
}

#define ADD_DISPLACED_BY(target_set, name, rule, vectors)                                          \
    target_set static void name(enum noise_interpolation interpolation,                            \
                                const struct kernel_job *job)                                      \
    {                                                                                              \
        add_displaced_by(rule, vectors, interpolation, job);                                       \
    }

/* Defines the function. TERRANE_CLONES would compile the same vectors for all instruction sets. */
#ifdef TERRANE_HAS_CLONES
#define ADD_DISPLACED(name, rule)                                                                  \
    ADD_DISPLACED_BY(__attribute__((target("avx512f"))), name##_avx512, rule, VECTORS_SIXTEEN)     \
    ADD_DISPLACED_BY(__attribute__((target("avx2"))), name##_avx2, rule, VECTORS_EIGHT)            \
    ADD_DISPLACED_BY(, name##_baseline, rule, VECTORS_FOUR)                                        \
    static void name(enum noise_interpolation interpolation, const struct kernel_job *job)         \
    {                                                                                              \
        if (__builtin_cpu_supports("avx512f"))                                                     \
            name##_avx512(interpolation, job);                                                     \
        else if (__builtin_cpu_supports("avx2"))                                                   \
            name##_avx2(interpolation, job);                                                       \
        else                                                                                       \
            name##_baseline(interpolation, job);                                                   \
    }
#else
#define ADD_DISPLACED(name, rule) ADD_DISPLACED_BY(, name, rule, VECTORS_OF_TARGET)
#endif

#endif
