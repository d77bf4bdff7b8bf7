/* What is found of a row of a displaced grid before its octaves are added (see
 * kernels_displaced.h), by chunks of NOISE_LANES: the extremes of the displacement, which are the
 * same for all octaves of all noises under it; the cells of the columns; and from both, for each
 * octave, which chunks lie in one cell, which in few, and which points the window must have. */
#include "core/base/lanes.h"
#include "core/noise/chunk_sets.h"

_Static_assert((int)KERNEL_CHUNKS_PADDED == 2 * (int)LANES &&
                   (int)KERNEL_CHUNKS_MAX <= (int)KERNEL_CHUNKS_PADDED,
               "the chunks of a row are at most two runs of lanes");

/* The displacement of a row in x and in y, or what remains of both, and the halves of it. */
enum { AXES = 2, BLOCK = LANES * NOISE_LANES };
struct extremes {
    _Alignas(64) float low[AXES * BLOCK / 2], high[AXES * BLOCK / 2];
};

/* Takes the lesser and the greater of each two neighbours. */
TERRANE_INLINE void halve_extremes(uint32_t pairs, const struct extremes *restrict from,
                                   struct extremes *restrict to)
{
    TERRANE_NO_UNROLL
    for (uint32_t i = 0; i < pairs; i++) {
        to->low[i] = min_float(from->low[2 * i], from->low[2 * i + 1]);
        to->high[i] = max_float(from->high[2 * i], from->high[2 * i + 1]);
    }
}

/* The extremes of LANES chunks: all of them are halved at once, so that vectors stay full. */
TERRANE_INLINE void extremes_of_block(const float *restrict dx, const float *restrict dy,
                                      struct extremes *restrict half,
                                      struct extremes *restrict other)
{
    enum { PAIRS = BLOCK / 2 };
    TERRANE_NO_UNROLL
    for (uint32_t i = 0; i < PAIRS; i++) {
        half->low[i] = min_float(dx[2 * i], dx[2 * i + 1]);
        half->high[i] = max_float(dx[2 * i], dx[2 * i + 1]);
        half->low[PAIRS + i] = min_float(dy[2 * i], dy[2 * i + 1]);
        half->high[PAIRS + i] = max_float(dy[2 * i], dy[2 * i + 1]);
    }
    halve_extremes(AXES * PAIRS / 2, half, other);
    halve_extremes(AXES * PAIRS / 4, other, half);
    halve_extremes(AXES * PAIRS / 8, half, other);
}

/* Entries beyond the chunks repeat the first. */
TERRANE_INLINE void pad_bounds(uint32_t chunks, struct kernel_bounds *bounds)
{
    const float dx_low = bounds->dx_low[0], dx_high = bounds->dx_high[0];
    const float dy_low = bounds->dy_low[0], dy_high = bounds->dy_high[0];
    for (uint32_t i = chunks; i < KERNEL_CHUNKS_PADDED; i++) {
        bounds->dx_low[i] = dx_low;
        bounds->dx_high[i] = dx_high;
        bounds->dy_low[i] = dy_low;
        bounds->dy_high[i] = dy_high;
    }
}

/* The extremes of all chunks. */
TERRANE_INLINE void extremes_of_row(const float *restrict low, const float *restrict high,
                                    float *row_low, float *row_high)
{
    float halves[2][LANES], unused;
    TERRANE_NO_UNROLL
    for (uint32_t i = 0; i < LANES; i++) {
        halves[0][i] = min_float(low[i], low[i + LANES]);
        halves[1][i] = max_float(high[i], high[i + LANES]);
    }
    lanes_min_max(halves[0], row_low, &unused);
    lanes_min_max(halves[1], &unused, row_high);
}

TERRANE_CLONES
void kernel_displacement_bounds(uint32_t count, const float *dx, const float *dy,
                                struct kernel_bounds *bounds)
{
    const uint32_t chunks = count / NOISE_LANES;
    struct extremes half, other;
    uint32_t chunk = 0;
    if (chunks >= LANES) {
        extremes_of_block(dx, dy, &half, &other);
        TERRANE_NO_UNROLL
        for (uint32_t i = 0; i < LANES; i++) {
            bounds->dx_low[i] = other.low[i];
            bounds->dx_high[i] = other.high[i];
            bounds->dy_low[i] = other.low[LANES + i];
            bounds->dy_high[i] = other.high[LANES + i];
        }
        chunk = LANES;
    }
    for (; chunk < chunks; chunk++) {
        const uint32_t start = chunk * NOISE_LANES;
        lanes_min_max(dx + start, &bounds->dx_low[chunk], &bounds->dx_high[chunk]);
        lanes_min_max(dy + start, &bounds->dy_low[chunk], &bounds->dy_high[chunk]);
    }
    pad_bounds(chunks, bounds);
    extremes_of_row(bounds->dx_low, bounds->dx_high, &bounds->row_dx_low, &bounds->row_dx_high);
    extremes_of_row(bounds->dy_low, bounds->dy_high, &bounds->row_dy_low, &bounds->row_dy_high);
}

