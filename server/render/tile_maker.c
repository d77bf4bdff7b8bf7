/* Making tiles: the order's row of format.c names the encoder, which samples, paints and encodes
 * (tile_encoders.c); here its output is compressed, and the time is split into rendering and
 * encoding. All memory belongs to the maker, one for each thread, and is reused from tile to tile.
 */
#include "server/render/tile_maker.h"

#include <stdlib.h>
#include <string.h>

#include "core/terrain/contour.h"
#include "core/terrain/surface.h"
#include "server/base/clock.h"
#include "server/render/tile_task.h"

struct tile_maker *tile_maker_new(void)
{
    struct tile_maker *maker = calloc(1, sizeof *maker);
    if (!maker)
        return NULL;
    maker->canvas = canvas_new();
    maker->png = png_encoder_new();
    maker->tiler = vector_tile_maker_new();
    maker->coder = coder_new();
    if (maker->canvas && maker->png && maker->tiler && maker->coder)
        return maker;
    tile_maker_free(maker);
    return NULL;
}

void tile_maker_free(struct tile_maker *maker)
{
    if (!maker)
        return;
    canvas_free(maker->canvas);
    png_encoder_free(maker->png);
    vector_tile_maker_free(maker->tiler);
    coder_free(maker->coder);
    vector_objects_free(&maker->objects);
    vector_rivers_free(&maker->rivers);
    vector_labels_free(&maker->labels);
    features_free(&maker->features);
    free(maker->samples);
    buffer_free(&maker->plain);
    buffer_free(&maker->pixels);
    free(maker);
}

struct canvas *tile_maker_canvas(struct tile_maker *maker)
{
    return maker->canvas;
}

struct coder *tile_maker_coder(struct tile_maker *maker)
{
    return maker->coder;
}

void tile_maker_set_threads(struct tile_maker *maker, const struct tile_threads *threads)
{
    maker->threads = *threads;
}

struct tile_times tile_maker_times(const struct tile_maker *maker)
{
    return maker->times;
}

bool tile_effort_find(const char *name, enum tile_effort *effort)
{
    static const char *const names[] = {[TILE_FAST] = "fast", [TILE_SMALL] = "small"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) {
            *effort = (enum tile_effort)i;
            return true;
        }
    return false;
}

/* Vector tiles show the height and the water of the world, whatever layer the style shows. */
bool tile_order_uses_time(const struct tile_order *order)
{
    const struct world *world = order->world;
    if (painter_uses_time(order->painter) ||
        world_layer_uses_time(world, painter_layer(order->painter)))
        return true;
    if (!order->format->interval)
        return false;
    const int water = surface_water_layer(world);
    return world_layer_uses_time(world, world_height_layer(world)) ||
           (water >= 0 && world_layer_uses_time(world, (unsigned)water));
}

unsigned tile_order_mesh_layers(const struct tile_order *order, unsigned layers[2], bool *covers)
{
    int water;
    *covers = painter_covers_water(order->painter, &water);
    layers[0] = painter_layer(order->painter);
    layers[1] = water < 0 ? layers[0] : (unsigned)water;
    return *covers && water >= 0 ? 2 : 1;
}

double tile_order_interval(const struct tile_order *order)
{
    return order->interval > 0.0 ? order->interval : contour_interval_of_zoom(order->address.zoom);
}

static bool compress(const struct tile_task *task, struct buffer *out)
{
    const struct coding_order order = {task->order->coding,
                                       task->effort == TILE_FAST ? CODING_SERVE : CODING_EXPORT};
    return coder_append(task->maker->coder, order, task->out, out, task->error);
}

/* With a content coding the encoder writes into the maker's own buffer, and the coder from there
 * into `out`. */
bool tile_make(struct tile_maker *maker, const struct tile_order *order, enum tile_effort effort,
               struct buffer *out, struct error *error)
{
    struct tile_task task = {.maker = maker, .order = order, .effort = effort, .error = error};
    const bool coded = order->coding != CODING_IDENTITY;
    const int64_t start = clock_microseconds();
    buffer_clear(&maker->plain);
    task.out = coded ? &maker->plain : out;
    tile_grid(&order->address, order->size, 0, &task.grid);
    task.grid.t = order->t;
    if (!order->format->encode(&task) || (coded && !compress(&task, out)))
        return false;
    maker->times.render = (uint32_t)(maker->painted - start);
    maker->times.encode = (uint32_t)(clock_microseconds() - maker->painted);
    return true;
}
