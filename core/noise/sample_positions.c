/* Evaluates an octave at arbitrary positions, in three steps over a row of at most NOISE_ROW_MAX
 * samples: compute each axis' cells and fractions into the scratch (one of the fill_ functions),
 * displace them, and run the kernel of the basis.
 *
 * Kernels get one set of lattice keys for all samples, because keys change only when the high half
 * of a cell does. Where it does change within reach of a row, once in 2³² cells, every sample is
 * evaluated by itself, in all lanes of a row of its own (add_single_position): slow, but rare, and
 * the same kernels give the same bits. */
#include "core/noise/sample_positions.h"

#include <string.h>

bool sample_positions_share_key(int64_t first, int64_t last)
{
    int64_t reach = (int64_t)KERNEL_CELLS_MAX + KERNEL_KEYS;
    return (first - reach) >> 32 == (last + reach) >> 32 &&
           (last - reach) >> 32 == (first + reach) >> 32;
}

void sample_positions_prepare(const struct noise *noise, unsigned octave,
                              const struct noise_uniforms *uniforms,
                              struct prepared_octave *prepared)
{
    prepared->noise = noise;
    prepared->octave = &noise->octaves[octave];
    prepared->window = NULL;
    prepared->basis = basis_variant_of(noise);
    prepared->axes = prepared->basis->cell || noise->dimensions < 2 ? 2 : noise->dimensions;
    for (unsigned axis = 0; axis < prepared->axes; axis++)
        prepared->origin[axis] = slice_origin(noise, octave, axis, uniforms);
    if (prepared->basis->cell)
        slice_prepare(noise, octave, uniforms, &prepared->slice);
}

static struct place place_of(const struct sample_positions *samples, uint32_t i)
{
    if (samples->places)
        return samples->places[i < samples->place_count ? i : samples->place_count - 1];
    return (struct place){samples->x + (int64_t)i * samples->step, samples->y};
}

static int128 coordinate(const struct prepared_octave *octave, unsigned axis,
                         const struct place *place)
{
    return slice_coordinate(octave->octave, axis, octave->origin[axis], place->x, place->y);
}

/* The cells of an axis that the samples lie in, before displacement. */
struct span {
    int64_t low, high;
};

void sample_positions_walk_row(const struct prepared_octave *octave, unsigned axis,
                               const struct position_row *row, uint32_t *low, float *t)
{
    const int128 from = coordinate(octave, axis, &row->first);
    const int128 by = int128_multiply(row->step, octave->octave->form[axis][0]);
    const struct kernel_row_coordinates coordinates = {
        (uint32_t)int128_high(from), (uint32_t)int128_high(by), int128_low(from), int128_low(by)};
    kernel_row_coordinates(row->count, &coordinates, low, t);
}

static struct span fill_row_cells(const struct prepared_octave *octave, unsigned axis,
                                  const struct sample_positions *samples,
                                  struct noise_scratch *scratch)
{
    const struct place ends[2] = {place_of(samples, 0), place_of(samples, samples->count - 1)};
    const int64_t a = lattice_split(coordinate(octave, axis, &ends[0])).cell;
    const int64_t b = lattice_split(coordinate(octave, axis, &ends[1])).cell;
    const struct position_row row = {ends[0], samples->step, samples->count};
    sample_positions_walk_row(octave, axis, &row, scratch->low[axis], scratch->t[axis]);
    return a < b ? (struct span){a, b} : (struct span){b, a};
}

/* For a list whose places are near each other: distances from the corner of their box. The cells
 * are bounded by what the forms make of the box. */
static struct span fill_near_cells(const struct prepared_octave *octave, unsigned axis,
                                   const struct sample_positions *samples,
                                   struct noise_scratch *scratch)
{
    const int128 corner = coordinate(octave, axis, &samples->corner);
    const int64_t *form = octave->octave->form[axis];
    const int64_t extent[2] = {samples->far.x - samples->corner.x,
                               samples->far.y - samples->corner.y};
    int128 low = corner, high = corner, reach = int128_from(0);
    for (unsigned i = 0; i < 2; i++) {
        reach = int128_add(reach, int128_multiply(form[i], extent[i]));
        int128 *const end = form[i] < 0 ? &low : &high;
        *end = int128_add(*end, int128_multiply(form[i], extent[i]));
    }
    const struct kernel_places places = {
        .cell = (uint32_t)int128_high(corner),
        .fraction = int128_low(corner),
        .form = {(uint64_t)form[0], (uint64_t)form[1]},
        .east = samples->east,
        .south = samples->south,
        .near = form[0] >= 0 && form[1] >= 0 && (form[0] == 0 || form[1] == 0) &&
                int128_high(reach) == 0,
    };
    kernel_place_coordinates(samples->count, &places, scratch->low[axis], scratch->t[axis]);
    return (struct span){int128_high(low), int128_high(high)};
}

static struct span fill_list_cells(const struct prepared_octave *octave, unsigned axis,
                                   const struct sample_positions *samples,
                                   struct noise_scratch *scratch)
{
    struct span span = {INT64_MAX, INT64_MIN};
    for (uint32_t i = 0; i < samples->count; i++) {
        const struct place place = place_of(samples, i);
        const struct lattice_point at = lattice_split(coordinate(octave, axis, &place));
        scratch->low[axis][i] = (uint32_t)at.cell;
        scratch->t[axis][i] = lattice_fraction(at.fraction);
        span.low = at.cell < span.low ? at.cell : span.low;
        span.high = at.cell > span.high ? at.cell : span.high;
    }
    return span;
}

