/* The layers of vector tiles with the properties of their features, as TileJSON 3.0.0 (member
 * vector_layers) and the metadata of archives name them. */
#ifndef TERRANE_SERVER_RENDER_VECTOR_LAYERS_H
#define TERRANE_SERVER_RENDER_VECTOR_LAYERS_H

#include "core/base/json_writer.h"
#include "core/worldfile/world.h"

/* Writes the array of the layers that the world's tiles have; `labels` as in struct tile_order. */
void vector_layers_write(struct json_writer *json, const struct world *world, bool labels);

#endif
