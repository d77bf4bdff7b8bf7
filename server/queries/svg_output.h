/* A profile as a drawing. */
#ifndef TERRANE_SERVER_QUERIES_SVG_OUTPUT_H
#define TERRANE_SERVER_QUERIES_SVG_OUTPUT_H

#include "core/base/buffer.h"
#include "core/terrain/profile.h"

/* An SVG 1.1 document of 960 × 320: the ground as a filled line, the sea below 0 m, and what is
 * lowest, highest and how far it is. */
void svg_output_profile(const struct profile *profile, struct buffer *out);

#endif