/* Runs the kernel of the basis on the positions in the scratch. */
static void evaluate(const struct prepared_octave *octave, const struct kernel_positions *positions,
                     struct noise_scratch *scratch, const struct kernel_out *out)
{
    const struct noise *noise = octave->noise;
    const struct noise_settings *settings = &noise->settings;
    const struct kernel_fades fades = {scratch->fade[0], scratch->fade[1],
                                       scratch->fade_derivative[0], scratch->fade_derivative[1]};
    if (!octave->basis->cell) {
        octave->basis->add(noise, positions, out);
        return;
    }
    for (int axis = 0; axis < 2; axis++) {
        kernel_fade(settings->interpolation, positions->count, positions->t[axis],
                    scratch->fade[axis]);
        if (out->x)
            kernel_fade_derivative(settings->interpolation, positions->count, positions->t[axis],
                                   scratch->fade_derivative[axis]);
    }
    struct cell_job job = {positions, &octave->slice, &fades, out, false};
    octave->basis->cell->add[out->x != NULL](&job);
    if (out->y && noise->dimensions == 1) /* the row's own y is no axis of the noise */
        memset(out->y, 0, positions->count * sizeof *out->y);
}

static struct kernel_positions kernel_positions_of(const struct prepared_octave *octave,
                                                   uint32_t count,
                                                   const struct noise_scratch *scratch)
{
    struct kernel_positions positions = {.count = count};
    for (unsigned axis = 0; axis < octave->axes; axis++) {
        positions.low[axis] = scratch->low[axis];
        positions.t[axis] = scratch->t[axis];
    }
    return positions;
}

/* Evaluates one sample whose neighbours may have other lattice keys: it fills all lanes of a row of
 * its own, with the keys of the cells around its own cell. */
static void add_single_position(const struct prepared_octave *octave,
                                const struct sample_positions *all, uint32_t i,
                                struct noise_scratch *scratch, const struct kernel_out *out)
{
    struct kernel_positions positions = kernel_positions_of(octave, NOISE_LANES, scratch);
    const struct place place = place_of(all, i);
    float dx[NOISE_LANES], dy[NOISE_LANES], n[NOISE_LANES], x[NOISE_LANES], y[NOISE_LANES];
    for (int lane = 0; lane < NOISE_LANES; lane++) {
        dx[lane] = all->dx ? all->dx[i] : 0.0f;
        dy[lane] = all->dy ? all->dy[i] : 0.0f;
        n[lane] = out->n[i];
    }
    struct kernel_displacement displacement = {.dx = dx, .dy = dy};
    for (unsigned axis = 0; axis < octave->axes; axis++) {
        const struct lattice_point at = lattice_split(coordinate(octave, axis, &place));
        uint32_t *low = scratch->low[axis];
        for (int lane = 0; lane < NOISE_LANES; lane++) {
            low[lane] = (uint32_t)at.cell;
            scratch->t[axis][lane] = lattice_fraction(at.fraction);
        }
        displacement.cells = octave->octave->displacement[axis];
        if (all->dx)
            kernel_displace(NOISE_LANES, &displacement, low, scratch->t[axis]);
        const int64_t cell = at.cell + (int32_t)(low[0] - (uint32_t)at.cell);
        for (int k = 0; k < KERNEL_KEYS; k++)
            positions.key[axis][k] =
                lattice_key(octave->octave->key[axis], cell + k - KERNEL_KEY_OWN);
    }
    const struct kernel_out one = {out->amplitude, n, out->x ? x : NULL, out->y ? y : NULL};
    evaluate(octave, &positions, scratch, &one);
    out->n[i] = n[0];
    if (out->x) {
        out->x[i] = x[0];
        out->y[i] = y[0];
    }
}

void sample_positions_add(const struct prepared_octave *octave,
                          const struct sample_positions *samples, struct noise_scratch *scratch,
                          const struct kernel_out *out)
{
    struct kernel_positions placed = kernel_positions_of(octave, samples->count, scratch);
    bool uniform = true;
    for (unsigned axis = 0; axis < octave->axes; axis++) {
        const struct span span = samples->east     ? fill_near_cells(octave, axis, samples, scratch)
                                 : samples->places ? fill_list_cells(octave, axis, samples, scratch)
                                                   : fill_row_cells(octave, axis, samples, scratch);
        const uint32_t key = lattice_key(octave->octave->key[axis], span.low);
        uniform = uniform && sample_positions_share_key(span.low, span.high);
        for (int k = 0; k < KERNEL_KEYS; k++)
            placed.key[axis][k] = key;
        const struct kernel_displacement displacement = {octave->octave->displacement[axis],
                                                         samples->dx, samples->dy};
        if (samples->dx)
            kernel_displace(samples->count, &displacement, scratch->low[axis], scratch->t[axis]);
    }
    if (uniform) {
        placed.window = octave->window;
        evaluate(octave, &placed, scratch, out);
        return;
    }
    for (uint32_t i = 0; i < samples->count; i++)
        add_single_position(octave, samples, i, scratch, out);
}
