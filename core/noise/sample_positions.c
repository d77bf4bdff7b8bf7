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
    prepared->walk = NULL;
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

void sample_positions_prepare_walk(const struct prepared_octave *octave, unsigned axis,
                                   int64_t step, struct kernel_walk *walk)
{
    const int128 by = int128_multiply(step, octave->octave->form[axis][0]);
    kernel_walk_prepare((uint32_t)int128_high(by), int128_low(by), walk);
}

static struct span fill_row_cells(const struct prepared_octave *octave, unsigned axis,
                                  const struct sample_positions *samples,
                                  struct noise_scratch *scratch)
{
    const struct place ends[2] = {place_of(samples, 0), place_of(samples, samples->count - 1)};
    const int128 first = coordinate(octave, axis, &ends[0]);
    const int64_t a = int128_high(first), b = int128_high(coordinate(octave, axis, &ends[1]));
    kernel_walk_row(samples->count, &octave->walk[axis], (uint32_t)a, int128_low(first),
                    scratch->low[axis], scratch->t[axis]);
    return a < b ? (struct span){a, b} : (struct span){b, a};
}

/* The cells that the box of the places lies in, by its corner's coordinate. */
static struct span span_of_box(const struct prepared_octave *octave, unsigned axis,
                               const struct sample_positions *samples, int128 corner)
{
    const int64_t *form = octave->octave->form[axis];
    const int64_t extent[2] = {samples->far.x - samples->corner.x,
                               samples->far.y - samples->corner.y};
    int128 low = corner, high = corner;
    for (unsigned i = 0; i < 2; i++) {
        int128 *const end = form[i] < 0 ? &low : &high;
        *end = int128_add(*end, int128_multiply(form[i], extent[i]));
    }
    return (struct span){int128_high(low), int128_high(high)};
}

/* For places near each other: by their distances from the corner of their box. */
static void fill_near_cells(const struct prepared_octave *octave, unsigned axis,
                            const struct sample_positions *samples, int128 corner,
                            struct noise_scratch *scratch)
{
    const int64_t *form = octave->octave->form[axis];
    const int128 reach = int128_add(int128_multiply(form[0], samples->far.x - samples->corner.x),
                                    int128_multiply(form[1], samples->far.y - samples->corner.y));
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
}

/* Coordinates in parts, before the fractions become floats. */
struct coordinates {
    uint32_t *low; /* halves of the cells */
    uint32_t fractions[NOISE_ROW_MAX];
};

static inline void write_coordinate(int128 at, struct coordinates *out, uint32_t i)
{
    out->low[i] = (uint32_t)int128_high(at);
    out->fractions[i] = (uint32_t)(int128_low(at) >> 32);
}

/* Squares of 4 × 4 places, on an axis along x: each column has one coordinate; */
static void write_columns(int128 origin, int64_t form, const struct sample_positions *samples,
                          struct coordinates *out)
{
    for (uint32_t i = 0; i < samples->place_count; i += 16) {
        for (uint32_t k = i; k < i + 4; k++)
            write_coordinate(int128_add(origin, int128_multiply(samples->places[k].x, form)), out,
                             k);
        for (uint32_t k = i + 4; k < i + 16; k += 4) {
            memcpy(out->low + k, out->low + i, 4 * sizeof *out->low);
            memcpy(out->fractions + k, out->fractions + i, 4 * sizeof *out->fractions);
        }
    }
}

/* or along y: each row has one. */
static void write_rows(int128 origin, int64_t form, const struct sample_positions *samples,
                       struct coordinates *out)
{
    for (uint32_t i = 0; i < samples->place_count; i += 4) {
        const int128 at = int128_add(origin, int128_multiply(samples->places[i].y, form));
        const uint32_t low = (uint32_t)int128_high(at);
        const uint32_t fraction = (uint32_t)(int128_low(at) >> 32);
        for (uint32_t k = i; k < i + 4; k++) {
            out->low[k] = low;
            out->fractions[k] = fraction;
        }
    }
}

static void write_along(int128 origin, int64_t form, bool along_x,
                        const struct sample_positions *samples, struct coordinates *out)
{
    for (uint32_t i = 0; i < samples->place_count; i++) {
        const int64_t along = along_x ? samples->places[i].x : samples->places[i].y;
        write_coordinate(int128_add(origin, int128_multiply(along, form)), out, i);
    }
}

/* For places anywhere: a product of 128 bits for each, which is as quick as vectors of 32-bit
 * columns. */
