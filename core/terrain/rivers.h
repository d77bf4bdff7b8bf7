/* The rivers of a box: streams of the world's drainage network, as lines on the map.
 *
 * A river is the stream of one node of the network, from there to where it joins another one or
 * reaches the sea; it is the same in every box. */
#ifndef TERRANE_TERRAIN_RIVERS_H
#define TERRANE_TERRAIN_RIVERS_H

#include "core/terrain/course.h"
#include "core/worldfile/world.h"

struct river {
    uint64_t id;
    struct drainage_node node; /* of its stream */
    unsigned level, order;     /* 0 is the coarsest level; 1 the least order */
    float flow;                /* m² of land upstream, at its lower end */
    float width;               /* metres, there */
    enum drainage_end end;
    bool to_lake;        /* it ends in a lake */
    uint64_t downstream; /* the river that it joins, if it joins one */
    size_t first, count; /* of its vertices */
};

struct river_search {
    struct place low, high; /* north-west and south-east corner: low < high */
    float min_flow;         /* m²; the least flow of rivers at their lower end */
    double apart;           /* metres between vertices, at most */
    double spacing;         /* the level of detail of lines: metres, 0 is full detail */
    bool parts;             /* only those parts of lines that come near the box, maybe in pieces */
    size_t limit;           /* of rivers in the list */
};

/* A zeroed list is empty. */
struct river_list {
    struct river *rivers; /* owned */
    size_t count, capacity;
    struct course course; /* their vertices */
};
void river_list_free(struct river_list *list);

/* False if no river of the world can have such a flow: then none is looked for. */
bool rivers_exist(const struct world *world, float min_flow);
/* The finest level with rivers of such a flow, and the nodes whose streams are looked at in a box
 * of so many metres. */
unsigned rivers_level(const struct world *world, float min_flow);
double rivers_nodes(const struct world *world, unsigned level, double width, double height);
/* Metres around the box that streams are looked for in besides: its image in the network's plane is
 * not known better. */
double rivers_around(const struct world *world, unsigned level, double width, double height);

struct river_box {
    struct place low, high;
};
/* A box of the map, the finest level whose streams matter in it, and the level of detail. */
struct river_area {
    struct place low, high;
    unsigned last;
    double spacing; /* metres */
};
/* Boxes of the network's plane with all that may come into the area; the smaller one takes more
 * places of the warp. */
struct river_image {
    struct river_box whole, smaller;
};
/* Errors are those of network_displace(). Only in worlds with a network. */
bool rivers_find_image(struct sampler *sampler, const struct world *world,
                       const struct river_area *area, struct river_image *image,
                       struct error *error);
/* The nodes of a level up to `reach` cells around the image of an area: streams of RIVERS_REACH may
 * come into it, as a stream ends within so many cells (core/drainage/store/store.c). */
enum { RIVERS_REACH = 3 };
struct network_rect rivers_cells(const struct world *world, unsigned level,
                                 const struct river_image *image, int reach);

/* Adds the rivers that touch the box: level after level, from the coarsest on. ERROR_LIMIT if there
 * are more than the limit; else errors are those of sampler_points(). None in worlds without a
 * network, nor in those whose rivers are all smaller. */
bool rivers_find(struct sampler *sampler, const struct world *world,
                 const struct river_search *search, struct river_list *list, struct error *error);

#endif
