/* Sums the octaves of a noise over a row of samples.
 *
 * The sum takes one of three forms, each the cheapest that its settings allow:
 *   plain    single noises and fBm: a kernel adds each octave straight to the output, already
 *            multiplied by its share and level of detail;
 *   folded   billow, turbulence and ridged: an octave is computed into scratch->octave_noise,
 *            folded (kernels_fractal.c) and then added;
 *   with gradients   an octave comes with its gradient, which is added to scratch->sum_gradient:
 *            with damping, for one cell of the octave, and the folded octave is divided by
 *            1 + damping·|Σ|²; or if the result is the distance to a zero, for one metre.
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

static struct kernel_fold fold_of(const struct noise *noise, unsigned octave, float detail)
{
    const struct basis_statistics statistics = statistics_of(noise);
    const bool billow = noise->settings.fractal == NOISE_BILLOW;
    struct kernel_fold fold = {
        .share = noise->octaves[octave].share,
        .detail = detail,
        .mean = statistics.mean,
        .gain = billow ? 2.0f : 1.0f,
        .bias = billow ? -1.0f : 0.0f,
        .feedback = noise->settings.feedback,
    };
    if (noise->settings.fractal == NOISE_RIDGED) {
        fold.folding = KERNEL_RIDGE;
        fold.mean = statistics.mean_ridged;
    } else if (has_folded_octaves(noise)) {
        fold.folding = KERNEL_ABSOLUTE;
        fold.mean = fold.gain * statistics.mean_absolute + fold.bias;
    }
    return fold;
}

/* Adds the means of octave `first` and all octaves after it, folded as the fractal folds them. */
static void add_faded_means(const struct noise *noise, unsigned first, uint32_t count,
                            float *weight, float *out)
{
    const struct kernel_fold fold = fold_of(noise, first, 0.0f);
    float shares[NOISE_OCTAVES_MAX], rest = 0.0f;
    for (unsigned i = first; i < noise->settings.octaves; i++) {
        shares[i - first] = noise->octaves[i].share;
        rest += noise->octaves[i].share;
    }
    if (fold.folding == KERNEL_RIDGE) {
        kernel_ridge_faded(count, &fold, shares, noise->settings.octaves - first, weight, out);
        return;
    }
    rest *= fold.mean;
    for (uint32_t i = 0; rest != 0.0f && i < count; i++)
        out[i] += rest;
}

/* A sum in progress over one row. */
struct octave_sum {
    const struct noise *noise;
    double spacing;
    uint32_t count;
    struct noise_scratch *scratch;
    float *out;
    struct kernel_out octave; /* the octave to be added, */
    float detail;             /* and how much of its detail remains */
};

static struct kernel_gradient_sum gradient_sum_of(const struct octave_sum *sum, unsigned octave)
{
    const struct noise_octave *o = &sum->noise->octaves[octave];
    struct noise_scratch *scratch = sum->scratch;
    return (struct kernel_gradient_sum){
        .octave = &sum->octave,
        .cosine = (float)o->rotation_cosine,
        .sine = (float)o->rotation_sine,
        .x = scratch->sum_gradient[0],
        .y = scratch->sum_gradient[1],
        .weight = scratch->weight,
        .out = sum->out,
    };
}

/* Adds the octave in sum->octave, folded. */
static void octave_sum_add(const struct octave_sum *sum, unsigned octave)
{
    const struct noise_settings *settings = &sum->noise->settings;
    const struct kernel_fold fold = fold_of(sum->noise, octave, sum->detail);
    float *weight = sum->scratch->weight;
    if (!sum->octave.x && octave == 0) {
        kernel_begin_folded(sum->count, &fold, sum->octave.n, weight, sum->out);
        return;
    }
    if (!sum->octave.x) {
        kernel_add_folded(sum->count, &fold, sum->octave.n, weight, sum->out);
        return;
    }
    const struct kernel_gradient_sum gradients = gradient_sum_of(sum, octave);
    if (settings->result == NOISE_ZERO_DISTANCE)
        kernel_add_with_gradient(sum->count, &fold, sum->noise->octaves[octave].cells_per_metre,
                                 &gradients);
    else
        kernel_add_damped(sum->count, &fold, settings->damping, &gradients);
}

