/* Finds the cells of a row of a grid that lies across the lattice, by chunks of NOISE_LANES.
 *
 * Coordinates before displacement follow from the row's first sample in integers. The distances of
 * a chunk's samples from its first one are the same in all rows (struct kernel_turned_walk), and
 * rise or fall on each axis: so the first and the last one are the extremes. Displaced, a chunk
 * spans what the extremes of its displacement tell. */
#include "core/base/lanes.h"
#include "core/noise/chunk_sets.h"

bool kernel_turned_walk_prepare(const struct kernel_walk *samples, struct kernel_turned_walk *walk)
{
    const int32_t last = (int32_t)samples->cell[NOISE_LANES - 1];
    uint32_t cell = 0, lost = 0;
    uint64_t fraction = 0;
    for (int i = 0; i < KERNEL_CHUNKS_PADDED; i++) {
        walk->chunk_cell[i] = cell;
        walk->chunk_high[i] = (uint32_t)(fraction >> 32);
        walk->chunk_low[i] = (uint32_t)fraction;
        fraction += samples->chunk_fraction;
        cell += samples->chunk_cell + (fraction < samples->chunk_fraction);
    }
    for (int i = 0; i < NOISE_LANES; i++) {
        walk->packed_high[i] = samples->cell[i] << 28 | samples->high[i] >> 4;
        walk->packed_low[i] = samples->high[i] << 28 | samples->low[i] >> 4;
        lost |= samples->low[i] & 15;
    }
    walk->rises = last >= 0;
    return lost == 0 && last < 15 && last > -16;
}

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

