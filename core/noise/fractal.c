/* Summing octaves. An octave that the level of detail fades out gives way to its mean: 0 for a sum
 * of noises, a measured constant for ridges, so that zooming out changes no average. */
#include "core/noise/fractal.h"

/* E|n| and E[(1 − |n|)²] of a noise with quintic interpolation, measured over 10⁸ samples; of white
 * noise, which is uniform, 1/2 and 1/3. */
struct means {
    float size, ridge;
};
static const struct means basis_means[] = {
    [NOISE_VALUE] = {0.379f, 0.447f},
    [NOISE_PERLIN] = {0.249f, 0.595f},
};
static const struct means white_means = {0.5f, 1.0f / 3.0f};

static const struct means *means_of(const struct noise *noise)
{
    const struct noise_settings *settings = &noise->settings;
    return settings->interpolation == NOISE_NONE ? &white_means : &basis_means[settings->basis];
}

bool fractal_folds(const struct noise *noise)
{
    return noise->settings.fractal > NOISE_FBM;
}

static const float basis_scales[] = {[NOISE_VALUE] = 1.0f, [NOISE_PERLIN] = 0x1.6a09e6p+0f};

float fractal_amplitude(const struct noise *noise, unsigned octave, double spacing)
{
    const struct noise_octave *o = &noise->octaves[octave];
    float scale = basis_scales[noise->settings.basis];
    if (fractal_folds(noise))
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
        .mean = means_of(noise)->ridge,
    };
}

static struct kernel_fold fold_of(const struct noise *noise)
{
    const float size = means_of(noise)->size;
    if (noise->settings.fractal == NOISE_BILLOW)
        return (struct kernel_fold){.gain = 2.0f, .bias = -1.0f, .mean = 2.0f * size - 1.0f};
    return (struct kernel_fold){.gain = 1.0f, .mean = size};
}

void fractal_fold(const struct noise *noise, unsigned octave, double spacing, uint32_t count,
                  struct noise_scratch *scratch, float *out)
{
    const struct noise_octave *o = &noise->octaves[octave];
    if (noise->settings.fractal == NOISE_RIDGED) {
        struct kernel_ridge ridge = ridge_of(noise);
        ridge.share = o->share;
        ridge.detail = noise_detail(o->wavelength, spacing);
        kernel_ridge(count, &ridge, scratch->one, scratch->weight, out);
        return;
    }
    struct kernel_fold fold = fold_of(noise);
    fold.share = o->share;
    fold.detail = noise_detail(o->wavelength, spacing);
    kernel_fold(count, &fold, scratch->one, out);
}

void fractal_fold_rest(const struct noise *noise, unsigned first, uint32_t count, float *weight,
                       float *out)
{
    float shares[NOISE_OCTAVES_MAX], rest = 0.0f;
    for (unsigned i = first; i < noise->settings.octaves; i++) {
        shares[i - first] = noise->octaves[i].share;
        rest += noise->octaves[i].share;
    }
    if (noise->settings.fractal == NOISE_RIDGED) {
        const struct kernel_ridge ridge = ridge_of(noise);
        kernel_ridge_rest(count, &ridge, shares, noise->settings.octaves - first, weight, out);
        return;
    }
    rest *= fold_of(noise).mean;
    for (uint32_t i = 0; i < count; i++)
        out[i] += rest;
}
