/* See follow.h. */
#include "core/drainage/store/follow.h"

#include "core/base/lanes.h"

uint64_t drainage_stream_id(uint64_t key, const struct drainage_node *node, unsigned piece)
{
    const struct drainage_network network = {.key = key};
    const uint64_t id = node_hash(&network, node->level, node->x, node->y);
    const unsigned arm = piece < SEGMENTS_MAX ? 0 : 1 + (piece - SEGMENTS_MAX) / ARM_SEGMENTS;
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

/* A point on a segment. */
static struct place place_on(const struct segment *segment, float along)
{
    if (along >= 1.0f)
        return segment->ends[1];
    return (struct place){segment->ends[0].x + place_from_metres((double)(along * segment->ux)),
                          segment->ends[0].y + place_from_metres((double)(along * segment->uy))};
}

/* The bed there, or the water of the lake that it lies under. */
static float bed_on(const struct segment *segment, float along)
{
    const float bed = segment->bed[0] + (segment->bed[1] - segment->bed[0]) * along;
    return max_float(bed, segment->lake);
}

struct drainage_position position_on(const struct drainage_network *network,
                                     const struct segment *segment, float along)
{
    return (struct drainage_position){node_of(network, segment), segment->piece,
                                      place_on(segment, along), bed_on(segment, along)};
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
    stream->next =
        (struct drainage_position){into, last->end_piece, last->ends[1], bed_on(last, 1.0f)};
}

static void add_point(struct drainage_stream *stream, struct place place, float bed, float flow)
{
    if (stream->count > 0 && bed > stream->points[stream->count - 1].bed)
        bed = stream->points[stream->count - 1].bed; /* a rounding error, where streams join */
    stream->points[stream->count++] = (struct drainage_point){place, bed, flow};
}

/* Adds the point of a piece at a share of it. False if the sea begins there or before. */
static bool add_point_on(struct drainage_stream *stream, const struct segment *piece, float along)
{
    const float from = piece->bed[0], change = piece->bed[1] - from;
    const bool at_sea = !(bed_on(piece, along) > 0.0f);
    float at = along;
    if (at_sea)
        at = from > 0.0f ? from / -change : 0.0f;
    at = stream->count == 0 ? along : at;
    add_point(stream, place_on(piece, at), at_sea && stream->count > 0 ? 0.0f : bed_on(piece, at),
              piece->flow[0] + (piece->flow[1] - piece->flow[0]) * at);
    return !at_sea;
}

/* Adds the rest of a piece from a share of it on: the shore of a lake that it flows into, and its
 * end. False if the sea begins there or before. */
static bool add_piece(struct drainage_stream *stream, const struct segment *piece, float from)
{
    const float depth = piece->lake - piece->bed[1], fall = piece->bed[0] - piece->bed[1];
    const float shore = depth > 0.0f && depth < fall ? 1.0f - depth / fall : 0.0f;
    if (shore > from)
        add_point_on(stream, piece, shore);
    return add_point_on(stream, piece, 1.0f);
}

/* A stream from a node in the sea may join one on land, and then its bed rises: there the water
 * flows to the node. */
static void follow_to_node(struct drainage_stream *stream, const struct segment *piece)
{
    for (; piece->bed[0] > 0.0f && piece->piece > 0; piece--)
        add_point(stream, piece->ends[0], piece->bed[0], piece->flow[1]);
    const float share =
        piece->bed[0] < 0.0f ? piece->bed[0] / (piece->bed[0] - piece->bed[1]) : 0.0f;
    add_point(stream, place_on(piece, share), 0.0f, piece->flow[1]);
}

void follow_stream(const struct store *store, const struct drainage_position *position,
                   struct drainage_stream *stream)
{
    const struct drainage_network *network = store->network;
    const struct drainage_node *node = &position->node;
    const struct segment *piece = stream_from(store, node) + position->piece;
    float from;
    segment_distance(piece, position->place, &from);
    stream->node = *node;
    stream->id = drainage_stream_id(network->key, node, position->piece);
    stream->order = network->spacing_log2 - DRAINAGE_FINEST_LOG2 + 1 - node->level;
    stream->count = 0;
    stream->lake = NO_LAKE;
    stream->end = DRAINAGE_AT_SEA;
    if (!add_point_on(stream, piece, from))
        return;
    if (bed_on(piece, 1.0f) > bed_on(piece, 0.0f)) {
        follow_to_node(stream, piece);
        return;
    }
    for (; add_piece(stream, piece, from); piece++, from = 0.0f)
        if (piece->last) {
            end_stream(piece, stream);
            return;
        }
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
