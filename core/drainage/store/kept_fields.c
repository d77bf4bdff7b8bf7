/* See kept_fields.h. Samples are kept in blocks of a lattice (kept.h), as the rectangles that
 * requests need overlap, and a sample costs as much as all else about a stream. */
#include "core/drainage/store/kept_fields.h"

#include <stdlib.h>

#include "core/drainage/network/scratch.h"

enum {
    FIELDS = 4,
    FIELD_BLOCK_LOG2 = 3,
    FIELD_BLOCK_SIDE = 1 << FIELD_BLOCK_LOG2,
    FIELD_BLOCK_PLACES = FIELD_BLOCK_SIDE * FIELD_BLOCK_SIDE,
    /* Levels in keys, apart from those of blocks of streams. */
    KEY_POTENTIAL = 0x100,
    KEY_LAND = 0x200,
};

struct field_block {
    struct kept kept;
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
    const struct kept_key *key = &block->kept.key;
    const int64_t x = key->x * FIELD_BLOCK_SIDE + i % FIELD_BLOCK_SIDE - lattice->x;
    const int64_t y = key->y * FIELD_BLOCK_SIDE + i / FIELD_BLOCK_SIDE - lattice->y;
    *index = (size_t)(y * lattice->columns + x);
    return x >= 0 && y >= 0 && x < lattice->columns && y < lattice->rows;
}

/* Finds or adds the blocks of the lattice. False when memory is out. */
static bool find_blocks(struct kept_fields *fields, struct kept_table *table,
                        struct hash128 identity, unsigned key_level)
{
    const struct field_lattice *lattice = &fields->lattice;
    const int64_t last_x = (lattice->x + lattice->columns - 1) >> FIELD_BLOCK_LOG2;
    const int64_t last_y = (lattice->y + lattice->rows - 1) >> FIELD_BLOCK_LOG2;
    fields->block_count = 0;
    for (int64_t y = lattice->y >> FIELD_BLOCK_LOG2; y <= last_y; y++)
        for (int64_t x = lattice->x >> FIELD_BLOCK_LOG2; x <= last_x; x++) {
            const struct kept_key key = {identity, x, y, key_level, -1.0};
            struct kept *block = kept_find(table, &key);
            block = block ? block : kept_add(table, &key, sizeof(struct field_block));
            if (!block || !reserve_items(&fields->blocks, &fields->block_capacity,
                                         fields->block_count + 1, sizeof *fields->blocks))
                return false;
            fields->blocks[fields->block_count++] = (struct field_block *)block;
        }
    return true;
}

/* Lists the places that are in the lattice and were not sampled; returns how many they are. */
static size_t list_missing(struct kept_fields *fields)
{
    const struct field_lattice *lattice = &fields->lattice;
    size_t count = 0, index;
    for (size_t b = 0; b < fields->block_count; b++) {
        const struct field_block *block = fields->blocks[b];
        for (unsigned i = 0; i < FIELD_BLOCK_PLACES; i++) {
            if (block->made >> i & 1 || !index_in_lattice(lattice, block, i, &index))
                continue;
            const int64_t x = lattice->x + (int64_t)(index % lattice->columns);
            const int64_t y = lattice->y + (int64_t)(index / lattice->columns);
            const int64_t width = (int64_t)1 << lattice->shift;
            fields->places[count++] = (struct place){x * width, y * width};
        }
    }
    return count;
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
            next += missing;
            block->made |= (uint64_t)1 << i;
        }
    }
}

bool kept_fields_sample(struct kept_fields *fields, struct kept_table *table,
                        const struct drainage_network *network, const struct field_part *part)
{
    struct field_lattice *lattice = &fields->lattice;
    lattice_cover(lattice, network, part);
    const size_t all = (size_t)lattice->columns * lattice->rows;
    if (!reserve_items(&fields->places, &fields->place_capacity, all, sizeof(struct place)) ||
        !reserve_values(&lattice->values, &fields->value_capacity, all) ||
        !reserve_values(&fields->samples, &fields->sample_capacity, all) ||
        !find_blocks(fields, table, network->identity,
                     part->level + (part->potential ? KEY_POTENTIAL : KEY_LAND)))
        return false;
    const struct drainage_fields *samples = &fields->samples;
    const bool lakes = !part->potential && level_has_lakes(network, part->level);
    const struct drainage_fields wanted = {
        part->potential ? samples->potential : NULL, part->potential ? NULL : samples->target,
        part->potential ? NULL : samples->relief, lakes ? samples->lakes : NULL};
    const size_t count = list_missing(fields);
    if (count > 0 && !network->sample(network->context, fields->places, count,
                                      lattice_spacing(lattice), &wanted))
        return false;
    float *rows[FIELDS];
    list_fields(&wanted, rows);
    take_samples(fields, rows);
    return true;
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
