/* The plan of coarse(): internal to coarse.c and coarse_run.c. */
#ifndef TERRANE_SAMPLING_COARSE_PRIVATE_H
#define TERRANE_SAMPLING_COARSE_PRIVATE_H

#include "core/sampling/band_cells.h"
#include "core/sampling/coarse.h"
#include "core/sampling/coarse_nodes.h"
#include "core/sampling/row_kernels_coarse.h"

/* The numbers that requests, blocks, bands and loads are told apart by; 0 is none. */
typedef uint64_t coarse_serial;

/* The cells of some samples on both axes, inclusive. */
struct cell_box {
    int64_t low[2], high[2];
};

/* A scope in which nodes lie: one of the program's node grids, by its number. */
struct coarse_view {
    coarse_serial request; /* that it was begun for */
    struct scope_cells scope;
    bool along;          /* its axes are those of the world, and nothing is displaced */
    int32_t groups[4];   /* the last group with fields first seen in this view, by their use of z
                            and t; or -1 */
    int32_t windows;     /* the first of its windows, or -1 */
    coarse_serial block; /* that the columns are those of */
    int64_t west, east;  /* cells of the first and the last column */
    struct coarse_columns *columns;
};

/* An operation sampled at nodes some spacing apart. */
struct coarse_field {
    uint32_t spacing_log2;
    uint32_t group, index; /* in the group */
    int32_t next;          /* the same operation at another spacing, or -1 */
};

/* The nodes of a group in a view: a rectangle, or the 4 × 4 nodes around each of a list of cells.
 */
struct coarse_window {
    uint32_t group, view;
    int32_t next;        /* in the view, or -1 */
    coarse_serial block; /* that the rectangle was loaded for */
    coarse_serial band;  /* that `first` is for */
    coarse_serial load;
    struct node_rect rect;
    int64_t margin[2]; /* cells around the rectangle, for what displacement may differ by */
    float *nodes;
    size_t stride, node_capacity; /* of a field; of all, in nodes */
    uint32_t *first;              /* by sample: the first of the 4 × 4 nodes around it */
    size_t pitch, first_capacity; /* nodes from a row to the next; samples */
};

/* An operation of the request. */
struct coarse_operation {
    uint32_t window, index; /* index: of its field in the group */
    coarse_serial load;     /* of the window's nodes that the band has rows of */
    struct coarse_band *band;
};

/* Samples of a band in a view, in their cells. */
struct coarse_positions {
    uint32_t view;
    coarse_serial band;
    struct band_cells cells;
    struct cell_box box;
};

/* The cells of a list of places, each once, as far as a small index finds those seen before. */
enum { COARSE_CELL_SLOTS = 512 };
struct coarse_cells {
    struct place *cells;
    size_t capacity;
    uint32_t count;
    uint32_t index[COARSE_CELL_SLOTS]; /* 1 + the last cell of this slot; 0: none */
};

struct coarse {
    struct sampler_kept *kept;
    struct node_reader *reader;
    const struct program *program;
    struct noise_uniforms uniforms;
    coarse_serial request, block, band, loads;
    uint32_t rows_left; /* of the block, with those of the band */
    /* Arrays that stay for the next request with the memory that their entries own: `_room` is
     * their size. */
    struct coarse_view *views; /* by number of the node grid */
    struct node_group *groups;
    struct coarse_window *windows;
    struct coarse_operation *operations;
    struct coarse_field *fields;
    /* By operation of the program: its first field as what is sampled, or -1; and the number of an
     * OP_COARSE in `operations`. */
    int32_t *first_fields;
    uint32_t *numbers;
    size_t view_room, group_room, window_room, operation_room, field_room, first_field_room,
        number_room;
    uint32_t group_count, window_count, operation_count, field_count;
    struct coarse_positions positions;
    struct coarse_cells cells;
};

#endif
