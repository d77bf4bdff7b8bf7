/* Operations on positions. In a grid, what is the same along a row or down a column is computed
 * once: a coordinate takes a conversion of 64 bits, a cycle also a division and a remainder. */
#include "core/program/row_kernels_position.h"

#include <float.h>
#include <string.h>

#include "core/base/simd.h"

TERRANE_CLONES
void row_kernel_fill(size_t count, float value, float *restrict out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = value;
}

TERRANE_CLONES
void row_kernel_limit(size_t count, float least, float most, float *restrict values)
{
    for (size_t i = 0; i < count; i++) {
        const float v = values[i] < least ? least : values[i];
        values[i] = v > most ? most : v;
    }
}

static float metres(int64_t coordinate)
{
    return (float)place_metres(coordinate);
}

/* Copies the first row of a band of a grid to the rows below. */
static void repeat_first_row(const struct band *band, float *out)
{
    for (uint32_t row = 1; row < band->rows; row++)
        memcpy(out + (size_t)row * band->columns, out, band->columns * sizeof *out);
}

/* The metres of x (east) or y of each sample. */
static void run_coordinates(const struct band *band, bool east, float *out)
{
    if (band->places) {
        for (size_t i = 0; i < band->count; i++)
            out[i] = metres(east ? band->places[i].x : band->places[i].y);
        return;
    }
    if (east) {
        for (uint32_t i = 0; i < band->columns; i++)
            out[i] = metres(band->x + i * band->step);
        repeat_first_row(band, out);
        return;
    }
    for (uint32_t row = 0; row < band->rows; row++, out += band->columns)
        row_kernel_fill(band->columns, metres(band->y + row * band->step), out);
}

#define RUN_BAND(name)                                                                             \
    void name(const struct program *program, const struct operation *operation,                    \
              const struct band *band, const float *const operands[3], float *out)

RUN_BAND(run_x)
{
    (void)program, (void)operation, (void)operands;
    run_coordinates(band, true, out);
}

RUN_BAND(run_y)
{
    (void)program, (void)operation, (void)operands;
    run_coordinates(band, false, out);
}

RUN_BAND(run_z)
{
    (void)program, (void)operation, (void)operands;
    row_kernel_fill(band->count, metres(band->uniforms.z), out);
}

RUN_BAND(run_t)
{
    (void)program, (void)operation, (void)operands;
    row_kernel_fill(band->count, metres(band->uniforms.t), out);
}

RUN_BAND(run_spacing)
{
    (void)program, (void)operation, (void)operands;
    row_kernel_fill(band->count, (float)band->uniforms.spacing, out);
}

static float cycle_at(const struct cycle *cycle, struct place place, float moved)
{
    place.x += cycle->shift_x;
    place.y += cycle->shift_y;
    if (cycle->form[0] != 0 || cycle->form[1] != 0)
        return noise_cycle_along(place, cycle->form, cycle->period, moved);
    return noise_cycle(cycle->sign * (cycle->axis == 0 ? place.x : place.y), cycle->period, moved);
}

/* The places of a row of the band: of a list, the whole list is one row. */
struct place_row {
    const struct place *places; /* or null */
    struct place first;
    int64_t step;
    size_t count;
};

static struct place_row place_row(const struct band *band, uint32_t row)
{
    const struct place first = {band->x, band->y + row * band->step};
    return (struct place_row){band->places, first, band->step,
                              band->places ? band->count : band->columns};
}

static struct place place_in_row(const struct place_row *row, size_t i)
{
    if (row->places)
        return row->places[i];
    return (struct place){row->first.x + (int64_t)i * row->step, row->first.y};
}

static uint32_t row_count(const struct band *band)
{
    return band->places ? 1 : band->rows;
}

static void cycle_row(const struct place_row *row, const struct cycle *cycle, const float *moved,
                      float *out)
{
    for (size_t i = 0; i < row->count; i++)
        out[i] = cycle_at(cycle, place_in_row(row, i), moved ? moved[i] : 0.0f);
}

/* After a move by operands[0][i] metres along it, if there is one. */
RUN_BAND(run_cycle)
{
    const struct cycle *cycle = &program->cycles[operation->table_index];
    const float *moved = operands[0];
    /* Along an axis, all rows or all columns of a grid are equal. */
    const bool straight = cycle->form[0] == 0 && cycle->form[1] == 0 && !moved && !band->places;
    struct place_row row = place_row(band, 0);
    if (straight && cycle->axis == 0) {
        cycle_row(&row, cycle, NULL, out);
        repeat_first_row(band, out);
        return;
    }
    for (uint32_t i = 0; i < row_count(band); i++, out += row.count) {
        row = place_row(band, i);
        if (straight)
            row_kernel_fill(row.count, cycle_at(cycle, row.first, 0.0f), out);
        else
            cycle_row(&row, cycle, moved ? moved + i * row.count : NULL, out);
    }
}

/* In double, so that only the last conversion rounds noticeably: the differences of coordinates are
 * exact integers. Farther than a float can say is 0, as all that is infinite (row_kernels.c). */
static float distance_at(struct place place, struct place centre, float dx, float dy)
{
    const double east = (double)(place.x - centre.x) * 0x1p-16 + (double)dx;
    const double south = (double)(place.y - centre.y) * 0x1p-16 + (double)dy;
    const double metres = __builtin_sqrt(east * east + south * south);
    return metres <= (double)FLT_MAX ? (float)metres : 0.0f;
}

/* After a move by operands[0][i] and operands[1][i] metres, if there are both. */
RUN_BAND(run_distance)
{
    const struct place centre = program->centres[operation->table_index];
    size_t done = 0;
    for (uint32_t i = 0; i < row_count(band); i++) {
        const struct place_row row = place_row(band, i);
        for (size_t k = 0; k < row.count; k++, done++)
            out[done] =
                distance_at(place_in_row(&row, k), centre, operands[0] ? operands[0][done] : 0.0f,
                            operands[1] ? operands[1][done] : 0.0f);
    }
}

/* The place is subtracted as the exact integer that it is, in units of 2⁻¹⁶ m, and only the
 * difference is rounded: so a target that is equal for many places, such as the middle of a cell,
 * is met to the last bits of the difference, however far from the origin. Targets are within 2⁶²
 * units, and places within 2⁵⁷, so no difference overflows. */
static float offset_to(float target, int64_t place)
{
    const float limited = target > OFFSET_TARGET_MAX    ? OFFSET_TARGET_MAX
                          : target < -OFFSET_TARGET_MAX ? -OFFSET_TARGET_MAX
                                                        : target;
    const int64_t units = (int64_t)__builtin_floor((double)limited * 0x1p16 + 0.5);
    return (float)((double)(units - place) * 0x1p-16);
}

/* From each place to a target, for at(). */
RUN_BAND(run_offset)
{
    const bool east = operation->k[0] == 0.0f;
    size_t done = 0;
    (void)program;
    for (uint32_t i = 0; i < row_count(band); i++) {
        const struct place_row row = place_row(band, i);
        for (size_t k = 0; k < row.count; k++, done++) {
            const struct place place = place_in_row(&row, k);
            out[done] = offset_to(operands[0][done], east ? place.x : place.y);
        }
    }
}
