/* A label: the name of something on the map, and where it is written. */
#ifndef TERRANE_LABELS_LABEL_H
#define TERRANE_LABELS_LABEL_H

#include "core/names/name.h"
#include "core/sampling/sampler.h"
#include "core/terrain/summits.h"
#include "core/worldfile/world.h"

enum {
    LABEL_ZOOM_MIN = 3, /* views of lesser zooms have none */
    LABEL_ZOOM_MAX = 20,
    LABEL_ZOOMS = 6, /* a label shows at its rank and so many zooms less one behind it */
};

/* Levels of summits that have labels. */
enum {
    LABEL_SUMMITS_ZOOM = 6,  /* of the coarsest level of summits, */
    LABEL_SUMMITS_LAST = 14, /* and of the finest: what is higher than all within 256 m */
    LABEL_SUMMITS_APART = SUMMITS_LEVEL_LOG2, /* zooms from a level to the next one */
    LABEL_SUMMITS_PIXELS = 4,                 /* of a step of summits, at the zoom of their level */
};

/* The width of a pixel at a zoom, metres: 1 at zoom 17. */
static inline double label_pixel(int zoom)
{
    return zoom > 17 ? 1.0 / (double)(1U << (zoom - 17)) : (double)(1U << (17 - zoom));
}

/* What a label is of. It depends on its own cell, stream or summit, never on the request. */
struct label {
    enum name_kind kind;
    uint64_t id;        /* of the feature, 53 bits; of a river that of its stream, as in /rivers */
    uint64_t name_id;   /* what its name is made of: streams of one river share it */
    struct place place; /* where it is written */
    struct place name_place; /* what decides its tongue */
    int rank;                /* the least zoom at which it shows */
    int last;                /* the greatest */
    double size;   /* m²: the area, or of a river the land upstream; of a peak 0; of a lake the
                      square of its length, of a fixed name the square of its kind's reach */
    float height;  /* of a peak, metres */
    float axis[2]; /* the direction of its text, a unit vector to the east (and south) */
    double length; /* of its axis: metres; 0 of one that is written level */
    struct name name;
};

/* A zeroed list is empty; count = 0 empties it but keeps the memory. */
struct label_list {
    struct label *labels; /* owned */
    size_t count, capacity;
};
void label_list_free(struct label_list *list);
/* Adds a label to the list; false when memory is out. */
bool label_list_add(struct label_list *list, const struct label *label, struct error *error);

/* What labels are made of. What is found is kept in the sampler's cache. */
struct label_source {
    struct sampler *sampler;
    const struct world *world;
    uint64_t world_hash; /* of all that decides what is kept */
};
struct label_source label_source_of(struct sampler *sampler, const struct world *world);

/* A box of the map, half-open: it includes its north and west edges. */
struct label_box {
    struct place low, high;
};
static inline bool label_box_holds(const struct label_box *box, struct place place)
{
    return place.x >= box->low.x && place.x < box->high.x && place.y >= box->low.y &&
           place.y < box->high.y;
}

#endif
