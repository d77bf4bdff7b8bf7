/* What is kept of cells and streams that were looked at: two tables, where an item takes the slot
 * of another one whose hash ends alike. Internal to core/labels. */
#ifndef TERRANE_LABELS_LABEL_MEMORY_H
#define TERRANE_LABELS_LABEL_MEMORY_H

#include "core/labels/label_rivers.h"
#include "core/labels/label_survey.h"

enum { LABEL_SLOTS = 1024, LABEL_OUTLETS = 2048 };

struct label_cell {
    int rank;
    int64_t column, row;
};

struct label_slot {
    struct label_cell cell;
    uint64_t world; /* the source's hash; 0: free */
    unsigned count;
    struct survey_feature features[SURVEY_FEATURES];
};

/* The outlet of the stream of a node of the coarsest level. */
struct label_outlet {
    int64_t x, y; /* of the node */
    uint64_t world;
    unsigned steps; /* on the way there; LABEL_RIVER_STEPS if it may go on */
    struct label_river river;
};

struct label_memory {
    struct label_slot slots[LABEL_SLOTS];
    struct label_outlet outlets[LABEL_OUTLETS];
};

struct label_memory *label_memory_new(void);         /* null when memory is out */
void label_memory_free(struct label_memory *memory); /* null is allowed */

#endif
