/* The network is priced as if no stream were kept from another request.
 *
 * The land of a grid is made from the streams of each level in the cells under it and some 12
 * around, that at a single place from those of 8 × 8 cells; level 0 looks at 32 × 32 potentials. So
 * a request costs what these do, whatever its size, and a sample costs its own share of nodes, of
 * each level, and of the cell's leaf (core/drainage). Places that are far from each other cost all
 * of it each, as far as they do not share cells of coarse levels.
 *
 * In a displaced scope samples lie farther apart than in the world (spread.h), and the more they
 * do, the less they share. */
#include "core/price/drainage.h"

#include <string.h>

#include "core/base/extremes.h"
#include "core/price/node_counts.h"
#include "core/price/spread.h"

/* The times of the land, in nanoseconds: these alone change when it is made faster or slower. `make
 * bench-prices` compares the prices of a drained world with what its requests take. */
#define NODE 400.0          /* to make its stream, */
#define SEGMENT 100.0       /* and for each of its segments, */
#define DELTA 2000.0        /* to find the shore on a trunk, */
#define LOAD 60000.0        /* to look up what is near a group of cells among others, */
#define PLACE_LOAD 160000.0 /* and near one alone */
#define LEAF 3000.0         /* to find what can be seen in a cell, */
#define LEAF_SEGMENT 2000.0 /* and for each segment of its streams */
#define SAMPLE 20.0         /* of a grid, */
#define SAMPLE_SEGMENT 16.0 /* and for each segment of the finest streams in view */
#define PLACE 200.0         /* of a list: a whole vector each time, */
#define LIST 500000.0       /* and once, as its first place finds the processor's caches cold */
#define MORE_OUTPUTS 12.0   /* than the height, of a sample */

/* The amounts of land that a request needs, counted. */
#define CELLS_AROUND 12.0
#define PLACE_CELLS_AROUND 8.0 /* of a place of a list: what is near its own cell alone */
#define POTENTIALS_AROUND 32.0
#define DELTA_SAMPLES 15.0    /* of fields, for the shore on a trunk */
#define LEAF_GROUP 16.0       /* cells that are looked up together, */
#define LEAF_GROUP_SIDE 4.0   /* on each axis */
#define KEPT_SEGMENTS 20000.0 /* of a level: more are not kept for all places of a request */
#define NEAR_SHAPE 0.25       /* places near each other lie between in a line and in a square */
#define TILE_ACROSS 256.0
#define APART_ACROSS 8192.0 /* metres of a block whose samples are far apart (sampler.c), */
#define APART_COLUMNS 8.0   /* and its samples across, at least; */
#define APART_NODES 1.5     /* how many nodes they need, for a cell between them, measured */
#define CLUSTER_PLACES 16.0
/* The cells from a sample to the next from which on each has a leaf, and looks up what is near, for
 * itself. */
#define LOADED_CELLS 8.0
#define LEAF_CELL_SEGMENTS 2.0 /* that can be seen in a cell, for each of a stream's */
#define BAND_ROWS 16.0         /* of a grid that are sampled at once */

/* The samples of a grid in a displaced scope. */
struct displaced_grid {
    unsigned distances; /* from one sample to the next, and to others SPREAD_FACTOR times as far */
    struct spread_ratios near[SPREAD_DISTANCES][SPREAD_PLACES];
    double side; /* metres across the region that all lie in */
};

