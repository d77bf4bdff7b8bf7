/* Gullies: stripes along a slope in octaves, for gullies().
 *
 * An octave has a lattice of its own, turned against the one before by the angle of the triangle
 * 3, 4, 5, with a random phase for each cell. A sample adds up the waves of the nine cells around
 * it: each runs across the slope at the sample, CELL_TURNS of it to a cell, from the phase of its
 * cell on, and is weighted by a quadratic B-spline of the distance. The sum is a complex number,
 * whose length is made 1 where it is not short: then its real part is 1 on crests and -1 in
 * gullies, and the sign of the imaginary part says on which side of a crest the sample is.
 *
 * So the next, finer octave runs down that side: the direction is turned by the slope of the
 * stripes. It is faded out on crests and in gullies, which stay whole that way.
 *
 * The waves of nine cells are three along x times three along y, as the phase is linear in both;
 * so a sample takes six sines and cosines, not eighteen. All cells are exact (core/noise/cells.h),
 * and the scalar meaning of the loop is the truth. Compare R. S. Johansen, "Phacelle noise" (2025),
 * and T. Tricard et al., "Procedural phasor noise" (2019), which add up oriented waves likewise. */
#include "core/noise/lattice.h"
#include "core/program/row_kernels_cells.h"

#define CELL_WAVELENGTHS 0.75 /* the side of a cell: shorter ones break the stripes up */
#define CELL_TURNS 0.75f      /* so many waves to a cell */
#define LEAST_LENGTH 0.3f /* of a sum that is made 1 long; shorter ones fade, where phases jump */
#define TURN 0.46f        /* slope of the stripes, in slopes of the ground */
#define FADE_TURNS 4.0f   /* the next octave is whole from a quarter of the wave's height on */
#define TURN_COSINE 0.8   /* of a lattice against the one before */
#define TURN_SINE 0.6
#define FIRST_COSINE 0.92847669088525941 /* of the first against the scope: 21.8°, so that no */
#define FIRST_SINE 0.37139067635410376   /* octave lies along the axes */

/* The lattice of an octave against the scope, and what it adds. */
struct gully_octave {
    float cosine, sine;
    float amplitude;
    uint32_t key[2][3]; /* by axis, of the cells before, at and behind the sample's */
};

/* What octaves hand on, by sample: the direction down the slope, how much of the next octave
 * shows, the height of the stripes so far without amplitude, and the result. */
struct gully_rows {
    _Alignas(64) uint32_t low[2][SOME_CELLS]; /* the low halves of the cells, by axis */
    _Alignas(64) float t[2][SOME_CELLS];
    _Alignas(64) float x[SOME_CELLS], y[SOME_CELLS], share[SOME_CELLS], height[SOME_CELLS],
        sum[SOME_CELLS];
};

struct complex {
    float real, imaginary;
};

TERRANE_INLINE struct complex complex_product(struct complex a, struct complex b)
{
    return (struct complex){a.real * b.real - a.imaginary * b.imaginary,
                            a.real * b.imaginary + a.imaginary * b.real};
}

/* The sine of so many turns, -½ … ½: two parabolas, bent to within 0.0011 of it. */
TERRANE_INLINE float sine_of_turns(float turns)
{
    const float arch = turns * (8.0f - 16.0f * __builtin_fabsf(turns));
    return arch * (0.775f + 0.225f * __builtin_fabsf(arch));
}

/* A wave so many turns on, times a weight. */
TERRANE_INLINE struct complex wave(float turns, float weight)
{
    const float rest = turns - __builtin_floorf(turns + 0.5f);
    return (struct complex){weight * sine_of_turns(0.25f - __builtin_fabsf(rest)),
                            weight * sine_of_turns(rest)};
}

/* The waves of three cells along an axis; t is the place in the middle one, 0 … 1. */
TERRANE_INLINE void waves_along(float t, float turns, struct complex out[3])
{
    const float d = t - 0.5f, before = 0.5f - d, behind = 0.5f + d;
    out[0] = wave((d + 1.0f) * turns, 0.5f * before * before);
    out[1] = wave(d * turns, 0.75f - d * d);
    out[2] = wave((d - 1.0f) * turns, 0.5f * behind * behind);
}

