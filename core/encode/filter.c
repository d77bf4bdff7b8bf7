/* The row filters of PNG, as loops without branches on bytes. The first `step` bytes of a row have
 * no left neighbour, which counts as 0. */
#include "core/encode/filter.h"

#include "core/base/simd.h"

#include <string.h>

TERRANE_CLONES static void filter_sub(const struct filter_rows *rows, uint8_t *restrict out)
{
    const uint8_t *row = rows->row;
    size_t step = rows->step;
    for (size_t i = step; i < rows->length; i++)
        out[i] = (uint8_t)(row[i] - row[i - step]);
}

TERRANE_CLONES static void filter_up(const struct filter_rows *rows, uint8_t *restrict out)
{
    const uint8_t *row = rows->row, *above = rows->above;
    for (size_t i = 0; i < rows->length; i++)
        out[i] = (uint8_t)(row[i] - above[i]);
}

TERRANE_CLONES static void filter_average(const struct filter_rows *rows, uint8_t *restrict out)
{
    const uint8_t *row = rows->row, *above = rows->above;
    size_t step = rows->step;
    for (size_t i = 0; i < step && i < rows->length; i++)
        out[i] = (uint8_t)(row[i] - above[i] / 2);
    for (size_t i = step; i < rows->length; i++)
        out[i] = (uint8_t)(row[i] - (row[i - step] + above[i]) / 2);
}

static uint8_t min_byte(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

static uint8_t max_byte(uint8_t a, uint8_t b)
{
    return a > b ? a : b;
}

/* Paeth's predictor takes the neighbour nearest to p = left + up − corner. If the corner does not
 * lie between left and up, p lies beyond the one that is farther from the corner, which then is the
 * nearest. So the corner may be moved to the nearer end of that interval first. Then |p − low| =
 * high − corner, |p − high| = corner − low, and |p − corner| is the difference of the two, which is
 * 0 if they are equal: left and up never compete with equal distances. All values are bytes, and
 * minimum and maximum are operations of all vector units. */
TERRANE_CLONES static void filter_paeth(const struct filter_rows *rows, uint8_t *restrict out)
{
    const uint8_t *row = rows->row, *above = rows->above;
    size_t step = rows->step, length = rows->length;
    for (size_t i = 0; i < step && i < length; i++)
        out[i] = (uint8_t)(row[i] - above[i]);
    for (size_t i = step; i < length; i++) {
        uint8_t left = row[i - step], up = above[i];
        uint8_t low = min_byte(left, up), high = max_byte(left, up);
        uint8_t corner = min_byte(max_byte(above[i - step], low), high);
        uint8_t to_high = (uint8_t)(corner - low), to_low = (uint8_t)(high - corner);
        uint8_t nearer = min_byte(to_low, to_high), farther = max_byte(to_low, to_high);
        uint8_t to_corner = (uint8_t)(farther - nearer);
        uint8_t prediction = to_low <= to_high ? low : high;
        prediction = nearer <= to_corner ? prediction : corner;
        out[i] = (uint8_t)(row[i] - prediction);
    }
}

void filter_row(enum filter filter, const struct filter_rows *rows, uint8_t *restrict out)
{
    *out++ = (uint8_t)filter;
    size_t copied = filter == FILTER_SUB ? rows->step : filter == FILTER_NONE ? rows->length : 0;
    memcpy(out, rows->row, copied < rows->length ? copied : rows->length);
    if (filter == FILTER_SUB)
        filter_sub(rows, out);
    else if (filter == FILTER_UP)
        filter_up(rows, out);
    else if (filter == FILTER_AVERAGE)
        filter_average(rows, out);
    else if (filter == FILTER_PAETH)
        filter_paeth(rows, out);
}
