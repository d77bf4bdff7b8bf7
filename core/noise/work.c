/* The price of noise: an octave's time by the way in which it is evaluated (evaluation_path.h).
 *
 * What matters most, besides the basis and its dimensions, is how many cells of the lattice lie
 * between two neighbouring samples. Along rows, each lattice row is hashed once for the rows of
 * samples that lie on it, so the time rises with the cells from a row to the next, until every row
 * needs new ones. At other positions, neighbours share their corners while a row of samples has
 * few cells. The distance from the origin makes no difference.
 *
 * The numbers here and in the bases' rows were measured: `make bench-prices` shows which of them no
 * longer hold. */
#include "core/noise/work.h"

#include "core/base/extremes.h"
#include "core/noise/basis.h"
#include "core/noise/evaluation_path.h"
#include "core/noise/sample_positions.h"

#define CELLS_MAX 2.0         /* from a row to the next; beyond, nothing is shared any more */
#define CELLS_MANY (1.0 / 32) /* from a sample to the next, where neighbours share few corners */
#define DISPLACED_ROWS 0.55   /* the time of displaced rows in that of other positions */
#define WINDOWED 0.85         /* of other positions in a grid, if their corners are in a window, */
#define GRADIENT 1.5          /* and of an octave with its gradient in one without */
#define ROW_GRADIENT 0.6      /* the gradient of an octave in rows along the lattice */
#define GRADIENT_SUM 0.4      /* the distance to a zero, or damping the means of faded octaves */
#define NEAREST_TWO 2.0       /* of cellular noise that needs the second nearest point */
#define PLACE 3.0             /* finding the cell of a place that may be anywhere, */
#define NEAR_PLACE 1.0        /* and of one near the others */
#define NEAR_SAMPLES 64.0     /* places across a list, for the cells from one to the next */
#define CLUSTER_SAMPLES 4.0   /* across a cluster */
#define FOLD 0.2              /* billow and turbulence; ridged noise has a weight besides */
#define RIDGE 0.32
#define FADED_RIDGE 0.15      /* an octave that is faded out */
#define ROWS_CALL 600.0       /* preparing an octave for a block of rows, */
#define POSITIONS_CALL 1800.0 /* for a block of other positions, */
#define LIST_CALL 60.0        /* or for a list */
#define FINE_ROWS 0.5         /* octaves of a grid that have as many cells as count, in rows */
#define FINE_POSITIONS 4.0    /* and at other positions */

_Static_assert(SAMPLE_POSITIONS_NEAR_MAX == (int64_t)SAMPLING_NEAR << PLACE_BITS, "near is near");

static double octave_sample(const struct noise *noise, enum evaluation_path path, double cells)
{
    const struct basis_work *work = &basis_variant_of(noise)->work;
    if (path == PATH_LATTICE_ROWS || path == PATH_SIMPLEX_ROWS)
        return (double)work->row + (double)work->row_cells * double_min(cells, CELLS_MAX);
    const double few = (double)work->few, many = (double)work->many;
    const double sample = few + (many - few) * double_min(cells / CELLS_MANY, 1.0);
    return path == PATH_DISPLACED_ROWS ? sample * DISPLACED_ROWS : sample;
}

static bool needs_gradient(const struct noise_settings *settings)
{
    return settings->damping > 0.0f || settings->result != NOISE_SAMPLE;
}

static double with_gradient(enum evaluation_path path, double sample)
{
    return path == PATH_LATTICE_ROWS ? sample + ROW_GRADIENT : sample * GRADIENT;
}

/* The time of an octave with its fold and its gradient. */
static double octave_whole(const struct noise *noise, enum evaluation_path path, double sample)
{
    const struct noise_settings *settings = &noise->settings;
    const double fold = settings->fractal == NOISE_RIDGED ? RIDGE
                        : settings->fractal > NOISE_FBM   ? FOLD
                                                          : 0.0;
    const bool two = settings->feature == NOISE_F2 || settings->feature == NOISE_F2_F1;
    const double own = needs_gradient(settings) ? with_gradient(path, sample) : sample;
    return own * (two ? NEAREST_TWO : 1.0) + fold;
}

/* The cells from a sample to the next. */
static double cells_between(struct sampling sampling, double wavelength)
{
    return sampling.step > 0.0      ? sampling.step / wavelength
           : sampling.extent > 0.0  ? sampling.extent / NEAR_SAMPLES / wavelength
           : sampling.cluster > 0.0 ? sampling.cluster / CLUSTER_SAMPLES / wavelength
                                    : CELLS_MAX;
}

/* True if a grid keeps the corners of the noise's cells at arbitrary positions. */
static bool has_window(const struct noise *noise)
{
    const struct cell_kernels *cell = basis_variant_of(noise)->cell;
    return cell && cell->fill_window;
}

struct sampling_work noise_work(const struct noise *noise, bool displaced, struct sampling sampling)
{
    const bool places = sampling.step <= 0.0;
    const enum evaluation_path path =
        places ? PATH_POSITIONS : evaluation_path_of(noise, displaced);
    const double place = !places ? 0.0 : sampling.extent > 0.0 ? NEAR_PLACE : PLACE;
    struct sampling_work work = {.sample = needs_gradient(&noise->settings) ? GRADIENT_SUM : 0.0};
    for (unsigned i = 0; i < noise->settings.octaves; i++) {
        const double wavelength = noise->octaves[i].wavelength;
        if (noise_detail(wavelength, sampling.spacing) <= 0.0f) {
            work.sample += noise->settings.fractal == NOISE_RIDGED ? FADED_RIDGE : 0.0;
            continue;
        }
        double sample = octave_sample(noise, path, cells_between(sampling, wavelength));
        if (path == PATH_POSITIONS && !places && has_window(noise))
            sample *= WINDOWED;
        work.call += places ? LIST_CALL : path == PATH_POSITIONS ? POSITIONS_CALL : ROWS_CALL;
        work.sample += octave_whole(noise, path, sample) + place;
    }
    return work;
}

/* An octave's cells are half as many as those of the next finer one, whose wavelength is two
 * samples or more: so in a grid few octaves have many. */
float noise_sample_work(const struct noise *noise, bool displaced, bool places, double spacing)
{
    const enum evaluation_path path =
        places ? PATH_POSITIONS : evaluation_path_of(noise, displaced);
    const bool in_rows = path == PATH_LATTICE_ROWS || path == PATH_SIMPLEX_ROWS;
    const double least = octave_whole(noise, path, octave_sample(noise, path, 0.0));
    const double most = octave_whole(noise, path, octave_sample(noise, path, CELLS_MAX));
    double octaves = 0.0;
    for (unsigned i = 0; i < noise->settings.octaves; i++)
        octaves += noise_detail(noise->octaves[i].wavelength, spacing) > 0.0f;
    if (places)
        return (float)(octaves * (most + PLACE));
    return (float)(octaves * least +
                   double_min(octaves, in_rows ? FINE_ROWS : FINE_POSITIONS) * (most - least));
}
