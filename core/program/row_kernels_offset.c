/* The way from each place of a band to a coordinate, for at().
 *
 * The place is subtracted as the exact integer that it is, in units of 2⁻¹⁶ m, and only the
 * difference is rounded. A coordinate that is equal for many places, such as the middle of a cell,
 * is so met to the last bits of the difference, however far from the origin. */
#include "core/program/row_kernels_position.h"

#define COORDINATE_MAX 0x1p46f /* metres; 2⁶² units */

/* Coordinates are within ± 2⁶² units, and places within ± 2⁵⁷, so no difference overflows. */
static float offset(float metres, int64_t place)
{
    const float limited = metres > COORDINATE_MAX    ? COORDINATE_MAX
                          : metres < -COORDINATE_MAX ? -COORDINATE_MAX
                                                     : metres;
    const int64_t target = (int64_t)__builtin_floor((double)limited * 0x1p16 + 0.5);
    return (float)((double)(target - place) * 0x1p-16);
}

void run_offset(const struct program *program, const struct operation *operation,
                const struct band *band, const float *const operands[3], float *out)
{
    const bool east = operation->k[0] == 0.0f;
    const float *metres = operands[0];
    (void)program;
    if (band->places) {
        for (size_t i = 0; i < band->count; i++)
            out[i] = offset(metres[i], east ? band->places[i].x : band->places[i].y);
        return;
    }
    for (uint32_t row = 0; row < band->rows; row++)
        for (uint32_t column = 0; column < band->columns; column++) {
            const size_t i = (size_t)row * band->columns + column;
            out[i] = offset(metres[i],
                            east ? band->x + column * band->step : band->y + row * band->step);
        }
}
