/* Summing octaves. An octave that the level of detail fades out gives way to its mean: 0 for a sum
 * of noises, a measured constant for ridges, so that zooming out changes no average. */
#include "core/noise/fractal.h"

/* E[(1 − |n|)²] of a basis with quintic interpolation, measured over 10⁸ samples. */
static const float ridge_means[] = {[NOISE_VALUE] = 0.447f, [NOISE_PERLIN] = 0.595f};

static const float no_noise[NOISE_ROW_MAX];

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

void fractal_ridge(const struct noise *noise, unsigned octave, double spacing, uint32_t count,
                   const float *n, float *weight, float *out)
{
    const struct noise_octave *o = &noise->octaves[octave];
    struct kernel_ridge ridge = {
        .share = o->share,
        .detail = n ? noise_detail(o->wavelength, spacing) : 0.0f,
        .feedback = noise->settings.feedback,
        .mean = ridge_means[noise->settings.basis],
    };
    kernel_ridge(count, &ridge, n ? n : no_noise, weight, out);
}
