/* The network is priced as if no stream were kept from another request.
 *
 * The land at a place is made from the streams of some 12 × 12 cells of each level around it, and
 * level 0 looks at 32 × 32 potentials. So a request costs what these do, whatever its size, and a
 * sample costs its own share of nodes, of each level, and of the cell's leaf (core/drainage).
 * Places that are far from each other cost all of it each, as far as they do not share cells of
 * coarse levels. */
#include "core/world/inspect_drainage.h"

#include "core/base/extremes.h"

#define CELLS_AROUND 12.0
#define POTENTIALS_AROUND 32.0
#define NODE 600.0            /* to make its stream, nanoseconds; likewise: */
#define SEGMENT 140.0         /* and for each of its segments, */
#define DELTA_SAMPLES 15.0    /* of fields, to find shores on a trunk, */
#define LOAD 60000.0          /* to look up what is near a place, */
#define LEAF 3000.0           /* to find what can be seen in a cell, */
#define LEAF_SEGMENT 2000.0   /* and for each segment of its streams */
#define SAMPLE 50.0           /* of a grid, */
#define SAMPLE_SEGMENT 20.0   /* and for each segment of the finest streams in view */
#define PLACE 300.0           /* of a list: a whole vector each time */
#define MORE_OUTPUTS 20.0     /* than the height, of a sample */
#define LEAF_GROUP 16.0       /* cells that are looked up together */
#define KEPT_SEGMENTS 20000.0 /* of a level: more are not kept for all places of a request */
#define NEAR_SHAPE 0.25       /* places near each other lie between in a line and in a square */
#define TILE_ACROSS 256.0
#define CLUSTER_PLACES 16.0
#define LIST_PLACES 288.0 /* sampled at once */

/* How the network is seen in the scopes of one scale. */
struct network_view {
    struct sampling sampling; /* in metres of the scope */
    uint32_t spacing_log2;
    unsigned level; /* of the cells that samples are looked up in */
    double fields, lakes;
    double deltas; /* the share of large rivers that build one */
};

static double width_of(const struct network_view *view, unsigned level)
{
    return (double)((uint32_t)1 << (view->spacing_log2 - level));
}

static double square(double v)
{
    return v * v;
}

/* To make the stream of a node, and to sample the fields in its cell. */
static double node_work(const struct network_view *view, unsigned level)
{
    const unsigned width_log2 = view->spacing_log2 - level;
    const double finest = (double)((uint32_t)1 << DRAINAGE_FIELDS_LOG2);
    const double samples = double_min(square(width_of(view, level) / finest), 1.0);
    const double lakes = width_log2 >= DRAINAGE_LAKES_LOG2 ? view->lakes : 0.0;
    const double deltas = level == 0 ? view->deltas * DELTA_SAMPLES * view->fields : 0.0;
    return NODE + (double)drainage_segments(width_log2) * SEGMENT +
           samples * (view->fields + lakes) + deltas;
}

/* To make what samples in `across` × `down` metres need. */
static double region_work(const struct network_view *view, unsigned level, double across,
                          double down)
{
    const double x = across / width_of(view, level), y = down / width_of(view, level);
    const double trunks =
        level == 0 ? (x + POTENTIALS_AROUND) * (y + POTENTIALS_AROUND) * view->fields : 0.0;
    return (x + CELLS_AROUND) * (y + CELLS_AROUND) * node_work(view, level) + trunks;
}

/* True if the streams in a region stay until all places in it were sampled. */
static bool is_kept(const struct network_view *view, unsigned level, double across, double down)
{
    const double x = across / width_of(view, level), y = down / width_of(view, level);
    return (x + CELLS_AROUND) * (y + CELLS_AROUND) *
               (double)drainage_segments(view->spacing_log2 - level) <
           KEPT_SEGMENTS;
}

/* The same for one of `count` places in that region. */
static double share_work(const struct network_view *view, unsigned level, double across,
                         double down, double count)
{
    const double alone = region_work(view, level, 0.0, 0.0);
    if (across <= 0.0 || count <= 0.0 || !is_kept(view, level, across, down))
        return alone;
    return double_min(region_work(view, level, across, down) / count, alone);
}

/* The same for a place of a list, by the nearest others that it shares it with. */
static double place_work(const struct network_view *view, unsigned level)
{
    const struct sampling *s = &view->sampling;
    const double count = s->places > 0.0 ? s->places : LIST_PLACES;
    const double work = share_work(view, level, s->extent, NEAR_SHAPE * s->extent, count);
    const double others = double_min(
        share_work(view, level, s->line * count, 0.0, count),
        double_min(share_work(view, level, s->cluster, s->cluster, CLUSTER_PLACES),
                   share_work(view, level, s->all_extent, s->all_extent, s->all_places)));
    return double_min(work, others);
}

static double leaf_work(const struct network_view *view)
{
    return LEAF + LEAF_SEGMENT * (double)drainage_segments(view->spacing_log2 - view->level);
}

