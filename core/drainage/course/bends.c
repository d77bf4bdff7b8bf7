/* See bends.h.
 *
 * Straight courses of level 0 do not cross (trunks.c), nor do those of a finer level, but in rare
 * places (branches.c). They are bent by moving the whole plane: a place is moved by a vector that
 * changes smoothly from place to place and is 0 at what has to stay, which are the level's nodes
 * and the streams that its streams end on. It changes by less than places are apart, so the plane
 * does not fold; but joints are moved, not all places between them, and where two courses come
 * nearer than that matters they may cross. */
#include "core/drainage/course/bends.h"

#include "core/base/lanes.h"
#include "core/drainage/network/shape.h"

enum { SWAY_LEVEL = 0x200 }; /* apart from hashes of nodes */

/* The level whose courses are bent. */
struct bend_level {
    struct bend_cells *bends;
    const struct drainage_network *network;
    unsigned level;
};

/* The cell (x, y) of the level. */
static const struct bend_cell *cell_at(const struct bend_level *of, int64_t x, int64_t y)
{
    const uint64_t slot =
        ((uint64_t)x % BEND_CELLS_SIDE) + ((uint64_t)y % BEND_CELLS_SIDE) * BEND_CELLS_SIDE;
    struct bend_cell *cell = &of->bends->cells[slot];
    if (cell->x == x && cell->y == y && cell->depth == of->level + 1)
        return cell;
    const uint64_t hash = node_hash(of->network, of->level + SWAY_LEVEL, x, y);
    *cell = (struct bend_cell){
        .x = x,
        .y = y,
        .depth = of->level + 1,
        .node = node_place(of->network, of->level, x, y),
        .sway = {2.0f * hash_fraction(hash, 0) - 1.0f, 2.0f * hash_fraction(hash, 16) - 1.0f},
    };
    return cell;
}

void bends_begin(struct bend_cells *bends, const struct drainage_network *network)
{
    const struct hash128 identity = network->identity;
    if (bends->network.low == identity.low && bends->network.high == identity.high)
        return;
    *bends = (struct bend_cells){.network = identity};
}

/* A vector, −1 … 1 by axis, that changes from corner to corner of a level's cells. */
static void sway_at(const struct bend_level *of, struct place place, float sway[2])
{
    const unsigned shift = cell_shift(of->network, of->level);
    const int64_t x = place.x >> shift, y = place.y >> shift, width = (int64_t)1 << shift;
    const float u = (float)(place.x - x * width) / (float)width;
    const float v = (float)(place.y - y * width) / (float)width;
    const float east = u * u * (3.0f - 2.0f * u), south = v * v * (3.0f - 2.0f * v);
    sway[0] = sway[1] = 0.0f;
    for (int corner = 0; corner < 4; corner++) {
        const int right = corner & 1, below = corner >> 1;
        const struct bend_cell *cell = cell_at(of, x + right, y + below);
        const float weight = (right ? east : 1.0f - east) * (below ? south : 1.0f - south);
        sway[0] += weight * cell->sway[0];
        sway[1] += weight * cell->sway[1];
    }
}

/* How free a place is of the nodes of the level: 0 at one, 1 if none is within `reach` metres. */
static float freedom(const struct bend_level *of, struct place place, float reach)
{
    const unsigned shift = cell_shift(of->network, of->level);
    /* A node is at least 0.08 widths of its cell away from the cell's edge. */
    const float least = 0.08f * cell_width(of->network, of->level);
    const int64_t units = place_from_metres((double)(reach - least));
    const float inverse = 1.0f / (reach * reach);
    float share = 1.0f;
    for (int64_t y = (place.y - units) >> shift; y <= (place.y + units) >> shift; y++)
        for (int64_t x = (place.x - units) >> shift; x <= (place.x + units) >> shift; x++) {
            const struct place node = cell_at(of, x, y)->node;
            const float dx = units_to_metres(place.x - node.x);
            const float dy = units_to_metres(place.y - node.y);
            const float near = max_float(1.0f - (dx * dx + dy * dy) * inverse, 0.0f);
            share *= 1.0f - near * near;
        }
    return share;
}

/* The joint at a share of a stream that has n pieces when all are there. */
static struct place joint_place(const struct bend_level *of, const struct stream_draft *draft,
                                float t, unsigned n)
{
    const float x = t * units_to_metres(draft->ends[1].x - draft->ends[0].x);
    const float y = t * units_to_metres(draft->ends[1].y - draft->ends[0].y);
    const struct place place = {draft->ends[0].x + place_from_metres((double)x),
                                draft->ends[0].y + place_from_metres((double)y)};
    const float width = cell_width(of->network, of->level);
    const float room = min_float(draft->distance * (1.0f - t), SHAPE_BEND_ROOM_WIDTHS * width);
    if (room <= 0.0f)
        return place;
    const float aside =
        SHAPE_BEND * (float)n * room * freedom(of, place, SHAPE_BEND_NODE_WIDTHS * width);
    float sway[2];
    sway_at(of, place, sway);
    return (struct place){place.x + place_from_metres((double)(aside * sway[0])),
                          place.y + place_from_metres((double)(aside * sway[1]))};
}

void bends_place_joints(struct bend_cells *bends, const struct drainage_network *network,
                        const struct stream_draft *draft, struct place *joints)
{
    const struct bend_level of = {bends, network, draft->node.level};
    const unsigned n = segments_of_level(network, of.level), pieces = draft->slot.pieces;
    for (unsigned i = 1; i < pieces; i++)
        joints[i - 1] = joint_place(&of, draft, (float)i / (float)pieces, n);
}
