/* Prepares the octaves of a noise: linear forms, offsets, keys and amplitudes.
 *
 * A lattice coordinate is a linear form of x, y, z and t, stored as integers in 2⁻⁶⁴ cell for 2⁻¹⁶
 * m or s. Frequency, turn of the octave, domain and the basis' own lattice are all in that form, so
 * a sample costs one product for each axis and is exact at any distance from the origin. Offset and
 * key of each axis come from the noise's key, the octave's number and a purpose: octaves and axes
 * are independent of each other, and adding octaves does not change the first ones.
 *
 * Also here: the level of detail, the weight of an octave, and exact positions in a period. */
#include "core/noise/basis.h"

/* The purposes that the offsets and keys of the axes are hashed from. */
static const unsigned offset_purposes[LATTICE_AXES] = {1, 2, 5, 6};
static const unsigned key_purposes[LATTICE_AXES] = {3, 4, 7, 8};

static uint64_t octave_hash(uint64_t key, unsigned octave, unsigned purpose)
{
    return hash_mix(hash_mix(key + octave) + purpose);
}

static uint64_t octave_offset(uint64_t key, unsigned octave, unsigned purpose)
{
    /* A random position near cell 2³¹: the low half of a cell, which lattice keys depend on, then
     * wraps as far from the world's origin as possible. */
    uint64_t random = octave_hash(key, octave, purpose);
    return ((uint64_t)1 << 63) + (random >> 8);
}

static unsigned dimensions_of(const struct noise_settings *settings)
{
    static const unsigned counts[] = {
        [NOISE_X] = 1, [NOISE_XY] = 2, [NOISE_XYZ] = 3, [NOISE_XYT] = 3, [NOISE_XYZT] = 4,
    };
    const unsigned least = noise_bases[settings->basis]->dimensions_min;
    return counts[settings->axes] < least ? least : counts[settings->axes];
}

/* Cells of the lattice for one metre or second along x, y, z and t. */
struct form {
    double cells[LATTICE_AXES][4];
};

static void rotate(double *cosine, double *sine, double by_cosine, double by_sine)
{
    const double turned = *cosine * by_cosine - *sine * by_sine;
    *sine = *sine * by_cosine + *cosine * by_sine;
    *cosine = turned;
}

/* The form of an octave: the domain's turn, then the octave's, then the frequency; z and t scale
 * with the octave as x and y do. */
static struct form form_of(const struct noise *noise, const struct noise_octave *octave,
                           double frequency_factor)
{
    const struct noise_settings *settings = &noise->settings;
    const unsigned dimensions = noise->dimensions;
    struct form form = {0};
    double cosine = settings->domain.cosine, sine = settings->domain.sine;
    const double frequency = 1.0 / octave->wavelength;
    if (cosine == 0.0 && sine == 0.0)
        cosine = 1.0;
    rotate(&cosine, &sine, octave->rotation_cosine, octave->rotation_sine);
    form.cells[0][0] = cosine * frequency;
    form.cells[0][1] = -sine * frequency;
    if (dimensions > 1) {
        form.cells[1][0] = sine * frequency;
        form.cells[1][1] = cosine * frequency;
    }
    if (settings->axes == NOISE_XYZ || settings->axes == NOISE_XYZT)
        form.cells[2][2] = frequency_factor / settings->wavelength_z;
    if (settings->axes == NOISE_XYT || settings->axes == NOISE_XYZT)
        form.cells[dimensions - 1][3] = frequency_factor / settings->wavelength_t;
    if (basis_of(noise)->transform_form)
        basis_of(noise)->transform_form(dimensions, form.cells);
    return form;
}

static void set_form(const struct form *form, struct noise_octave *octave)
{
    const double unit = (double)((int64_t)1 << LATTICE_FREQUENCY_BITS);
    for (int axis = 0; axis < LATTICE_AXES; axis++) {
        for (int i = 0; i < 4; i++)
            octave->form[axis][i] = (int64_t)__builtin_floor(form->cells[axis][i] * unit + 0.5);
        octave->displacement[axis][0] = (float)form->cells[axis][0];
        octave->displacement[axis][1] = (float)form->cells[axis][1];
    }
}

static void set_lattice(const struct noise *noise, unsigned index, struct noise_octave *octave)
{
    const uint64_t key = noise->settings.key;
    for (int axis = 0; axis < LATTICE_AXES; axis++) {
        octave->offset[axis] = octave_offset(key, index, offset_purposes[axis]);
        octave->key[axis] = octave_hash(key, index, key_purposes[axis]);
        if (basis_of(noise)->unkeyed || axis >= (int)noise->dimensions)
            octave->offset[axis] = (uint64_t)1 << 63;
    }
}

