/* D8 over filled depressions. The flood visits samples in the order of their filled heights, each
 * after the one that it came from, and D8 leads to lower filled heights: so the order of visits,
 * backwards, is one in which every sample comes after all that flow into it. */
#include "tests/bench/land/flow.h"

#include <math.h>
#include <stdlib.h>

#include "tests/bench/measure.h"

enum { NEIGHBOURS = 8 };
static const uint32_t NOWHERE = UINT32_MAX;

static const int neighbours[NEIGHBOURS][2] = {{1, 0}, {-1, 0}, {0, 1},  {0, -1},
                                              {1, 1}, {-1, 1}, {1, -1}, {-1, -1}};

/* A sample to be visited: the lowest first, of equal ones that which was reached first. */
struct visit {
    float height;
    uint32_t number, sample;
};

struct land_flow {
    uint32_t side;
    float *filled; /* heights when depressions are filled */
    uint32_t *to;  /* where each sample flows to; NOWHERE from outlets without a lower neighbour */
    uint32_t *order;    /* samples in the order of visits */
    uint32_t *upstream; /* how many flow through each, itself included */
    unsigned char *reached;
    struct visit *queue; /* a binary heap */
    uint32_t queued, numbered;
};

struct land_flow *land_flow_new(uint32_t side)
{
    const size_t count = (size_t)side * side;
    struct land_flow *flow = measure_memory(sizeof *flow);
    flow->side = side;
    flow->filled = measure_memory(count * sizeof *flow->filled);
    flow->to = measure_memory(count * sizeof *flow->to);
    flow->order = measure_memory(count * sizeof *flow->order);
    flow->upstream = measure_memory(count * sizeof *flow->upstream);
    flow->reached = measure_memory(count);
    flow->queue = measure_memory(count * sizeof *flow->queue);
    return flow;
}

void land_flow_free(struct land_flow *flow)
{
    free(flow->filled);
    free(flow->to);
    free(flow->order);
    free(flow->upstream);
    free(flow->reached);
    free(flow->queue);
    free(flow);
}

static bool visit_is_before(const struct visit *a, const struct visit *b)
{
    return a->height < b->height || (a->height == b->height && a->number < b->number);
}

static void queue_push(struct land_flow *flow, uint32_t sample)
{
    const struct visit visit = {flow->filled[sample], flow->numbered++, sample};
    uint32_t at = flow->queued++;
    for (; at > 0 && visit_is_before(&visit, &flow->queue[(at - 1) / 2]); at = (at - 1) / 2)
        flow->queue[at] = flow->queue[(at - 1) / 2];
    flow->queue[at] = visit;
}

static uint32_t queue_pop(struct land_flow *flow)
{
    struct visit *queue = flow->queue;
    const uint32_t first = queue[0].sample, count = --flow->queued;
    const struct visit last = queue[count];
    uint32_t at = 0;
    for (uint32_t low = 1; low < count; low = 2 * at + 1) {
        low += low + 1 < count && visit_is_before(&queue[low + 1], &queue[low]);
        if (!visit_is_before(&queue[low], &last))
            break;
        queue[at] = queue[low];
        at = low;
    }
    queue[at] = last;
    return first;
}

/* The neighbour `i` of a sample, or NOWHERE outside of the grid. */
static uint32_t neighbour_of(uint32_t side, uint32_t sample, int i)
{
    const int64_t x = sample % side + (int64_t)neighbours[i][0];
    const int64_t y = sample / side + (int64_t)neighbours[i][1];
    return x < 0 || y < 0 || x >= side || y >= side ? NOWHERE : (uint32_t)(y * side + x);
}

/* The neighbour to which the slope is steepest, the first of equal ones; NOWHERE if none is lower.
 */
static uint32_t steepest(const float *heights, uint32_t side, uint32_t sample)
{
    double best = 0;
    uint32_t to = NOWHERE;
    for (int i = 0; i < NEIGHBOURS; i++) {
        const uint32_t next = neighbour_of(side, sample, i);
        if (next == NOWHERE)
            continue;
        const double fall = (double)heights[sample] - (double)heights[next];
        const double slope = i < NEIGHBOURS / 2 ? fall : fall * M_SQRT1_2;
        if (slope > best) {
            best = slope;
            to = next;
        }
    }
    return to;
}

static bool is_border(uint32_t side, uint32_t sample)
{
    const uint32_t x = sample % side, y = sample / side;
    return x == 0 || y == 0 || x == side - 1 || y == side - 1;
}

/* Reaches a sample from another, or from NOWHERE. */
static void reach(struct land_flow *flow, float height, uint32_t sample, uint32_t from)
{
    flow->reached[sample] = 1;
    flow->filled[sample] = height;
    flow->to[sample] = from;
    queue_push(flow, sample);
}

static void flood(struct land_flow *flow, const struct land_grid *grid)
{
    const uint32_t count = grid->side * grid->side;
    flow->queued = flow->numbered = 0;
    for (uint32_t i = 0; i < count; i++) {
        flow->reached[i] = 0;
        if (grid->heights[i] <= 0 || is_border(grid->side, i))
            reach(flow, grid->heights[i], i, NOWHERE);
    }
    for (uint32_t visits = 0; flow->queued > 0; visits++) {
        const uint32_t at = flow->order[visits] = queue_pop(flow);
        for (int i = 0; i < NEIGHBOURS; i++) {
            const uint32_t next = neighbour_of(grid->side, at, i);
            if (next != NOWHERE && !flow->reached[next])
                reach(flow, fmaxf(grid->heights[next], flow->filled[at]), next, at);
        }
    }
}

void land_flow_find(struct land_flow *flow, const struct land_grid *grid)
{
    const uint32_t count = grid->side * grid->side;
    flood(flow, grid);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t lower = steepest(flow->filled, grid->side, i);
        if (lower != NOWHERE && grid->heights[i] > 0)
            flow->to[i] = lower;
        flow->upstream[i] = 1;
    }
    for (uint32_t i = count; i-- > 0;) {
        const uint32_t to = flow->to[flow->order[i]];
        if (to != NOWHERE)
            flow->upstream[to] += flow->upstream[flow->order[i]];
    }
}

/* True for what is counted: not in the margin, not under water. */
static bool is_counted(const struct land_grid *grid, uint32_t sample)
{
    const uint32_t x = sample % grid->side, y = sample / grid->side;
    const uint32_t low = grid->margin, high = grid->side - grid->margin;
    return x >= low && x < high && y >= low && y < high && !grid->under[sample];
}

double land_valley_length(const struct land_flow *flow, const struct land_grid *grid,
                          uint32_t upstream)
{
    double length = 0;
    for (uint32_t i = 0; i < grid->side * grid->side; i++) {
        const uint32_t to = flow->to[i], step = to > i ? to - i : i - to;
        if (is_counted(grid, i) && to != NOWHERE && flow->upstream[i] >= upstream)
            length += step == 1 || step == grid->side ? 1 : M_SQRT2;
    }
    return length;
}

uint32_t land_pits(const struct land_flow *flow, const struct land_grid *grid)
{
    uint32_t pits = 0;
    for (uint32_t i = 0; i < grid->side * grid->side; i++)
        pits += is_counted(grid, i) && flow->filled[i] > grid->heights[i] &&
                steepest(grid->heights, grid->side, i) == NOWHERE;
    return pits;
}
