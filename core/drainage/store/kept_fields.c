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
    GRID_LEAST = 64, /* places */
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

static struct field_block *new_block(struct drainage_cache *cache, const struct cache_key *key)
{
    struct field_block *block =
        (struct field_block *)cache_new_item(cache, key, sizeof(struct field_block));
    if (block)
        block->made = 0;
    return block;
}

/* Marks the places of the lattice that are around those of a part. */
static void mark_needed(struct kept_fields *fields, const struct field_part *part)
{
    const struct field_lattice *lattice = &fields->lattice;
    const size_t columns = lattice->columns;
    memset(fields->needed, 0, columns * lattice->rows);
    for (size_t i = 0; i < part->count; i++) {
        const struct place *place = &part->places[i];
        uint8_t *needed = fields->needed +
                          (size_t)((place->y >> lattice->shift) - lattice->y) * columns +
                          (size_t)((place->x >> lattice->shift) - lattice->x);
        needed[0] = needed[1] = needed[columns] = needed[columns + 1] = 1;
    }
}

/* The places of a block that are needed: a bit for each. */
static uint64_t needed_in_block(const struct kept_fields *fields, int64_t block_x, int64_t block_y)
{
    const struct field_lattice *lattice = &fields->lattice;
    const int64_t x = block_x * FIELD_BLOCK_SIDE - lattice->x;
    const int64_t y = block_y * FIELD_BLOCK_SIDE - lattice->y;
    const int64_t east = x + FIELD_BLOCK_SIDE, south = y + FIELD_BLOCK_SIDE;
    uint64_t bits = 0;
    for (int64_t v = y < 0 ? 0 : y; v < south && v < lattice->rows; v++)
        for (int64_t u = x < 0 ? 0 : x; u < east && u < lattice->columns; u++) {
            const uint64_t needed = fields->needed[v * lattice->columns + u];
            bits |= needed << ((v - y) * FIELD_BLOCK_SIDE + u - x);
        }
    return bits;
}

/* Finds or makes a block. False when memory is out. */
static bool add_block(struct kept_fields *fields, struct drainage_cache *cache,
                      const struct cache_key *key, uint64_t needed)
{
    if (!reserve_items(&fields->parts, &fields->part_capacity, fields->part_count + 1,
                       sizeof *fields->parts))
        return false;
    struct field_block *block = (struct field_block *)cache_find(cache, key);
    block = block ? block : new_block(cache, key);
    if (!block)
        return false;
    fields->parts[fields->part_count++] =
        (struct kept_part){block, needed, needed & ~block->made, 0};
    return true;
}

/* Finds or makes the blocks of the lattice that are needed. False when memory is out. */
static bool find_blocks(struct kept_fields *fields, struct drainage_cache *cache,
                        struct cache_key key)
{
    const struct field_lattice *lattice = &fields->lattice;
    const int64_t last_x = (lattice->x + lattice->columns - 1) >> FIELD_BLOCK_LOG2;
    const int64_t last_y = (lattice->y + lattice->rows - 1) >> FIELD_BLOCK_LOG2;
    for (key.y = lattice->y >> FIELD_BLOCK_LOG2; key.y <= last_y; key.y++)
        for (key.x = lattice->x >> FIELD_BLOCK_LOG2; key.x <= last_x; key.x++) {
            const uint64_t needed = needed_in_block(fields, key.x, key.y);
            if (needed != 0 && !add_block(fields, cache, &key, needed))
                return false;
        }
    return true;
}

