/* See fields.h. */
#include "core/drainage/fields.h"

#include <stdlib.h>

#include "core/drainage/window.h"

static bool reserve_places(struct field_lattice *lattice, size_t count)
{
    struct drainage_fields *values = &lattice->values;
    size_t capacities[4];
    for (int i = 0; i < 4; i++)
        capacities[i] = lattice->capacity;
    if (!reserve_items(&lattice->places, &capacities[0], count, sizeof(struct place)) ||
        !reserve_items(&values->potential, &capacities[1], count, sizeof(float)) ||
        !reserve_items(&values->target, &capacities[2], count, sizeof(float)) ||
        !reserve_items(&values->relief, &capacities[3], count, sizeof(float)))
        return false;
    lattice->capacity = capacities[0];
    return true;
}

bool fields_sample(struct field_lattice *lattice, const struct drainage_network *network,
                   unsigned level, const struct place_bounds *bounds, bool potential)
{
    const unsigned width_log2 = drainage_cell_log2(network->spacing_log2, level);
    const unsigned log2 = width_log2 > DRAINAGE_FIELDS_LOG2 ? width_log2 : DRAINAGE_FIELDS_LOG2;
    const unsigned shift = PLACE_BITS + log2;
    const int64_t x = bounds->low.x >> shift, y = bounds->low.y >> shift;
    const uint32_t columns = (uint32_t)((bounds->high.x >> shift) - x) + 2;
    const uint32_t rows = (uint32_t)((bounds->high.y >> shift) - y) + 2;
    const size_t count = (size_t)columns * rows;
    if (!reserve_places(lattice, count))
        return false;
    lattice->x = x;
    lattice->y = y;
    lattice->shift = shift;
    lattice->columns = columns;
    for (size_t i = 0; i < count; i++)
        lattice->places[i] = (struct place){(x + (int64_t)(i % columns)) * ((int64_t)1 << shift),
                                            (y + (int64_t)(i / columns)) * ((int64_t)1 << shift)};
    const struct drainage_fields wanted = {potential ? lattice->values.potential : NULL,
                                           potential ? NULL : lattice->values.target,
                                           potential ? NULL : lattice->values.relief};
    return network->sample(network->context, lattice->places, count,
                           0.5 * (double)((uint32_t)1 << log2), &wanted);
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
    free(lattice->places);
    free(lattice->values.potential);
    free(lattice->values.target);
    free(lattice->values.relief);
}

size_t fields_bytes(const struct field_lattice *lattice)
{
    return lattice->capacity * (sizeof(struct place) + 3 * sizeof(float));
}
