/* The time of an octave by the way in which it is evaluated (evaluation_path.h).
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

#define CELLS_MANY (1.0 / 32) /* from a sample to the next, where neighbours share few corners */
#define DISPLACED_ROWS 0.55   /* the time of displaced rows in that of other positions, */
#define TURNED_ROWS 0.7       /* and of turned rows, displaced or not */
#define GRADIENT 1.5          /* of an octave with its gradient in one without */
#define ROW_GRADIENT 0.6      /* the gradient of an octave in rows along the lattice */
#define NEAREST_TWO 2.0       /* of cellular noise that needs the second nearest point */
#define ALL_BORDERS 15.0      /* that compares the borders with all points around */
#define FOLD 0.2              /* billow and turbulence; ridged noise has a weight besides */
#define RIDGE 0.32
#define FINE_ROWS 0.5      /* octaves of a grid that have as many cells as count, in rows */
#define FINE_POSITIONS 4.0 /* and at other positions */

static double octave_sample(const struct noise *noise, enum evaluation_path path, double cells)
{
    const struct basis_work *work = &basis_variant_of(noise)->work;
    if (path == PATH_LATTICE_ROWS || path == PATH_SIMPLEX_ROWS)
        return (double)work->row + (double)work->row_cells * double_min(cells, NOISE_CELLS_MAX);
    const double few = (double)work->few, many = (double)work->many;
    const double sample = few + (many - few) * double_min(cells / CELLS_MANY, 1.0);
    return path == PATH_DISPLACED_ROWS ? sample * DISPLACED_ROWS
           : path == PATH_TURNED_ROWS  ? sample * TURNED_ROWS
                                       : sample;
}

bool noise_needs_gradient(const struct noise_settings *settings)
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
    const double search = two ? NEAREST_TWO : settings->feature == NOISE_EDGE ? ALL_BORDERS : 1.0;
    const double own = noise_needs_gradient(settings) ? with_gradient(path, sample) : sample;
    return own * search + fold;
}

double noise_octave_work(const struct noise *noise, enum evaluation_path path, double cells,
                         double share)
{
    return octave_whole(noise, path, share * octave_sample(noise, path, cells));
}

/* An octave's cells are half as many as those of the next finer one, whose wavelength is two
 * samples or more: so in a grid few octaves have many. */
float noise_sample_work(const struct noise *noise, bool displaced, bool places, double spacing)
{
    const enum evaluation_path path =
        places ? PATH_POSITIONS : evaluation_path_of(noise, displaced);
    const bool in_rows = path == PATH_LATTICE_ROWS || path == PATH_SIMPLEX_ROWS;
    const double least = noise_octave_work(noise, path, 0.0, 1.0);
    const double most = noise_octave_work(noise, path, NOISE_CELLS_MAX, 1.0);
    double octaves = 0.0;
    for (unsigned i = 0; i < noise->settings.octaves; i++)
        octaves += noise_detail(noise->octaves[i].wavelength, spacing) > 0.0f;
    if (places)
        return (float)(octaves * (most + NOISE_PLACE));
    return (float)(octaves * least +
                   double_min(octaves, in_rows ? FINE_ROWS : FINE_POSITIONS) * (most - least));
}
