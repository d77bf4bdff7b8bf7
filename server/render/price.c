/* Prices are made of the nanoseconds of sampling, and of each format's encoder and coding for a
 * sample. A price saturates at 2⁶², so that the sum of two cannot overflow. */
#include "server/render/price_private.h"

#include <math.h>

#include "core/base/extremes.h"
#include "core/base/place.h"
#include "core/price/layers.h"
#include "core/price/spread.h"
#include "core/terrain/contour.h"
#include "core/terrain/surface.h"
#include "core/terrain/trace.h"
#include "core/tile/features.h"
#include "server/render/tile_task.h"

enum {
    CLUSTER_LEAST = 32, /* places near each other that are priced as such */
};

#define WARP_SAMPLES 12.0  /* to find the place of a vertex on the map */
#define TRACE_SEEN 64.0    /* the level of detail that a way is followed at, metres, */
#define TRACE_PLACES 40e3  /* at so many places, if it is the longest, */
#define TRACE_BATCH 256.0  /* so many at once, */
#define TRACE_FINDS 12.0   /* and how often in full detail */
#define RIVERS_MARGIN 7.0  /* cells that streams reach into a rectangle from, on both sides */
#define RIVERS_NODE 0.6    /* of the price of a node: here all nodes of a region are made at once */
#define RIVERS_TAKEN 0.35  /* of the streams that are looked at: they come near the rectangle */
#define RIVERS_WHOLE 4.0   /* times as many vertices if rivers are not cut at the rectangle */
#define RIVERS_ALONE 5e6   /* nanoseconds of a rectangle besides, however small */
#define CONTOURS 6e6       /* nanoseconds of a tile's contours at the zoom's own interval, */
#define CONTOURS_MOST 75e6 /* and of as many as are allowed */
#define USUAL_LEAST 1e-18  /* numbers nearer to 0, */
#define USUAL_MOST 1e19    /* and farther from it, are written by the general way (number.c) */
#define DIGEST 1.0         /* of a chunk's samples */
#define SHARE 4.0          /* to turn a weight into one */
#define CHUNK 4000.0       /* nanoseconds of a chunk besides its samples */

uint64_t price_nanoseconds(double nanoseconds)
{
    return nanoseconds < 0x1p62 ? (uint64_t)nanoseconds : (uint64_t)1 << 62;
}

/* Columns that a sampler computes: whole vectors of them. */
static double padded(uint32_t columns)
{
    return ceil((double)columns / NOISE_LANES) * NOISE_LANES;
}

static double blocks_of(uint32_t columns)
{
    return ceil((double)columns / NOISE_ROW_MAX);
}

/* Nanoseconds of sampling a grid in some slices, which share what is made at their places. */
static double slices_time(struct sampling_price price, uint32_t columns, uint32_t rows,
                          uint32_t slices)
{
    const double slice = blocks_of(columns) * price.call + padded(columns) * rows * price.sample;
    return slices * slice + (double)columns * rows * price.place;
}

double price_grid_time(struct sampling_price price, uint32_t columns, uint32_t rows)
{
    return slices_time(price, columns, rows, 1);
}

static double spacing_of(const struct tile_order *order)
{
    return tile_spacing(order->address.zoom) * 256.0 / order->size;
}

static struct sampling_where where_of(const struct tile_order *order)
{
    struct sample_grid grid = {.spacing = 0.0};
    tile_grid(&order->address, order->size, 0, &grid);
    return sampling_where_grid(&grid);
}

static struct sampling sampling_of(const struct tile_order *order,
                                   const struct sampling_where *where)
{
    return (struct sampling){.step = spacing_of(order),
                             .spacing = spacing_of(order),
                             .across = order->size,
                             .where = where};
}

static double encode_time(const struct tile_order *order)
{
    return (double)order->size * order->size *
           (order->format->sample_time + order->format->coding_times[order->coding]);
}

/* The cells of each kind of object whose candidates are tested. A kind with too many cells in a
 * tile is left out of the tile, and costs nothing. */
static double objects_time(const struct tile_order *order)
{
    const int64_t span = tile_span(order->address.zoom);
    const struct sampling_where where = where_of(order);
    double time = 0;
    for (unsigned i = 0; i < world_object_count(order->world); i++) {
        const double side = (double)span / (double)world_object(order->world, i)->spacing;
        const unsigned layer = world_density_layer(order->world, i);
        const double metres = place_metres(span);
        const struct sampling places = {.extent = metres < SAMPLING_NEAR ? metres : 0.0,
                                        .all_extent = metres,
                                        .all_places = (side + 2) * (side + 2),
                                        .where = &where};
        if (side * side > VECTOR_OBJECTS_CELLS)
            continue;
        const struct sampling_price price =
            price_sampling(world_program(order->world), &layer, 1, places);
        time += places.all_places * (price.sample + price.place);
    }
    return time;
}

