/* Mapbox Vector Tiles, version 2.1 (github.com/mapbox/vector-tile-spec/tree/master/2.1): a protocol
 * buffer of layers, not compressed (gzip.h does that). The format's exterior rings have a positive
 * area with y down, which is the direction of rings in features.h. */
#ifndef TERRANE_ENCODE_MVT_H
#define TERRANE_ENCODE_MVT_H

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/tile/features.h"

enum { MVT_VERSION = 1 }; /* changes when the bytes for the same features do: part of every ETag */

/* Appends the tile to `out`. Layers without features are left out, as the specification demands, so
 * an empty tile has no bytes; so are features without points. In each layer equal keys and equal
 * values are written once, in the order of their first use. Bytes depend on the features alone.
 * False with ERROR_MEMORY, and `out` as it was. */
bool mvt_encode(const struct features *features, struct buffer *out, struct error *error);

#endif
