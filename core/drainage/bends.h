/* How courses bend between their ends. Internal to this folder. */
#ifndef TERRANE_DRAINAGE_BENDS_H
#define TERRANE_DRAINAGE_BENDS_H

#include "core/drainage/draft.h"

enum { BEND_CELLS_SIDE = 32 };

/* What courses near a cell of a level bend by. */
struct bend_cell {
    int64_t x, y;
    unsigned depth; /* the level, and 1; 0 if nothing is known */
    struct place node;
    float sway[2]; /* at the north-west corner, −1 … 1 by axis */
};
/* Cells that are kept, as each is near many joints: in places by x and y. */
struct bend_cells {
    struct hash128 network;
    struct bend_cell cells[BEND_CELLS_SIDE * BEND_CELLS_SIDE];
};

/* Begins a request: forgets the cells of another network. */
void bends_begin(struct drainage *drainage);
/* The inner joint number i of n of a stream of a level. */
struct place joint_place(struct drainage *drainage, unsigned level,
                         const struct stream_draft *draft, unsigned i, unsigned n);

#endif