/* Nanoseconds to put vertices on the map: the warp is sampled some times for each. */
static double vertices_time(const struct world *world, double vertices)
{
    const unsigned layer = world_drainage_layer(world, DRAINAGE_FLOW);
    const struct sampling near = {.extent = SAMPLING_NEAR / 2, .places = NOISE_ROW_MAX};
    const struct sampling_price price = price_sampling(world_program(world), &layer, 1, near);
    return vertices * WARP_SAMPLES * price.sample;
}

/* The nodes are made as by a grid with a sample in every 4 × 4 cells of the finest level, which it
 * sees with some 10 samples in a cell: with 8 those of level 0 would be left out. */
double price_rivers_time(const struct price_rivers *rivers)
{
    const struct world *world = rivers->world;
    const unsigned layer = world_drainage_layer(world, DRAINAGE_FLOW);
    const double cell = (double)((uint32_t)1 << drainage_cell_log2(
                                     network_spacing_log2(world_program(world)), rivers->level));
    const double more = 2.0 * rivers_around(world, rivers->level, rivers->width, rivers->height);
    const double across =
        spread_network_metres(world_program(world), rivers->width + more) / cell + RIVERS_MARGIN;
    const double down =
        spread_network_metres(world_program(world), rivers->height + more) / cell + RIVERS_MARGIN;
    const double listed = (rivers->width / cell + 1.0) * (rivers->height / cell + 1.0);
    const struct sampling grid = {
        .step = 4.0 * cell, .spacing = cell / 10.0, .across = across / 4.0, .in_plane = true};
    const struct sampling_price price = price_sampling(world_program(world), &layer, 1, grid);
    return price.call + RIVERS_NODE * across * down * (price.sample + price.place) / 16.0 +
           vertices_time(world, (rivers->whole ? RIVERS_WHOLE : 1.0) * RIVERS_TAKEN * across *
                                    down * cell / rivers->apart) +
           listed * rivers->each;
}

/* Rivers of a vector tile. */
static double tile_rivers_time(const struct tile_order *order)
{
    const struct world *world = order->world;
    const int zoom = order->address.zoom;
    const double metres = place_metres(tile_span(zoom));
    const float min_flow = vector_rivers_min_flow(zoom);
    if (zoom < VECTOR_RIVERS_ZOOM || !rivers_exist(world, min_flow))
        return 0.0;
    return price_rivers_time(&(struct price_rivers){
        .world = world,
        .level = rivers_level(world, min_flow),
        .width = metres,
        .height = metres,
        .apart = VECTOR_RIVERS_APART * tile_spacing(zoom),
    });
}

/* Nanoseconds of heights that samples of a level of detail take, in a square of so many. */
double price_heights_time(const struct world *world, double step, uint32_t side)
{
    const unsigned layer = world_height_layer(world);
    const struct sampling grid = {.step = step, .spacing = step, .across = side};
    return price_grid_time(price_sampling(world_program(world), &layer, 1, grid), side, side);
}

/* Contours of a tile: the closer they are, the more. Rough ground has several times as many as land
 * of which the zoom's own interval makes a legible map. */
static double contours_time(const struct tile_order *order)
{
    const double usual = contour_interval_of_zoom(order->address.zoom);
    return double_min(CONTOURS * usual / tile_order_interval(order), CONTOURS_MOST);
}

uint64_t tile_price_features(const struct tile_order *order)
{
    const int water = surface_water_layer(order->world);
    const unsigned layers[2] = {world_height_layer(order->world), water < 0 ? 0 : (unsigned)water};
    const uint32_t side =
        order->size + 2 * (order->size * VECTOR_TILE_BUFFER / FEATURES_EXTENT + 1);
    const struct sampling_where where = where_of(order);
    const struct sampling_price price = price_sampling(
        world_program(order->world), layers, water < 0 ? 1 : 2, sampling_of(order, &where));
    return price_nanoseconds(price_grid_time(price, side, side) + objects_time(order) +
                             tile_rivers_time(order) + price_tile_labels_time(order) +
                             contours_time(order) + encode_time(order));
}

uint64_t tile_price_painted(const struct tile_order *order)
{
    const struct sampling_where where = where_of(order);
    const struct sampling_price price = painter_price(order->painter, spacing_of(order), &where);
    return price_nanoseconds(price_grid_time(price, order->size, order->size) + encode_time(order));
}

