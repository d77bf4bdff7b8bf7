/* Makes tiles in every format: samples, paints and encodes in the memory of one thread. */
#ifndef TERRANE_SERVER_RENDER_TILE_MAKER_H
#define TERRANE_SERVER_RENDER_TILE_MAKER_H

#include "core/base/buffer.h"
#include "core/tile/address.h"
#include "core/tile/style.h"
#include "core/worldfile/world.h"
#include "server/render/coding.h"
#include "server/render/format_row.h"

#define TILE_INTERVAL_MAX 1e6 /* metres between contours */

struct tile_order {
    const struct world *world;
    const struct painter *painter;
    const struct format *format;
    struct tile_address address;
    uint32_t size;      /* samples a side; one that the format allows */
    uint32_t columns;   /* characters, if the format has them */
    double interval;    /* metres, if the format has contours: 0 for the zoom's own */
    bool labels;        /* whether they have labels, too */
    bool normals;       /* of a mesh: whether it has them */
    int64_t t;          /* 2⁻¹⁶ s */
    enum coding coding; /* of the bytes */
};

/* True if the order's bytes depend on t. */
bool tile_order_uses_time(const struct tile_order *order);
/* The layers whose samples the order's mesh is made of: that of the style and, where it shows the
 * surface of water, that of the surface. Returns their number; `*covers` is whether water stands
 * where it is higher, at 0 m if there is one layer only. */
unsigned tile_order_mesh_layers(const struct tile_order *order, unsigned layers[2], bool *covers);
/* Metres between the contours: the order's own or the zoom's. Without an own interval it may grow
 * on ground so steep that there would be too many contours. */
double tile_order_interval(const struct tile_order *order);

enum tile_effort {
    TILE_FAST,  /* as a client waits: the bytes that are served */
    TILE_SMALL, /* slow, in fewer bytes: for files */
};
/* The effort "fast" or "small". False if it is neither. */
bool tile_effort_find(const char *name, enum tile_effort *effort);

struct tile_times {
    uint32_t render, encode; /* microseconds */
};

struct tile_maker;
struct tile_maker *tile_maker_new(void);        /* null when memory is out */
void tile_maker_free(struct tile_maker *maker); /* null is allowed */
struct canvas *tile_maker_canvas(struct tile_maker *maker);
struct coder *tile_maker_coder(struct tile_maker *maker);

/* One half of a tile, made by a maker of any thread. */
typedef void tile_half_function(struct tile_maker *maker, void *half);
/* Calls `run` for both halves at once, on this thread and on another, and returns when both have
 * run. False if no other thread is free: nothing happened. */
struct tile_threads {
    bool (*run_halves)(void *context, tile_half_function *run, void *const halves[2]);
    void *context;
};
/* From now on the maker may use another thread. Its bytes are the same. */
void tile_maker_set_threads(struct tile_maker *maker, const struct tile_threads *threads);

/* Appends the tile's bytes to `out`. The address must be in range. ERROR_LIMIT if the order's own
 * interval makes too many contours. */
bool tile_make(struct tile_maker *maker, const struct tile_order *order, enum tile_effort effort,
               struct buffer *out, struct error *error);
/* The times of the last tile. */
struct tile_times tile_maker_times(const struct tile_maker *maker);

#endif
