/* Level 0: streams from each node to the neighbour to which the potential falls most steeply; but
 * of the nodes that would lead to the same one, only the SHAPE_TRUNKS_MEET steepest do. The others
 * lead to the neighbour that is next, if they have one: so rivers do not meet in stars.
 *
 * A diagonal leads only to the lowest corner of its square, so two of them never cross. (The lowest
 * of all neighbours would do so too, but is nearly always a diagonal one: trunks would run side by
 * side for a thousand kilometres.) A node without a lower neighbour is a sink.
 *
 * The flow of a node is the number of nodes upstream, itself included, but at most FLOW_MOST: where
 * there is a node SHAPE_TRUNK_FLOW_STEPS upstream there are as many, so it is known from those that
 * are not farther, and never falls downstream. */
#include "core/drainage/course/trunks.h"

#include <stdlib.h>

#include "core/drainage/network/rect.h"
#include "core/drainage/network/scratch.h"
#include "core/drainage/network/shape.h"

enum {
    FLOW_MOST = SHAPE_TRUNK_FLOW_STEPS + 1,
    /* Around the nodes whose streams are made: their neighbours, the nodes upstream of those, the
     * ends that these may have, the others that may lead there, and the neighbours of those. */
    MARGIN = 1 + SHAPE_TRUNK_FLOW_STEPS + 3,
    NODE_WORK = 40, /* to look at a node around those whose streams are made, nanoseconds */
};

struct trunk_node {
    float potential;
    float fall;       /* to the steepest neighbour, and */
    uint32_t first;   /* that neighbour; itself: a sink */
    uint32_t down;    /* the node its stream leads to; itself: a sink */
    uint32_t flow[2]; /* of this round of counting and of the one before, in turn */
};

/* The nodes in a rect of cells, row by row. */
struct trunk_rect {
    const struct drainage_network *network;
    struct cell_rect cells;
    uint32_t columns, rows;
    struct trunk_node *nodes;
    struct place *places;
};

static void place_nodes(const struct trunk_rect *rect)
{
    struct place *place = rect->places;
    for (int64_t y = rect->cells.low[1]; y <= rect->cells.high[1]; y++)
        for (int64_t x = rect->cells.low[0]; x <= rect->cells.high[0]; x++)
            *place++ = node_place(rect->network, 0, x, y);
}

static bool sample_potential(const struct trunk_rect *rect, const struct course_source *source)
{
    const uint32_t count = rect->columns * rect->rows;
    const struct field_part part = {0, true, rect->places, count};
    const struct field_lattice *fields = source->sample_fields(source->context, &part);
    if (!fields)
        return false;
    for (uint32_t i = 0; i < count; i++)
        rect->nodes[i].potential = field_at(fields, fields->values.potential, rect->places[i]);
    return true;
}

/* True if the neighbour by a step (dx, dy) is lower than the node i and, where the step is a
 * diagonal, than both other corners of its square: so the two diagonals of a square never cross,
 * and a node that has a lower neighbour has one that is allowed. */
static bool may_lead(const struct trunk_rect *rect, uint32_t i, int dx, int dy)
{
    const struct trunk_node *node = &rect->nodes[i];
    const ptrdiff_t down = dy * (ptrdiff_t)rect->columns;
    const float end = node[down + dx].potential;
    const bool straight = dx == 0 || dy == 0;
    return end < node->potential &&
           (straight || (end < node[dx].potential && end < node[down].potential));
}

/* The neighbour to which the potential falls most steeply, the first of equal ones, but not `left`;
 * the node itself where none may be led to. */
static uint32_t steepest_neighbour(const struct trunk_rect *rect, uint32_t i, uint32_t left,
                                   float *steepest)
{
    const struct place from = rect->places[i];
    uint32_t best = i;
    *steepest = 0.0f;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            const uint32_t end = (uint32_t)((ptrdiff_t)i + dy * (ptrdiff_t)rect->columns + dx);
            if ((dx == 0 && dy == 0) || end == left || !may_lead(rect, i, dx, dy))
                continue;
            const struct place to = rect->places[end];
            const float x = (float)(to.x - from.x), y = (float)(to.y - from.y);
            const float fall = (rect->nodes[i].potential - rect->nodes[end].potential) /
                               __builtin_sqrtf(x * x + y * y);
            if (fall > *steepest) {
                *steepest = fall;
                best = end;
            }
        }
    return best;
}

/* True if the steepest neighbour of a node is that of enough others which fall to it more steeply.
 */
static bool is_crowded(const struct trunk_rect *rect, uint32_t i)
{
    const struct trunk_node *node = &rect->nodes[i];
    unsigned before = 0;
    for (uint32_t v = 0; v < 3; v++)
        for (uint32_t u = 0; u < 3; u++) {
            const uint32_t other = node->first + (v - 1) * rect->columns + u - 1;
            const float fall = rect->nodes[other].fall;
            const bool first = fall > node->fall || (fall == node->fall && other < i);
            before += first && other != node->first && rect->nodes[other].first == node->first;
        }
    return before >= SHAPE_TRUNKS_MEET;
}

/* True if a node has so many rows and columns around. */
static bool is_inside(const struct trunk_rect *rect, uint32_t i, uint32_t around)
{
    const uint32_t x = i % rect->columns, y = i / rect->columns;
    return x >= around && y >= around && x + around < rect->columns && y + around < rect->rows;
}

