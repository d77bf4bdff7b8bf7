/* See label_streams.h. Streams of all blocks that are not kept are made at once, in the least rect
 * that has them. */
#include "core/labels/label_streams.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/hash.h"
#include "core/drainage/store/cache.h"
#include "core/labels/label_rivers.h"
#include "core/terrain/shore.h"

enum {
    BLOCK_LOG2 = 1,  /* nodes along a side of a block: streams are made for so many at once */
    LAKE_POINTS = 2, /* of a stream under level water, at least */
    MOUTH_LATER = 2, /* zooms after that of its river */
};

unsigned label_streams_level(const struct world *world, int zoom)
{
    return rivers_level(world, label_river_flow(zoom));
}

/* ---- blocks */

struct kept_block {
    struct cached cached;
    size_t count;
    struct label_stream streams[];
};

static struct cache_key key_of(const struct label_source *source,
                               const struct label_stream_block *block)
{
    return (struct cache_key){.owner = {.low = source->world_hash},
                              .x = block->x,
                              .y = block->y,
                              .kind = CACHE_LABEL_STREAMS,
                              .level = block->level};
}

/* Copies the streams of a block, if they are kept; else the block is a new one. False when memory
 * is out. */
static bool recall_block(const struct label_source *source, struct label_stream_block *block)
{
    const struct cache_key key = key_of(source, block);
    struct cached *item = cache_find(sampler_cache(source->sampler), &key);
    const struct kept_block *kept = (const struct kept_block *)(const void *)item;
    block->changed = !kept;
    if (kept && kept->count > 0)
        block->streams = malloc(kept->count * sizeof *block->streams);
    const bool done = !kept || kept->count == 0 || block->streams;
    if (kept && block->streams) {
        memcpy(block->streams, kept->streams, kept->count * sizeof *block->streams);
        block->count = block->capacity = kept->count;
    }
    cache_release(item);
    return done;
}

static void keep_block(const struct label_source *source, const struct label_stream_block *block)
{
    const struct cache_key key = key_of(source, block);
    const size_t bytes = block->count * sizeof *block->streams;
    struct cached *item =
        cache_new_item(sampler_cache(source->sampler), &key, sizeof(struct kept_block) + bytes);
    if (!item)
        return;
    struct kept_block *kept = (struct kept_block *)(void *)item;
    kept->count = block->count;
    if (bytes > 0)
        memcpy(kept->streams, block->streams, bytes);
    cache_publish(item);
    cache_release(item);
}

void label_streams_close(const struct label_source *source, struct label_stream_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->blocks[i].changed)
            keep_block(source, &list->blocks[i]);
        free(list->blocks[i].streams);
    }
    free(list->blocks);
    *list = (struct label_stream_list){0};
}

/* ---- streams */

/* Puts streams into the blocks of a load that are new: those of the list from `first` on, row by
 * row. */
struct collector {
    const struct label_source *source;
    struct label_stream_list *list;
    size_t first;
    int64_t low[2], columns; /* blocks */
    struct label_stream_block *block;
    struct error *error;
};

/* The block of a node if it is new; else null. */
static struct label_stream_block *find_missing(const struct collector *to,
                                               const struct drainage_node *node)
{
    const int64_t x = (node->x >> BLOCK_LOG2) - to->low[0];
    const int64_t y = (node->y >> BLOCK_LOG2) - to->low[1];
    struct label_stream_block *block = &to->list->blocks[to->first + (size_t)(y * to->columns + x)];
    return block->changed ? block : NULL;
}

static bool add_stream(struct collector *to, const struct label_stream *found)
{
    struct label_stream_block *block = to->block;
    struct label_stream *streams =
        array_reserve(block->streams, block->count, &block->capacity, sizeof *streams);
    if (!streams)
        return error_memory(to->error);
    block->streams = streams;
    streams[block->count++] = *found;
    return true;
}

/* The first point of a stream from the middle of its length between two points on, and that length,
 * metres. */
