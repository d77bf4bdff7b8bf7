/* See walk.h. */
#include "core/drainage/walk.h"

#include "core/base/lanes.h"
#include "core/drainage/deltas.h"
#include "core/drainage/drainage_private.h"

enum {
    PART_SIDE = 32, /* cells whose streams are loaded together */
};

uint64_t drainage_stream_id(uint64_t key, const struct drainage_node *node, unsigned piece)
{
    const struct drainage_network network = {.key = key};
    const uint64_t id = node_hash(&network, node->level, node->x, node->y);
    const unsigned arm = piece < SEGMENTS_MAX ? 0 : 1 + (piece - SEGMENTS_MAX) / ARM_SEGMENTS;
    return arm == 0 ? id : hash_mix(id + arm);
}

/* Loads the streams around cells of a level. */
static bool load_around(struct drainage *drainage, const struct drainage_network *network,
                        unsigned level, struct cell_rect cells)
{
    const struct cell_rect leaves = rect_ancestors(cells, LEAF_LOG2);
    drainage->network = network;
    drainage->list.failed = false;
    return drainage_load(drainage, &leaves, level);
}

static struct cell_rect cell_of(const struct drainage_node *node)
{
    return (struct cell_rect){{node->x, node->y}, {node->x, node->y}};
}

/* The stream of a node whose surroundings are loaded. */
static const struct segment *stream_from(const struct drainage *drainage,
                                         const struct drainage_node *node)
{
    const struct stream_block *block =
        window_block(&drainage->levels[node->level], node->x, node->y);
    return block_stream(block, node_in_block(node->x, node->y));
}

static struct drainage_node node_of(const struct drainage_network *network,
                                    const struct segment *segment)
{
    const unsigned shift = cell_shift(network, segment->level);
    const struct place node = (segment - segment->piece)->ends[0];
    return (struct drainage_node){segment->level, node.x >> shift, node.y >> shift};
}

/* ---- whose land a place is on */

/* The candidate of a leaf that is lowest at a place. */
static const struct candidate *lowest_candidate(struct drainage *drainage, struct leaf *leaf,
                                                unsigned cell, float x, float y)
{
    float at[2][ENVELOPE_LANES], distance[ENVELOPE_LANES];
    float *outputs[DRAINAGE_OUTPUTS] = {[DRAINAGE_DISTANCE] = distance};
    for (int i = 0; i < ENVELOPE_LANES; i++) {
        at[0][i] = x;
        at[1][i] = y;
    }
    const struct envelope_samples samples = {cell, at[0], at[1], ENVELOPE_LANES};
    return &leaf->candidates[envelope_sample(leaf, &samples, &drainage->cull, outputs)];
}

