/* The loops that compute lattice coordinates (cell and fraction) of samples, along a row and for
 * lists of places, and that displace them.
 *
 * Coordinates are exact: 128-bit fixed point, of which a row needs the low 32 bits of the cell and
 * 64 bits of fraction (the high half of the cell is in the lattice key). Vectors of 64-bit products
 * and carries are slow or missing, so all loops work in columns of 32 bits. */
#include "core/noise/cell_corners.h"

TERRANE_INLINE void chunk_coordinates(const struct kernel_walk *restrict walk, uint32_t cell,
                                      uint64_t fraction, uint32_t *restrict out_low,
                                      float *restrict t)
{
    const uint32_t high = (uint32_t)(fraction >> 32), low = (uint32_t)fraction;
    TERRANE_NO_UNROLL
    for (int i = 0; i < NOISE_LANES; i++) {
        const uint32_t carry = low + walk->low[i] < low ? 1 : 0;
        const uint32_t sum = high + walk->high[i];
        const uint32_t all = sum + carry;
        out_low[i] = cell + walk->cell[i] + (sum < high ? 1 : 0) + (all < carry ? 1 : 0);
        t[i] = lattice_fraction(all);
    }
}

void kernel_walk_prepare(uint32_t cell_step, uint64_t fraction_step, struct kernel_walk *walk)
{
    uint32_t cell = 0;
    uint64_t fraction = 0;
    for (int i = 0; i < NOISE_LANES; i++) {
        walk->cell[i] = cell;
        walk->high[i] = (uint32_t)(fraction >> 32);
        walk->low[i] = (uint32_t)fraction;
        fraction += fraction_step;
        cell += cell_step + (fraction < fraction_step);
    }
    walk->chunk_cell = cell;
    walk->chunk_fraction = fraction;
    walk->stands = cell_step == 0 && fraction_step == 0;
}

TERRANE_CLONES
void kernel_walk_row(uint32_t count, const struct kernel_walk *walk, uint32_t cell,
                     uint64_t fraction, uint32_t *restrict low, float *restrict t)
{
    if (walk->stands) {
        for (uint32_t i = 0; i < count; i++) {
            low[i] = cell;
            t[i] = lattice_fraction((uint32_t)(fraction >> 32));
        }
        return;
    }
    for (uint32_t start = 0; start < count; start += NOISE_LANES) {
        chunk_coordinates(walk, cell, fraction, low + start, t + start);
        fraction += walk->chunk_fraction;
        cell += walk->chunk_cell + (fraction < walk->chunk_fraction);
    }
}

/* For a lattice axis along x or y of the world, as those of lattices that are not turned. */
TERRANE_INLINE void coordinates_along_axis(uint32_t count, const struct kernel_places *places,
                                           uint32_t *restrict low, float *restrict t)
{
    const uint32_t *restrict along = places->form[1] == 0 ? places->east : places->south;
    const uint64_t form = places->form[1] == 0 ? places->form[0] : places->form[1];
    const uint64_t base_low = (uint32_t)places->fraction, base_high = places->fraction >> 32;
    const uint32_t form_low = (uint32_t)form, form_high = (uint32_t)(form >> 32);
    const uint64_t column = 0xFFFFFFFFu;
    const uint32_t cell = places->cell, sign = 0u - (uint32_t)(form >> 63);
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t lower = (uint64_t)along[i] * form_low,
                       upper = (uint64_t)along[i] * form_high;
        const uint64_t sum = base_high + (upper & column) + ((base_low + lower) >> 32);
        low[i] = cell + (uint32_t)(upper >> 32) + (uint32_t)(sum >> 32) - (along[i] & sign);
        t[i] = lattice_fraction((uint32_t)sum);
    }
}

TERRANE_INLINE void coordinates_across_axes(uint32_t count, const struct kernel_places *places,
                                            uint32_t *restrict low, float *restrict t)
{
    const uint32_t *restrict east = places->east, *restrict south = places->south;
    const uint64_t base_low = (uint32_t)places->fraction, base_high = places->fraction >> 32;
    const uint32_t x_low = (uint32_t)places->form[0], x_high = (uint32_t)(places->form[0] >> 32);
    const uint32_t y_low = (uint32_t)places->form[1], y_high = (uint32_t)(places->form[1] >> 32);
    const uint32_t x_sign = 0u - (x_high >> 31), y_sign = 0u - (y_high >> 31);
    const uint32_t cell = places->cell;
    const uint64_t column = 0xFFFFFFFFu;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t x_lower = (uint64_t)east[i] * x_low, x_upper = (uint64_t)east[i] * x_high;
        const uint64_t y_lower = (uint64_t)south[i] * y_low, y_upper = (uint64_t)south[i] * y_high;
        /* The lower products are below 2⁶³: three of that size would not fit. */
        const uint64_t carried = (base_low + (x_lower & column) + (y_lower & column)) >> 32;
        const uint64_t sum = base_high + (x_lower >> 32) + (y_lower >> 32) + (x_upper & column) +
                             (y_upper & column) + carried;
        low[i] = cell + (uint32_t)(x_upper >> 32) + (uint32_t)(y_upper >> 32) +
                 (uint32_t)(sum >> 32) - (east[i] & x_sign) - (south[i] & y_sign);
        t[i] = lattice_fraction((uint32_t)sum);
    }
}

/* Places that are less than a cell away from the corner: their distances are below 2⁶⁴, so a carry
 * is all that changes the cell. */
