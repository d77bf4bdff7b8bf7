/* See follow.h. */
#include "core/drainage/store/follow.h"

#include "core/base/lanes.h"

unsigned drainage_stream_arm(unsigned spacing_log2, const struct drainage_node *node,
                             unsigned piece)
{
    const unsigned n = drainage_segments(drainage_cell_log2(spacing_log2, node->level));
    return piece < n ? 0 : 1 + (piece - n) / ARM_SEGMENTS;
}

uint64_t drainage_stream_id(uint64_t key, const struct drainage_node *node, unsigned arm)
{
    const struct drainage_network network = {.key = key};
    const uint64_t id = node_hash(&network, node->level, node->x, node->y);
    return arm == 0 ? id : hash_mix(id + arm);
}

/* The stream of a node. */
static const struct segment *stream_from(const struct store *store,
                                         const struct drainage_node *node)
{
    return window_stream(&store->levels[node->level], node->x, node->y);
}

static struct drainage_node node_of(const struct drainage_network *network,
                                    const struct segment *segment)
{
    const unsigned shift = cell_shift(network, segment->level);
    const struct place node = (segment - segment->piece)->ends[0];
    return (struct drainage_node){segment->level, node.x >> shift, node.y >> shift};
}

/* The bed there, or the water of the lake that it lies under. */
static float bed_on(const struct segment *segment, float along)
{
    const float bed = segment->bed[0] + (segment->bed[1] - segment->bed[0]) * along;
    return max_float(bed, segment->lake);
}

static float flow_on(const struct segment *segment, float along)
{
    return segment->flow[0] + (segment->flow[1] - segment->flow[0]) * along;
}

struct drainage_position position_on(const struct drainage_network *network,
                                     const struct segment *segment, float along, struct place place)
{
    return (struct drainage_position){node_of(network, segment), segment->piece, along, place,
                                      bed_on(segment, along)};
}

/* ---- the way down */

/* Where a stream ends. */
static void end_stream(const struct segment *last, struct drainage_stream *stream)
{
    const struct drainage_node *node = &stream->node;
    const unsigned up = node->level - last->end_level;
    const struct drainage_node into = {last->end_level,
                                       (node->x >> up) + (int)last->end_x - END_OFFSET,
                                       (node->y >> up) + (int)last->end_y - END_OFFSET};
    const bool sink = into.level == node->level && into.x == node->x && into.y == node->y;
    stream->lake = last->lake;
    stream->end = sink ? DRAINAGE_SINKS : DRAINAGE_JOINS;
    stream->next = (struct drainage_position){into, last->end_piece,
                                              (float)last->end_along / (float)END_SHARES,
                                              last->ends[1], bed_on(last, 1.0f)};
}

static void add_point(struct drainage_stream *stream, struct place place, float bed, float flow)
{
    if (stream->count > 0 && bed > stream->points[stream->count - 1].bed)
        bed = stream->points[stream->count - 1].bed; /* a rounding error, where streams join */
    stream->points[stream->count++] =
        (struct drainage_point){.place = place, .bed = bed, .flow = flow};
}

/* Lets a stream lead from its last point along a piece, from a share of it to another one, where
 * the next point will be. */
static void curve_along(struct drainage_stream *stream, const struct segment *piece, float from,
                        float to)
{
    stream->points[stream->count - 1].curve = (struct drainage_curve){
        .ends = {piece->ends[0], piece->ends[1]},
        .lean = {piece->lean[0], piece->lean[1]},
        .room = {piece->room[0], piece->room[1]},
        .winding = piece->winding,
        .half_wave = piece->half_wave,
        .shares = {from, to},
    };
}

/* Adds the point of a piece at a share of it, after that at `from`. False if the sea begins there
 * or before. */
static bool add_point_on(struct drainage_stream *stream, const struct segment *piece, float from,
                         float along)
{
    const float high = piece->bed[0], change = piece->bed[1] - high;
    const float bed = bed_on(piece, along);
    const bool at_sea = !(bed > 0.0f);
    if (at_sea)
        along = high > 0.0f ? high / -change : 0.0f;
    curve_along(stream, piece, from, along);
    add_point(stream, arc_point(piece, along), at_sea ? 0.0f : bed, flow_on(piece, along));
    return !at_sea;
}

/* Adds the rest of a piece from a share of it on: the shore of a lake that it flows into, and its
 * end. False if the sea begins there or before. */
static bool add_piece(struct drainage_stream *stream, const struct segment *piece, float from)
{
    const float depth = piece->lake - piece->bed[1], fall = piece->bed[0] - piece->bed[1];
    const float shore = depth > 0.0f && depth < fall ? 1.0f - depth / fall : 0.0f;
    if (shore > from) {
        add_point_on(stream, piece, from, shore);
        from = shore;
    }
    return add_point_on(stream, piece, from, 1.0f);
}

/* A stream from a node in the sea may join one on land, and then its bed rises: there the water
 * flows to the node, from a share of a piece on. */
