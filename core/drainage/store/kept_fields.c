/* See kept_fields.h. Samples are kept in blocks of a lattice (cache.h), as the rectangles that
 * requests need overlap, and a sample costs as much as all else about a stream. */
#include "core/drainage/store/kept_fields.h"

#include <stdlib.h>
#include <string.h>

#include "core/drainage/network/scratch.h"

enum {
    FIELDS = 4,
    FIELD_BLOCK_LOG2 = 3,
    FIELD_BLOCK_SIDE = 1 << FIELD_BLOCK_LOG2,
    FIELD_BLOCK_PLACES = FIELD_BLOCK_SIDE * FIELD_BLOCK_SIDE,
};

struct field_block {
    struct cached cached;
    uint64_t made; /* a bit for each place that was sampled, row by row */
    float values[FIELDS][FIELD_BLOCK_PLACES];
};

static void list_fields(const struct drainage_fields *fields, float *rows[FIELDS])
{
    rows[0] = fields->potential;
    rows[1] = fields->target;
    rows[2] = fields->relief;
    rows[3] = fields->lakes;
}

static bool reserve_values(struct drainage_fields *values, size_t *capacity, size_t count)
{
    size_t capacities[FIELDS];
    for (int i = 0; i < FIELDS; i++)
        capacities[i] = *capacity;
    if (!reserve_items(&values->potential, &capacities[0], count, sizeof(float)) ||
        !reserve_items(&values->target, &capacities[1], count, sizeof(float)) ||
        !reserve_items(&values->relief, &capacities[2], count, sizeof(float)) ||
        !reserve_items(&values->lakes, &capacities[3], count, sizeof(float)))
        return false;
    *capacity = capacities[0];
    return true;
}

/* Where place i of a block is in the lattice: its index there; false if it is not. */
static bool index_in_lattice(const struct field_lattice *lattice, const struct field_block *block,
                             unsigned i, size_t *index)
{
    const struct cache_key *key = &block->cached.key;
    const int64_t x = key->x * FIELD_BLOCK_SIDE + i % FIELD_BLOCK_SIDE - lattice->x;
    const int64_t y = key->y * FIELD_BLOCK_SIDE + i / FIELD_BLOCK_SIDE - lattice->y;
    *index = (size_t)(y * lattice->columns + x);
    return x >= 0 && y >= 0 && x < lattice->columns && y < lattice->rows;
}

static struct field_block *new_block(struct drainage_cache *cache, const struct cache_key *key)
{
    return (struct field_block *)cache_new_item(cache, key, sizeof(struct field_block));
}

/* Finds or makes the blocks of the lattice. False when memory is out. */
static bool find_blocks(struct kept_fields *fields, struct drainage_cache *cache,
                        struct cache_key key)
{
    const struct field_lattice *lattice = &fields->lattice;
    const int64_t last_x = (lattice->x + lattice->columns - 1) >> FIELD_BLOCK_LOG2;
    const int64_t last_y = (lattice->y + lattice->rows - 1) >> FIELD_BLOCK_LOG2;
    for (key.y = lattice->y >> FIELD_BLOCK_LOG2; key.y <= last_y; key.y++)
        for (key.x = lattice->x >> FIELD_BLOCK_LOG2; key.x <= last_x; key.x++) {
            struct field_block *block = (struct field_block *)cache_find(cache, &key);
            block = block ? block : new_block(cache, &key);
            if (!block)
                return false;
            if (!reserve_items(&fields->blocks, &fields->block_capacity, fields->block_count + 1,
                               sizeof *fields->blocks)) {
                cache_release(&block->cached);
                return false;
            }
            fields->blocks[fields->block_count++] = block;
        }
    return true;
}

/* Gives the blocks back. */
static void release_blocks(struct kept_fields *fields)
{
    for (size_t b = 0; b < fields->block_count; b++)
        cache_release(&fields->blocks[b]->cached);
    fields->block_count = 0;
}

/* Makes a block one that may be changed: of one that others know, a copy. False when memory is out.
 */
static bool own_block(struct field_block **block)
{
    struct field_block *old = *block;
    if (!old->cached.published)
        return true;
    struct field_block *own = new_block(old->cached.cache, &old->cached.key);
    if (!own)
        return false;
    own->made = old->made;
    memcpy(own->values, old->values, sizeof own->values);
    cache_release(&old->cached);
    *block = own;
    return true;
}

/* Lists the places of a block that are in the lattice and were not sampled, from `count` on;
 * returns their number then. */
