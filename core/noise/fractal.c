/* Summing octaves. An octave that the level of detail fades out gives way to its mean, so zooming
 * out changes no average. */
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

/* What a plain sum begins with: the means of what the level of detail takes away. */
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

/* Adds the means, folded if they are, of octaves `first` and all after it. */
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

/* What goes on with an octave whose noise (and gradient) is in the scratch. */
struct octave_sum {
    const struct noise *noise;
    double spacing;
    uint32_t count;
    struct noise_scratch *scratch;
    float *out;
};

/* Adds the octave, folded, to `out`. With gradients, scratch->factor becomes the derivative of what
 * it is folded to. */
static void octave_sum_add(const struct octave_sum *g, unsigned octave, float *out)
{
    struct noise_scratch *scratch = g->scratch;
    const struct noise_octave *o = &g->noise->octaves[octave];
    const bool with_gradient = fractal_needs_gradient(g->noise);
    if (!has_folded_octaves(g->noise)) {
        const float detail = noise_detail(o->wavelength, g->spacing);
        const float rest = o->share * (1.0f - detail) * statistics_of(g->noise).mean;
        for (uint32_t i = 0; i < g->count; i++) {
            scratch->fold_derivative[i] = detail;
            out[i] += rest;
        }
        kernel_add_scaled(g->count, o->share * detail, scratch->octave_noise, out);
    } else if (g->noise->settings.fractal == NOISE_RIDGED) {
        const struct kernel_ridge ridge = ridge_of(g->noise, octave, g->spacing);
        if (with_gradient)
            kernel_ridge_derivative(g->count, &ridge, scratch->octave_noise, scratch->weight,
                                    scratch->fold_derivative);
        kernel_ridge(g->count, &ridge, scratch->octave_noise, scratch->weight, out);
    } else {
        const struct kernel_fold fold = fold_of(g->noise, octave, g->spacing);
        if (with_gradient)
            kernel_fold_derivative(g->count, &fold, scratch->octave_noise,
                                   scratch->fold_derivative);
        kernel_fold(g->count, &fold, scratch->octave_noise, out);
    }
}

/* The same where gradients matter: they hold the octave back, and add up to the total, which is the
 * result's gradient by metres. */
static void octave_sum_add_damped(const struct octave_sum *g, unsigned octave)
{
    struct noise_scratch *scratch = g->scratch;
    const struct noise_octave *o = &g->noise->octaves[octave];
    const struct kernel_gradients gradients = {scratch->gradient[0], scratch->gradient[1],
                                               (float)o->rotation_cosine, (float)o->rotation_sine};
    const struct kernel_damping damping_terms = {
        .damping = g->noise->settings.damping,
        .sum_x = scratch->sum[0],
        .sum_y = scratch->sum[1],
        .damping_weight = scratch->damping_weight,
    };
    memset(scratch->octave_part, 0, g->count * sizeof *scratch->octave_part);
    octave_sum_add(g, octave, scratch->octave_part);
    kernel_damping(g->count, &damping_terms, &gradients, scratch->fold_derivative);
    kernel_add_damped(g->count, scratch->damping_weight, scratch->octave_part, g->out);
    const struct kernel_result_gradient result_gradient = {
        scratch->fold_derivative, scratch->damping_weight, o->share * o->cells_per_metre,
        scratch->result_gradient[0], scratch->result_gradient[1]};
    if (g->noise->settings.result == NOISE_ZERO_DISTANCE)
        kernel_result_gradient(g->count, &gradients, &result_gradient);
}

/* Adds the means of octaves `first` and all after it, which have no detail left. */
static void octave_sum_add_faded(const struct octave_sum *g, unsigned first)
{
    struct noise_scratch *scratch = g->scratch;
    if (fractal_is_plain_sum(g->noise))
        return; /* octave_sum_begin() has added them */
    if (!fractal_needs_gradient(g->noise)) {
        add_faded_means(g->noise, first, g->count, scratch->weight, g->out);
        return;
    }
    memset(scratch->octave_part, 0, g->count * sizeof *scratch->octave_part);
    add_faded_means(g->noise, first, g->count, scratch->weight, scratch->octave_part);
    kernel_add_damped(g->count, scratch->damping_weight, scratch->octave_part, g->out);
}

static void octave_sum_begin(const struct octave_sum *g)
{
    const float start = initial_sum(g->noise, g->spacing);
    for (uint32_t i = 0; i < g->count; i++) {
        g->out[i] = start;
        g->scratch->weight[i] = g->scratch->damping_weight[i] = 1.0f;
    }
    if (!fractal_needs_gradient(g->noise))
        return;
    for (int axis = 0; axis < 2; axis++) {
        memset(g->scratch->sum[axis], 0, g->count * sizeof(float));
        memset(g->scratch->result_gradient[axis], 0, g->count * sizeof(float));
    }
}

void fractal_row(const struct noise *noise, double spacing, uint32_t count,
                 const struct fractal_source *source, struct noise_scratch *scratch, float *out)
{
    const struct octave_sum g = {noise, spacing, count, scratch, out};
    const bool plain = fractal_is_plain_sum(noise), with_gradient = fractal_needs_gradient(noise);
    octave_sum_begin(&g);
    for (unsigned octave = 0; octave < noise->settings.octaves; octave++) {
        struct kernel_out to = {
            .amplitude = fractal_amplitude(noise, octave, spacing),
            .n = plain ? out : scratch->octave_noise,
            .x = with_gradient ? scratch->gradient[0] : NULL,
            .y = with_gradient ? scratch->gradient[1] : NULL,
        };
        if (!fractal_octave_is_active(noise, octave, spacing)) {
            octave_sum_add_faded(&g, octave);
            break;
        }
        if (!plain)
            memset(scratch->octave_noise, 0, count * sizeof *scratch->octave_noise);
        source->add(source->context, octave, &to);
        if (with_gradient)
            octave_sum_add_damped(&g, octave);
        else if (!plain)
            octave_sum_add(&g, octave, out);
    }
    if (noise->settings.result == NOISE_ZERO_DISTANCE)
        kernel_zero_distance(count, scratch->result_gradient[0], scratch->result_gradient[1],
                             (float)noise->settings.wavelength, out);
}
