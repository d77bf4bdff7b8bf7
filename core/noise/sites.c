#include "core/noise/sites.h"

#include <string.h>

bool sites_share_key(int64_t first, int64_t last)
{
    int64_t reach = (int64_t)KERNEL_CELLS_MAX + KERNEL_KEYS;
    return (first - reach) >> 32 == (last + reach) >> 32 &&
           (last - reach) >> 32 == (first + reach) >> 32;
}

bool sites_are_lattice(const struct noise *noise)
{
    return noise->settings.basis != NOISE_SIMPLEX && noise->settings.basis != NOISE_WORLEY;
}

void sites_prepare(const struct noise *noise, unsigned octave, const struct noise_moment *moment,
                   struct sites_octave *prepared)
{
    prepared->noise = noise;
    prepared->octave = &noise->octaves[octave];
    prepared->window = NULL;
    prepared->axes = sites_are_lattice(noise) || noise->dimensions < 2 ? 2 : noise->dimensions;
    for (unsigned axis = 0; axis < prepared->axes; axis++)
        prepared->origin[axis] = slice_origin(noise, octave, axis, moment);
    if (sites_are_lattice(noise))
        slice_prepare(noise, octave, moment, &prepared->slice);
}

static struct place place_of(const struct sites *sites, uint32_t i)
{
    if (sites->places)
        return sites->places[i < sites->members ? i : sites->members - 1];
    return (struct place){sites->x + (int64_t)i * sites->step, sites->y};
}

static wide coordinate(const struct sites_octave *octave, unsigned axis, const struct place *place)
{
    return slice_coordinate(octave->octave, axis, octave->origin[axis], place->x, place->y);
}

/* The cells the samples of an axis lie in, before displacement. */
struct span {
    int64_t low, high;
};

void sites_walk(const struct sites_octave *octave, unsigned axis, const struct sites_row *row,
                uint32_t *low, float *t)
{
    const wide from = coordinate(octave, axis, &row->first);
    const wide by = wide_product(row->step, octave->octave->form[axis][0]);
    const struct kernel_walk walk = {(uint32_t)wide_high(from), (uint32_t)wide_high(by),
                                     wide_low(from), wide_low(by)};
    kernel_walk(row->count, &walk, low, t);
}

static struct span place_row(const struct sites_octave *octave, unsigned axis,
                             const struct sites *sites, struct noise_scratch *scratch)
{
    const struct place ends[2] = {place_of(sites, 0), place_of(sites, sites->count - 1)};
    const int64_t a = lattice_split(coordinate(octave, axis, &ends[0])).cell;
    const int64_t b = lattice_split(coordinate(octave, axis, &ends[1])).cell;
    const struct sites_row row = {ends[0], sites->step, sites->count};
    sites_walk(octave, axis, &row, scratch->low[axis], scratch->t[axis]);
    return a < b ? (struct span){a, b} : (struct span){b, a};
}

/* A list whose places are near each other: from the corner of their box. */
static struct span place_near(const struct sites_octave *octave, unsigned axis,
                              const struct sites *sites, struct noise_scratch *scratch)
{
    const wide corner = coordinate(octave, axis, &sites->corner);
    const int64_t *form = octave->octave->form[axis], cell = wide_high(corner);
    const struct kernel_places places = {
        .cell = (uint32_t)cell,
        .fraction = wide_low(corner),
        .form = {(uint64_t)form[0], (uint64_t)form[1]},
        .east = sites->east,
        .south = sites->south,
    };
    const struct kernel_span span =
        kernel_place(sites->count, &places, scratch->low[axis], scratch->t[axis]);
    return (struct span){cell + span.least, cell + span.most};
}

static struct span place_list(const struct sites_octave *octave, unsigned axis,
                              const struct sites *sites, struct noise_scratch *scratch)
{
    struct span span = {INT64_MAX, INT64_MIN};
    for (uint32_t i = 0; i < sites->count; i++) {
        if (i >= sites->members) {
            scratch->low[axis][i] = scratch->low[axis][i - 1];
            scratch->t[axis][i] = scratch->t[axis][i - 1];
            continue;
        }
        const struct lattice_point at = lattice_split(coordinate(octave, axis, &sites->places[i]));
        scratch->low[axis][i] = (uint32_t)at.cell;
        scratch->t[axis][i] = lattice_fraction(at.fraction);
        span.low = at.cell < span.low ? at.cell : span.low;
        span.high = at.cell > span.high ? at.cell : span.high;
    }
    return span;
}

