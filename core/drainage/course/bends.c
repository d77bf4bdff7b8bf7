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

/* Streams of fewer pieces come straight. */
enum { APPROACH_PIECES = 8 };

/* The level whose courses are bent. */
struct bend_level {
    struct bend_cells *bends;
    const struct drainage_network *network;
    unsigned level;
};

/* Where a node is in its cell, as in node_place(). */
static float node_fraction(const struct bend_level *of, uint64_t hash, unsigned bit)
{
    const int jitter = of->level == 0 ? SHAPE_TRUNK_JITTER : SHAPE_BRANCH_JITTER;
    return 0.5f + (hash_fraction(hash, bit) - 0.5f) * (float)jitter * (2.0f / 256.0f);
}

/* The cell (x, y) of the level. */
TERRANE_INLINE const struct bend_cell *cell_at(const struct bend_level *of, int64_t x, int64_t y)
{
    const uint64_t slot =
        ((uint64_t)x % BEND_CELLS_SIDE) + ((uint64_t)y % BEND_CELLS_SIDE) * BEND_CELLS_SIDE;
    struct bend_cell *cell = &of->bends->cells[slot];
    if (cell->x == x && cell->y == y && cell->depth == of->level + 1)
        return cell;
    const uint64_t hash = node_hash(of->network, of->level, x, y);
    *cell = (struct bend_cell){
        .x = x,
        .y = y,
        .depth = of->level + 1,
        .node = {node_fraction(of, hash, 0), node_fraction(of, hash, 16)},
        .sway = {2.0f * hash_fraction(hash, 32) - 1.0f, 2.0f * hash_fraction(hash, 48) - 1.0f},
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

/* How far a place is moved. */
struct bend {
    float sway[2]; /* −1 … 1 by axis, changing from the middle of a cell to that of the next */
    float freedom; /* 0 at a node of the level, 1 where none is near */
};

/* The first of the two cells on an axis whose middles a place lies between, and how far it is from
 * that middle, in widths. */
static int64_t cell_before(int64_t units, unsigned shift, float *from)
{
    const int64_t width = (int64_t)1 << shift, at = units - width / 2, cell = at >> shift;
    *from = (float)(at - cell * width) / (float)width;
    return cell;
}

/* The bend at a place, by the four cells around: a node farther away is no nearer than 0.58 widths,
 * as it is 0.08 widths or more from the edge of its cell. Its freedom only where that is wanted: a
 * constant wherever this is called. */
TERRANE_INLINE struct bend bend_at(const struct bend_level *of, struct place place,
                                   bool wants_freedom)
{
    const unsigned shift = cell_shift(of->network, of->level);
    const float inverse = 1.0f / (SHAPE_BEND_NODE_WIDTHS * SHAPE_BEND_NODE_WIDTHS);
    float u, v;
    const int64_t x = cell_before(place.x, shift, &u), y = cell_before(place.y, shift, &v);
    const float east = u * u * (3.0f - 2.0f * u), south = v * v * (3.0f - 2.0f * v);
    struct bend bend = {{0.0f, 0.0f}, 1.0f};
    for (int corner = 0; corner < 4; corner++) {
        const int right = corner & 1, below = corner >> 1;
        const struct bend_cell *cell = cell_at(of, x + right, y + below);
        const float weight = (right ? east : 1.0f - east) * (below ? south : 1.0f - south);
        bend.sway[0] += weight * cell->sway[0];
        bend.sway[1] += weight * cell->sway[1];
        if (!wants_freedom)
            continue;
        const float dx = u + 0.5f - cell->node[0] - (float)right;
        const float dy = v + 0.5f - cell->node[1] - (float)below;
        const float near = not_below_zero(1.0f - (dx * dx + dy * dy) * inverse);
        bend.freedom *= 1.0f - near * near;
    }
    return bend;
}

/* The sway of a place, metres on each axis: in arcs as wide as cells, and, where there are joints
 * enough, in those of the cells of finer levels. */
static void sway_at(const struct bend_level *of, struct place place, float room, unsigned finest,
                    const struct bend *bend, float sway[2])
{
    const float share = finest > 2 ? SHAPE_BEND_FINER_TRUNKS : SHAPE_BEND_FINER;
    float most = SHAPE_BEND_ROOM_WIDTHS * cell_width(of->network, of->level);
    sway[0] = SHAPE_BEND * room * bend->sway[0];
    sway[1] = SHAPE_BEND * room * bend->sway[1];
    for (unsigned more = 1; more <= finest; more++) {
        const struct bend_level level = {of->bends, of->network, of->level + more};
        const struct bend arc = bend_at(&level, place, false);
        most *= 0.5f;
        const float aside = share * min_float(room, most);
        sway[0] += aside * arc.sway[0];
        sway[1] += aside * arc.sway[1];
    }
}

/* How many levels finer than its own a stream of n pieces may sway by: of the finest it has some 4
 * joints for an arc to both sides. */
static unsigned finest_sway(const struct bend_level *of, unsigned n)
{
    const unsigned levels = n >= 32 ? 4 : n >= 16 ? 3 : n >= 8 ? 1 : 0;
    const unsigned finer = of->network->spacing_log2 - of->level - DRAINAGE_FINEST_LOG2;
    return levels < finer ? levels : finer;
}

/* How far upstream of its straight line a stream comes, along the one that it joins, to meet that
 * at an acute angle, metres: 0 if it does already, if others may come nearer, or if it has few
 * joints. */
static float approach_of(const struct stream_draft *draft)
{
    const float x = units_to_metres(draft->ends[1].x - draft->ends[0].x);
    const float y = units_to_metres(draft->ends[1].y - draft->ends[0].y);
    const float ahead = x * draft->heading[0] + y * draft->heading[1];
    const float aside = __builtin_fabsf(x * draft->heading[1] - y * draft->heading[0]);
    const bool near = draft->distance == 0.0f || draft->slot.pieces < APPROACH_PIECES;
    return near ? 0.0f : not_below_zero(SHAPE_JOIN_APPROACH * aside - ahead);
}

/* How the joints of a stream are moved. */
struct joint_moves {
    float approach;  /* upstream of where it ends, metres */
    unsigned finest; /* by the arcs of so many finer levels */
};

/* The joint at a share of a stream. */
static struct place joint_place(const struct bend_level *of, const struct stream_draft *draft,
                                float t, struct joint_moves moves)
{
    const float x = t * units_to_metres(draft->ends[1].x - draft->ends[0].x);
    const float y = t * units_to_metres(draft->ends[1].y - draft->ends[0].y);
    struct place place = {draft->ends[0].x + metres_to_units(x),
                          draft->ends[0].y + metres_to_units(y)};
    const float width = cell_width(of->network, of->level);
    const float room = min_float(draft->distance * (1.0f - t), SHAPE_BEND_ROOM_WIDTHS * width);
    const float up = moves.approach * t * t * (1.0f - t);
    float sway[2];
    if (room <= 0.0f)
        return place;
    place.x -= metres_to_units(up * draft->heading[0]);
    place.y -= metres_to_units(up * draft->heading[1]);
    const struct bend bend = bend_at(of, place, true);
    sway_at(of, place, room, moves.finest, &bend, sway);
    return (struct place){place.x + metres_to_units(bend.freedom * sway[0]),
                          place.y + metres_to_units(bend.freedom * sway[1])};
}

/* How near to the straight line through a stream the nodes around its own are, in widths times the
 * line's length: those that lie farther down than its end are not; those behind its beginning are
 * the farther off the farther behind. */
static float nearest_beside(const struct bend_level *of, const struct stream_draft *draft)
{
    const struct bend_cell own = *cell_at(of, draft->node.x, draft->node.y);
    const float inverse = 1.0f / cell_width(of->network, of->level);
    const float x = units_to_metres(draft->ends[1].x - draft->ends[0].x) * inverse;
    const float y = units_to_metres(draft->ends[1].y - draft->ends[0].y) * inverse;
    float nearest = 1e30f;
    for (int v = -1; v <= 1; v++)
        for (int u = -1; u <= 1; u++) {
            const struct bend_cell *cell = cell_at(of, draft->node.x + u, draft->node.y + v);
            const float dx = cell->node[0] - own.node[0] + (float)u;
            const float dy = cell->node[1] - own.node[1] + (float)v;
            const float ahead = dx * x + dy * y, aside = __builtin_fabsf(dx * y - dy * x);
            const float apart = aside + SHAPE_SWING_BEHIND * not_below_zero(-ahead);
            if ((u != 0 || v != 0) && ahead <= x * x + y * y)
                nearest = min_float(nearest, apart);
        }
    return nearest;
}

float bends_room(struct bend_cells *bends, const struct drainage_network *network,
                 const struct stream_draft *draft)
{
    const struct bend_level of = {bends, network, draft->node.level};
    const float width = cell_width(network, of.level);
    const float most = SHAPE_SWING_ROOM * draft->apart;
    if (of.level == 0 || draft->length == 0.0f)
        return most;
    const float beside = nearest_beside(&of, draft) * width * width / draft->length;
    return min_float(most, SHAPE_SWING_BESIDE * beside);
}

void bends_place_joints(struct bend_cells *bends, const struct drainage_network *network,
                        const struct stream_draft *draft, struct place *joints)
{
    const struct bend_level of = {bends, network, draft->node.level};
    const unsigned pieces = draft->slot.pieces;
    const struct joint_moves moves = {approach_of(draft),
                                      finest_sway(&of, segments_of_level(network, of.level))};
    for (unsigned i = 1; i < pieces; i++)
        joints[i - 1] = joint_place(&of, draft, (float)i / (float)pieces, moves);
}