/* The waves of a row of three cells, with their phases. */
TERRANE_INLINE struct complex sum_of_row(const uint32_t columns[3], uint32_t row,
                                         const struct complex waves[3])
{
    struct complex sum = {0.0f, 0.0f};
    TERRANE_UNROLL
    for (int k = 0; k < 3; k++) {
        struct complex phase;
        lattice_gradient(lattice_hash(columns[k], row), &phase.real, &phase.imaginary);
        const struct complex added = complex_product(phase, waves[k]);
        sum.real += added.real;
        sum.imaginary += added.imaginary;
    }
    return sum;
}

/* 0 … 1 as t is 0 … 1, steep at first; 1 beyond. */
TERRANE_INLINE float ease(float t)
{
    const float rest = 1.0f - (t > 1.0f ? 1.0f : t);
    return 1.0f - rest * rest;
}

/* Of the sum of all waves, its direction: its length is 1 where it is LEAST_LENGTH or more. */
TERRANE_INLINE struct complex direction_of(struct complex sum)
{
    const float length = __builtin_sqrtf(sum.real * sum.real + sum.imaginary * sum.imaginary);
    const float inverse = 1.0f / (length > LEAST_LENGTH ? length : LEAST_LENGTH);
    return (struct complex){sum.real * inverse, sum.imaginary * inverse};
}

TERRANE_CLONES
static void add_octave(const struct gully_octave *own, size_t first, size_t end,
                       struct gully_rows *rows)
{
    const struct gully_octave octave = *own;
    TERRANE_INDEPENDENT
    for (size_t i = first; i < end; i++) {
        const float x = rows->x[i], y = rows->y[i];
        const float inverse = 1.0f / __builtin_sqrtf(x * x + y * y);
        const float east = x * inverse, south = y * inverse;
        /* Across the slope in the lattice, in turns a cell. */
        const float turns_x = -CELL_TURNS * (east * octave.sine + south * octave.cosine);
        const float turns_y = CELL_TURNS * (east * octave.cosine - south * octave.sine);
        struct complex along_x[3], along_y[3], sum = {0.0f, 0.0f};
        uint32_t columns[3];
        waves_along(rows->t[0][i], turns_x, along_x);
        waves_along(rows->t[1][i], turns_y, along_y);
        TERRANE_UNROLL
        for (uint32_t k = 0; k < 3; k++)
            columns[k] = lattice_line_x(rows->low[0][i] + k - 1, octave.key[0][k]);
        TERRANE_UNROLL
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t line = lattice_line_y(rows->low[1][i] + k - 1, octave.key[1][k]);
            const struct complex row =
                complex_product(sum_of_row(columns, line, along_x), along_y[k]);
            sum.real += row.real;
            sum.imaginary += row.imaginary;
        }
        const struct complex crest = direction_of(sum);
        const float share = rows->share[i], rest = 1.0f - share;
        const float height = rows->height[i] + (crest.real - rows->height[i]) * share;
        const float side = crest.imaginary < 0.0f ? -TURN : TURN;
        rows->sum[i] += height * octave.amplitude;
        rows->height[i] = height;
        rows->x[i] = x + south * side;
        rows->y[i] = y - east * side;
        rows->share[i] = (1.0f - rest * __builtin_sqrtf(rest)) *
                         ease(__builtin_fabsf(crest.imaginary) * FADE_TURNS);
    }
}

/* Polynomials of the angle, as those of cos() and sin() (row_kernels.c): -π … π and a bit. */
TERRANE_CLONES
static void begin_rows(size_t count, const float *restrict angle, struct gully_rows *rows)
{
    for (size_t i = 0; i < count; i++) {
        const float turns = angle[i] * 0.159154943f;
        const struct complex direction = wave(turns, 1.0f);
        rows->x[i] = direction.real;
        rows->y[i] = direction.imaginary;
        rows->share[i] = 1.0f;
        rows->height[i] = rows->sum[i] = 0.0f;
    }
}

/* The high halves of cells count from here on, so that one of them is all around the origin. */
#define HALF ((int64_t)1 << 31)

/* True if the samples' cells and those around them have one high half. */
static bool have_one_half(const int64_t *cell, size_t count)
{
    int64_t least = cell[0], most = cell[0];
    for (size_t i = 1; i < count; i++) {
        least = cell[i] < least ? cell[i] : least;
        most = cell[i] > most ? cell[i] : most;
    }
    return (least - 1 + HALF) >> 32 == (most + 1 + HALF) >> 32;
}

