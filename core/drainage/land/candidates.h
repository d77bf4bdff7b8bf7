/* Candidates of a leaf, made from segments. Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_LAND_CANDIDATES_H
#define TERRANE_DRAINAGE_LAND_CANDIDATES_H

#include "core/drainage/land/envelope.h"
#include "core/drainage/store/list_builder.h"

/* Makes the candidates of a leaf of a level from the segments of a list, of which there is one or
 * more: in the rows of `cull`, which has room for them. */
void candidates_make(const struct drainage_network *network, unsigned level,
                     const struct list_builder *list, const struct leaf_view *view,
                     struct envelope_cull *cull);

#endif