/* Of several grids, each makes its share of what all need. */
static struct sampling_work grid_work(const struct network_view *view)
{
    struct sampling_work work = {0.0, 0.0, 0.0};
    const struct sampling *s = &view->sampling;
    const double step = s->step, across = s->across > 0.0 ? s->across : TILE_ACROSS;
    const double grids = s->all_places / square(across);
    for (unsigned level = 0; level <= view->level; level++) {
        const double cells = square(step / width_of(view, level));
        const double alone = region_work(view, level, 0.0, 0.0);
        const double all = region_work(view, level, s->all_extent, s->all_extent);
        work.call += grids > 1.0 ? double_min(all / grids, alone) : alone;
        work.sample += double_min(cells, square(CELLS_AROUND)) * node_work(view, level);
    }
    work.sample += double_min(square(step / width_of(view, view->level)), 1.0) * leaf_work(view);
    return work;
}

/* To look up what is near a place, unless it is known of a place before. */
static double load_work(const struct network_view *view)
{
    const struct sampling *s = &view->sampling;
    const double across = s->all_extent / width_of(view, view->level) + 1.0;
    if (s->all_places <= 0.0 || !is_kept(view, view->level, s->all_extent, s->all_extent))
        return LOAD;
    return LOAD * double_min(across * across / LEAF_GROUP / s->all_places, 1.0);
}

/* Of a list whose length is not known, all that its places share is counted. */
static struct sampling_work list_work(const struct network_view *view)
{
    struct sampling_work work = {0.0, 0.0, 0.0};
    const struct sampling *sampling = &view->sampling;
    const bool near = sampling->extent > 0.0 || sampling->line > 0.0;
    const double count = sampling->places > 0.0 ? sampling->places : LIST_PLACES;
    const double across = sampling->extent / width_of(view, view->level) + 1.0;
    for (unsigned level = 0; level <= view->level; level++) {
        const double all = place_work(view, level) * LIST_PLACES;
        if (near && sampling->places <= 0.0)
            work.call += all;
        else
            work.place += all / LIST_PLACES;
    }
    const double cells = near ? NEAR_SHAPE * across * across / count : 1.0;
    work.place += double_min(cells, 1.0) * leaf_work(view);
    work.place += near ? 0.0 : load_work(view);
    return work;
}

/* To make what samples need in scopes of a scale. */
static struct sampling_work making_work(const struct program *program, double scale,
                                        const struct drainage_prices *prices,
                                        struct sampling sampling)
{
    const uint32_t spacing_log2 = program->drainage.spacing_log2;
    const double metres = sampling.spacing / scale;
    const struct network_view view = {
        .sampling = {.step = sampling.step / scale,
                     .spacing = metres,
                     .extent = sampling.extent / scale,
                     .across = sampling.across,
                     .places = sampling.places,
                     .line = sampling.line / scale,
                     .cluster = sampling.cluster / scale,
                     .all_extent = sampling.all_extent / scale,
                     .all_places = sampling.all_places},
        .spacing_log2 = spacing_log2,
        .level = drainage_level(spacing_log2, metres),
        .fields = prices->fields,
        .lakes = prices->lakes,
        .deltas = (double)program->drainage.deltas,
    };
    return sampling.step > 0.0 ? grid_work(&view) : list_work(&view);
}

/* How many segments the finest streams have that samples of a grid in a scope see. */
static double finest_segments(const struct program *program, uint32_t view,
                              const struct sampling *sampling)
{
    const uint32_t spacing_log2 = program->drainage.spacing_log2;
    const double metres = sampling->spacing / program->node_grids[view].scale;
    return (double)drainage_segments(spacing_log2 - drainage_level(spacing_log2, metres));
}

struct sampling_work drainage_work(const struct program *program, const bool *needed,
                                   const struct drainage_prices *prices, struct sampling sampling)
{
    struct sampling_work work = {0.0, 0.0, 0.0};
    bool seen[PROGRAM_OPERATIONS_MAX] = {false}, more[PROGRAM_OPERATIONS_MAX] = {false};
    double scale = 0.0; /* of the scopes before; others are rare */
    for (uint32_t i = 0; i < program->count; i++) {
        const struct operation *operation = &program->operations[i];
        const uint32_t view = operation->table_index;
        if (operation->code != OP_DRAINAGE || !needed[i])
            continue;
        if (!seen[view])
            work.sample += sampling.step > 0.0
                               ? SAMPLE + finest_segments(program, view, &sampling) * SAMPLE_SEGMENT
                               : PLACE;
        if (!more[view] && operation->k[0] != (float)DRAINAGE_HEIGHT) {
            more[view] = true;
            work.sample += MORE_OUTPUTS;
        }
        seen[view] = true;
        if (program->node_grids[view].scale == scale)
            continue;
        scale = program->node_grids[view].scale;
        const struct sampling_work making = making_work(program, scale, prices, sampling);
        work.call += making.call;
        work.sample += making.sample;
        work.place += making.place;
    }
    return work;
}
