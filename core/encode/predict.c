/* Predicts heights from their neighbours: see predict.h for the format. Numbers are handled modulo
 * 2¹⁶ in unsigned arithmetic; the two planes of bytes are written side by side in one pass. */
#include "core/encode/predict.h"

static unsigned number_at(const uint8_t *numbers, size_t index)
{
    return numbers[2 * index] | (unsigned)numbers[2 * index + 1] << 8;
}

static unsigned zigzag(unsigned difference)
{
    const unsigned sign = difference & 0x8000 ? 0xFFFF : 0;
    return ((difference << 1) ^ sign) & 0xFFFF;
}

/* Predicts a row from column 1 on; `above` is the row before it, or null. */
static void predict_row(const uint8_t *row, const uint8_t *above, uint32_t columns, uint8_t *low,
                        uint8_t *high)
{
    for (size_t i = 1; i < columns; i++) {
        const unsigned corner = above ? number_at(above, i) - number_at(above, i - 1) : 0;
        const unsigned z = zigzag(number_at(row, i) - number_at(row, i - 1) - corner);
        low[i] = (uint8_t)z;
        high[i] = (uint8_t)(z >> 8);
    }
}

void predict_write(const uint8_t *numbers, uint32_t columns, uint32_t rows, struct buffer *out)
{
    const size_t count = (size_t)columns * rows;
    uint8_t *low = buffer_reserve(out, 2 * count);
    if (!low || count == 0)
        return;
    out->length += 2 * count;
    for (uint32_t j = 0; j < rows; j++) {
        const size_t first = (size_t)j * columns;
        const uint8_t *row = numbers + 2 * first;
        const uint8_t *above = j > 0 ? row - 2 * (size_t)columns : NULL;
        const unsigned z = zigzag(number_at(row, 0) - (above ? number_at(above, 0) : 0));
        low[first] = (uint8_t)z;
        low[count + first] = (uint8_t)(z >> 8);
        predict_row(row, above, columns, low + first, low + count + first);
    }
}
