/* Rivers, lakes and mouths that may have labels, by blocks of nodes of the drainage network that
 * the sampler's cache keeps. Internal to core/labels.
 *
 * A block has all of the streams from its nodes, whatever their rank. Their places on the map are
 * found when they are first wanted. In the network's plane a label's place is at most
 * LABEL_STREAMS_REACH cells beside that of its node: so few nodes are looked at. The text of a
 * river whose middle is farther away, one of some thousands, stands at the last point before; such
 * lakes and mouths have none. */
#ifndef TERRANE_LABELS_LABEL_STREAMS_H
#define TERRANE_LABELS_LABEL_STREAMS_H

#include "core/labels/label.h"
#include "core/sampling/network.h"

struct label_stream {
    enum name_kind kind; /* NAME_RIVER, NAME_LAKE or NAME_MOUTH */
    struct drainage_node node;
    uint64_t id;
    float flow; /* of a river at its lower end, m² */
    int rank;
    double length;        /* of a lake, or of the stream of a mouth, metres */
    struct place ends[2]; /* of the direction of a river's text; of a mouth the north-west and
                             south-east corner of its stream's points */
    /* Of the network's plane, of a mouth the end of its stream; or of the map if it is placed. */
    struct place place;
    bool placed, on_land; /* on land: only of one that is placed; of a mouth, that there is one */
};

enum { LABEL_STREAMS_REACH = 1 };

struct label_stream_block {
    unsigned level;
    int64_t x, y;
    struct label_stream *streams; /* owned */
    size_t count, capacity;
    bool changed; /* and not kept yet */
};

/* Blocks in the order in which they were loaded. A zeroed list is empty. */
struct label_stream_list {
    struct label_stream_block *blocks; /* owned */
    size_t count, capacity;
};
/* Adds the blocks around a rect of nodes. Errors are those of network_streams(). */
bool label_streams_load(const struct label_source *source, const struct network_rect *rect,
                        struct label_stream_list *list, struct error *error);
/* Lets others find what has changed in the blocks, and frees them. */
void label_streams_close(const struct label_source *source, struct label_stream_list *list);

/* The finest level of streams that have labels at a zoom, as their lakes and mouths. */
unsigned label_streams_level(const struct world *world, int zoom);

#endif
