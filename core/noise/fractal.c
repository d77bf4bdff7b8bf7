/* Sums the octaves of a noise over a row of samples.
 *
 * The sum takes one of three forms, each the cheapest that its settings allow:
 *   plain    single noises and fBm: a kernel adds each octave straight to the output, already
 *            multiplied by its share and level of detail;
 *   folded   billow, turbulence and ridged: an octave is computed into scratch->octave_noise,
 *            folded (kernels_fractal.c) and then added;
 *   damped   with damping, or if the result is the distance to a zero: an octave comes with its
 *            gradient. The folded octave goes to scratch->octave_part, its gradient is added to
 *            scratch->damping_gradient, and the part is multiplied by 1 / (1 + damping·|Σ|²).
 *
 * An octave that the level of detail fades out is replaced by its mean, so that zooming out does
 * not change the average of a picture. Wavelengths fall from octave to octave: the first octave
 * without detail ends the loop, and the means of the rest are added in one pass. */
#include "core/noise/fractal.h"

#include <string.h>

#include "core/noise/basis.h"

static struct basis_statistics statistics_of(const struct noise *noise)
{
    struct basis_statistics statistics = basis_variant_of(noise)->statistics;
    const float(*feature_means)[LATTICE_AXES + 1] = basis_of(noise)->feature_means;
    if (feature_means && noise->settings.fractal == NOISE_SINGLE)
        statistics.mean = feature_means[noise->settings.feature][noise->dimensions];
    return statistics;
}

static bool has_folded_octaves(const struct noise *noise)
{
    return noise->settings.fractal > NOISE_FBM;
}

bool fractal_needs_gradient(const struct noise *noise)
{
    return noise->settings.damping > 0.0f || noise->settings.result != NOISE_SAMPLE;
}

bool fractal_is_plain_sum(const struct noise *noise)
{
    return !has_folded_octaves(noise) && !fractal_needs_gradient(noise);
}

float fractal_amplitude(const struct noise *noise, unsigned octave, double spacing)
{
    const struct noise_octave *o = &noise->octaves[octave];
    float scale = statistics_of(noise).scale;
    if (!fractal_is_plain_sum(noise))
        return scale;
    return scale * (o->share * noise_detail(o->wavelength, spacing));
}

bool fractal_octave_is_active(const struct noise *noise, unsigned octave, double spacing)
{
    return noise_detail(noise->octaves[octave].wavelength, spacing) > 0.0f;
}

/* The value that a plain sum starts from: the means of the parts that the level of detail removes.
 */
static float initial_sum(const struct noise *noise, double spacing)
{
    const float mean = fractal_is_plain_sum(noise) ? statistics_of(noise).mean : 0.0f;
    float start = 0.0f;
    for (unsigned i = 0; mean != 0.0f && i < noise->settings.octaves; i++) {
        const struct noise_octave *octave = &noise->octaves[i];
        start += octave->share * (1.0f - noise_detail(octave->wavelength, spacing)) * mean;
    }
    return start;
}

static struct kernel_ridge ridge_of(const struct noise *noise, unsigned octave, double spacing)
{
    const struct noise_octave *o = &noise->octaves[octave];
    return (struct kernel_ridge){
        .share = o->share,
        .detail = noise_detail(o->wavelength, spacing),
        .feedback = noise->settings.feedback,
        .mean = statistics_of(noise).mean_ridged,
    };
}

static struct kernel_fold fold_of(const struct noise *noise, unsigned octave, double spacing)
{
    const struct noise_octave *o = &noise->octaves[octave];
    const bool billow = noise->settings.fractal == NOISE_BILLOW;
    const float gain = billow ? 2.0f : 1.0f, bias = billow ? -1.0f : 0.0f;
    return (struct kernel_fold){
        .share = o->share,
        .detail = noise_detail(o->wavelength, spacing),
        .gain = gain,
        .bias = bias,
        .mean = gain * statistics_of(noise).mean_absolute + bias,
    };
}

/* Adds the means of octave `first` and all octaves after it, folded as the fractal folds them. */
static void add_faded_means(const struct noise *noise, unsigned first, uint32_t count,
                            float *weight, float *out)
{
    float shares[NOISE_OCTAVES_MAX], rest = 0.0f;
    for (unsigned i = first; i < noise->settings.octaves; i++) {
        shares[i - first] = noise->octaves[i].share;
        rest += noise->octaves[i].share;
    }
    if (noise->settings.fractal == NOISE_RIDGED) {
        const struct kernel_ridge ridge = ridge_of(noise, first, 0.0);
        kernel_ridge_faded(count, &ridge, shares, noise->settings.octaves - first, weight, out);
        return;
    }
    rest *= has_folded_octaves(noise) ? fold_of(noise, first, 0.0).mean : statistics_of(noise).mean;
    for (uint32_t i = 0; i < count; i++)
        out[i] += rest;
}

/* A sum in progress over one row. */
struct octave_sum {
    const struct noise *noise;
    double spacing;
    uint32_t count;
    struct noise_scratch *scratch;
    float *out;
};

/* Folds the octave in scratch->octave_noise and adds it to `out`. If gradients are needed, also
 * sets scratch->fold_derivative to the derivative of the folded octave by its noise. */
