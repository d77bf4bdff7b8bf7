/* How courses bend between their ends. Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_COURSE_BENDS_H
#define TERRANE_DRAINAGE_COURSE_BENDS_H

#include "core/drainage/course/draft.h"

enum { BEND_CELLS_SIDE = 32 };

/* What courses near a cell of a level bend by. */
struct bend_cell {
    int64_t x, y;
    unsigned depth; /* the level, and 1; 0 if nothing is known */
    float node[2];  /* its place, in widths from the north-west corner */
    float sway[2];  /* at the middle, −1 … 1 by axis */
};
/* Cells that are kept, as each is near many joints: in places by x and y. */
struct bend_cells {
    struct hash128 network;
    struct bend_cell cells[BEND_CELLS_SIDE * BEND_CELLS_SIDE];
};

/* Begins a request: forgets the cells of another network. */
void bends_begin(struct bend_cells *bends, const struct drainage_network *network);
/* How far aside parts of a stream whose ends are known swing at its node at the most, metres: the
 * less the nearer it comes to streams that run beside it, which nodes around its own tell. */
float bends_room(struct bend_cells *bends, const struct drainage_network *network,
                 const struct stream_draft *draft);
/* Places the inner joints of a stream whose ends are known: one less than it has segments. */
void bends_place_joints(struct bend_cells *bends, const struct drainage_network *network,
                        const struct stream_draft *draft, struct place *joints);

#endif
