/* A profile as a drawing. */
#ifndef TERRANE_SERVER_QUERIES_PROFILE_SVG_H
#define TERRANE_SERVER_QUERIES_PROFILE_SVG_H

#include "core/base/buffer.h"
#include "core/terrain/profile.h"

/* Appends an SVG document of the points, the water above them, and of what is lowest, highest, and
 * how far it is. The
 * profile has at least one point. */
void profile_write_svg(const struct profile *profile, struct buffer *out);

#endif
