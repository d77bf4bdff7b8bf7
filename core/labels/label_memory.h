/* What is kept of streams that were looked at: a table, where an item takes the slot of another one
 * whose hash ends alike. Internal to core/labels. */
#ifndef TERRANE_LABELS_LABEL_MEMORY_H
#define TERRANE_LABELS_LABEL_MEMORY_H

#include "core/labels/label_rivers.h"

enum { LABEL_OUTLETS = 2048 };

/* The outlet of the stream of a node of the coarsest level. */
struct label_outlet {
    int64_t x, y; /* of the node */
    uint64_t world;
    unsigned steps; /* on the way there; LABEL_RIVER_STEPS if it may go on */
    struct label_river river;
};

struct label_memory {
    struct label_outlet outlets[LABEL_OUTLETS];
};

struct label_memory *label_memory_new(void);         /* null when memory is out */
void label_memory_free(struct label_memory *memory); /* null is allowed */

#endif