/* The network as it is seen in a scope. */
struct network_view {
    struct sampling sampling;               /* in metres of the scope */
    const struct displaced_grid *displaced; /* null for any other */
    uint32_t spacing_log2;
    unsigned level; /* of the cells that samples are looked up in */
    double around;  /* cells on each axis besides those that samples are in */
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

/* The segments of each stream of a level. */
static double segments_of(const struct network_view *view, unsigned level)
{
    return (double)drainage_segments_in_view(view->spacing_log2, view->sampling.spacing, level);
}

/* To make the stream of a node, and to sample the fields in its cell. */
static double node_price(const struct network_view *view, unsigned level)
{
    const unsigned width_log2 = view->spacing_log2 - level;
    const double finest = (double)((uint32_t)1 << DRAINAGE_FIELDS_LOG2);
    const double width = width_of(view, level), apart = level > 1 ? 2.0 * width : width;
    const double samples = square(width / double_max(apart, finest));
    const double lakes = width_log2 >= DRAINAGE_LAKES_LOG2 ? view->lakes : 0.0;
    const bool has_deltas = level == 0 && view->level >= DRAINAGE_DELTAS_LEVEL;
    const double deltas = has_deltas ? view->deltas * (DELTA + DELTA_SAMPLES * view->fields) : 0.0;
    return NODE + segments_of(view, level) * SEGMENT + samples * (view->fields + lakes) + deltas;
}

/* To make what samples in `across` × `down` metres need. */
static double region_price(const struct network_view *view, unsigned level, double across,
                           double down)
{
    const double x = across / width_of(view, level), y = down / width_of(view, level);
    const double trunks =
        level == 0 ? (x + POTENTIALS_AROUND) * (y + POTENTIALS_AROUND) * view->fields : 0.0;
    return (x + view->around) * (y + view->around) * node_price(view, level) + trunks;
}

/* True if the streams in a region stay until all places in it were sampled. */
static bool is_kept(const struct network_view *view, unsigned level, double across, double down)
{
    const double x = across / width_of(view, level), y = down / width_of(view, level);
    return (x + view->around) * (y + view->around) * segments_of(view, level) < KEPT_SEGMENTS;
}

/* The same for one of `count` places in that region. */
static double share_price(const struct network_view *view, unsigned level, double across,
                          double down, double count)
{
    const double alone = region_price(view, level, 0.0, 0.0);
    if (across <= 0.0 || count <= 0.0 || !is_kept(view, level, across, down))
        return alone;
    return double_min(region_price(view, level, across, down) / count, alone);
}

/* The same for a place of a line: its neighbours are sampled just before it, and share what they
 * need, however much of all is kept. */
static double line_price(const struct network_view *view, unsigned level, double count)
{
    const struct sampling *s = &view->sampling;
    const double all = double_max(s->all_places, count);
    const double alone = region_price(view, level, 0.0, 0.0);
    if (s->line <= 0.0 || !is_kept(view, level, s->line * count, 0.0))
        return alone;
    return double_min(region_price(view, level, s->line * all, 0.0) / all, alone);
}

/* The same for a place of a list, by the nearest others that it shares it with. */
static double place_price(const struct network_view *view, unsigned level)
{
    const struct sampling *s = &view->sampling;
    const double count = s->places > 0.0 ? s->places : LIST_PLACES;
    const double price = share_price(view, level, s->extent, NEAR_SHAPE * s->extent, count);
    const double others = double_min(
        line_price(view, level, count),
        double_min(share_price(view, level, s->cluster, s->cluster, CLUSTER_PLACES),
                   share_price(view, level, s->all_extent, s->all_extent, s->all_places)));
    return double_min(price, others);
}

static double leaf_price(const struct network_view *view)
{
    return LEAF + LEAF_SEGMENT * segments_of(view, view->level);
}

/* ---- grids in a displaced scope */

/* Squares that samples of a grid need: so many metres wide, each needed from up to `reach` widths
 * around it. */
struct squares {
    double width, reach;
    unsigned level; /* of the streams in them */
};

static double across_of(const struct network_view *view)
{
    return view->sampling.across > 0.0 ? view->sampling.across : TILE_ACROSS;
}

/* The squares under a grid whose samples lie so many squares apart. */
static double squares_under(const struct squares *squares, double columns, double rows, double east,
                            double south)
{
    return (columns * double_min(east, squares->reach) + squares->reach) *
           (rows * double_min(south, squares->reach) + squares->reach);
}

/* The same where samples lie as far apart as at one of the measured places. Where streams are too
 * many to be kept, each band of rows makes its own. */
static double squares_by_place(const struct network_view *view, const struct squares *squares,
                               struct spread_ratios ratios)
{
    const double across = across_of(view);
    const double east = view->sampling.step * (double)ratios.east;
    const double south = view->sampling.step * (double)ratios.south;
    const bool kept = is_kept(view, squares->level, across * east, BAND_ROWS * south);
    const double rows = kept ? across : double_min(across, BAND_ROWS);
    return squares_under(squares, across, rows, east / squares->width, south / squares->width) *
           across / rows;
}

/* Into how many parts jumps cut a grid, a row (or a column) of which is so long: a jump leads
 * farther than what is around a square. */
static double parts_of_row(const struct network_view *view, const struct squares *squares,
                           bool south)
{
    const double length = across_of(view) * view->sampling.step;
    double metres = view->sampling.step, most = 0.0;
    for (unsigned k = 0; k < view->displaced->distances; k++, metres *= SPREAD_FACTOR) {
        const double least = 1.0 + squares->reach * squares->width / metres;
        unsigned jumps = 0;
        for (unsigned i = 0; i < SPREAD_PLACES; i++) {
            const struct spread_ratios *ratios = &view->displaced->near[k][i];
            jumps += (double)(south ? ratios->south : ratios->east) > least;
        }
        most = double_max(most, jumps * length / metres / SPREAD_PLACES);
    }
    return 1.0 + most;
}

/* True if the land of a region's leaves stays until all samples were made. */
static bool leaves_are_kept(const struct network_view *view, double side)
{
    return square(side / width_of(view, view->level) + 1.0) * LEAF_CELL_SEGMENTS *
               segments_of(view, view->level) <
           KEPT_SEGMENTS;
}

/* The squares that a grid needs more than one that is not displaced: never more than there are in
 * the region that all its samples lie in, if that is kept. */
static double more_squares(const struct network_view *view, const struct squares *squares)
{
    const double across = across_of(view), side = view->displaced->side;
    const double apart = view->sampling.step / squares->width;
    double count = 0.0;
    for (unsigned i = 0; i < SPREAD_PLACES; i++)
        count += squares_by_place(view, squares, view->displaced->near[0][i]) / SPREAD_PLACES;
    count = double_max(count, parts_of_row(view, squares, false) *
                                  parts_of_row(view, squares, true) * square(squares->reach));
    count = double_min(count, square(across * squares->reach));
    if (is_kept(view, squares->level, side, side) &&
        (squares->reach > 1.0 || leaves_are_kept(view, side)))
        count = double_min(count, square(side / squares->width + squares->reach));
    return double_max(count - squares_under(squares, across, across, apart, apart), 0.0);
}

/* What displacement adds for a sample of a grid. */
static double displaced_price(const struct network_view *view)
{
    const double width = width_of(view, view->level);
    const struct squares cells = {width, 1.0, view->level};
    const struct squares loads = {width * LOADED_CELLS, 1.0, view->level};
    double price =
        more_squares(view, &cells) * leaf_price(view) + more_squares(view, &loads) * LOAD;
    for (unsigned level = 0; level <= view->level; level++) {
        const struct squares nodes = {width_of(view, level), CELLS_AROUND, level};
        price += more_squares(view, &nodes) * node_price(view, level);
    }
    return price / square(across_of(view));
}

/* Of several grids, each makes its share of what all need. */
static struct sampling_price grid_price(const struct network_view *view)
{
    struct sampling_price price = {0.0, 0.0, 0.0};
    const struct sampling *s = &view->sampling;
    const double step = s->step, across = s->across > 0.0 ? s->across : TILE_ACROSS;
    const double grids = s->all_places / square(across);
    const bool apart = step > 2.0 * s->spacing;
    const double most = (apart ? APART_NODES : 1.0) * square(CELLS_AROUND);
    const double columns = double_max(APART_ACROSS / step, APART_COLUMNS);
    for (unsigned level = 0; level <= view->level; level++) {
        const double ratio = step / width_of(view, level);
        const double cells =
            apart ? APART_NODES * ratio * (ratio + CELLS_AROUND / columns) : square(ratio);
        const double alone = region_price(view, level, 0.0, 0.0);
        const double all = region_price(view, level, s->all_extent, s->all_extent);
        price.call += grids > 1.0 ? double_min(all / grids, alone) : alone;
        price.place += double_min(cells, most) * node_price(view, level);
    }
    const double finest = square(step / width_of(view, view->level));
    price.place += double_min(finest, 1.0) * leaf_price(view);
    price.place += apart ? double_min(finest / square(LEAF_GROUP), 1.0) * LOAD : 0.0;
    price.place += view->displaced ? displaced_price(view) : 0.0;
    return price;
}

/* The cells of the finest level that a place of a list lies in, apart from those of other places,
 * if they lie in cells `width` metres wide. */
static double cells_of_place(const struct sampling *s, double width, double count)
{
    if (s->line > 0.0)
        return double_min(LINE_CELLS * s->line / width + 1.0 / count, 1.0);
    return s->extent > 0.0 ? double_min(NEAR_SHAPE * square(s->extent / width + 1.0) / count, 1.0)
                           : 1.0;
}

/* To look up what is near a place, unless it is known of a place before: the less the more of the
 * groups of cells around have places, too. */
static double load_price(const struct network_view *view, double count)
{
    const struct sampling *s = &view->sampling;
    const double group = LEAF_GROUP_SIDE * width_of(view, view->level);
    const double loads = cells_of_place(s, group, count);
    if (s->line > 0.0 || s->all_places <= 0.0)
        return PLACE_LOAD * loads;
    const double groups = square(s->all_extent / group + 1.0);
    const double alone = double_max(1.0 - s->all_places / groups, 0.0);
    return (LOAD + (PLACE_LOAD - LOAD) * alone) * double_min(groups / s->all_places, loads);
}

/* Of a list whose length is not known, all that its places share is counted. */
static struct sampling_price list_price(const struct network_view *view)
{
    struct sampling_price price = {.call = LIST};
    const struct sampling *sampling = &view->sampling;
    const bool near = sampling->extent > 0.0 || sampling->line > 0.0;
    const double count = sampling->places > 0.0 ? sampling->places : LIST_PLACES;
    for (unsigned level = 0; level <= view->level; level++) {
        const double all = place_price(view, level) * LIST_PLACES;
        if (near && sampling->places <= 0.0)
            price.call += all;
        else
            price.place += all / LIST_PLACES;
    }
    price.place += cells_of_place(sampling, width_of(view, view->level), count) * leaf_price(view) +
                   load_price(view, count);
    return price;
}

/* The samples of a request in a scope, in its metres. */
static struct sampling sampling_in_scope(const struct program *program,
                                         const struct node_grid *grid, struct sampling sampling)
{
    const double spacing = sampling.spacing;
    sampling.step /= grid->scale;
    sampling.spacing /= grid->scale;
    if (sampling.in_plane)
        return sampling;
    sampling.extent = spread_metres(program, grid, sampling.extent, spacing) / grid->scale;
    sampling.line = spread_metres(program, grid, sampling.line, spacing) / grid->scale;
    sampling.cluster = spread_metres(program, grid, sampling.cluster, spacing) / grid->scale;
    sampling.all_extent = spread_metres(program, grid, sampling.all_extent, spacing) / grid->scale;
    return sampling;
}

static struct displaced_grid displaced_grid(const struct program *program,
                                            const struct node_grid *grid, struct sampling sampling)
{
    const double across = sampling.across > 0.0 ? sampling.across : TILE_ACROSS;
    const double length = across * sampling.step;
    struct displaced_grid displaced = {.distances = 0};
    for (double metres = sampling.step; metres <= length && displaced.distances < SPREAD_DISTANCES;
         metres *= SPREAD_FACTOR)
        spread_ratios_at(program, grid, metres, sampling.spacing,
                         displaced.near[displaced.distances++]);
    displaced.side = spread_metres(program, grid, length, sampling.spacing) / grid->scale;
    return displaced;
}

/* To make what samples need in a scope. */
static struct sampling_price making_price(const struct program *program,
                                          const struct node_grid *grid,
                                          const struct field_prices *prices,
                                          struct sampling sampling)
{
    const uint32_t spacing_log2 = program->drainage.spacing_log2;
    struct displaced_grid displaced;
    struct network_view view = {
        .sampling = sampling_in_scope(program, grid, sampling),
        .spacing_log2 = spacing_log2,
        .level = drainage_level(spacing_log2, sampling.spacing / grid->scale),
        .around = sampling.step > 0.0 ? CELLS_AROUND : PLACE_CELLS_AROUND,
        .fields = prices->fields,
        .lakes = prices->lakes,
        .deltas = (double)program->drainage.deltas,
    };
    if (sampling.step <= 0.0)
        return list_price(&view);
    if (grid->dx >= 0 && !sampling.in_plane) {
        displaced = displaced_grid(program, grid, sampling);
        view.displaced = &displaced;
    }
    return grid_price(&view);
}

/* How many segments the finest streams have that samples of a grid in a scope see. */
static double finest_segments(const struct program *program, uint32_t view,
                              const struct sampling *sampling)
{
    const uint32_t spacing_log2 = program->drainage.spacing_log2;
    const double metres = sampling->spacing / program->node_grids[view].scale;
    const unsigned level = drainage_level(spacing_log2, metres);
    return (double)drainage_segments_in_view(spacing_log2, metres, level);
}

/* Scopes of a call that were priced, the last of them; more are rare. */
enum { SCOPES_MAX = 16 };
struct priced_scopes {
    const struct node_grid *grids[SCOPES_MAX];
    unsigned count;
};

/* The share of a scope's nodes that no scope before it needs: all if the places that samples are
 * seen at lie apart by as much as the region that they need. */
static double own_share(const struct program *program, const struct priced_scopes *before,
                        const struct node_grid *grid, struct sampling sampling)
{
    const uint32_t spacing_log2 = program->drainage.spacing_log2;
    const unsigned level = drainage_level(spacing_log2, sampling.spacing / grid->scale);
    const double width = (double)((uint32_t)1 << (spacing_log2 - level)) * grid->scale;
    const double across = sampling.across > 0.0 ? sampling.across : TILE_ACROSS;
    const double extent = sampling.step > 0.0 ? across * sampling.step : sampling.extent;
    double apart = 1.0; /* in that of the region */
    for (unsigned i = 0; i < before->count && i < SCOPES_MAX; i++)
        if (before->grids[i]->scale == grid->scale)
            apart = double_min(apart, spread_between(before->grids[i], grid) /
                                          (extent + CELLS_AROUND * width));
    return 1.0 - square(1.0 - apart);
}

/* To find the cells of samples in a scope, and to compute them from what is near. */
static double sample_price(const struct program *program, uint32_t view, struct sampling sampling)
{
    return sampling.step > 0.0 ? SAMPLE + finest_segments(program, view, &sampling) * SAMPLE_SEGMENT
                               : PLACE;
}

struct sampling_price price_drainage(const struct program *program, const uint16_t *list,
                                     uint32_t count, const struct field_prices *prices,
                                     struct sampling sampling)
{
    struct sampling_price price = {0.0, 0.0, 0.0};
    bool seen[PROGRAM_OPERATIONS_MAX], more[PROGRAM_OPERATIONS_MAX]; /* by scope */
    struct priced_scopes before = {.count = 0};
    memset(seen, 0, program->node_grid_count * sizeof *seen);
    memset(more, 0, program->node_grid_count * sizeof *more);
    for (uint32_t k = count; k-- > 0;) {
        const struct operation *operation = &program->operations[list[k]];
        const uint32_t view = operation->table_index;
        const struct node_grid *grid = &program->node_grids[view];
        if (operation->code != OP_DRAINAGE)
            continue;
        if (!more[view] && operation->k[0] != (float)DRAINAGE_HEIGHT) {
            more[view] = true;
            price.sample += MORE_OUTPUTS;
        }
        if (seen[view])
            continue;
        seen[view] = true;
        const double share = own_share(program, &before, grid, sampling);
        const struct sampling_price making = making_price(program, grid, prices, sampling);
        before.grids[before.count++ % SCOPES_MAX] = grid;
        price.call += share * making.call;
        price.sample += sample_price(program, view, sampling) + share * making.sample;
        price.place += share * making.place;
    }
    return price;
}
