/* The way of the water along the streams of a store. Internal to core/drainage.
 *
 * The store must be loaded around the nodes that are asked about. */
#ifndef TERRANE_DRAINAGE_STORE_FOLLOW_H
#define TERRANE_DRAINAGE_STORE_FOLLOW_H

#include "core/drainage/store/store.h"
#include "core/drainage/store/stream.h"

/* Receives streams; false: no more. */
struct stream_taker {
    bool (*take)(void *context, const struct drainage_stream *stream);
    void *context;
};

/* The position on a segment of the store at a share of it, which is at that place. */
struct drainage_position position_on(const struct drainage_network *network,
                                     const struct segment *segment, float along,
                                     struct place place);
/* Writes a stream from a position on, to where it ends. */
void follow_stream(const struct store *store, const struct drainage_position *position,
                   struct drainage_stream *stream);
/* Gives the whole stream of each node in a rect of cells of a level, and the arms of its delta.
 * False if the taker said so. */
bool follow_cells(const struct store *store, unsigned level, struct cell_rect cells,
                  const struct stream_taker *taker);

#endif