static void follow_to_node(struct drainage_stream *stream, const struct segment *piece, float from)
{
    const float flow = piece->flow[1];
    for (bool on_land = true; on_land; piece--, from = 1.0f) {
        const float rise = piece->bed[1] - piece->bed[0];
        const float shore = piece->bed[0] < 0.0f ? -piece->bed[0] / rise : 0.0f;
        on_land = piece->bed[0] > 0.0f && piece->piece > 0;
        curve_along(stream, piece, from, shore);
        add_point(stream, arc_point(piece, shore), on_land ? piece->bed[0] : 0.0f, flow);
    }
}

void follow_stream(const struct store *store, const struct drainage_position *position,
                   struct drainage_stream *stream)
{
    const struct drainage_network *network = store->network;
    const struct drainage_node *node = &position->node;
    const struct segment *piece = stream_from(store, node) + position->piece;
    float from = position->along;
    stream->node = *node;
    stream->id = drainage_stream_id(
        network->key, node, drainage_stream_arm(network->spacing_log2, node, position->piece));
    stream->order = network->spacing_log2 - DRAINAGE_FINEST_LOG2 + 1 - node->level;
    stream->count = 0;
    stream->lake = NO_LAKE;
    stream->end = DRAINAGE_AT_SEA;
    add_point(stream, position->place, bed_on(piece, from), flow_on(piece, from));
    if (!(bed_on(piece, from) > 0.0f))
        return;
    if (bed_on(piece, 1.0f) > bed_on(piece, 0.0f)) {
        follow_to_node(stream, piece, from);
        return;
    }
    for (; add_piece(stream, piece, from); piece++, from = 0.0f)
        if (piece->last) {
            end_stream(piece, stream);
            return;
        }
}

/* ---- between points */

/* The piece that a curve is a part of, as far as its course goes. */
static struct segment piece_of(const struct drainage_curve *curve)
{
    struct segment piece = {.lean = {curve->lean[0], curve->lean[1]},
                            .room = {curve->room[0], curve->room[1]},
                            .winding = curve->winding,
                            .half_wave = curve->half_wave};
    segment_place(&piece, curve->ends);
    arc_measure(&piece);
    return piece;
}

double drainage_curve_reach(const struct drainage_curve *curve)
{
    return (double)piece_of(curve).reach;
}

/* What is laid out, between two shares of its piece, and for whom. */
struct curve_line {
    const float *shares;
    float tolerance, least; /* metres */
    const struct vertex_taker *taker;
};

/* Gives the vertices of a line that are in an arc, in order. */
static bool give_vertices(const struct curve_line *line, const struct arc *arc)
{
    const float *shares = line->shares;
    const bool back = shares[1] < shares[0];
    const float low = shares[back], high = shares[!back];
    if (!arc_bends(arc, line->tolerance) || arc->length <= line->least ||
        arc_share(arc, 1.0f) <= low || arc_share(arc, 0.0f) >= high)
        return true;
    struct arc halves[2];
    arc_halve(arc, halves);
    const float middle = arc_share(arc, 0.5f);
    return give_vertices(line, &halves[back]) &&
           (middle <= low || middle >= high ||
            line->taker->take(line->taker->context, halves[0].ends[1],
                              (middle - shares[0]) / (shares[1] - shares[0]))) &&
           give_vertices(line, &halves[!back]);
}

bool drainage_curve_vertices(const struct drainage_curve *curve, struct curve_detail detail,
                             const struct vertex_taker *taker)
{
    const struct segment piece = piece_of(curve);
    const struct arc arc = arc_of(&piece);
    const struct curve_line line = {curve->shares, (float)detail.exact, (float)detail.least, taker};
    return give_vertices(&line, &arc);
}

/* Gives the arms of the delta of a stream. */
static bool give_arms(const struct store *store, struct drainage_position *position,
                      const struct stream_taker *taker)
{
    const struct drainage_network *network = store->network;
    const struct segment *pieces = stream_from(store, &position->node);
    const unsigned n = segments_of_level(network, position->node.level);
    struct drainage_stream stream;
    for (unsigned i = 0; i < delta_segments(network, position->node.level); i += ARM_SEGMENTS) {
        position->piece = n + i;
        position->place = pieces[n + i].ends[0];
        if (pieces[n + i].length == 0.0f)
            continue;
        follow_stream(store, position, &stream);
        if (!taker->take(taker->context, &stream))
            return false;
    }
    return true;
}

bool follow_cells(const struct store *store, unsigned level, struct cell_rect cells,
                  const struct stream_taker *taker)
{
    struct drainage_position position = {.node.level = level};
    struct drainage_stream stream;
    for (int64_t y = cells.low[1]; y <= cells.high[1]; y++)
        for (int64_t x = cells.low[0]; x <= cells.high[0]; x++) {
            position.node.x = x;
            position.node.y = y;
            position.piece = 0;
            position.place = node_place(store->network, level, x, y);
            follow_stream(store, &position, &stream);
            if (!taker->take(taker->context, &stream) || !give_arms(store, &position, taker))
                return false;
        }
    return true;
}
