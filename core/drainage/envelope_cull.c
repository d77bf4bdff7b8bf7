/* Which candidates matter in a box: see envelope.h. */
#include <stdlib.h>

#include "core/drainage/envelope_bounds.h"

bool envelope_cull_reserve(struct envelope_cull *cull, size_t count)
{
    count = (count + N - 1) / N * N;
    return reserve_items(&cull->rows, &cull->row_capacity, count * CULL_ROWS, sizeof(float)) &&
           reserve_items(&cull->low, &cull->low_capacity, count, sizeof(float)) &&
           reserve_items(&cull->numbers, &cull->number_capacity, count, sizeof(uint32_t)) &&
           reserve_items(&cull->kept, &cull->kept_capacity, count, sizeof(uint32_t));
}

void envelope_cull_free(struct envelope_cull *cull)
{
    free(cull->rows);
    free(cull->low);
    free(cull->numbers);
    free(cull->kept);
}

size_t envelope_cull_bytes(const struct envelope_cull *cull)
{
    return (cull->row_capacity + cull->low_capacity) * sizeof(float) +
           (cull->number_capacity + cull->kept_capacity) * sizeof(uint32_t);
}

void envelope_cull_begin(struct envelope_cull *cull, const struct candidate *candidates)
{
    const size_t stride = ((size_t)cull->count + N - 1) / N * N;
    float *rows = cull->rows;
    cull->stride = stride;
    for (size_t i = 0; i < stride; i++) {
        /* Lanes without a candidate repeat the last: they change no least value. */
        const struct candidate *c =
            &candidates[cull->numbers[i < cull->count ? i : cull->count - 1]];
        rows[ROW_X * stride + i] = c->x;
        rows[ROW_Y * stride + i] = c->y;
        rows[ROW_UX * stride + i] = c->ux;
        rows[ROW_UY * stride + i] = c->uy;
        rows[ROW_INVERSE * stride + i] = c->inverse;
        rows[ROW_BED * stride + i] = c->bed;
        rows[ROW_BED_CHANGE * stride + i] = c->bed_change;
        rows[ROW_SLOPE * stride + i] = c->slope;
        rows[ROW_SLOPE_CHANGE * stride + i] = c->slope_change;
        rows[ROW_FLOOR * stride + i] = c->floor;
        rows[ROW_FLAT * stride + i] = c->flat;
        rows[ROW_CROSS * stride + i] = c->cross;
        rows[ROW_DEPTH * stride + i] = c->depth;
    }
}

TERRANE_CLONES
uint32_t envelope_cull(struct envelope_cull *cull, const struct leaf_view *view,
                       struct envelope_box box)
{
    const float limit = limit_of(cull, view, box);
    uint32_t count = 0;
    for (uint32_t from = 0; from < cull->stride; from += N)
        for (uint32_t bits = below_limit(cull, from, limit); bits != 0; bits &= bits - 1)
            cull->kept[count++] = from + (uint32_t)__builtin_ctz(bits);
    return count;
}
