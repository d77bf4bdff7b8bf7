/* Which candidates matter in a box: see envelope.h. */
#include <stdlib.h>
#include <string.h>

#include "core/drainage/land/envelope_bounds.h"
#include "core/drainage/network/scratch.h"

const float envelope_z_least = 1e-5f;

bool envelope_cull_reserve(struct envelope_cull *cull, size_t count)
{
    count = (count + N - 1) / N * N;
    return reserve_items(&cull->rows, &cull->row_capacity, count * CANDIDATE_ROWS, sizeof(float)) &&
           reserve_items(&cull->low, &cull->low_capacity, 2 * count, sizeof(float)) &&
           reserve_items(&cull->runs, &cull->run_capacity, count / N, sizeof(uint32_t)) &&
           reserve_items(&cull->numbers, &cull->number_capacity, count, sizeof(uint32_t)) &&
           reserve_items(&cull->kept, &cull->kept_capacity, count, sizeof(uint32_t));
}

void envelope_cull_free(struct envelope_cull *cull)
{
    free(cull->rows);
    free(cull->low);
    free(cull->runs);
    free(cull->numbers);
    free(cull->kept);
}

size_t envelope_cull_bytes(const struct envelope_cull *cull)
{
    return (cull->row_capacity + cull->low_capacity) * sizeof(float) +
           (cull->run_capacity + cull->number_capacity + cull->kept_capacity) * sizeof(uint32_t);
}

void envelope_cull_pad(struct envelope_cull *cull)
{
    for (size_t i = cull->count; i < cull->stride; i++)
        cull->rows[ROW_BED * cull->stride + i] = 1e38f;
}

typedef float four_floats __attribute__((vector_size(16)));

/* Four numbers of each of four candidates: as many of each field. */
static inline void transpose_four(four_floats v[4])
{
    const four_floats a = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
    const four_floats b = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
    const four_floats c = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
    const four_floats d = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
    v[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    v[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    v[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

/* Writes the rows of four candidates of the list, from number `from` on: behind its end, of the
 * last one again. Some more fields than culling reads are moved with the others. */
static inline void write_four(struct envelope_cull *cull, const struct candidate *candidates,
                              size_t from)
{
    enum { ROWS = (CULL_ROWS + 3) / 4 * 4 };
    _Static_assert((int)ROWS <= (int)CANDIDATE_ROWS, "fields are moved by fours");
    const float *fields[4];
    for (size_t i = 0; i < 4; i++) {
        const size_t at = from + i < cull->count ? from + i : cull->count - 1;
        fields[i] = (const float *)(const void *)&candidates[cull->numbers[at]];
    }
    for (size_t row = 0; row < ROWS; row += 4) {
        four_floats v[4];
        for (size_t i = 0; i < 4; i++)
            memcpy(&v[i], fields[i] + row, sizeof v[i]);
        transpose_four(v);
        for (size_t i = 0; i < 4; i++)
            memcpy(cull->rows + (row + i) * cull->stride + from, &v[i], sizeof v[i]);
    }
}

void envelope_cull_begin(struct envelope_cull *cull, const struct candidate *candidates)
{
    cull->stride = ((size_t)cull->count + N - 1) / N * N;
    for (size_t from = 0; from < cull->stride; from += 4)
        write_four(cull, candidates, from);
    envelope_cull_pad(cull);
}

void envelope_candidate(const struct envelope_cull *cull, uint32_t number,
                        struct candidate *candidate)
{
    float *fields = (float *)(void *)candidate;
    for (size_t row = 0; row < CANDIDATE_ROWS; row++)
        fields[row] = cull->rows[row * cull->stride + number];
}

void envelope_cull_all(struct envelope_cull *cull)
{
    cull->run_count = (uint32_t)(cull->stride / N);
    for (uint32_t i = 0; i < cull->run_count; i++)
        cull->runs[i] = i * N;
}

void envelope_cull_narrow(struct envelope_cull *cull, uint32_t kept)
{
    cull->run_count = 0;
    for (uint32_t i = 0; i < kept; i++) {
        const uint32_t run = cull->kept[i] / N * N;
        if (cull->run_count == 0 || cull->runs[cull->run_count - 1] != run)
            cull->runs[cull->run_count++] = run;
    }
}

TERRANE_CLONES
uint32_t envelope_cull(struct envelope_cull *cull, const struct leaf_view *view,
                       struct envelope_box box)
{
    struct box_limits limits;
    limits_begin(&limits);
    for (uint32_t i = 0; i < cull->run_count; i++)
        limits_add(&limits, cull, cull->runs[i], view, box);
    const struct box_limit limit = limits_join(&limits);
    uint32_t count = 0;
    for (uint32_t i = 0; i < cull->run_count; i++)
        for (uint32_t bits = within_limit(cull, cull->runs[i], limit); bits != 0; bits &= bits - 1)
            cull->kept[count++] = cull->runs[i] + (uint32_t)__builtin_ctz(bits);
    return count;
}