/* Adds the means of octave `first` and all octaves after it, which have no detail left. With
 * damping, these are damped by the gradients so far. */
static void octave_sum_add_faded(const struct octave_sum *sum, unsigned first)
{
    float *weight = sum->scratch->weight, *part = sum->octave.n;
    if (fractal_is_plain_sum(sum->noise))
        return; /* initial_sum() contains them */
    if (sum->noise->settings.damping <= 0.0f) {
        add_faded_means(sum->noise, first, sum->count, weight, sum->out);
        return;
    }
    const struct kernel_gradient_sum gradients = gradient_sum_of(sum, first);
    memset(part, 0, sum->count * sizeof *part);
    add_faded_means(sum->noise, first, sum->count, weight, part);
    kernel_damp(sum->count, sum->noise->settings.damping, &gradients, part);
}

static void octave_sum_begin(const struct octave_sum *sum)
{
    const float start = initial_sum(sum->noise, sum->spacing);
    const bool plain = fractal_is_plain_sum(sum->noise);
    if (!plain && !sum->octave.x) {
        memset(sum->octave.n, 0, sum->count * sizeof *sum->octave.n);
        if (fractal_octave_is_active(sum->noise, 0, sum->spacing))
            return; /* kernel_begin_folded() begins the sum */
    }
    for (uint32_t i = 0; i < sum->count; i++)
        sum->out[i] = start;
    if (sum->noise->settings.fractal == NOISE_RIDGED)
        for (uint32_t i = 0; i < sum->count; i++)
            sum->scratch->weight[i] = 1.0f;
    for (int axis = 0; fractal_needs_gradient(sum->noise) && axis < 2; axis++)
        memset(sum->scratch->sum_gradient[axis], 0, sum->count * sizeof(float));
}

void fractal_row(const struct fractal_source *source, uint32_t count, struct noise_scratch *scratch,
                 float *out)
{
    const struct noise *noise = source->noise;
    const double spacing = source->spacing;
    const bool plain = fractal_is_plain_sum(noise), with_gradient = fractal_needs_gradient(noise);
    struct octave_sum sum = {
        .noise = noise, .spacing = spacing, .count = count, .scratch = scratch, .out = out};
    sum.octave.n = plain ? out : scratch->octave_noise;
    sum.octave.x = with_gradient ? scratch->gradient[0] : NULL;
    sum.octave.y = with_gradient ? scratch->gradient[1] : NULL;
    octave_sum_begin(&sum);
    for (unsigned octave = 0; octave < noise->settings.octaves; octave++) {
        sum.detail = noise_detail(noise->octaves[octave].wavelength, spacing);
        if (sum.detail <= 0.0f) {
            octave_sum_add_faded(&sum, octave);
            break;
        }
        sum.octave.amplitude = fractal_amplitude(noise, octave, spacing);
        source->add(source->context, octave, &sum.octave);
        if (!plain)
            octave_sum_add(&sum, octave);
    }
    if (noise->settings.result == NOISE_ZERO_DISTANCE) {
        const struct kernel_gradient_sum gradient_sum = gradient_sum_of(&sum, 0);
        kernel_zero_distance(count, &gradient_sum, (float)noise->settings.wavelength);
    }
}

bool noise_is_faded(const struct noise *noise, double spacing)
{
    return !fractal_octave_is_active(noise, 0, spacing);
}

/* The first octave has faded, so no octave is asked for. */
static void add_nothing(const void *context, unsigned octave, const struct kernel_out *out)
{
    (void)context, (void)octave, (void)out;
}

float noise_faded_value(const struct noise *noise, double spacing, struct noise_scratch *scratch)
{
    const struct fractal_source none = {.noise = noise, .spacing = spacing, .add = add_nothing};
    float samples[NOISE_LANES] = {0};
    fractal_row(&none, NOISE_LANES, scratch, samples);
    return samples[0];
}