uint64_t tile_price_samples(const struct tile_order *order)
{
    const unsigned layer = painter_layer(order->painter);
    const struct sampling_where where = where_of(order);
    const struct sampling_price price =
        price_sampling(world_program(order->world), &layer, 1, sampling_of(order, &where));
    return price_nanoseconds(price_grid_time(price, order->size, order->size) + encode_time(order));
}

uint64_t tile_price_mesh(const struct tile_order *order)
{
    unsigned layers[2];
    bool covers;
    const unsigned count = tile_order_mesh_layers(order, layers, &covers);
    const uint32_t side = order->size + 1 + 2 * TILE_MESH_RING;
    const struct sampling_where where = where_of(order);
    const struct sampling_price price =
        price_sampling(world_program(order->world), layers, count, sampling_of(order, &where));
    return price_nanoseconds(price_grid_time(price, side, side) + encode_time(order));
}

uint64_t price_tile(const struct tile_order *order)
{
    return order->format->price(order);
}

/* Nanoseconds of sampling and painting the colours of a chunk. */
static double chunk_colours_time(const struct chunk_order *order,
                                 const struct sampling_where *where)
{
    if (!order->painter)
        return 0.0;
    const uint32_t side = chunk_side(order);
    return price_grid_time(painter_price(order->painter, place_metres(order->step), where), side,
                           side);
}

/* Nanoseconds a place that numbers far from 1 take longer to be written. */
static double extremes_time(const struct chunk_order *order)
{
    double time = 0.0;
    for (unsigned i = 0; i < order->layer_count; i++) {
        const double magnitude = layer_magnitude(world_program(order->world), order->layers[i]);
        if ((magnitude > 0.0 && magnitude < USUAL_LEAST) ||
            (magnitude > USUAL_MOST && isfinite(magnitude)))
            time += order->format->extreme_time;
    }
    return time;
}

/* Nanoseconds of all that is done with the samples of a chunk, and of its colours. */
static double chunk_encode_time(const struct chunk_order *order, enum coding coding,
                                const struct sampling_where *where)
{
    const struct chunk_format *format = order->format;
    const double encoded = format->sample_time + format->coding_times[coding];
    const double places = (double)chunk_samples(order) / order->layer_count;
    return CHUNK + chunk_colours_time(order, where) +
           places * (order->layer_count * DIGEST + order->material_count * SHARE +
                     chunk_encoded_layers(order) * encoded + extremes_time(order));
}

struct sampling_where chunk_where(const struct chunk_order *order, const struct chunk_area *area)
{
    const struct chunk_address from = chunk_origin(order, &area->first);
    const int64_t span = order->size * order->step, side = (chunk_side(order) - 1) * order->step;
    return (struct sampling_where){
        .low = {from.x, from.y},
        .high = {from.x + (area->columns - 1) * span + side,
                 from.y + (area->rows - 1) * span + side},
    };
}

struct chunk_price price_chunk(const struct chunk_order *order, enum coding coding,
                               struct chunk_spread spread)
{
    const double metres = place_metres(order->step), side = chunk_side(order);
    const struct sampling sampling = {.step = metres,
                                      .spacing = metres,
                                      .across = side,
                                      .all_extent = spread.extent,
                                      .all_places =
                                          side * side * chunk_slices(order) * (double)spread.pieces,
                                      .where = spread.where};
    return (struct chunk_price){
        .order = order,
        .sampling = price_sampling(world_program(order->world), order->layers, order->layer_count,
                                   sampling),
        .encode = chunk_encode_time(order, coding, spread.where),
    };
}

uint64_t price_chunks(const struct chunk_price *chunk, size_t count)
{
    const uint32_t side = chunk_side(chunk->order) + 2 * chunk->order->format->ring;
    const double sampled = slices_time(chunk->sampling, side, side, chunk_slices(chunk->order));
    return price_nanoseconds((double)count * (sampled + chunk->encode));
}

uint64_t price_chunk_area(const struct chunk_price *chunk, const struct chunk_area *area,
                          size_t count)
{
    const uint32_t side = chunk_side(chunk->order) + 2 * chunk->order->format->ring;
    const uint32_t columns = side + (area->columns - 1) * chunk->order->size;
    const uint32_t rows = side + (area->rows - 1) * chunk->order->size;
    return price_nanoseconds(price_grid_time(chunk->sampling, columns, rows) +
                             (double)count * chunk->encode);
}

