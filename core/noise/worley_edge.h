/* Cellular noise in two dimensions: the distance to the border of the region that is nearest to one
 * point. Internal to core/noise. */
#ifndef TERRANE_NOISE_WORLEY_EDGE_H
#define TERRANE_NOISE_WORLEY_EDGE_H

#include "core/noise/kernels.h"

/* Adds the distance, in cells, to out->n, or sets out->n, x and y. */
void worley_edge_add(const struct kernel_positions *positions, const struct kernel_out *out);

#endif
