/* The shore of worlds whose sea is carved out of the network's land: a layer "coast" is above 0 on
 * land. There rivers end at the shore, while the network's streams go on below the sea. In worlds
 * without such a layer they end where the network has its sea. */
#ifndef TERRANE_TERRAIN_SHORE_H
#define TERRANE_TERRAIN_SHORE_H

#include "core/terrain/course.h"

/* True if the world has a layer "coast". */
bool shore_exists(const struct world *world);
/* The layer; only in worlds that have it. */
unsigned shore_layer(const struct world *world);
/* Writes the values of the layer at the vertices of a course, from `first` on. Only for worlds that
 * have it. Errors are those of sampler_points(). */
bool shore_sample(const struct course *course, size_t first, const struct course_map *map,
                  float *values, struct error *error);
/* Where the line between two vertices meets the shore: values[0] is above 0, values[1] is not. */
struct course_vertex shore_between(const struct course_vertex vertices[2], const float values[2]);

#endif
