/* The values at a place: the output of GET /at and of `terrane query`, as JSON or as text. */
#ifndef TERRANE_SERVER_QUERIES_POINT_QUERY_H
#define TERRANE_SERVER_QUERIES_POINT_QUERY_H

#include "core/base/buffer.h"
#include "core/base/place.h"
#include "server/worlds/catalog.h"

struct point_query {
    struct place place;
    int zoom; /* level of detail of that zoom, and the tile address in the answer; -1: full detail
               */
    int64_t z, t;           /* 2⁻¹⁶ m and s */
    const unsigned *layers; /* only these layers, in this order; null for all */
    unsigned layer_count;
    bool pretty; /* of JSON: on many lines */
    bool named;  /* with the names of what is around (named_place.h); only of all layers */
};

/* One JSON object and a newline:
 * {"world","seed","fingerprint","x","y","height","slope","aspect","biome","water",
 *  "layers":{name: value…},"materials":{name: share…},"tile":{"z","x","y"}}
 * and "named" where it is asked for. `biome` is null without biomes; shares of materials are of
 * 255, for worlds that have some and where no layers are asked for; `water` is {"depth","level"},
 * metres, where there is water, else null; `tile` is the tile of zoom `zoom`, or of 17 at full
 * detail; null at the outermost edge, which no tile has. */
bool point_query_json(struct sampler *sampler, const struct catalog_world *world,
                      const struct point_query *query, struct buffer *out, struct error *error);
/* One "name value unit" a line, columns by single tabs; with exactly one layer requested, the bare
 * number (for "biome" the biome's name). */
bool point_query_text(struct sampler *sampler, const struct catalog_world *world,
                      const struct point_query *query, struct buffer *out, struct error *error);

#endif
