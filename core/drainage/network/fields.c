/* See fields.h. */
#include "core/drainage/network/fields.h"

bool level_has_lakes(const struct drainage_network *network, unsigned level)
{
    return network->lakes &&
           drainage_cell_log2(network->spacing_log2, level) >= DRAINAGE_LAKES_LOG2;
}

unsigned field_log2(const struct drainage_network *network, unsigned level)
{
    const unsigned log2 = drainage_cell_log2(network->spacing_log2, level) + (level > 1);
    return log2 > DRAINAGE_FIELDS_LOG2 ? log2 : DRAINAGE_FIELDS_LOG2;
}

void lattice_cover(struct field_lattice *lattice, const struct drainage_network *network,
                   const struct field_part *part)
{
    struct place_bounds bounds = {part->places[0], part->places[0]};
    for (size_t i = 1; i < part->count; i++)
        bounds_add(&bounds, part->places[i]);
    const unsigned shift = PLACE_BITS + field_log2(network, part->level);
    lattice->shift = shift;
    lattice->x = bounds.low.x >> shift;
    lattice->y = bounds.low.y >> shift;
    lattice->columns = (uint32_t)((bounds.high.x >> shift) - lattice->x) + 2;
    lattice->rows = (uint32_t)((bounds.high.y >> shift) - lattice->y) + 2;
}

double lattice_spacing(const struct field_lattice *lattice)
{
    return 0.5 * (double)((uint32_t)1 << (lattice->shift - PLACE_BITS));
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
