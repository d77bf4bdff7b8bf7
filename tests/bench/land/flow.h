/* Where water runs on a grid of heights: D8, each sample to that of its eight neighbours to which
 * the slope is steepest (O'Callaghan and Mark 1984), over depressions that are filled to their
 * outlets by priority flood (Barnes, Lehman and Mulla 2014).
 *
 * The sea and the border of the grid are outlets. Over level ground and through filled depressions
 * the water goes the way by which the flood came, so every way ends at an outlet. Lakes are filled
 * depressions like others: so what is counted of the land around says little of them. */
#ifndef TERRANE_BENCH_LAND_FLOW_H
#define TERRANE_BENCH_LAND_FLOW_H

#include <stdbool.h>
#include <stdint.h>

/* side × side samples, rows from north to south. What is counted is counted within `margin` samples
 * from each border, which are there for what flows in from them. */
struct land_grid {
    uint32_t side, margin;
    const float *heights;       /* of the ground, metres; the sea is where they are 0 or less */
    const unsigned char *under; /* 1 where the sample is under water, the sea or another */
};

/* The ways of the water on one grid after another. */
struct land_flow;

struct land_flow *land_flow_new(uint32_t side); /* ends the program when memory is out */
void land_flow_free(struct land_flow *flow);

/* Finds the ways on a grid of the side that was given to land_flow_new(). The functions below take
 * the same grid. */
void land_flow_find(struct land_flow *flow, const struct land_grid *grid);

/* The length of the valley lines, in samples: the sum of the steps, 1 or √2, from samples that are
 * not under water and have `upstream` samples or more above them, themselves included. */
double land_valley_length(const struct land_flow *flow, const struct land_grid *grid,
                          uint32_t upstream);
/* The number of samples that are not under water, have no lower neighbour, and are filled. */
uint32_t land_pits(const struct land_flow *flow, const struct land_grid *grid);

#endif
