/* The interface through which courses read what is kept: the store implements it (store.c).
 * Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_COURSE_SOURCE_H
#define TERRANE_DRAINAGE_COURSE_SOURCE_H

#include "core/drainage/network/arc.h"
#include "core/drainage/network/fields.h"

struct course_source {
    void *context;
    /* Samples a part of the network's fields. The lattice is valid until the next call; null when
     * memory or work is out. */
    const struct field_lattice *(*sample_fields)(void *context, const struct field_part *part);
    /* The courses that streams which begin in a cell may join: those of its level and coarser
     * ones, near the cell. Valid until the next call; empty when memory is out. */
    struct arc_list (*list_visible)(void *context, const struct drainage_node *cell);
};

#endif