TERRANE_INLINE struct turned_point row_start(const struct kernel_turned_row *row, unsigned axis)
{
    return (struct turned_point){row->cell[axis], (uint32_t)(row->fraction[axis] >> 32),
                                 (uint32_t)row->fraction[axis]};
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

/* The case that a function is compiled for. */
struct finding {
    enum vectors vectors;
    bool displaced;
};

/* Finds the chunks on one axis: the place of a chunk's last sample follows from its first one. */
TERRANE_INLINE void find_chunks(struct finding finding, const struct kernel_turned_row *row,
                                unsigned axis, uint32_t chunks,
                                struct kernel_turned_axis *restrict at)
{
    const struct kernel_turned_walk *restrict walk = &row->walk[axis];
    const struct kernel_bounds *restrict bounds = row->bounds;
    const struct turned_point start = row_start(row, axis);
    const uint32_t to_last = walk->packed_high[NOISE_LANES - 1];
    const uint32_t to_last_low = walk->packed_low[NOISE_LANES - 1];
    const uint32_t rises = walk->rises ? ~0u : 0;
    const float east = row->displacement[axis][0], south = row->displacement[axis][1];
    TERRANE_INDEPENDENT
    for (uint32_t c = 0; c < chunks; c++) {
        const struct turned_point own = chunk_start(walk, start, c);
        const uint32_t first = own.high >> 4, low = own.high << 28 | own.low >> 4;
        const uint32_t sum = first + to_last, last = low + to_last_low < low ? sum + 1 : sum;
        const uint32_t fall = (0 - (last >> 28)) & 15 & ~rises; /* cells from the last one's */
        const uint32_t span = ((last >> 28) & rises) | fall, base = own.cell - fall;
        uint32_t less = 0, more = 0; /* cells by which the extremes are moved */
        if (finding.displaced) {
            const uint32_t lesser = (first & rises) | (last & ~rises);
            const uint32_t greater = (last & rises) | (first & ~rises);
            const float a = bounds->dx_low[c] * east, b = bounds->dx_high[c] * east;
            const float d = bounds->dy_low[c] * south, e = bounds->dy_high[c] * south;
            const float west = least_move(a, b, d, e) + turned_fraction(lesser);
            const float far = greatest_move(a, b, d, e) + turned_fraction(greater);
            less = (uint32_t)(int32_t)lane_floor(finding.vectors, west);
            more = (uint32_t)(int32_t)lane_floor(finding.vectors, far);
        }
        at->least[c] = base + less;
        at->span[c] = span + more - less;
        at->base[c] = base;
        at->high[c] = fall << 28 | first;
        at->low[c] = low;
    }
}

/* The kinds of chunks. */
TERRANE_INLINE struct kernel_turned_kinds kinds_of(enum vectors vectors,
                                                   const struct kernel_turned_axis axes[2],
                                                   uint32_t count)
{
    const uint32_t chunks = padded_chunks(count), all = all_chunks(count);
    const uint32_t *restrict columns = axes[0].span, *restrict rows = axes[1].span;
    uint32_t shared = 0, near = 0, slim = 0, tall = 0;
    TERRANE_INDEPENDENT
    for (uint32_t c = 0; c < chunks; c++) {
        const uint32_t low = rows[c] < TALL_ROWS - 1 ? chunk_bits[c] : 0;
        const uint32_t narrow = columns[c] < NEAR_COLUMNS - 1 ? chunk_bits[c] : 0;
        shared |= (columns[c] | rows[c]) == 0 ? chunk_bits[c] : 0;
        near |= rows[c] < NEAR_ROWS - 1 ? narrow : 0;
        slim |= columns[c] < SLIM_COLUMNS - 1 ? low : 0;
        tall |= low & narrow;
    }
    if (!vectors_permute(vectors))
        near = slim = tall = 0;
    return (struct kernel_turned_kinds){
        .shared = all & shared,
        .near = all & near & ~shared,
        .slim = all & slim & ~(near | shared),
        .tall = all & tall & ~(slim | near | shared),
        .wide = all & ~(tall | slim | near | shared),
    };
}

/* The cells of a row on one axis. */
struct turned_cells {
    uint32_t first, last;
};
TERRANE_INLINE struct turned_cells row_cells(const struct kernel_turned_row *row, unsigned axis)
{
    const uint32_t start = row->cell[axis], behind = row->behind[axis];
    const bool rises = row->walk[axis].rises;
    struct turned_cells cells = {rises ? start : behind, rises ? behind : start};
    if (row->dx) {
        const struct kernel_bounds *bounds = row->bounds;
        const float east = row->displacement[axis][0], south = row->displacement[axis][1];
        const float a = bounds->row_dx_low * east, b = bounds->row_dx_high * east;
        const float c = bounds->row_dy_low * south, d = bounds->row_dy_high * south;
        cells.first += (uint32_t)(int32_t)__builtin_floorf(least_move(a, b, c, d));
        cells.last += (uint32_t)(int32_t)__builtin_floorf(greatest_move(a, b, c, d) + 1.0f);
    }
    return cells;
}

TERRANE_INLINE bool find_turned_cells(enum vectors vectors, struct kernel_turned_job *job)
{
    const struct kernel_turned_row *row = &job->row;
    const struct turned_cells x = row_cells(row, 0), y = row_cells(row, 1);
    const struct kernel_box box = {x.first, x.last, y.first, y.last, row->key[0], row->key[1]};
    const uint32_t chunks = padded_chunks(job->count);
    if (!kernel_window_ensure(job->window, &box))
        return false;
    for (unsigned axis = 0; axis < 2; axis++)
        if (row->dx)
            find_chunks((struct finding){vectors, true}, row, axis, chunks, &job->axes[axis]);
        else
            find_chunks((struct finding){vectors, false}, row, axis, chunks, &job->axes[axis]);
    job->kinds = kinds_of(vectors, job->axes, job->count);
    return true;
}

#ifdef TERRANE_HAS_CLONES
__attribute__((target("avx512f"))) static bool find_turned_avx512(struct kernel_turned_job *job)
{
    return find_turned_cells(VECTORS_SIXTEEN, job);
}

__attribute__((target("avx2"))) static bool find_turned_avx2(struct kernel_turned_job *job)
{
    return find_turned_cells(VECTORS_EIGHT, job);
}

bool kernel_find_turned_cells(struct kernel_turned_job *job)
{
    return __builtin_cpu_supports("avx512f") ? find_turned_avx512(job)
           : __builtin_cpu_supports("avx2")  ? find_turned_avx2(job)
                                             : find_turned_cells(VECTORS_FOUR, job);
}
#else
bool kernel_find_turned_cells(struct kernel_turned_job *job)
{
    return find_turned_cells(VECTORS_OF_TARGET, job);
}
#endif