static void find_ways(const struct trunk_rect *rect)
{
    const uint32_t count = rect->columns * rect->rows;
    for (uint32_t i = 0; i < count; i++) {
        struct trunk_node *node = &rect->nodes[i];
        node->first = is_inside(rect, i, 1) ? steepest_neighbour(rect, i, i, &node->fall) : i;
        node->down = node->first;
        node->flow[0] = 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct trunk_node *node = &rect->nodes[i];
        float fall;
        if (node->first == i || !is_inside(rect, i, 2) || !is_crowded(rect, i))
            continue;
        const uint32_t next = steepest_neighbour(rect, i, node->first, &fall);
        node->down = next == i ? node->first : next;
    }
}

static void count_flow(const struct trunk_rect *rect)
{
    const uint32_t count = rect->columns * rect->rows;
    for (unsigned step = 0; step < SHAPE_TRUNK_FLOW_STEPS; step++) {
        const unsigned before = step % 2, now = 1 - before;
        for (uint32_t i = 0; i < count; i++)
            rect->nodes[i].flow[now] = 1;
        for (uint32_t i = 0; i < count; i++)
            if (rect->nodes[i].down != i)
                rect->nodes[rect->nodes[i].down].flow[now] += rect->nodes[i].flow[before];
    }
    for (uint32_t i = 0; i < count; i++)
        if (rect->nodes[i].flow[0] > FLOW_MOST)
            rect->nodes[i].flow[0] = FLOW_MOST;
}

/* The flow at the end of the stream from a node: of the streams that end there, the largest has
 * what goes on from there. */
static uint32_t flow_at_end(const struct trunk_rect *rect, uint32_t node)
{
    const uint32_t end = rect->nodes[node].down, own = rect->nodes[node].flow[1];
    for (uint32_t v = 0; v < 3; v++)
        for (uint32_t u = 0; u < 3; u++) {
            const uint32_t i = end + (v - 1) * rect->columns + u - 1;
            const uint32_t flow = rect->nodes[i].flow[1];
            if (i != end && rect->nodes[i].down == end && (flow > own || (flow == own && i < node)))
                return rect->nodes[node].flow[0];
        }
    return rect->nodes[end].flow[0];
}

static void route_trunk(const struct trunk_rect *rect, float area, struct stream_draft *draft)
{
    const uint32_t i = (uint32_t)(draft->node.y - rect->cells.low[1]) * rect->columns +
                       (uint32_t)(draft->node.x - rect->cells.low[0]);
    const struct trunk_node *node = &rect->nodes[i], *down = &rect->nodes[node->down];
    draft_end(draft, rect->places[node->down]);
    draft->apart = draft->length;
    draft->end_x = node->down % rect->columns + END_OFFSET - i % rect->columns;
    draft->end_y = node->down / rect->columns + END_OFFSET - i / rect->columns;
    draft->bed[0] = node->potential;
    draft->bed[1] = down->potential;
    draft->flow[0] = area * (float)node->flow[0];
    draft->flow[1] = area * (float)flow_at_end(rect, i);
    draft->lake = down->down == node->down && down->potential > 0.0f ? down->potential : NO_LAKE;
}

/* The cells of all drafts, and MARGIN around. */
static struct cell_rect cells_around(const struct stream_draft *drafts, size_t count)
{
    struct cell_rect cells = RECT_EMPTY;
    for (size_t i = 0; i < count; i++) {
        const struct drainage_node *node = &drafts[i].node;
        cells = rect_union(cells, (struct cell_rect){{node->x, node->y}, {node->x, node->y}});
    }
    return rect_grow(cells, MARGIN);
}

bool trunks_route(struct trunk_scratch *scratch, const struct drainage_network *network,
                  struct stream_draft *drafts, size_t count, const struct course_source *source)
{
    struct trunk_rect rect = {.network = network, .cells = cells_around(drafts, count)};
    const size_t nodes = rect_count(&rect.cells);
    rect.columns = (uint32_t)rect_columns(&rect.cells);
    rect.rows = (uint32_t)rect_rows(&rect.cells);
    if (!reserve_items(&scratch->nodes, &scratch->capacity, nodes, sizeof *scratch->nodes) ||
        !reserve_items(&scratch->places, &scratch->place_capacity, nodes,
                       sizeof *scratch->places) ||
        !network_add_work(network, nodes * NODE_WORK))
        return false;
    rect.nodes = scratch->nodes;
    rect.places = scratch->places;
    place_nodes(&rect);
    if (!sample_potential(&rect, source))
        return false;
    find_ways(&rect);
    count_flow(&rect);
    const float width = cell_width(network, 0);
    for (size_t i = 0; i < count; i++)
        route_trunk(&rect, width * width, &drafts[i]);
    return true;
}

void trunk_take_fields(const struct field_lattice *fields, struct stream_draft *draft)
{
    for (int end = 0; end < 2; end++) {
        draft->target[end] = field_at(fields, fields->values.target, draft->ends[end]);
        draft->relief[end] = field_at(fields, fields->values.relief, draft->ends[end]);
    }
    if (draft->target[1] < SHAPE_SEA_FROM)
        draft->lake = NO_LAKE;
}

void trunk_scratch_free(struct trunk_scratch *scratch)
{
    free(scratch->nodes);
    free(scratch->places);
}

size_t trunk_scratch_bytes(const struct trunk_scratch *scratch)
{
    return scratch->capacity * sizeof *scratch->nodes +
           scratch->place_capacity * sizeof *scratch->places;
}