TERRANE_INLINE void coordinates_near_corner(uint32_t count, const struct kernel_places *places,
                                            uint32_t *restrict low, float *restrict t)
{
    const uint32_t *restrict along = places->form[1] == 0 ? places->east : places->south;
    const uint64_t form = places->form[1] == 0 ? places->form[0] : places->form[1];
    const uint64_t fraction = places->fraction;
    const uint32_t cell = places->cell;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t sum = fraction + along[i] * form;
        low[i] = cell + (sum < fraction ? 1 : 0);
        t[i] = lattice_fraction((uint32_t)(sum >> 32));
    }
}

/* The same where the low half of the form is 0, as that of a wavelength of 2ⁿ metres is. */
TERRANE_INLINE void coordinates_in_halves(uint32_t count, const struct kernel_places *places,
                                          uint32_t *restrict low, float *restrict t)
{
    const uint32_t *restrict along = places->form[1] == 0 ? places->east : places->south;
    const uint64_t form = places->form[1] == 0 ? places->form[0] : places->form[1];
    const uint32_t fraction = (uint32_t)(places->fraction >> 32), high = (uint32_t)(form >> 32);
    const uint32_t cell = places->cell;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t sum = fraction + along[i] * high;
        low[i] = cell + (sum < fraction ? 1 : 0);
        t[i] = lattice_fraction(sum);
    }
}

/* Sums products of 32 × 32 bits, which vectors have, in columns of 32 bits. The two's complement of
 * a negative form is 2⁶⁴ too much, so a product is too large by the distance in cells; the masks
 * `sign` subtract it. */
TERRANE_CLONES
void kernel_place_coordinates(uint32_t count, const struct kernel_places *places, uint32_t *low,
                              float *t)
{
    if (places->near && (uint32_t)(places->form[0] | places->form[1]) == 0)
        coordinates_in_halves(count, places, low, t);
    else if (places->near)
        coordinates_near_corner(count, places, low, t);
    else if (places->form[0] == 0 || places->form[1] == 0)
        coordinates_along_axis(count, places, low, t);
    else
        coordinates_across_axes(count, places, low, t);
}

TERRANE_CLONES
void kernel_fractions(uint32_t count, const uint32_t *restrict fractions, float *restrict t)
{
    for (uint32_t i = 0; i < count; i++)
        t[i] = lattice_fraction(fractions[i]);
}

TERRANE_CLONES
struct kernel_place_box kernel_find_box(uint32_t count, const struct place *places)
{
    struct place low = places[0], high = low;
    for (uint32_t i = 1; i < count; i++) {
        const struct place place = places[i];
        low.x = place.x < low.x ? place.x : low.x;
        low.y = place.y < low.y ? place.y : low.y;
        high.x = place.x > high.x ? place.x : high.x;
        high.y = place.y > high.y ? place.y : high.y;
    }
    return (struct kernel_place_box){low, high};
}

TERRANE_CLONES
void kernel_place_distances(uint32_t count, const struct place *places, struct place low,
                            uint32_t *restrict east, uint32_t *restrict south)
{
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        east[i] = (uint32_t)places[i].x - (uint32_t)low.x;
        south[i] = (uint32_t)places[i].y - (uint32_t)low.y;
    }
}

/* The samples of one axis, which are displaced, and the extremes of their cells. */
struct displaced_axis {
    uint32_t *low;
    float *t;
    uint32_t cell;
    struct kernel_span span;
};

/* Displaces sample i by `cells`. */
TERRANE_INLINE void displace_sample(struct displaced_axis *axis, uint32_t i, float cells)
{
    const float moved = cells + axis->t[i], whole = __builtin_floorf(moved);
    const uint32_t low = axis->low[i] + (uint32_t)(int32_t)whole;
    const int32_t distance = (int32_t)(low - axis->cell);
    axis->t[i] = moved - whole;
    axis->low[i] = low;
    axis->span.least = distance < axis->span.least ? distance : axis->span.least;
    axis->span.most = distance > axis->span.most ? distance : axis->span.most;
}

/* For an axis along one coordinate of the displacement, as those of lattices that are not turned.
 */
TERRANE_INLINE struct kernel_span displace_along(bool clamped, uint32_t count,
                                                 struct displaced_axis axis,
                                                 const float *restrict metres, float cells)
{
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++)
        displace_sample(&axis, i, clamped ? cells_of(metres[i], cells) : metres[i] * cells);
    return axis.span;
}

/* Each coordinate is clamped by itself, as infinities would meet. */
TERRANE_INLINE struct kernel_span displace_across(bool clamped, uint32_t count,
                                                  struct displaced_axis axis,
                                                  const struct kernel_displacement *displacement)
{
    const float *restrict dx = displacement->dx, *restrict dy = displacement->dy;
    const float east = displacement->cells[0], south = displacement->cells[1];
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++)
        displace_sample(&axis, i,
                        clamped ? cells_clamp(cells_of(dx[i], east) + cells_of(dy[i], south))
                                : dx[i] * east + dy[i] * south);
    return axis.span;
}

TERRANE_CLONES
struct kernel_span kernel_displace(uint32_t count, const struct kernel_displacement *displacement,
                                   uint32_t *low, float *t)
{
    const float east = displacement->cells[0], south = displacement->cells[1];
    const struct displaced_axis axis = {low, t, displacement->cell, {INT32_MAX, INT32_MIN}};
    if (east != 0.0f && south != 0.0f)
        return displacement->in_range ? displace_across(false, count, axis, displacement)
                                      : displace_across(true, count, axis, displacement);
    const float *along = south == 0.0f ? displacement->dx : displacement->dy;
    return displacement->in_range ? displace_along(false, count, axis, along, east + south)
                                  : displace_along(true, count, axis, along, east + south);
}
