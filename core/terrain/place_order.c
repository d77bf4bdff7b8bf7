/* The Z-order compares two places by the axis whose coordinates differ in the higher bit, so no
 * bits need to be interleaved (T. M. Chan, "Closest-point problems simplified on the RAM", 2002).
 */
#include "core/terrain/place_order.h"

#include <stdlib.h>

struct indexed_place {
    struct place place;
    size_t index;
};

/* Coordinates as unsigned numbers in the same order. */
static uint64_t bits_of(int64_t coordinate)
{
    return (uint64_t)coordinate ^ (uint64_t)1 << 63;
}

/* True if the highest bit of a is below that of b. */
static bool is_shorter(uint64_t a, uint64_t b)
{
    return a < b && a < (a ^ b);
}

static int compare(const void *left, const void *right)
{
    const struct place a = ((const struct indexed_place *)left)->place;
    const struct place b = ((const struct indexed_place *)right)->place;
    const uint64_t x = bits_of(a.x) ^ bits_of(b.x), y = bits_of(a.y) ^ bits_of(b.y);
    const bool by_x = is_shorter(y, x);
    const int64_t first = by_x ? a.x : a.y, second = by_x ? b.x : b.y;
    return (first > second) - (first < second);
}

bool place_order_sort(struct place *places, size_t *order, size_t count)
{
    struct indexed_place *sorted = malloc((count + 1) * sizeof *sorted);
    if (!sorted)
        return false;
    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct indexed_place){places[i], i};
    qsort(sorted, count, sizeof *sorted, compare);
    for (size_t i = 0; i < count; i++) {
        places[i] = sorted[i].place;
        order[i] = sorted[i].index;
    }
    free(sorted);
    return true;
}