static void set_keys(struct gully_octave *octave, uint64_t key, int64_t x, int64_t y)
{
    for (int k = 0; k < 3; k++) {
        octave->key[0][k] = lattice_key(hash_mix(key), x + HALF + k - 1);
        octave->key[1][k] = lattice_key(hash_mix(key + 1), y + HALF + k - 1);
    }
}

/* Adds an octave to samples whose cells were found. Where a high half changes, which is some 4·10⁹
 * cells apart, each sample has keys of its own. */
static void add_in_cells(struct gully_octave *octave, uint64_t key, const struct some_cells *found,
                         size_t count, struct gully_rows *rows)
{
    for (int axis = 0; axis < 2; axis++)
        for (size_t i = 0; i < count; i++) {
            rows->low[axis][i] = (uint32_t)found->cell[axis][i];
            rows->t[axis][i] = found->t[axis][i];
        }
    const bool alike = have_one_half(found->cell[0], count) && have_one_half(found->cell[1], count);
    const size_t step = alike ? count : 1;
    for (size_t first = 0; first < count; first += step) {
        set_keys(octave, key, found->cell[0][first], found->cell[1][first]);
        add_octave(octave, first, first + step, rows);
    }
}

/* The lattice of the first octave in a scope. */
static struct noise_domain turn_domain(const struct noise_domain *domain, double cosine,
                                       double sine)
{
    struct noise_domain turned = *domain;
    const bool plain = domain->cosine == 0.0 && domain->sine == 0.0; /* not turned */
    const double c = plain ? 1.0 : domain->cosine, s = domain->sine;
    turned.cosine = cosine * c - sine * s;
    turned.sine = sine * c + cosine * s;
    return turned;
}

/* An octave counts as that of a noise does: wholly up to a quarter of its wavelength between
 * samples, not at all from half of it on. */
static float octave_share(double wavelength, double spacing)
{
    const double share = spacing > 0.0 ? wavelength / (2.0 * spacing) - 1.0 : 1.0;
    return share < 0.0 ? 0.0f : share > 1.0 ? 1.0f : (float)share;
}

/* A call: the octaves of a part of a band. */
struct gullies {
    const struct node_grid *grid; /* its scale is the wavelength */
    unsigned octaves;
    uint64_t key;
    const struct band *band;
    const float *moved[2];
};

static void add_octaves(const struct gullies *gullies, struct band_part part,
                        struct gully_rows *rows)
{
    double cosine = FIRST_COSINE, sine = FIRST_SINE, size = 1.0;
    for (unsigned i = 0; i < gullies->octaves; i++, size *= 0.5) {
        const double wavelength = gullies->grid->scale * size;
        const float share = octave_share(wavelength, gullies->band->uniforms.spacing);
        const struct noise_domain domain = turn_domain(&gullies->grid->domain, cosine, sine);
        struct gully_octave octave = {(float)cosine, (float)sine, share * (float)size, {{0}, {0}}};
        struct some_cells found;
        struct noise_cells cells;
        if (share == 0.0f)
            return; /* finer ones show as little */
        noise_cells_prepare(&cells, &domain, wavelength * CELL_WAVELENGTHS);
        some_cells_find(&cells, gullies->band, part, gullies->moved, &found);
        add_in_cells(&octave, hash_mix(gullies->key + i), &found, part.count, rows);
        const double turned = cosine * TURN_COSINE - sine * TURN_SINE;
        sine = cosine * TURN_SINE + sine * TURN_COSINE;
        cosine = turned;
    }
}

void run_gullies(const struct program *program, const struct operation *operation,
                 const struct band *band, const float *const operands[3], float *out)
{
    const struct gullies gullies = {
        .grid = &program->node_grids[operation->table_index],
        .octaves = (unsigned)operation->k[0],
        .key = hash_mix((uint64_t)operation->k[1]),
        .band = band,
        .moved = {operands[0], operands[1]},
    };
    const size_t columns = band->places ? band->count : band->columns;
    struct gully_rows rows;
    for (size_t first = 0, count; first < band->count; first += count) {
        const size_t left = columns - first % columns;
        count = left < SOME_CELLS ? left : SOME_CELLS;
        begin_rows(count, operands[2] + first, &rows);
        add_octaves(&gullies, (struct band_part){first, count}, &rows);
        for (size_t i = 0; i < count; i++)
            out[first + i] = rows.sum[i] + 0.0f; /* -0 becomes +0 */
    }
}