/* Gives the blocks back. */
static void release_blocks(struct kept_fields *fields)
{
    for (size_t b = 0; b < fields->part_count; b++)
        cache_release(&fields->parts[b].block->cached);
    fields->part_count = 0;
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

/* Lists the missing places of all blocks, which then may be changed: writes how many they are.
 * False when memory is out. */
static bool list_missing(struct kept_fields *fields, size_t *count)
{
    const int64_t width = (int64_t)1 << fields->lattice.shift;
    *count = 0;
    for (size_t b = 0; b < fields->part_count; b++) {
        struct kept_part *part = &fields->parts[b];
        if (part->missing != 0 && !own_block(&part->block))
            return false;
        const struct cache_key *key = &part->block->cached.key;
        part->first = *count;
        for (uint64_t bits = part->missing; bits != 0; bits &= bits - 1) {
            const int i = __builtin_ctzll(bits);
            const int64_t x = key->x * FIELD_BLOCK_SIDE + i % FIELD_BLOCK_SIDE;
            const int64_t y = key->y * FIELD_BLOCK_SIDE + i / FIELD_BLOCK_SIDE;
            fields->places[(*count)++] = (struct place){x * width, y * width};
        }
    }
    return true;
}

/* Lists all places of the least rectangle around those that are missing instead, row by row, if
 * these are enough of them: samples of a grid take half of the time, as many as they are. */
static void list_grid(struct kept_fields *fields, size_t *count)
{
    const unsigned shift = fields->lattice.shift;
    struct place_bounds bounds = {fields->places[0], fields->places[0]};
    for (size_t i = 1; i < *count; i++)
        bounds_add(&bounds, fields->places[i]);
    const struct place low = bounds.low, high = bounds.high;
    const size_t columns = (size_t)((high.x - low.x) >> shift) + 1;
    const size_t rows = (size_t)((high.y - low.y) >> shift) + 1;
    fields->grid = (struct kept_grid){.columns = 0};
    if (*count < GRID_LEAST || columns * rows > *count + *count / 2)
        return;
    fields->grid = (struct kept_grid){low.x >> shift, low.y >> shift, columns};
    *count = 0;
    for (int64_t y = low.y >> shift; y <= high.y >> shift; y++)
        for (int64_t x = low.x >> shift; x <= high.x >> shift; x++)
            fields->places[(*count)++] =
                (struct place){x * ((int64_t)1 << shift), y * ((int64_t)1 << shift)};
}

/* Moves samples of a grid to the missing places of a block. */
static void take_grid(const struct kept_grid *grid, const struct kept_part *part,
                      const float *samples, float *values)
{
    const struct cache_key *key = &part->block->cached.key;
    const int64_t x = key->x * FIELD_BLOCK_SIDE - grid->x, y = key->y * FIELD_BLOCK_SIDE - grid->y;
    for (uint64_t bits = part->missing; bits != 0; bits &= bits - 1) {
        const int i = __builtin_ctzll(bits);
        values[i] =
            samples[(y + i / FIELD_BLOCK_SIDE) * (int64_t)grid->columns + x + i % FIELD_BLOCK_SIDE];
    }
}

/* The same of a list of the missing places. */
static void take_list(const struct kept_part *part, const float *samples, float *values)
{
    const float *next = samples + part->first;
    for (uint64_t bits = part->missing; bits != 0; bits &= bits - 1)
        values[__builtin_ctzll(bits)] = *next++;
}

/* Moves values of a block that are needed to the lattice. */
static void fill_from_block(const struct field_lattice *lattice, const struct kept_part *part,
                            const float *values, float *in_lattice)
{
    const struct cache_key *key = &part->block->cached.key;
    const int64_t x = key->x * FIELD_BLOCK_SIDE - lattice->x;
    const int64_t y = key->y * FIELD_BLOCK_SIDE - lattice->y;
    for (uint64_t bits = part->needed; bits != 0; bits &= bits - 1) {
        const int i = __builtin_ctzll(bits);
        in_lattice[(y + i / FIELD_BLOCK_SIDE) * lattice->columns + x + i % FIELD_BLOCK_SIDE] =
            values[i];
    }
}

/* Moves samples of a field to a block, and those that are needed to the lattice. */
static void take_field(const struct kept_fields *fields, const struct kept_part *part,
                       float *values, const float *samples, float *in_lattice)
{
    if (fields->grid.columns > 0)
        take_grid(&fields->grid, part, samples, values);
    else
        take_list(part, samples, values);
    fill_from_block(&fields->lattice, part, values, in_lattice);
}

/* Moves the samples, in the order of list_missing() or list_grid(), to their blocks, and those that
 * are needed to the lattice; none of fields without samples. */
static void take_samples(struct kept_fields *fields, float *const samples[FIELDS])
{
    const struct field_lattice *lattice = &fields->lattice;
    float *in_lattice[FIELDS];
    list_fields(&lattice->values, in_lattice);
    for (size_t b = 0; b < fields->part_count; b++) {
        const struct kept_part *part = &fields->parts[b];
        struct field_block *block = part->block;
        for (int field = 0; field < FIELDS; field++)
            if (samples[field])
                take_field(fields, part, block->values[field], samples[field], in_lattice[field]);
        if (part->missing == 0)
            continue;
        block->made |= part->missing;
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
    if (count > 0)
        list_grid(fields, &count);
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
    const struct cache_key key = {.owner = network->identity,
                                  .kind = part->potential ? CACHE_POTENTIAL : CACHE_FIELDS,
                                  .level = field_log2(network, part->level)};
    if (!reserve_items(&fields->places, &fields->place_capacity, all, sizeof(struct place)) ||
        !reserve_values(&lattice->values, &fields->value_capacity, all) ||
        !reserve_values(&fields->samples, &fields->sample_capacity, all) ||
        !reserve_items(&fields->needed, &fields->needed_capacity, all, 1))
        return false;
    mark_needed(fields, part);
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
    free(fields->parts);
    free(fields->needed);
}

size_t kept_fields_bytes(const struct kept_fields *fields)
{
    return fields->place_capacity * sizeof(struct place) +
           (fields->value_capacity + fields->sample_capacity) * FIELDS * sizeof(float) +
           fields->needed_capacity + fields->part_capacity * sizeof *fields->parts;
}