static void fill_far_cells(const struct prepared_octave *octave, unsigned axis,
                           const struct sample_positions *samples, struct noise_scratch *scratch)
{
    const int64_t *form = octave->octave->form[axis];
    const bool along_x = form[1] == 0;
    const int64_t own_form = along_x ? form[0] : form[1];
    const int128 origin = octave->origin[axis];
    const uint32_t count = samples->place_count;
    struct coordinates out;
    out.low = scratch->low[axis];
    if (form[0] != 0 && form[1] != 0)
        for (uint32_t i = 0; i < count; i++)
            write_coordinate(coordinate(octave, axis, &samples->places[i]), &out, i);
    else if (samples->squares && along_x)
        write_columns(origin, own_form, samples, &out);
    else if (samples->squares)
        write_rows(origin, own_form, samples, &out);
    else
        write_along(origin, own_form, along_x, samples, &out);
    for (uint32_t i = count; i < samples->count; i++) {
        out.low[i] = out.low[count - 1];
        out.fractions[i] = out.fractions[count - 1];
    }
    kernel_fractions(samples->count, out.fractions, scratch->t[axis]);
}

static struct span fill_list_cells(const struct prepared_octave *octave, unsigned axis,
                                   const struct sample_positions *samples,
                                   struct noise_scratch *scratch)
{
    const int128 corner = coordinate(octave, axis, &samples->corner);
    if (samples->east)
        fill_near_cells(octave, axis, samples, corner, scratch);
    else
        fill_far_cells(octave, axis, samples, scratch);
    return span_of_box(octave, axis, samples, corner);
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
    for (int axis = 0; axis < 2; axis++)
        kernel_fade(settings->interpolation, positions->count, positions->t[axis],
                    scratch->fade[axis], out->x ? scratch->fade_derivative[axis] : NULL);
    const struct cell_job job = {positions, &octave->slice, &fades, out};
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

bool sample_positions_in_range(const struct noise_octave *octave, unsigned axis, float reach)
{
    const float *cells = octave->displacement[axis];
    return reach * __builtin_fabsf(cells[0]) < 0.5f * KERNEL_CELLS_MAX &&
           reach * __builtin_fabsf(cells[1]) < 0.5f * KERNEL_CELLS_MAX;
}

/* The first and the last cell of one axis, by their low halves, and the lattice key of the first.
 */
struct axis_cells {
    uint32_t first, last, key;
};

/* Sets the positions of one axis; true if one lattice key is that of all samples. */
static bool fill_axis(const struct prepared_octave *octave, unsigned axis,
                      const struct sample_positions *samples, struct noise_scratch *scratch,
                      struct axis_cells *cells)
{
    const struct span span = samples->places ? fill_list_cells(octave, axis, samples, scratch)
                                             : fill_row_cells(octave, axis, samples, scratch);
    const struct kernel_displacement displacement = {
        .cells = octave->octave->displacement[axis],
        .dx = samples->dx,
        .dy = samples->dy,
        .cell = (uint32_t)span.low,
        .in_range = sample_positions_in_range(octave->octave, axis, samples->reach),
    };
    *cells = (struct axis_cells){(uint32_t)span.low, (uint32_t)span.high,
                                 lattice_key(octave->octave->key[axis], span.low)};
    if (samples->dx) {
        const struct kernel_span moved =
            kernel_displace(samples->count, &displacement, scratch->low[axis], scratch->t[axis]);
        cells->first = displacement.cell + (uint32_t)moved.least;
        cells->last = displacement.cell + (uint32_t)moved.most;
    }
    return sample_positions_share_key(span.low, span.high);
}

void sample_positions_add(const struct prepared_octave *octave,
                          const struct sample_positions *samples, struct noise_scratch *scratch,
                          const struct kernel_out *out)
{
    struct kernel_positions placed = kernel_positions_of(octave, samples->count, scratch);
    struct axis_cells cells[LATTICE_AXES] = {0};
    bool uniform = true;
    for (unsigned axis = 0; axis < octave->axes; axis++) {
        uniform = fill_axis(octave, axis, samples, scratch, &cells[axis]) && uniform;
        for (int k = 0; k < KERNEL_KEYS; k++)
            placed.key[axis][k] = cells[axis].key;
    }
    if (!uniform) {
        for (uint32_t i = 0; i < samples->count; i++)
            add_single_position(octave, samples, i, scratch, out);
        return;
    }
    const struct kernel_box box = {cells[0].first, cells[0].last, cells[1].first,
                                   cells[1].last,  cells[0].key,  cells[1].key};
    placed.monotonic = !samples->places && !samples->dx;
    if (octave->window && octave->window->points && kernel_window_ensure(octave->window, &box))
        placed.window = octave->window;
    evaluate(octave, &placed, scratch, out);
}
