/* Summing octaves. An octave that the level of detail fades out gives way to its mean: 0 for a sum
 * of noises, a measured constant for ridges, so that zooming out changes no average. */
#include "core/noise/fractal.h"

/* E[(1 − |n|)²] of a basis with quintic interpolation, measured over 10⁸ samples. */
static const float ridge_means[] = {[NOISE_VALUE] = 0.447f, [NOISE_PERLIN] = 0.595f};

static const float basis_scales[] = {[NOISE_VALUE] = 1.0f, [NOISE_PERLIN] = 0x1.6a09e6p+0f};

float fractal_amplitude(const struct noise *noise, unsigned octave, double spacing)
{
    const struct noise_octave *o = &noise->octaves[octave];
    float scale = basis_scales[noise->settings.basis];
    if (noise->settings.fractal == NOISE_RIDGED)
        return scale;
    return scale * (o->share * noise_detail(o->wavelength, spacing));
}

bool fractal_octave_counts(const struct noise *noise, unsigned octave, double spacing)
{
    return noise_detail(noise->octaves[octave].wavelength, spacing) > 0.0f;
}

static struct kernel_ridge ridge_of(const struct noise *noise)
{
    return (struct kernel_ridge){
        .feedback = noise->settings.feedback,
        .mean = ridge_means[noise->settings.basis],
    };
}

void fractal_ridge(const struct noise *noise, unsigned octave, double spacing, uint32_t count,
                   struct noise_scratch *scratch, float *out)
{
    const struct noise_octave *o = &noise->octaves[octave];
    struct kernel_ridge ridge = ridge_of(noise);
    ridge.share = o->share;
    ridge.detail = noise_detail(o->wavelength, spacing);
    kernel_ridge(count, &ridge, scratch->one, scratch->weight, out);
}

void fractal_ridge_rest(const struct noise *noise, unsigned first, uint32_t count, float *weight,
                        float *out)
{
    const struct kernel_ridge ridge = ridge_of(noise);
    float shares[NOISE_OCTAVES_MAX];
    for (unsigned i = first; i < noise->settings.octaves; i++)
        shares[i - first] = noise->octaves[i].share;
    kernel_ridge_rest(count, &ridge, shares, noise->settings.octaves - first, weight, out);
}
