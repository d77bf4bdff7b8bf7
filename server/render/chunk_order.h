/* The order for a chunk or volume: sizes, places and limits.
 *
 * A chunk's vertices begin at (cx · size · step, cy · size · step) and are `step` metres apart;
 * there are size + 1 a side, so that the last ones are the neighbour's first, and `apron` rings
 * more around them. A single chunk may be shifted to the east and south, to begin at any sample.
 * The step is the level of detail as well: at 1 m the samples are those of zoom 17, and chunks of
 * one step fit together, whatever their sizes. */
#ifndef TERRANE_SERVER_RENDER_CHUNK_ORDER_H
#define TERRANE_SERVER_RENDER_CHUNK_ORDER_H

#include "core/tile/style.h"
#include "core/worldfile/world.h"
#include "server/render/chunk_format_row.h"
#include "server/render/coding.h"

enum {
    CHUNK_SIZE_MAX = 1024,
    CHUNK_APRON_MAX = 8,
    CHUNK_VOLUME_SIZE_MAX = 128,
    CHUNK_SKIRT_MAX = 65536, /* metres */
};

/* The coordinate systems of files that name one. */
enum chunk_crs { CHUNK_NO_CRS, CHUNK_LOCAL, CHUNK_WEB_MERCATOR };

/* 2⁻¹⁶ m; powers of two in between. */
#define CHUNK_STEP_MIN ((int64_t)1 << 12)
#define CHUNK_STEP_MAX ((int64_t)1 << 32)

/* False unless `metres` is a power of two from 2⁻⁴ to 2¹⁶. */
bool chunk_step_of_metres(double metres, int64_t *step);

struct chunk_order {
    const struct world *world;
    const struct chunk_format *format;
    unsigned shape; /* CHUNK_FLAT or CHUNK_VOLUME */
    uint32_t size, apron;
    uint32_t dx, dy; /* shift in steps, to the east and south; 0 in batches, and of volumes */
    int64_t step, t; /* 2⁻¹⁶ m and s */
    unsigned layers[CHUNK_PLANES_MAX];
    unsigned layer_count; /* materials among them */
    /* The layers that are the world's materials, one after the other: their samples are shares
     * (materials.h). */
    unsigned material_first, material_count;
    unsigned material_group;       /* of a PNG: which four of them, from 0 */
    unsigned crs;                  /* enum chunk_crs, if the format has one */
    int64_t skirt;                 /* 2⁻¹⁶ m, if the format has one; 0 for none */
    const struct painter *painter; /* of the colours, if the format has some; or null for none */
};

struct chunk_address {
    int64_t x, y, z; /* z only of a volume */
};

/* Everything that determines a chunk's bytes. */
struct chunk_recipe {
    struct chunk_order order;
    struct chunk_address address;
    enum coding coding; /* of the bytes */
};

/* Chunks of a rectangle: from `first`, `columns` to the east and `rows` to the south. */
struct chunk_area {
    struct chunk_address first;
    uint32_t columns, rows;
};

/* Samples along a side, aprons included, and in all layers together; the planes of a layer. */
uint32_t chunk_side(const struct chunk_order *order);
uint32_t chunk_slices(const struct chunk_order *order);
uint64_t chunk_samples(const struct chunk_order *order);
/* Adds the materials of the world as layers, once; fewer than CHUNK_LAYERS_MAX others are there. */
void chunk_order_add_materials(struct chunk_order *order);
/* The layers that are no materials. */
unsigned chunk_plain_layers(const struct chunk_order *order);
/* The layers that take as long to encode as all of the order, by their bytes: in some formats a
 * share has fewer than a sample. */
double chunk_encoded_layers(const struct chunk_order *order);
/* "chunks" or "volumes". */
const char *chunk_shape_name(const struct chunk_order *order);
/* An estimate of the encoded bytes, before any content coding. */
size_t chunk_bytes(const struct chunk_order *order);
/* Addresses are −limit … limit − 1: within ±2⁴⁰ m. The last ones cannot be shifted. */
int64_t chunk_limit(const struct chunk_order *order);
/* Behind the last index of chunks that are shifted by so many steps. */
int64_t chunk_end(const struct chunk_order *order, uint32_t shift);
bool chunk_in_range(const struct chunk_order *order, const struct chunk_address *address);
/* The place of the first sample, apron included; the address must be in range. */
struct chunk_address chunk_origin(const struct chunk_order *order,
                                  const struct chunk_address *address);
/* True if a layer of the order or its colours depend on t. */
bool chunk_uses_time(const struct chunk_order *order);

#endif