static size_t list_missing_of(const struct kept_fields *fields, const struct field_block *block,
                              size_t count)
{
    const struct field_lattice *lattice = &fields->lattice;
    const int64_t width = (int64_t)1 << lattice->shift;
    size_t index;
    for (unsigned i = 0; i < FIELD_BLOCK_PLACES; i++) {
        if (block->made >> i & 1 || !index_in_lattice(lattice, block, i, &index))
            continue;
        const int64_t x = lattice->x + (int64_t)(index % lattice->columns);
        const int64_t y = lattice->y + (int64_t)(index / lattice->columns);
        fields->places[count++] = (struct place){x * width, y * width};
    }
    return count;
}

/* The same of all blocks, which then may be changed: writes how many places they are. False when
 * memory is out. */
static bool list_missing(struct kept_fields *fields, size_t *count)
{
    *count = 0;
    for (size_t b = 0; b < fields->block_count; b++) {
        const size_t before = *count;
        *count = list_missing_of(fields, fields->blocks[b], before);
        if (*count > before && !own_block(&fields->blocks[b]))
            return false;
    }
    return true;
}

/* Moves the samples, in the order of list_missing(), to their blocks, and those of the lattice to
 * their places there; none of fields without samples. */
static void take_samples(struct kept_fields *fields, float *const samples[FIELDS])
{
    const struct field_lattice *lattice = &fields->lattice;
    float *values[FIELDS];
    size_t next = 0, index;
    list_fields(&lattice->values, values);
    for (size_t b = 0; b < fields->block_count; b++) {
        struct field_block *block = fields->blocks[b];
        for (unsigned i = 0; i < FIELD_BLOCK_PLACES; i++) {
            if (!index_in_lattice(lattice, block, i, &index))
                continue;
            const bool missing = !(block->made >> i & 1);
            for (int field = 0; field < FIELDS; field++) {
                if (!samples[field])
                    continue;
                if (missing)
                    block->values[field][i] = samples[field][next];
                values[field][index] = block->values[field][i];
            }
            if (missing)
                block->made |= (uint64_t)1 << i;
            next += missing;
        }
        if (!block->cached.published)
            cache_publish(&block->cached);
    }
}

/* Makes the lattice have its values, by the blocks that were found. */
static bool fill_lattice(struct kept_fields *fields, const struct drainage_network *network,
                         const struct field_part *part)
{
    const struct drainage_fields *samples = &fields->samples;
    const bool lakes = !part->potential && level_has_lakes(network, part->level);
    const struct drainage_fields wanted = {
        part->potential ? samples->potential : NULL, part->potential ? NULL : samples->target,
        part->potential ? NULL : samples->relief, lakes ? samples->lakes : NULL};
    size_t count;
    if (!list_missing(fields, &count))
        return false;
    if (count > 0 && !network->sample(network->context, fields->places, count,
                                      lattice_spacing(&fields->lattice), &wanted))
        return false;
    float *rows[FIELDS];
    list_fields(&wanted, rows);
    take_samples(fields, rows);
    return true;
}

bool kept_fields_sample(struct kept_fields *fields, struct drainage_cache *cache,
                        const struct drainage_network *network, const struct field_part *part)
{
    struct field_lattice *lattice = &fields->lattice;
    lattice_cover(lattice, network, part);
    const size_t all = (size_t)lattice->columns * lattice->rows;
    const struct cache_key key = {.network = network->identity,
                                  .kind = part->potential ? CACHE_POTENTIAL : CACHE_FIELDS,
                                  .level = part->level};
    if (!reserve_items(&fields->places, &fields->place_capacity, all, sizeof(struct place)) ||
        !reserve_values(&lattice->values, &fields->value_capacity, all) ||
        !reserve_values(&fields->samples, &fields->sample_capacity, all))
        return false;
    const bool filled = find_blocks(fields, cache, key) && fill_lattice(fields, network, part);
    release_blocks(fields);
    return filled;
}

void kept_fields_free(struct kept_fields *fields)
{
    float *rows[2][FIELDS];
    list_fields(&fields->lattice.values, rows[0]);
    list_fields(&fields->samples, rows[1]);
    for (int field = 0; field < FIELDS; field++) {
        free(rows[0][field]);
        free(rows[1][field]);
    }
    free(fields->places);
    free(fields->blocks);
}

size_t kept_fields_bytes(const struct kept_fields *fields)
{
    return fields->place_capacity * sizeof(struct place) +
           (fields->value_capacity + fields->sample_capacity) * FIELDS * sizeof(float) +
           fields->block_capacity * sizeof *fields->blocks;
}
