/* Making chunks and volumes in every format: sampling and encoding in the memory of one thread.
 *
 * A chunk's vertices begin at (cx · size · step, cy · size · step) and are `step` metres apart;
 * there are size + 1 a side, so that the last ones are the neighbour's first, and `apron` rings
 * more around them. The step is the level of detail as well: at 1 m the samples are those of zoom
 * 17, and chunks of one step fit together, whatever their sizes. */
#ifndef TERRANE_SERVER_CHUNK_MAKER_H
#define TERRANE_SERVER_CHUNK_MAKER_H

#include "core/base/buffer.h"
#include "core/world/sampler.h"
#include "server/chunk_format.h"
#include "server/coding.h"

enum {
    CHUNK_SIZE_MAX = 1024,
    CHUNK_APRON_MAX = 8,
    CHUNK_VOLUME_SIZE_MAX = 128,
    CHUNK_DIGEST_TEXT = 33,
};
/* 2⁻¹⁶ m; powers of two in between. */
#define CHUNK_STEP_MIN ((int64_t)1 << 12)
#define CHUNK_STEP_MAX ((int64_t)1 << 32)

/* False if it is no step: a power of two from 2⁻⁴ to 2¹⁶ m. */
bool chunk_step_of_metres(double metres, int64_t *step);

struct chunk_order {
    const struct world *world;
    const struct chunk_format *format;
    unsigned shape; /* CHUNK_FLAT or CHUNK_VOLUME */
    uint32_t size, apron;
    int64_t step, t; /* 2⁻¹⁶ m and s */
    unsigned layers[CHUNK_LAYERS_MAX];
    unsigned layer_count;
};

struct chunk_address {
    int64_t x, y, z; /* z only of a volume */
};

/* Samples along a side, aprons included, and in all layers together. */
uint32_t chunk_side(const struct chunk_order *order);
uint64_t chunk_samples(const struct chunk_order *order);
/* Addresses are −limit … limit − 1: within ±2⁴⁰ m. */
int64_t chunk_limit(const struct chunk_order *order);
bool chunk_in_range(const struct chunk_order *order, const struct chunk_address *address);
/* The first sample's place, the apron's if there is one; the address must be in range. */
struct chunk_address chunk_origin(const struct chunk_order *order,
                                  const struct chunk_address *address);
/* Whether a layer of it depends on t. */
bool chunk_uses_time(const struct chunk_order *order);

struct chunk_times {
    uint32_t render, encode; /* microseconds */
};

struct chunk_maker;
struct chunk_maker *chunk_maker_new(void);        /* null when memory is out */
void chunk_maker_free(struct chunk_maker *maker); /* null is allowed */

/* Appends the chunk's bytes to `out`, and adds to the times. The address must be in range. */
bool chunk_make(struct chunk_maker *maker, struct sampler *sampler, const struct chunk_order *order,
                const struct chunk_address *address, struct buffer *out, struct error *error);
/* Of the last one's samples, all layers: terrane_digest() of core/terrane.h. */
const char *chunk_maker_digest(const struct chunk_maker *maker);
/* How long it took since they were taken last. */
struct chunk_times chunk_maker_take_times(struct chunk_maker *maker);
/* Replaces the bytes by themselves in a coding that is not identity. */
bool chunk_compress(struct chunk_maker *maker, enum coding coding, struct buffer *bytes,
                    struct error *error);

#endif
