/* A noise's octaves: frequencies, offsets, keys and amplitudes. */
#include "core/noise/noise.h"

static uint64_t octave_hash(uint64_t key, unsigned octave, unsigned purpose)
{
    return hash_mix(hash_mix(key + octave) + purpose);
}

static uint64_t octave_offset(uint64_t key, unsigned octave, unsigned purpose)
{
    /* A random place in a cell near 2³¹: the low half of a cell then wraps as far from the world's
     * origin as it can (see lattice_key), not in the middle of the map. */
    uint64_t random = octave_hash(key, octave, purpose);
    return ((uint64_t)1 << 63) + (random >> 8);
}

void noise_prepare(struct noise *noise, const struct noise_settings *settings)
{
    noise->settings = *settings;
    double wavelength = settings->wavelength, amplitude = 1.0, sum = 0.0;
    for (unsigned i = 0; i < settings->octaves; i++) {
        struct noise_octave *octave = &noise->octaves[i];
        octave->wavelength = wavelength;
        octave->frequency = (uint64_t)(0x1p56 / wavelength + 0.5);
        octave->cells_per_metre = (float)(1.0 / wavelength);
        octave->offset_x = octave_offset(settings->key, i, 1);
        octave->offset_y = octave_offset(settings->key, i, 2);
        octave->key_x = octave_hash(settings->key, i, 3);
        octave->key_y = octave_hash(settings->key, i, 4);
        octave->share = (float)amplitude;
        sum += amplitude;
        wavelength /= settings->lacunarity;
        amplitude *= settings->persistence;
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

float noise_cycle(int64_t position, float period, float metres)
{
    /* A float is a whole number times a power of two, so the remainder is exact. */
    int exponent;
    lattice_wide at = position, length = (int64_t)(__builtin_frexpf(period, &exponent) * 0x1p24f);
    int shift = exponent - 24 + PLACE_BITS;
    if (shift < 0)
        at *= (lattice_wide)1 << -shift;
    else
        length <<= shift;
    lattice_wide rest = at % length;
    rest = rest < 0 ? rest + length : rest;
    float place = lattice_fraction((uint32_t)((rest << 32) / length));
    float moved = place + metres / period;
    float cycle = moved - __builtin_floorf(moved);
    return cycle >= 0.0f && cycle < 1.0f ? cycle : 0.0f;
}
