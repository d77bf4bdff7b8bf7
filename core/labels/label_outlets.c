/* Ways down the streams of the coarsest level, which are followed from node to node. Outlets of all
 * nodes on a way are kept in the sampler's cache. */
#include "core/labels/label_outlets.h"

#include "core/base/hash.h"
#include "core/drainage/store/cache.h"
#include "core/terrain/shore.h"

/* Metres between the samples whose level of detail decides if the way has reached the sea. */
static const double SHORE_SPACING = 4096.0;

static struct network_request request_of(const struct label_source *source, struct error *error)
{
    return (struct network_request){source->sampler, world_program(source->world), 0.0, error};
}

struct place label_node_middle(const struct world *world, const struct drainage_node *node)
{
    const unsigned log2 =
        drainage_cell_log2(network_spacing_log2(world_program(world)), node->level);
    const int64_t width = PLACE_METRE << log2;
    return (struct place){node->x * width + width / 2, node->y * width + width / 2};
}

uint64_t label_node_id(const struct world *world, const struct drainage_node *node)
{
    const struct drainage_position position = {.node = *node};
    return network_stream_id(world_program(world), &position);
}

static float flow_of(const struct drainage_stream *stream)
{
    return stream->points[stream->count - 1].flow;
}

/* Streams of the coarsest level that end on one node with equal flows. */
struct rivals {
    const struct drainage_stream *stream;
    uint64_t least; /* id */
};

static bool take_rival(void *context, const struct drainage_stream *stream)
{
    struct rivals *rivals = context;
    const struct drainage_node *own = &rivals->stream->next.node, *other = &stream->next.node;
    if (stream->end == DRAINAGE_JOINS && other->level == 0 && other->x == own->x &&
        other->y == own->y && flow_of(stream) == flow_of(rivals->stream) &&
        stream->id < rivals->least)
        rivals->least = stream->id;
    return true;
}

/* True in *main if of all streams that end where this one does none has more water. The flow of the
 * node there is that of its greatest stream and more, unless both are as great as the network
 * counts. */
static bool is_main(const struct label_source *source, const struct drainage_stream *stream,
                    const struct drainage_stream *next, bool *main, struct error *error)
{
    const struct network_request request = request_of(source, error);
    const struct drainage_node *node = &next->node;
    struct rivals rivals = {stream, stream->id};
    *main = flow_of(stream) == next->points[0].flow;
    if (!*main || stream->points[0].flow < flow_of(stream))
        return true;
    const struct network_rect rect = {0, {node->x - 1, node->y - 1}, {node->x + 1, node->y + 1}};
    if (!network_streams(&request, &rect, take_rival, &rivals))
        return false;
    *main = rivals.least == stream->id;
    return true;
}

/* True in *is_land if a place of the network's plane is on land, as seen at SHORE_SPACING: a river
 * goes on behind a lagoon. */
static bool check_shore(const struct label_source *source, struct place place, bool *is_land,
                        struct error *error)
{
    const struct course_map map = {source->sampler, source->world, SHORE_SPACING};
    struct course_vertex vertex = {.place = place};
    struct course course = {&vertex, 1, 1};
    float coast = 1.0f;
    if (shore_exists(source->world) && (!course_restore(&course, 0, &map, error) ||
                                        !shore_sample(&course, 0, &map, &coast, error)))
        return false;
    *is_land = coast > 0.0f;
    return true;
}

/* The outlet of a node, and the steps on the way there. */
struct outlet {
    unsigned steps;
    struct label_river river;
};

/* An outlet as the cache keeps it, with the steps on the way there; LABEL_RIVER_STEPS if it may go
 * on. */
struct kept_outlet {
    struct cached cached;
    unsigned steps;
    struct label_river river;
};

static struct cache_key outlet_key(const struct label_source *source,
                                   const struct drainage_node *node)
{
    return (struct cache_key){.owner = {.low = source->world_hash},
                              .x = node->x,
                              .y = node->y,
                              .kind = CACHE_LABEL_OUTLET};
}

