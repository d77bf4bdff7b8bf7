/* A long list of places, cut into pieces that are sampled one after another. */
#ifndef TERRANE_SERVER_RENDER_PLACE_PIECES_H
#define TERRANE_SERVER_RENDER_PLACE_PIECES_H

#include "server/render/price.h"

struct place_cutter {
    struct price_layers layers;
    double each;   /* nanoseconds for every number, besides */
    uint64_t most; /* the price of a piece, at most, unless it is one place */
};

struct place_piece {
    size_t count;
    uint64_t price; /* price_place_list() of these places alone */
};

/* The first piece of places in an order that keeps near ones together: as many of them as may cost
 * `most`, or half of that at least, but one in any case; none of no places. `last` is the number in
 * the piece before, near which the search begins; or 0. */
struct place_piece place_piece_cut(const struct place_cutter *cutter, const struct place *places,
                                   size_t count, size_t last);

#endif