/* Runs the basis' kernel on what stands in the scratch. */
static void evaluate(const struct sites_octave *octave, const struct kernel_sites *sites,
                     struct noise_scratch *scratch, const struct kernel_out *out)
{
    const struct noise *noise = octave->noise;
    const struct noise_settings *settings = &noise->settings;
    const struct kernel_fades fades = {scratch->fade[0], scratch->fade[1], scratch->fade_slope[0],
                                       scratch->fade_slope[1]};
    if (settings->basis == NOISE_SIMPLEX) {
        kernel_add_simplex(noise->dimensions, sites, out);
        return;
    }
    if (settings->basis == NOISE_WORLEY) {
        const struct kernel_worley worley = {noise->dimensions, settings->feature,
                                             settings->fractal != NOISE_SINGLE};
        kernel_add_worley(&worley, sites, out);
        return;
    }
    for (int axis = 0; axis < 2; axis++) {
        kernel_fade(settings->interpolation, sites->count, sites->t[axis], scratch->fade[axis]);
        if (out->x)
            kernel_fade_slope(settings->interpolation, sites->count, sites->t[axis],
                              scratch->fade_slope[axis]);
    }
    kernel_add_lattice(kernel_kind_of(noise), sites, &octave->slice, &fades, out);
    if (out->y && noise->dimensions == 1) /* the row's own y is no axis of the noise */
        memset(out->y, 0, sites->count * sizeof *out->y);
}

static struct kernel_sites sites_in(const struct sites_octave *octave, uint32_t count,
                                    const struct noise_scratch *scratch)
{
    struct kernel_sites sites = {.count = count};
    for (unsigned axis = 0; axis < octave->axes; axis++) {
        sites.low[axis] = scratch->low[axis];
        sites.t[axis] = scratch->t[axis];
    }
    return sites;
}

/* A site whose neighbours may have other lattice keys: it fills all lanes of a row of its own. */
static void add_alone(const struct sites_octave *octave, const struct sites *all, uint32_t i,
                      struct noise_scratch *scratch, const struct kernel_out *out)
{
    struct kernel_sites sites = sites_in(octave, NOISE_LANES, scratch);
    const struct place place = place_of(all, i);
    float dx[NOISE_LANES], dy[NOISE_LANES], n[NOISE_LANES], x[NOISE_LANES], y[NOISE_LANES];
    for (int lane = 0; lane < NOISE_LANES; lane++) {
        dx[lane] = all->dx ? all->dx[i] : 0.0f;
        dy[lane] = all->dy ? all->dy[i] : 0.0f;
        n[lane] = out->n[i];
    }
    struct kernel_move move = {.dx = dx, .dy = dy};
    for (unsigned axis = 0; axis < octave->axes; axis++) {
        const struct lattice_point at = lattice_split(coordinate(octave, axis, &place));
        uint32_t *low = scratch->low[axis];
        for (int lane = 0; lane < NOISE_LANES; lane++) {
            low[lane] = (uint32_t)at.cell;
            scratch->t[axis][lane] = lattice_fraction(at.fraction);
        }
        move.cells = octave->octave->move[axis];
        if (all->dx)
            kernel_displace(NOISE_LANES, &move, low, scratch->t[axis]);
        const int64_t cell = at.cell + (int32_t)(low[0] - (uint32_t)at.cell);
        for (int k = 0; k < KERNEL_KEYS; k++)
            sites.key[axis][k] = lattice_key(octave->octave->key[axis], cell + k - KERNEL_KEY_OWN);
    }
    const struct kernel_out one = {out->amplitude, n, out->x ? x : NULL, out->y ? y : NULL};
    evaluate(octave, &sites, scratch, &one);
    out->n[i] = n[0];
    if (out->x) {
        out->x[i] = x[0];
        out->y[i] = y[0];
    }
}

void sites_add(const struct sites_octave *octave, const struct sites *sites,
               struct noise_scratch *scratch, const struct kernel_out *out)
{
    struct kernel_sites placed = sites_in(octave, sites->count, scratch);
    bool uniform = true;
    for (unsigned axis = 0; axis < octave->axes; axis++) {
        const struct span span = sites->east     ? place_near(octave, axis, sites, scratch)
                                 : sites->places ? place_list(octave, axis, sites, scratch)
                                                 : place_row(octave, axis, sites, scratch);
        const uint32_t key = lattice_key(octave->octave->key[axis], span.low);
        uniform = uniform && sites_share_key(span.low, span.high);
        for (int k = 0; k < KERNEL_KEYS; k++)
            placed.key[axis][k] = key;
        const struct kernel_move move = {octave->octave->move[axis], sites->dx, sites->dy};
        if (sites->dx)
            kernel_displace(sites->count, &move, scratch->low[axis], scratch->t[axis]);
    }
    if (uniform) {
        placed.window = octave->window;
        evaluate(octave, &placed, scratch, out);
        return;
    }
    for (uint32_t i = 0; i < sites->count; i++)
        add_alone(octave, sites, i, scratch, out);
}