/* Finds a node's outlet, if that is kept and the way there is not longer than so many steps. */
static bool recall_outlet(const struct label_source *source, const struct drainage_node *node,
                          unsigned most, struct outlet *outlet)
{
    struct drainage_cache *cache = sampler_cache(source->sampler);
    const struct cache_key key = outlet_key(source, node);
    struct cached *item = cache ? cache_find(cache, &key) : NULL;
    const struct kept_outlet *kept = (const struct kept_outlet *)(const void *)item;
    const bool is_known = kept && kept->steps <= most;
    if (is_known)
        *outlet = (struct outlet){kept->steps, kept->river};
    cache_release(item);
    return is_known;
}

static void keep_outlet(const struct label_source *source, const struct drainage_node *node,
                        unsigned steps, struct label_river river)
{
    struct drainage_cache *cache = sampler_cache(source->sampler);
    const struct cache_key key = outlet_key(source, node);
    struct cached *item = cache ? cache_new_item(cache, &key, sizeof(struct kept_outlet)) : NULL;
    if (!item)
        return;
    struct kept_outlet *kept = (struct kept_outlet *)(void *)item;
    kept->steps = steps;
    kept->river = river;
    cache_publish(item);
    cache_release(item);
}

/* A way from a node of the coarsest level down. */
struct outlet_way {
    struct drainage_node nodes[LABEL_RIVER_STEPS + 1];
    unsigned steps;       /* to its last node */
    struct outlet outlet; /* of the last node, if it is known */
    bool is_known, ends;
};

/* Follows a stream until it joins a larger one, or reaches the sea or a node that is known. */
static bool follow_way(const struct label_source *source, struct outlet_way *way,
                       struct error *error)
{
    struct drainage_stream streams[2];
    const struct drainage_position start = {.node = way->nodes[0],
                                            .place = label_node_middle(source->world, way->nodes)};
    const struct network_request request = request_of(source, error);
    if (!network_follow(&request, &start, &streams[0]))
        return false;
    while (way->steps < LABEL_RIVER_STEPS && !way->is_known && !way->ends) {
        const struct drainage_stream *stream = &streams[way->steps % 2];
        struct drainage_stream *next = &streams[(way->steps + 1) % 2];
        bool main = false, is_land = false;
        if (stream->end == DRAINAGE_JOINS && stream->next.node.level == 0 &&
            (!network_follow(&request, &stream->next, next) ||
             !is_main(source, stream, next, &main, error) ||
             !check_shore(source, next->points[0].place, &is_land, error)))
            return false;
        way->ends = !main || !is_land || next->points[0].bed <= 0.0f;
        if (way->ends)
            break;
        way->nodes[++way->steps] = next->node;
        way->is_known =
            recall_outlet(source, &next->node, LABEL_RIVER_STEPS - way->steps, &way->outlet);
    }
    return true;
}

/* Keeps the outlets of the nodes of a way; of the first one alone if the way goes on. */
static void keep_way(const struct label_source *source, const struct outlet_way *way,
                     struct label_river river, unsigned steps)
{
    const unsigned last = way->is_known || way->ends ? way->steps : 0;
    for (unsigned i = 0; i <= last; i++)
        keep_outlet(source, &way->nodes[i], steps - i, river);
}

/* Finds what decides the name of a stream of the coarsest level: its outlet. */
static bool find_outlet(const struct label_source *source, const struct drainage_node *node,
                        struct label_river *river, struct error *error)
{
    struct outlet_way way = {.nodes = {*node}};
    if (!follow_way(source, &way, error))
        return false;
    const struct drainage_node *outlet = &way.nodes[way.steps];
    *river = way.is_known ? way.outlet.river
                          : (struct label_river){NAME_RIVER, label_node_id(source->world, outlet),
                                                 label_node_middle(source->world, outlet)};
    keep_way(source, &way, *river, way.steps + (way.is_known ? way.outlet.steps : 0));
    return true;
}

bool label_river_of(const struct label_source *source, const struct drainage_node *node, float flow,
                    struct label_river *river, struct error *error)
{
    const struct world *world = source->world;
    struct outlet kept;
    *river = (struct label_river){flow < LABEL_STREAM_FLOW ? NAME_STREAM : NAME_RIVER,
                                  label_node_id(world, node), label_node_middle(world, node)};
    if (node->level > 0)
        return true;
    if (!recall_outlet(source, node, LABEL_RIVER_STEPS, &kept))
        return find_outlet(source, node, river, error);
    *river = kept.river;
    return true;
}
