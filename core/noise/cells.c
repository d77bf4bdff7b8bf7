/* A coordinate in cells is a linear form of the place, in 128 bits: 64 bits of cell, 64 of
 * fraction.
 *
 * Along a row the form grows by the same step from a sample to the next. While the row spans less
 * than 2³¹ cells, the kernels of noises compute the low 32 bits of the cells and the fractions, and
 * the high bits follow from the first cell. Longer rows and lists are computed one by one. */
#include "core/noise/cells.h"

#include "core/noise/kernels.h"

#define NEAR ((int64_t)1 << 31) /* cells across a row that 32 bits can count */

void noise_cells_prepare(struct noise_cells *cells, const struct noise_domain *domain, double side)
{
    const double unit = (double)((int64_t)1 << LATTICE_FREQUENCY_BITS);
    const bool turned = domain->cosine != 0.0 || domain->sine != 0.0;
    const double cosine = (turned ? domain->cosine : 1.0) / side, sine = domain->sine / side;
    const double per_metre[2][2] = {{cosine, -sine}, {sine, cosine}};
    for (int axis = 0; axis < 2; axis++) {
        for (int i = 0; i < 2; i++) {
            cells->form[axis][i] = (int64_t)__builtin_floor(per_metre[axis][i] * unit + 0.5);
            cells->displacement[axis][i] = (float)per_metre[axis][i];
        }
        cells->origin[axis] = int128_add(int128_multiply(domain->shift_x, cells->form[axis][0]),
                                         int128_multiply(domain->shift_y, cells->form[axis][1]));
    }
}

bool noise_cells_are_along(const struct noise_cells *cells)
{
    return cells->form[0][1] == 0 && cells->form[1][0] == 0 && cells->form[0][0] > 0 &&
           cells->form[1][1] > 0;
}

static int128 coordinate(const struct noise_cells *cells, unsigned axis, const struct place *place)
{
    const int64_t *form = cells->form[axis];
    const int128 at = int128_add(cells->origin[axis], int128_multiply(place->x, form[0]));
    return form[1] == 0 ? at : int128_add(at, int128_multiply(place->y, form[1]));
}

static void write_sample(int128 coordinate, unsigned axis, size_t i,
                         const struct noise_cells_samples *samples)
{
    const struct lattice_point at = lattice_split(coordinate);
    samples->cell[axis][i] = at.cell;
    samples->t[axis][i] = lattice_fraction(at.fraction);
}

/* cell[i] = base + the distance of low[i] from the base's low half, which is less than 2³¹. */
TERRANE_CLONES
static void add_cells(size_t count, int64_t base, const uint32_t *restrict low,
                      int64_t *restrict cell)
{
    for (size_t i = 0; i < count; i++)
        cell[i] = base + (int32_t)(low[i] - (uint32_t)base);
}

/* A part of a row whose cells are near each other. */
static void write_near_row(int128 at, int128 by, unsigned axis, size_t count,
                           const struct noise_cells_samples *samples)
{
    uint32_t low[NOISE_ROW_MAX];
    float t[NOISE_ROW_MAX];
    struct kernel_walk walk;
    kernel_walk_prepare((uint32_t)int128_high(by), int128_low(by), &walk);
    kernel_walk_row((uint32_t)count, &walk, (uint32_t)int128_high(at), int128_low(at), low, t);
    add_cells(count, int128_high(at), low, samples->cell[axis]);
    memcpy(samples->t[axis], t, count * sizeof *t);
}

void noise_cells_row(const struct noise_cells *cells, unsigned axis,
                     const struct noise_cells_places *row,
                     const struct noise_cells_samples *samples)
{
    const size_t count = row->count;
    const int64_t form = cells->form[axis][0];
    const int128 by = int128_multiply(row->step, form), from = coordinate(cells, axis, &row->first);
    const int128 to = int128_add(from, int128_multiply(row->step * (int64_t)(count - 1), form));
    const int64_t cells_across = int128_high(to) - int128_high(from);
    if (cells_across > -NEAR && cells_across < NEAR && count <= NOISE_ROW_MAX) {
        write_near_row(from, by, axis, count, samples);
        return;
    }
    int128 at = from;
    for (size_t i = 0; i < count; i++, at = int128_add(at, by))
        write_sample(at, axis, i, samples);
}

void noise_cells_list(const struct noise_cells *cells, unsigned axis, const struct place *places,
                      size_t count, const struct noise_cells_samples *samples)
{
    for (size_t i = 0; i < count; i++)
        write_sample(coordinate(cells, axis, &places[i]), axis, i, samples);
}

TERRANE_CLONES
static void move_cells(size_t count, const uint32_t *restrict by, int64_t *restrict cell)
{
    for (size_t i = 0; i < count; i++)
        cell[i] += (int32_t)by[i];
}

void noise_cells_displace(const struct noise_cells *cells, const float *dx, const float *dy,
                          size_t count, const struct noise_cells_samples *samples)
{
    uint32_t low[NOISE_ROW_MAX];
    for (size_t start = 0, some; start < count; start += some) {
        some = count - start < NOISE_ROW_MAX ? count - start : NOISE_ROW_MAX;
        for (unsigned axis = 0; axis < 2; axis++) {
            const struct kernel_displacement displacement = {
                .cells = cells->displacement[axis], .dx = dx + start, .dy = dy + start};
            int64_t *cell = samples->cell[axis] + start;
            memset(low, 0, some * sizeof *low);
            kernel_displace((uint32_t)some, &displacement, low, samples->t[axis] + start);
            move_cells(some, low, cell);
        }
    }
}
