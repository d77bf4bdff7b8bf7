/* Noise is priced octave by octave: those that are faded out at the spacing take next to nothing,
 * and the time of the others depends on how many of their cells lie between samples
 * (core/noise/work.h). */
#include "core/price/noise.h"

#include "core/base/extremes.h"
#include "core/noise/basis.h"
#include "core/noise/sample_positions.h"
#include "core/noise/work.h"

#define WINDOWED 0.85         /* the time of positions in a grid whose corners are in a window */
#define GRADIENT_SUM 0.4      /* the distance to a zero, or damping the means of faded octaves */
#define NEAR_PLACE 1.0        /* to find the cell of a place near the others */
#define NEAR_SAMPLES 64.0     /* places across a list, for the cells from one to the next */
#define CLUSTER_SAMPLES 4.0   /* across a cluster */
#define FADED_RIDGE 0.15      /* an octave that is faded out */
#define ROWS_CALL 600.0       /* preparing an octave for a block of rows, */
#define POSITIONS_CALL 1800.0 /* for a block of turned rows or other positions, */
#define LIST_CALL 60.0        /* or for a list */

_Static_assert(SAMPLE_POSITIONS_NEAR_MAX == (int64_t)SAMPLING_NEAR << PLACE_BITS, "near is near");

/* The cells from a sample to the next. */
static double cells_between(struct sampling sampling, double wavelength)
{
    return sampling.step > 0.0      ? sampling.step / wavelength
           : sampling.extent > 0.0  ? sampling.extent / NEAR_SAMPLES / wavelength
           : sampling.cluster > 0.0 ? sampling.cluster / CLUSTER_SAMPLES / wavelength
                                    : NOISE_CELLS_MAX;
}

/* True if a grid keeps the corners of the noise's cells at arbitrary positions. */
static bool has_window(const struct noise *noise)
{
    const struct cell_kernels *cell = basis_variant_of(noise)->cell;
    return cell && cell->fill_window;
}

struct sampling_price price_noise(const struct noise *noise, bool displaced,
                                  struct sampling sampling)
{
    const bool places = sampling.step <= 0.0;
    const enum evaluation_path path =
        places ? PATH_POSITIONS : evaluation_path_of(noise, displaced);
    const bool walks = path == PATH_POSITIONS || path == PATH_TURNED_ROWS;
    const double place = !places ? 0.0 : sampling.extent > 0.0 ? NEAR_PLACE : NOISE_PLACE;
    const double share = path == PATH_POSITIONS && !places && has_window(noise) ? WINDOWED : 1.0;
    struct sampling_price price = {.sample =
                                       noise_needs_gradient(&noise->settings) ? GRADIENT_SUM : 0.0};
    for (unsigned i = 0; i < noise->settings.octaves; i++) {
        const double wavelength = noise->octaves[i].wavelength;
        if (noise_detail(wavelength, sampling.spacing) <= 0.0f) {
            price.sample += noise->settings.fractal == NOISE_RIDGED ? FADED_RIDGE : 0.0;
            continue;
        }
        price.call += places ? LIST_CALL : walks ? POSITIONS_CALL : ROWS_CALL;
        price.sample +=
            noise_octave_work(noise, path, cells_between(sampling, wavelength), share) + place;
    }
    return price;
}
