/* How many nodes of coarse() samples need: prices are made of it.
 *
 * A grid needs the nodes under it, a place up to 16 around it, of which places near each other
 * share some. In a displaced scope, nodes lie as far apart as the displacement of samples differs:
 * by as much as the usual bounds of dx and dy allow, and no more than their slopes over the
 * distance between the samples (program.h). Where a rectangle of nodes is too large to be loaded
 * for all samples of a grid, each needs nodes that its neighbours do not need (coarse_run.c). */
#ifndef TERRANE_PRICE_NODE_COUNTS_H
#define TERRANE_PRICE_NODE_COUNTS_H

#include "core/price/sampling_price.h"
#include "core/program/program.h"

#define LIST_PLACES 288.0 /* sampled at once */
#define CELL_NODES 16.0   /* around a place, */
#define CELL_SIDE 4.0     /* on each axis */
#define LINE_CELLS 1.3    /* that a line crosses, for a ratio of distances of 1 */
#define USUAL_SLOPE 0.25  /* of a displacement, of its steepest one */

/* How displacement moves the samples of a scope apart: by how many metres at most, and in a metre.
 */
struct displacement {
    double width, slope;
};
struct displacement node_displacement(const struct program *program, const struct node_grid *grid);
/* The metres between samples of a scope that are `metres` apart in the world. */
double displaced_metres(struct displacement displacement, double metres);

/* How the samples of a request lie in displaced scopes: those of a grid, if they lie apart, as if
 * they were places of a list. */
struct sampling node_displaced_sampling(struct sampling sampling, struct displacement displacement,
                                        bool apart);

/* Samples across a grid whose nodes are loaded together. */
double node_samples_across(struct sampling sampling);

/* The nodes `side` metres apart of the rectangle that all samples of a grid lie in, for a sample,
 * without the CELL_NODES around the grid: more than 1 if it is too large to be loaded. */
double node_count_rectangle(struct sampling sampling, double side,
                            struct displacement displacement);
/* Those that a sample needs and its neighbours do not, where the rectangle is too large. */
double node_count_apart(double step, double side, struct displacement displacement);
/* Those that a place of a list needs. */
double node_count_place(struct sampling sampling, double side);
/* The cells `side` metres wide that a place of a list lies in, apart from those of other places. */
double node_count_cells(struct sampling sampling, double side);

#endif
