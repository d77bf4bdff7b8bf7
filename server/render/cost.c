/* The cost model: weights in octaves for what a response needs besides noise. Admission, the limits
 * of the queue and the token buckets of clients all count in this unit, so that one number bounds
 * them all. A cost saturates at 2⁶², so that the sum of two cannot overflow. */
#include "server/render/cost.h"

#include "core/base/place.h"
#include "core/terrain/surface.h"
#include "core/tile/features.h"
#include "core/world/inspect.h"
#include "server/render/tile_task.h"

enum {
    COMPILE_BASE = 10000,
    COMPILE_STEP = 44, /* 22 ns */
    COMPILE_PAINTER = 2400,
};

static uint64_t product(double samples, double each)
{
    const double cost = samples * each;
    return cost < 0x1p62 ? (uint64_t)cost : (uint64_t)1 << 62;
}

static double samples_of(const struct tile_order *order)
{
    return (double)order->size * order->size;
}

static double spacing_of(const struct tile_order *order)
{
    return tile_spacing(order->address.zoom) * 256.0 / order->size;
}

/* The cells of each kind of object whose candidates are tested. A kind with too many cells in a
 * tile is left out of the tile, and costs nothing. */
static double objects_work(const struct tile_order *order)
{
    double work = 0;
    for (unsigned i = 0; i < world_object_count(order->world); i++) {
        const double side =
            (double)tile_span(order->address.zoom) / (double)world_object(order->world, i)->spacing;
        const unsigned layer = world_density_layer(order->world, i);
        if (side * side <= VECTOR_OBJECTS_CELLS)
            work += (side + 2) * (side + 2) * inspect_work(order->world, &layer, 1, 0);
    }
    return work * COST_POINT;
}

uint64_t tile_cost_features(const struct tile_order *order)
{
    const int water = surface_water_layer(order->world);
    const unsigned layers[2] = {world_height_layer(order->world), water < 0 ? 0 : (unsigned)water};
    const double side = order->size * (1.0 + 2.0 * VECTOR_TILE_BUFFER / FEATURES_EXTENT) + 2.0;
    const unsigned work = inspect_work(order->world, layers, water < 0 ? 1 : 2, spacing_of(order));
    return product(side * side, work + (double)COST_FEATURE) + product(1, objects_work(order));
}

uint64_t tile_cost_painted(const struct tile_order *order)
{
    return product(samples_of(order),
                   painter_work(order->painter, spacing_of(order)) + COST_SAMPLE);
}

static uint64_t cost_of_layer(const struct tile_order *order, unsigned each)
{
    const unsigned layer = painter_layer(order->painter);
    return product(samples_of(order),
                   inspect_work(order->world, &layer, 1, spacing_of(order)) + each);
}

uint64_t tile_cost_samples(const struct tile_order *order)
{
    return cost_of_layer(order, COST_SAMPLE);
}

uint64_t tile_cost_text(const struct tile_order *order)
{
    return cost_of_layer(order, COST_TEXT);
}

uint64_t cost_tile(const struct tile_order *order)
{
    return order->format->cost(order);
}

uint64_t cost_chunks(const struct chunk_order *order, size_t count)
{
    const double samples = (double)chunk_samples(order) * (double)count;
    const double each = (double)inspect_work(order->world, order->layers, order->layer_count,
                                             place_metres(order->step)) /
                        (order->layer_count ? order->layer_count : 1);
    return product(samples, each + (order->format->text ? COST_TEXT : COST_SAMPLE));
}

uint64_t cost_grid(const struct cost_layers *layers, uint64_t samples)
{
    const unsigned work =
        inspect_work(layers->world, layers->layers, layers->count, layers->spacing);
    return product((double)samples, work + (double)layers->count * COST_SAMPLE);
}

uint64_t cost_points(const struct cost_layers *layers, uint64_t points)
{
    const unsigned work =
        inspect_work(layers->world, layers->layers, layers->count, layers->spacing);
    return product((double)points, (double)work * COST_POINT + (double)layers->count * COST_TEXT);
}

uint64_t cost_places(const struct world *world, uint64_t places, double spacing)
{
    unsigned layers[WORLD_LAYERS_MAX + 1];
    const unsigned count = world_layer_count(world);
    for (unsigned i = 0; i < count; i++)
        layers[i] = i;
    const struct cost_layers all = {world, layers, count, spacing};
    return cost_points(&all, places);
}

uint64_t cost_compile(const struct catalog_world *world)
{
    return COMPILE_BASE + world_work(world->world) * COMPILE_STEP +
           world->painter_count * COMPILE_PAINTER;
}

uint64_t cost_lazy_world(const struct catalog_world *world)
{
    return world->lazy_base ? cost_compile(world) : 0;
}