static unsigned middle_of(const struct drainage_stream *stream, unsigned first, unsigned last,
                          double *length)
{
    double sums[DRAINAGE_POINTS_MAX] = {0.0};
    unsigned middle = first;
    for (unsigned i = first + 1; i <= last; i++)
        sums[i] =
            sums[i - 1] + course_distance(stream->points[i - 1].place, stream->points[i].place);
    *length = last > first ? sums[last] : 0.0;
    while (middle < last && sums[middle] < *length / 2.0)
        middle++;
    return middle;
}

static int lake_rank(const struct world *world, unsigned level, double length)
{
    int rank = LABEL_ZOOM_MIN;
    while (rank < LABEL_ZOOM_MAX && (LABEL_LAKE_PIXELS * label_pixel(rank) > length ||
                                     label_streams_level(world, rank) < level))
        rank++;
    return rank;
}

/* True if a place is not farther from a node's cell than the reach. */
static bool is_in_reach(const struct world *world, const struct drainage_node *node,
                        struct place place)
{
    const unsigned shift =
        PLACE_BITS + drainage_cell_log2(network_spacing_log2(world_program(world)), node->level);
    const int64_t x = (place.x >> shift) - node->x, y = (place.y >> shift) - node->y;
    return x >= -LABEL_STREAMS_REACH && x <= LABEL_STREAMS_REACH && y >= -LABEL_STREAMS_REACH &&
           y <= LABEL_STREAMS_REACH;
}

static bool take_river(struct collector *to, const struct drainage_stream *stream)
{
    double length;
    const float flow = stream->points[stream->count - 1].flow;
    const unsigned last = stream->count - 1;
    unsigned middle = middle_of(stream, 0, last, &length);
    while (middle > 0 &&
           !is_in_reach(to->source->world, &stream->node, stream->points[middle].place))
        middle--;
    const unsigned before = middle > 0 ? middle - 1 : 0, after = middle < last ? middle + 1 : last;
    const struct label_stream found = {
        .kind = NAME_RIVER,
        .node = stream->node,
        .id = stream->id,
        .flow = flow,
        .rank = label_river_rank(flow),
        .ends = {stream->points[before].place, stream->points[after].place},
        .place = stream->points[middle].place,
    };
    return add_stream(to, &found);
}

/* Looks for reaches whose water is level. */
static bool take_lakes(struct collector *to, const struct drainage_stream *stream)
{
    for (unsigned first = 0, last; first + 1 < stream->count; first = last + 1) {
        const float level = stream->points[first].bed;
        double length;
        last = first;
        while (last + 1 < stream->count && stream->points[last + 1].bed == level)
            last++;
        if (last - first + 1 < LAKE_POINTS || level <= 0.0f)
            continue;
        const unsigned middle = middle_of(stream, first, last, &length);
        const struct label_stream found = {
            .kind = NAME_LAKE,
            .node = stream->node,
            .id = hash_mix(stream->id + first) >> (64 - 53),
            .rank = lake_rank(to->source->world, stream->node.level, length),
            .length = length,
            .place = stream->points[middle].place,
        };
        if (is_in_reach(to->source->world, &stream->node, found.place) && !add_stream(to, &found))
            return false;
    }
    return true;
}

/* Finds the north-west and south-east corner of a stream's points. False if one is out of reach. */
static bool bound_points(const struct world *world, const struct drainage_stream *stream,
                         struct place corners[2])
{
    corners[0] = corners[1] = stream->points[0].place;
    for (unsigned i = 0; i < stream->count; i++) {
        const struct place place = stream->points[i].place;
        if (!is_in_reach(world, &stream->node, place))
            return false;
        corners[0].x = place.x < corners[0].x ? place.x : corners[0].x;
        corners[0].y = place.y < corners[0].y ? place.y : corners[0].y;
        corners[1].x = place.x > corners[1].x ? place.x : corners[1].x;
        corners[1].y = place.y > corners[1].y ? place.y : corners[1].y;
    }
    return true;
}

