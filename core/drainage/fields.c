/* See fields.h. Samples are kept in blocks of a lattice (kept.h), as the rectangles that requests
 * need overlap, and a sample costs as much as all else about a stream. */
#include "core/drainage/fields.h"

#include <stdlib.h>

#include "core/drainage/drainage_private.h"
#include "core/drainage/lakes.h"

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
static bool find_blocks(struct field_lattice *lattice, struct drainage *drainage,
                        unsigned key_level)
{
    const int64_t last_x = (lattice->x + lattice->columns - 1) >> FIELD_BLOCK_LOG2;
    const int64_t last_y = (lattice->y + lattice->rows - 1) >> FIELD_BLOCK_LOG2;
    lattice->block_count = 0;
    for (int64_t y = lattice->y >> FIELD_BLOCK_LOG2; y <= last_y; y++)
        for (int64_t x = lattice->x >> FIELD_BLOCK_LOG2; x <= last_x; x++) {
            const struct kept_key key = {drainage->network->identity, x, y, key_level, -1.0};
            struct kept *block = kept_find(&drainage->blocks, &key);
            block = block ? block : kept_add(&drainage->blocks, &key, sizeof(struct field_block));
            if (!block || !reserve_items(&lattice->blocks, &lattice->block_capacity,
                                         lattice->block_count + 1, sizeof *lattice->blocks))
                return false;
            lattice->blocks[lattice->block_count++] = (struct field_block *)block;
        }
    return true;
}

/* Lists the places that are in the lattice and were not sampled; returns how many they are. */
static size_t list_missing(struct field_lattice *lattice)
{
    size_t count = 0, index;
    for (size_t b = 0; b < lattice->block_count; b++) {
        const struct field_block *block = lattice->blocks[b];
        for (unsigned i = 0; i < FIELD_BLOCK_PLACES; i++) {
            if (block->made >> i & 1 || !index_in_lattice(lattice, block, i, &index))
                continue;
            const int64_t x = lattice->x + (int64_t)(index % lattice->columns);
            const int64_t y = lattice->y + (int64_t)(index / lattice->columns);
            const int64_t width = (int64_t)1 << lattice->shift;
            lattice->places[count++] = (struct place){x * width, y * width};
        }
    }
    return count;
}

/* Moves the samples, in the order of list_missing(), to their blocks, and those of the lattice to
 * their places there; none of fields without samples. */
static void take_samples(struct field_lattice *lattice, float *const samples[FIELDS])
{
    float *values[FIELDS];
    size_t next = 0, index;
    list_fields(&lattice->values, values);
    for (size_t b = 0; b < lattice->block_count; b++) {
        struct field_block *block = lattice->blocks[b];
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

bool fields_sample(struct drainage *drainage, unsigned level, const struct place_bounds *bounds,
                   bool potential)
{
    const struct drainage_network *network = drainage->network;
    struct field_lattice *lattice = &drainage->fields;
    const unsigned width_log2 = drainage_cell_log2(network->spacing_log2, level);
    const unsigned log2 = width_log2 > DRAINAGE_FIELDS_LOG2 ? width_log2 : DRAINAGE_FIELDS_LOG2;
    const unsigned shift = PLACE_BITS + log2;
    lattice->shift = shift;
    lattice->x = bounds->low.x >> shift;
    lattice->y = bounds->low.y >> shift;
    lattice->columns = (uint32_t)((bounds->high.x >> shift) - lattice->x) + 2;
    lattice->rows = (uint32_t)((bounds->high.y >> shift) - lattice->y) + 2;
    const size_t all = (size_t)lattice->columns * lattice->rows;
    if (!reserve_items(&lattice->places, &lattice->place_capacity, all, sizeof(struct place)) ||
        !reserve_values(&lattice->values, &lattice->value_capacity, all) ||
        !reserve_values(&lattice->samples, &lattice->sample_capacity, all) ||
        !find_blocks(lattice, drainage, level + (potential ? KEY_POTENTIAL : KEY_LAND)))
        return false;
    const struct drainage_fields *samples = &lattice->samples;
    const bool lakes = !potential && level_has_lakes(network, level);
    const struct drainage_fields wanted = {
        potential ? samples->potential : NULL, potential ? NULL : samples->target,
        potential ? NULL : samples->relief, lakes ? samples->lakes : NULL};
    const size_t count = list_missing(lattice);
    if (count > 0 && !network->sample(network->context, lattice->places, count,
                                      0.5 * (double)((uint32_t)1 << log2), &wanted))
        return false;
    float *rows[FIELDS];
    list_fields(&wanted, rows);
    take_samples(lattice, rows);
    return true;
}

float field_at(const struct field_lattice *lattice, const float *values, struct place place)
{
    const int64_t x = place.x >> lattice->shift, y = place.y >> lattice->shift;
    const int64_t mask = ((int64_t)1 << lattice->shift) - 1;
    const float unit = 1.0f / (float)((int64_t)1 << lattice->shift);
    const float u = (float)(place.x & mask) * unit, v = (float)(place.y & mask) * unit;
    const float *row =
        values + (size_t)(y - lattice->y) * lattice->columns + (size_t)(x - lattice->x);
    const float *next = row + lattice->columns;
    const float north = row[0] + (row[1] - row[0]) * u;
    const float south = next[0] + (next[1] - next[0]) * u;
    return north + (south - north) * v;
}

void fields_free(struct field_lattice *lattice)
{
    float *rows[2][FIELDS];
    list_fields(&lattice->values, rows[0]);
    list_fields(&lattice->samples, rows[1]);
    for (int field = 0; field < FIELDS; field++) {
        free(rows[0][field]);
        free(rows[1][field]);
    }
    free(lattice->places);
    free(lattice->blocks);
}

size_t fields_bytes(const struct field_lattice *lattice)
{
    return lattice->place_capacity * sizeof(struct place) +
           (lattice->value_capacity + lattice->sample_capacity) * FIELDS * sizeof(float) +
           lattice->block_capacity * sizeof *lattice->blocks;
}
