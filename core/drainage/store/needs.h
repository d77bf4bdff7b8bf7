/* The streams that a load needs, level by level, from the finest upwards. Internal to
 * core/drainage.
 *
 * Needed are streams that may come near what is looked at, and those that missing ones may join.
 * Which these are is decided by the places of nodes, so that few are made that nothing is made
 * of. */
#ifndef TERRANE_DRAINAGE_STORE_NEEDS_H
#define TERRANE_DRAINAGE_STORE_NEEDS_H

#include "core/drainage/store/window.h"

/* Some cells of a rect: a byte for each, row by row. */
struct cell_set {
    struct cell_rect rect;
    uint8_t *has;
    size_t capacity;
};

/* What a load needs of the level that is being planned. Scratch memory, all zero to begin with. */
struct stream_needs {
    const struct drainage_network *network;
    struct place low, high;  /* the cells that are looked at, */
    float land;              /* and how far land reaches into them, metres; */
    bool streams;            /* or no land, but streams: */
    unsigned level;          /* those of this level */
    struct cell_rect nodes;  /* from nodes in these cells */
    struct cell_set listed;  /* the cells that missing nodes of finer levels are in */
    struct cell_set visible; /* those whose streams these nodes may join */
    struct cell_set above;   /* for the next level: as `listed` */
};

/* Begins with cells of 2^shift units, into which land reaches from so many metres. */
void needs_begin(struct stream_needs *needs, const struct drainage_network *network,
                 const struct cell_rect *cells, unsigned shift, float land);
/* Begins with the streams from nodes in cells of a level, and no land. */
void needs_begin_streams(struct stream_needs *needs, const struct drainage_network *network,
                         const struct cell_rect *cells, unsigned level);
/* Takes the cells from at most `margin` cells around those that are listed. False when memory is
 * out. */
bool needs_grow(struct stream_needs *needs, int64_t margin);
/* Finds which of the streams of a window are needed and not made. */
void needs_find_missing(const struct stream_needs *needs, struct level_window *window);
/* Goes on to the level above that of the window. False when memory is out. */
bool needs_rise(struct stream_needs *needs, const struct level_window *window);
void needs_free(struct stream_needs *needs);
size_t needs_bytes(const struct stream_needs *needs);

#endif