/* A stream may end at the sea, where the network has it; or anywhere, if the world has a shore of
 * its own. One without length has no line that comes to the sea. */
static bool take_mouth(struct collector *to, const struct drainage_stream *stream)
{
    const unsigned last = stream->count - 1;
    const float flow = stream->points[last].flow;
    if (flow < LABEL_STREAM_FLOW ||
        (stream->end != DRAINAGE_AT_SEA && !shore_exists(to->source->world)))
        return true;
    struct label_stream found = {
        .kind = NAME_MOUTH,
        .node = stream->node,
        .id = hash_mix(stream->id + DRAINAGE_POINTS_MAX) >> (64 - 53), /* no lake has this */
        .flow = flow,
        .rank = label_river_rank(flow) + MOUTH_LATER,
        .place = stream->points[last].place,
    };
    if (!bound_points(to->source->world, stream, found.ends))
        return true;
    middle_of(stream, 0, last, &found.length);
    return found.length == 0.0 || add_stream(to, &found);
}

static bool take_stream(void *context, const struct drainage_stream *stream)
{
    struct collector *to = context;
    to->block = find_missing(to, &stream->node);
    const bool is_arm = stream->id != label_node_id(to->source->world, &stream->node);
    if (!to->block || is_arm || stream->count < 2 || stream->points[0].bed <= 0.0f)
        return true;
    return take_river(to, stream) && take_lakes(to, stream) && take_mouth(to, stream);
}

/* ---- loading */

/* Adds a block, and makes a rect reach around its nodes if they are not known. */
static bool add_block(const struct collector *to, struct label_stream_block block,
                      struct network_rect *missing, bool *is_missing)
{
    struct label_stream_list *list = to->list;
    const int64_t at[2] = {block.x, block.y};
    struct label_stream_block *blocks =
        array_reserve(list->blocks, list->count, &list->capacity, sizeof *blocks);
    if (!blocks)
        return false;
    list->blocks = blocks;
    if (!recall_block(to->source, &block))
        return false;
    blocks[list->count++] = block;
    for (int axis = 0; axis < 2 && block.changed; axis++) {
        const int64_t low = at[axis] * ((int64_t)1 << BLOCK_LOG2);
        const int64_t high = low + ((int64_t)1 << BLOCK_LOG2) - 1;
        if (!*is_missing || low < missing->low[axis])
            missing->low[axis] = low;
        if (!*is_missing || high > missing->high[axis])
            missing->high[axis] = high;
    }
    *is_missing = *is_missing || block.changed;
    return true;
}

bool label_streams_load(const struct label_source *source, const struct network_rect *rect,
                        struct label_stream_list *list, struct error *error)
{
    const struct network_request request = {source->sampler, world_program(source->world), 0.0,
                                            error};
    const int64_t low[2] = {rect->low[0] >> BLOCK_LOG2, rect->low[1] >> BLOCK_LOG2};
    const int64_t high[2] = {rect->high[0] >> BLOCK_LOG2, rect->high[1] >> BLOCK_LOG2};
    struct collector to = {.source = source,
                           .list = list,
                           .first = list->count,
                           .low = {low[0], low[1]},
                           .columns = high[0] - low[0] + 1,
                           .error = error};
    struct network_rect missing = {.level = rect->level};
    bool is_missing = false, done = true;
    if (!sampler_cache(source->sampler))
        return error_memory(error);
    for (int64_t y = low[1]; y <= high[1] && done; y++)
        for (int64_t x = low[0]; x <= high[0] && done; x++)
            done = add_block(&to, (struct label_stream_block){.level = rect->level, .x = x, .y = y},
                             &missing, &is_missing) ||
                   error_memory(error);
    if (done && (!is_missing || network_streams(&request, &missing, take_stream, &to)))
        return true;
    for (size_t i = to.first; i < list->count; i++) /* not all of their streams are there */
        list->blocks[i].changed = false;
    return false;
}