uint64_t price_grid(const struct price_layers *layers, uint32_t columns, uint32_t rows, double each)
{
    struct sampling sampling = layers->sampling;
    sampling.across = sqrt((double)columns * rows);
    const struct sampling_price price =
        price_sampling(world_program(layers->world), layers->layers, layers->count, sampling);
    return price_nanoseconds(price_grid_time(price, columns, rows) +
                             (double)columns * rows * layers->count * each);
}

/* So many points, of `each` nanoseconds besides. */
static uint64_t points_price(struct sampling_price price, double points, double lists, double each)
{
    return price_nanoseconds(lists * price.call +
                             double_max(points, lists * NOISE_LANES) * price.sample +
                             points * (price.place + each));
}

uint64_t price_points(const struct price_layers *layers, double points, double lists, double each)
{
    const struct sampling_price price = price_sampling(world_program(layers->world), layers->layers,
                                                       layers->count, layers->sampling);
    return points_price(price, points, lists, layers->count * each);
}

/* A box of places. */
struct place_box {
    struct place low, high;
};

static struct place_box box_with(struct place_box box, struct place place)
{
    box.low.x = place.x < box.low.x ? place.x : box.low.x;
    box.low.y = place.y < box.low.y ? place.y : box.low.y;
    box.high.x = place.x > box.high.x ? place.x : box.high.x;
    box.high.y = place.y > box.high.y ? place.y : box.high.y;
    return box;
}

/* Metres across. */
static double extent_of(struct place_box box)
{
    return double_max(place_metres(box.high.x - box.low.x), place_metres(box.high.y - box.low.y));
}

static double extent_of_all(const struct place *places, size_t count)
{
    struct place_box box = {places[0], places[0]};
    for (size_t i = 1; i < count; i++)
        box = box_with(box, places[i]);
    return extent_of(box);
}

/* The first places of a list that are near each other, as many as are sampled at once. */
static size_t near_places(const struct place *places, size_t count, double *extent)
{
    struct place_box box = {places[0], places[0]};
    size_t near = 1;
    *extent = 0.0;
    for (; near < count && near < NOISE_ROW_MAX; near++) {
        const struct place_box larger = box_with(box, places[near]);
        if (extent_of(larger) >= SAMPLING_NEAR)
            break;
        box = larger;
    }
    *extent = extent_of(box);
    return near;
}

uint64_t price_place_list(const struct price_layers *layers, const struct place *places,
                          size_t count, double each)
{
    const struct sampling_where where = {.places = places, .count = count};
    struct price_layers near = *layers, anywhere = *layers;
    double near_count = 0.0, clusters = 0.0, extents = 0.0, extent;
    for (size_t first = 0, some; first < count; first += some) {
        some = near_places(places + first, count - first, &extent);
        if (some < CLUSTER_LEAST && some < count)
            continue;
        near_count += (double)some;
        extents += (double)some * double_max(extent, 1.0);
        clusters++;
    }
    near.sampling.where = anywhere.sampling.where = &where;
    near.sampling.all_extent = anywhere.sampling.all_extent = extent_of_all(places, count);
    near.sampling.all_places = anywhere.sampling.all_places = (double)count;
    near.sampling.extent = near_count > 0.0 ? extents / near_count : 1.0;
    near.sampling.places = near_count / double_max(clusters, 1.0);
    return price_points(&near, near_count, 1.0, each) +
           price_points(&anywhere, (double)count - near_count, 0.0, each);
}

uint64_t price_places(const struct world *world, double places, double each)
{
    const unsigned count = world_layer_count(world) + world_material_count(world);
    return points_price(world_place_price(world), places, places, count * each);
}

uint64_t price_trace(const struct world *world)
{
    const unsigned layer = world_drainage_layer(world, DRAINAGE_FLOW);
    const struct sampling along = {.spacing = TRACE_SEEN,
                                   .places = TRACE_BATCH,
                                   .line = TRACE_SEEN,
                                   .all_extent = TRACE_PLACES * TRACE_SEEN,
                                   .all_places = TRACE_PLACES,
                                   .in_plane = true};
    const struct sampling_price price = price_sampling(world_program(world), &layer, 1, along);
    const struct sampling_price found =
        price_sampling(world_program(world), &layer, 1, (struct sampling){0});
    return price_nanoseconds(TRACE_PLACES * (price.sample + price.place) +
                             TRACE_FINDS * (found.sample + found.place) +
                             vertices_time(world, TRACE_PIECES_MAX));
}

uint64_t price_rivers(const struct price_rivers *rivers)
{
    return price_nanoseconds(RIVERS_ALONE + price_rivers_time(rivers));
}