static void octave_sum_add(const struct octave_sum *sum, unsigned octave, float *out)
{
    struct noise_scratch *scratch = sum->scratch;
    const struct noise_octave *o = &sum->noise->octaves[octave];
    const bool with_gradient = fractal_needs_gradient(sum->noise);
    if (!has_folded_octaves(sum->noise)) {
        const float detail = noise_detail(o->wavelength, sum->spacing);
        const float rest = o->share * (1.0f - detail) * statistics_of(sum->noise).mean;
        for (uint32_t i = 0; i < sum->count; i++) {
            scratch->fold_derivative[i] = detail;
            out[i] += rest;
        }
        kernel_add_scaled(sum->count, o->share * detail, scratch->octave_noise, out);
    } else if (sum->noise->settings.fractal == NOISE_RIDGED) {
        const struct kernel_ridge ridge = ridge_of(sum->noise, octave, sum->spacing);
        if (with_gradient)
            kernel_ridge_derivative(sum->count, &ridge, scratch->octave_noise, scratch->weight,
                                    scratch->fold_derivative);
        kernel_ridge(sum->count, &ridge, scratch->octave_noise, scratch->weight, out);
    } else {
        const struct kernel_fold fold = fold_of(sum->noise, octave, sum->spacing);
        if (with_gradient)
            kernel_fold_derivative(sum->count, &fold, scratch->octave_noise,
                                   scratch->fold_derivative);
        kernel_fold(sum->count, &fold, scratch->octave_noise, out);
    }
}

/* octave_sum_add() for damped sums, into sum->out. For the distance to a zero, the octave's
 * gradient is also added to scratch->result_gradient, the gradient of the whole sum for one
 * metre. */
static void octave_sum_add_damped(const struct octave_sum *sum, unsigned octave)
{
    struct noise_scratch *scratch = sum->scratch;
    const struct noise_octave *o = &sum->noise->octaves[octave];
    const struct kernel_gradients gradients = {scratch->gradient[0], scratch->gradient[1],
                                               (float)o->rotation_cosine, (float)o->rotation_sine};
    const struct kernel_damping damping_terms = {
        .damping = sum->noise->settings.damping,
        .sum_x = scratch->damping_gradient[0],
        .sum_y = scratch->damping_gradient[1],
        .damping_weight = scratch->damping_weight,
    };
    memset(scratch->octave_part, 0, sum->count * sizeof *scratch->octave_part);
    octave_sum_add(sum, octave, scratch->octave_part);
    kernel_damping(sum->count, &damping_terms, &gradients, scratch->fold_derivative);
    kernel_add_damped(sum->count, scratch->damping_weight, scratch->octave_part, sum->out);
    const struct kernel_result_gradient result_gradient = {
        scratch->fold_derivative, scratch->damping_weight, o->share * o->cells_per_metre,
        scratch->result_gradient[0], scratch->result_gradient[1]};
    if (sum->noise->settings.result == NOISE_ZERO_DISTANCE)
        kernel_result_gradient(sum->count, &gradients, &result_gradient);
}

/* Adds the means of octave `first` and all octaves after it, which have no detail left. */
static void octave_sum_add_faded(const struct octave_sum *sum, unsigned first)
{
    struct noise_scratch *scratch = sum->scratch;
    if (fractal_is_plain_sum(sum->noise))
        return; /* initial_sum() contains them */
    if (!fractal_needs_gradient(sum->noise)) {
        add_faded_means(sum->noise, first, sum->count, scratch->weight, sum->out);
        return;
    }
    memset(scratch->octave_part, 0, sum->count * sizeof *scratch->octave_part);
    add_faded_means(sum->noise, first, sum->count, scratch->weight, scratch->octave_part);
    kernel_add_damped(sum->count, scratch->damping_weight, scratch->octave_part, sum->out);
}

static void octave_sum_begin(const struct octave_sum *sum)
{
    const float start = initial_sum(sum->noise, sum->spacing);
    for (uint32_t i = 0; i < sum->count; i++) {
        sum->out[i] = start;
        sum->scratch->weight[i] = sum->scratch->damping_weight[i] = 1.0f;
    }
    if (!fractal_needs_gradient(sum->noise))
        return;
    for (int axis = 0; axis < 2; axis++) {
        memset(sum->scratch->damping_gradient[axis], 0, sum->count * sizeof(float));
        memset(sum->scratch->result_gradient[axis], 0, sum->count * sizeof(float));
    }
}

void fractal_row(const struct noise *noise, double spacing, uint32_t count,
                 const struct fractal_source *source, struct noise_scratch *scratch, float *out)
{
    const struct octave_sum sum = {noise, spacing, count, scratch, out};
    const bool plain = fractal_is_plain_sum(noise), with_gradient = fractal_needs_gradient(noise);
    octave_sum_begin(&sum);
    for (unsigned octave = 0; octave < noise->settings.octaves; octave++) {
        struct kernel_out to = {
            .amplitude = fractal_amplitude(noise, octave, spacing),
            .n = plain ? out : scratch->octave_noise,
            .x = with_gradient ? scratch->gradient[0] : NULL,
            .y = with_gradient ? scratch->gradient[1] : NULL,
        };
        if (!fractal_octave_is_active(noise, octave, spacing)) {
            octave_sum_add_faded(&sum, octave);
            break;
        }
        if (!plain)
            memset(scratch->octave_noise, 0, count * sizeof *scratch->octave_noise);
        source->add(source->context, octave, &to);
        if (with_gradient)
            octave_sum_add_damped(&sum, octave);
        else if (!plain)
            octave_sum_add(&sum, octave, out);
    }
    if (noise->settings.result == NOISE_ZERO_DISTANCE)
        kernel_zero_distance(count, scratch->result_gradient[0], scratch->result_gradient[1],
                             (float)noise->settings.wavelength, out);
}

bool noise_is_faded(const struct noise *noise, double spacing)
{
    return !fractal_octave_is_active(noise, 0, spacing);
}

float noise_faded_value(const struct noise *noise, double spacing, struct noise_scratch *scratch)
{
    const struct fractal_source none = {0}; /* no octave is asked for */
    float samples[NOISE_LANES];
    fractal_row(noise, spacing, NOISE_LANES, &none, scratch, samples);
    return samples[0];
}