void noise_prepare(struct noise *noise, const struct noise_settings *settings)
{
    noise->settings = *settings;
    noise->dimensions = dimensions_of(settings);
    double frequency_factor = 1.0, amplitude = 1.0, sum = 0.0, cosine = 1.0, sine = 0.0;
    for (unsigned i = 0; i < settings->octaves; i++) {
        struct noise_octave *octave = &noise->octaves[i];
        octave->wavelength = settings->wavelength / frequency_factor;
        octave->cells_per_metre = (float)(1.0 / octave->wavelength);
        octave->rotation_cosine = cosine;
        octave->rotation_sine = sine;
        const struct form form = form_of(noise, octave, frequency_factor);
        set_form(&form, octave);
        set_lattice(noise, i, octave);
        octave->share = (float)amplitude;
        sum += amplitude;
        frequency_factor *= settings->lacunarity;
        amplitude *= settings->persistence;
        if (settings->rotate_octaves)
            rotate(&cosine, &sine, 0.8, 0.6);
    }
    for (unsigned i = 0; i < settings->octaves; i++)
        noise->octaves[i].share = (float)((double)noise->octaves[i].share / sum);
}

float noise_detail(double wavelength, double spacing)
{
    if (spacing <= 0.0)
        return 1.0f;
    double detail = wavelength / (2.0 * spacing) - 1.0;
    return detail <= 0.0 ? 0.0f : detail >= 1.0 ? 1.0f : (float)detail;
}

unsigned noise_octave_weight(const struct noise_settings *settings)
{
    const struct basis *basis = noise_bases[settings->basis];
    const bool gradient = settings->damping > 0.0f || settings->result != NOISE_SAMPLE;
    return basis->variants[dimensions_of(settings)].weight * (gradient ? 2 : 1);
}

static float cycle_moved(uint32_t fraction, float period, float metres)
{
    float moved = lattice_fraction(fraction) + metres / period;
    float cycle = moved - __builtin_floorf(moved);
    return cycle >= 0.0f && cycle < 1.0f ? cycle : 0.0f;
}

float noise_cycle_along(struct place place, const int64_t form[2], float period, float metres)
{
    const int128 at =
        int128_add(int128_multiply(place.x, form[0]), int128_multiply(place.y, form[1]));
    return cycle_moved((uint32_t)int128_low(int128_shift_right(at, 72 - 32)), period, metres);
}

float noise_cycle(int64_t position, float period, float metres)
{
    /* A float is a whole number times a power of two, so the remainder is exact. It is below 2⁴⁷
     * (30 bits of a period and 16, rounded up), so 32 bits of its quotient take two divisions. */
    int exponent;
    uint64_t length = (uint64_t)(__builtin_frexpf(period, &exponent) * 0x1p24f);
    const int shift = exponent - 24 + PLACE_BITS;
    uint64_t rest;
    if (shift < 0) {
        rest = int128_modulo(int128_shift_left(int128_from(position), (unsigned)-shift), length);
    } else {
        length <<= shift;
        const int64_t remainder = position % (int64_t)length;
        rest = (uint64_t)(remainder < 0 ? remainder + (int64_t)length : remainder);
    }
    const uint64_t high = rest << 16, low = high % length << 16;
    return cycle_moved((uint32_t)(high / length << 16 | low / length), period, metres);
}

bool noise_domain_equal(const struct noise_domain *a, const struct noise_domain *b)
{
    return a->cosine == b->cosine && a->sine == b->sine && a->shift_x == b->shift_x &&
           a->shift_y == b->shift_y;
}

bool noise_settings_equal(const struct noise_settings *a, const struct noise_settings *b)
{
    return a->key == b->key && a->basis == b->basis && a->interpolation == b->interpolation &&
           a->axes == b->axes && a->feature == b->feature && a->fractal == b->fractal &&
           a->result == b->result && a->octaves == b->octaves && a->wavelength == b->wavelength &&
           a->wavelength_z == b->wavelength_z && a->wavelength_t == b->wavelength_t &&
           a->lacunarity == b->lacunarity && a->persistence == b->persistence &&
           a->feedback == b->feedback && a->damping == b->damping &&
           a->rotate_octaves == b->rotate_octaves && noise_domain_equal(&a->domain, &b->domain);
}