/* The segment that a candidate was made of. */
static const struct segment *segment_of(const struct drainage *drainage,
                                        const struct candidate *candidate, struct place middle)
{
    const unsigned level =
        drainage->network->spacing_log2 - DRAINAGE_FINEST_LOG2 + 1 - (unsigned)candidate->order;
    const struct cell_rect *blocks = &drainage->levels[level].blocks;
    for (size_t i = 0; i < rect_count(blocks); i++) {
        const struct stream_block *block = drainage->levels[level].block[i];
        for (size_t k = 0; k < (size_t)BLOCK_NODES * block->per_stream; k++) {
            const struct segment *s = &block->segments[k];
            if (units_to_metres(s->ends[0].x - middle.x) == candidate->x &&
                units_to_metres(s->ends[0].y - middle.y) == candidate->y &&
                s->ux == candidate->ux && s->uy == candidate->uy)
                return s;
        }
    }
    return NULL;
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

static struct drainage_position position_on(const struct drainage_network *network,
                                            const struct segment *segment, float along)
{
    return (struct drainage_position){node_of(network, segment), segment->piece,
                                      place_on(segment, along), bed_on(segment, along)};
}

bool drainage_find(struct drainage *drainage, const struct drainage_network *network,
                   struct place place, struct drainage_position *position)
{
    const unsigned level = drainage_level(network->spacing_log2, 0.0);
    const unsigned shift = cell_shift(network, level);
    const struct drainage_node cell = {level, place.x >> shift, place.y >> shift};
    const int64_t x = cell.x >> LEAF_LOG2, y = cell.y >> LEAF_LOG2;
    const struct place middle = square_middle(shift + LEAF_LOG2, x, y);
    if (!load_around(drainage, network, level, cell_of(&cell)))
        return false;
    struct leaf *leaf = leaf_find(drainage, level, 0.0, x, y);
    leaf = leaf ? leaf : leaf_make(drainage, level, 0.0, x, y);
    if (!leaf)
        return false;
    const unsigned number =
        (unsigned)((cell.y & (LEAF_SIDE - 1)) * LEAF_SIDE + (cell.x & (LEAF_SIDE - 1)));
    const struct candidate *lowest =
        lowest_candidate(drainage, leaf, number, units_to_metres(place.x - middle.x),
                         units_to_metres(place.y - middle.y));
    const struct segment *segment = segment_of(drainage, lowest, middle);
    float along;
    if (!segment) /* never */
        return false;
    segment_distance(segment, place, &along);
    *position = position_on(network, segment, along);
    return true;
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

static void follow_loaded(const struct drainage *drainage, const struct drainage_position *position,
                          struct drainage_stream *stream)
{
    const struct drainage_network *network = drainage->network;
    const struct drainage_node *node = &position->node;
    const struct segment *piece = stream_from(drainage, node) + position->piece;
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

bool drainage_follow(struct drainage *drainage, const struct drainage_network *network,
                     const struct drainage_position *position, struct drainage_stream *stream)
{
    if (!load_around(drainage, network, position->node.level, cell_of(&position->node)))
        return false;
    follow_loaded(drainage, position, stream);
    return true;
}

/* Gives the arms of the delta of a stream that is loaded. */
static bool give_arms(struct drainage *drainage, struct drainage_position *position,
                      bool (*take)(void *context, const struct drainage_stream *stream),
                      void *context)
{
    const struct drainage_network *network = drainage->network;
    const struct segment *pieces = stream_from(drainage, &position->node);
    const unsigned n = segments_of_level(network, position->node.level);
    struct drainage_stream stream;
    for (unsigned i = 0; i < delta_segments(network, position->node.level); i += ARM_SEGMENTS) {
        position->piece = n + i;
        position->place = pieces[n + i].ends[0];
        if (pieces[n + i].length == 0.0f)
            continue;
        follow_loaded(drainage, position, &stream);
        if (!take(context, &stream))
            return false;
    }
    return true;
}

/* Gives the streams of cells that are loaded. */
static bool give_streams(struct drainage *drainage, unsigned level, struct cell_rect cells,
                         bool (*take)(void *context, const struct drainage_stream *stream),
                         void *context)
{
    struct drainage_position position = {.node.level = level};
    struct drainage_stream stream;
    for (int64_t y = cells.low[1]; y <= cells.high[1]; y++)
        for (int64_t x = cells.low[0]; x <= cells.high[0]; x++) {
            position.node.x = x;
            position.node.y = y;
            position.piece = 0;
            position.place = node_place(drainage->network, level, x, y);
            follow_loaded(drainage, &position, &stream);
            if (!take(context, &stream) || !give_arms(drainage, &position, take, context))
                return false;
        }
    return true;
}

/* The part of an interval that is in a square of PART_SIDE cells. */
static int64_t part_end(int64_t from, int64_t high)
{
    const int64_t end = from | (PART_SIDE - 1);
    return end < high ? end : high;
}

bool drainage_streams(struct drainage *drainage, const struct drainage_network *network,
                      unsigned level, const int64_t low[2], const int64_t high[2],
                      bool (*take)(void *context, const struct drainage_stream *stream),
                      void *context)
{
    struct cell_rect part;
    for (part.low[1] = low[1]; part.low[1] <= high[1]; part.low[1] = part.high[1] + 1) {
        part.high[1] = part_end(part.low[1], high[1]);
        for (part.low[0] = low[0]; part.low[0] <= high[0]; part.low[0] = part.high[0] + 1) {
            part.high[0] = part_end(part.low[0], high[0]);
            if (!load_around(drainage, network, level, part) ||
                !give_streams(drainage, level, part, take, context))
                return false;
        }
    }
    return true;
}
