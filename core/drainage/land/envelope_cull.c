/* Which candidates matter in a box: see envelope.h. */
#include <stdlib.h>

#include "core/drainage/land/envelope_bounds.h"
#include "core/drainage/network/scratch.h"

bool envelope_cull_reserve(struct envelope_cull *cull, size_t count)
{
    count = (count + N - 1) / N * N;
    return reserve_items(&cull->rows, &cull->row_capacity, count * CANDIDATE_ROWS, sizeof(float)) &&
           reserve_items(&cull->low, &cull->low_capacity, count, sizeof(float)) &&
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

void envelope_cull_begin(struct envelope_cull *cull, const struct candidate *candidates)
{
    const size_t stride = ((size_t)cull->count + N - 1) / N * N;
    cull->stride = stride;
    for (size_t i = 0; i < stride; i++) {
        /* Lanes without a candidate repeat the last: they change no least value. */
        const uint32_t number = cull->numbers[i < cull->count ? i : cull->count - 1];
        const float *fields = (const float *)(const void *)&candidates[number];
        for (size_t row = 0; row < CULL_ROWS; row++)
            cull->rows[row * stride + i] = fields[row];
    }
}

struct candidate envelope_candidate(const struct envelope_cull *cull, uint32_t number)
{
    struct candidate candidate;
    float *fields = (float *)(void *)&candidate;
    for (size_t row = 0; row < CANDIDATE_ROWS; row++)
        fields[row] = cull->rows[row * cull->stride + number];
    return candidate;
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
    const float limit = limits_join(limits);
    uint32_t count = 0;
    for (uint32_t i = 0; i < cull->run_count; i++)
        for (uint32_t bits = below_limit(cull, cull->runs[i], limit); bits != 0; bits &= bits - 1)
            cull->kept[count++] = cull->runs[i] + (uint32_t)__builtin_ctz(bits);
    return count;
}