void kernel_chunks_prepare(uint32_t count, const uint32_t *base, const float *fraction,
                           struct kernel_chunks *chunks)
{
    for (uint32_t chunk = 0; chunk < KERNEL_CHUNKS_PADDED; chunk++) {
        const uint32_t first = chunk < count / NOISE_LANES ? chunk * NOISE_LANES : 0;
        const uint32_t last = first + NOISE_LANES - 1;
        chunks->base[chunk] = base[first];
        chunks->fraction_first[chunk] = fraction[first];
        chunks->fraction_last[chunk] = fraction[last];
        chunks->span[chunk] = (float)(base[last] - base[first]);
    }
    chunks->row_one_base = base[0] == base[count - 1];
    chunks->row_fraction_last = fraction[count - 1];
}

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
    const struct kernel_row *row = &job->row;
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
    const struct kernel_row *row = &job->row;
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

/* True if the row lies in one cell, as in coarse octaves; sets where that is. */
TERRANE_INLINE bool row_in_one_cell(const struct kernel_job *job, const struct row_extent *extent,
                                    struct kernel_row_cells *cells)
{
    const struct kernel_chunks *chunks = job->row.chunks;
    const float east = __builtin_floorf(extent->east + chunks->row_fraction_last);
    cells->west = __builtin_floorf(extent->west + chunks->fraction_first[0]);
    cells->north = extent->north;
    return chunks->row_one_base && cells->west == east && extent->north == extent->south;
}

/* Finds the cells of the chunks. Rounding is monotonic, so the extremes of the displacement lead to
 * the extremes of the positions. */
TERRANE_INLINE void find_chunk_cells(enum vectors vectors, const struct kernel_job *job,
                                     struct kernel_chunk_cells *restrict cells)
{
    const struct kernel_window window = *job->window;
    const struct kernel_row *row = &job->row;
    const struct kernel_bounds *restrict bounds = job->bounds;
    const struct kernel_chunks *restrict chunks = row->chunks;
    const uint32_t base_y = row->base_y, all = all_chunks(job->count);
    const uint32_t padded = padded_chunks(job->count);
    const float scale = row->cells_per_metre, fraction_y = row->fraction_y;
    uint32_t shared = 0, near = 0;
    for (uint32_t c = 0; c < padded; c++) {
        const float first = chunks->fraction_first[c], last = chunks->fraction_last[c];
        const float west = lane_floor(vectors, bounds->dx_low[c] * scale + first);
        const float east = lane_floor(vectors, bounds->dx_high[c] * scale + last);
        const float north = lane_floor(vectors, bounds->dy_low[c] * scale + fraction_y);
        const float south = lane_floor(vectors, bounds->dy_high[c] * scale + fraction_y);
        const float columns = east - west + chunks->span[c], rows = south - north;
        const uint32_t low_x = chunks->base[c] + (uint32_t)(int32_t)west;
        const uint32_t low_y = base_y + (uint32_t)(int32_t)north;
        cells->whole_x[c] = west;
        cells->whole_y[c] = north;
        cells->low_x[c] = low_x;
        cells->corner[c] = window_index(&window, low_x, low_y);
        shared |= chunks->span[c] + columns + rows == 0.0f ? chunk_bits[c] : 0;
        near |= ((columns < NEAR_COLUMNS - 1) & (rows < NEAR_ROWS - 1)) ? chunk_bits[c] : 0;
    }
    near = vectors_permute(vectors) ? near & ~shared : 0;
    cells->chunks[CHUNK_SHARED] = all & shared;
    cells->chunks[CHUNK_NEAR] = all & near;
    cells->chunks[CHUNK_WIDE] = all & ~(near | shared);
}

TERRANE_INLINE void find_cells(enum vectors vectors, struct kernel_job *job)
{
    struct row_extent extent;
    struct kernel_row_cells *cells = &job->cells;
    cells->kind = ROW_SCATTERED;
    if (!row_extent_of(job, &extent) || !ensure_row_window(job, &extent))
        return;
    cells->kind = row_in_one_cell(job, &extent, cells) ? ROW_IN_ONE_CELL : ROW_IN_CHUNKS;
    if (cells->kind == ROW_IN_CHUNKS)
        find_chunk_cells(vectors, job, &cells->chunks);
}

#ifdef TERRANE_HAS_CLONES
__attribute__((target("avx512f"))) static void find_cells_avx512(struct kernel_job *job)
{
    find_cells(VECTORS_SIXTEEN, job);
}

__attribute__((target("avx2"))) static void find_cells_avx2(struct kernel_job *job)
{
    find_cells(VECTORS_EIGHT, job);
}

void kernel_find_cells(struct kernel_job *job)
{
    if (__builtin_cpu_supports("avx512f"))
        find_cells_avx512(job);
    else if (__builtin_cpu_supports("avx2"))
        find_cells_avx2(job);
    else
        find_cells(VECTORS_FOUR, job);
}
#else
void kernel_find_cells(struct kernel_job *job)
{
    find_cells(VECTORS_OF_TARGET, job);
}
#endif
