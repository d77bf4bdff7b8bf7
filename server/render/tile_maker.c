#include "server/render/tile_maker.h"

#include <float.h>
#include <stdlib.h>

#include "core/encode/mvt.h"
#include "core/encode/png.h"
#include "core/encode/samples.h"
#include "core/encode/terminal.h"
#include "core/encode/webp.h"
#include "core/terrain/surface.h"
#include "core/tile/vector_objects.h"
#include "core/tile/vector_tile.h"
#include "server/base/clock.h"

struct tile_maker {
    struct canvas *canvas;
    struct png_encoder *encoder;
    struct vector_tile_maker *tiler;
    struct coder *coder;
    struct vector_objects objects;
    struct features features;
    float *samples;
    size_t capacity;     /* of samples */
    struct buffer plain; /* what is to be compressed */
    struct tile_times times;
    int64_t painted; /* when the last one was sampled and painted */
};

struct tile_maker *tile_maker_new(void)
{
    struct tile_maker *maker = calloc(1, sizeof *maker);
    if (!maker)
        return NULL;
    maker->canvas = canvas_new();
    maker->encoder = png_encoder_new();
    maker->tiler = vector_tile_maker_new();
    maker->coder = coder_new();
    if (maker->canvas && maker->encoder && maker->tiler && maker->coder)
        return maker;
    tile_maker_free(maker);
    return NULL;
}

void tile_maker_free(struct tile_maker *maker)
{
    if (!maker)
        return;
    canvas_free(maker->canvas);
    if (maker->encoder)
        png_encoder_free(maker->encoder);
    vector_tile_maker_free(maker->tiler);
    coder_free(maker->coder);
    vector_objects_free(&maker->objects);
    features_free(&maker->features);
    free(maker->samples);
    buffer_free(&maker->plain);
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

struct tile_times tile_maker_times(const struct tile_maker *maker)
{
    return maker->times;
}

/* One tile on its way. */
struct task {
    struct tile_maker *maker;
    const struct tile_order *order;
    enum tile_effort effort;
    struct sample_grid grid;
    struct buffer *out;
    struct error *error;
};

static bool paint(const struct task *task, struct image *image)
{
    bool done =
        painter_paint(task->order->painter, task->maker->canvas, &task->grid, image, task->error);
    task->maker->painted = clock_microseconds();
    return done;
}

/* The samples of the layer that the style shows, in the maker's memory. */
static bool sample(const struct task *task)
{
    struct tile_maker *maker = task->maker;
    const size_t count = (size_t)task->grid.columns * task->grid.rows;
    const unsigned layer = painter_layer(task->order->painter);
    if (count > maker->capacity) {
        free(maker->samples);
        maker->samples = malloc(count * sizeof *maker->samples);
        maker->capacity = maker->samples ? count : 0;
    }
    if (!maker->samples)
        return error_memory(task->error);
    const struct sample_request request = {&layer, &maker->samples, 1};
    bool done = sampler_grid(canvas_sampler(maker->canvas), task->order->world, &task->grid,
                             &request, task->error);
    maker->painted = clock_microseconds();
    return done;
}

static bool make_png(const struct task *task)
{
    const enum png_effort effort = task->effort == TILE_SERVE ? PNG_SERVE : PNG_EXPORT;
    struct image image;
    return paint(task, &image) &&
           png_encode(task->maker->encoder, &image, effort, task->out, task->error);
}

static bool make_webp(const struct task *task)
{
    const enum webp_effort effort = task->effort == TILE_SERVE ? WEBP_SERVE : WEBP_EXPORT;
    struct image image;
    return paint(task, &image) && webp_encode(&image, effort, task->out, task->error);
}

static bool written(const struct task *task)
{
    return !task->out->failed || error_memory(task->error);
}

static bool make_raw(const struct task *task)
{
    const size_t count = (size_t)task->grid.columns * task->grid.rows;
    if (!sample(task))
        return false;
    if (task->order->format->id == FORMAT_R32F)
        samples_write_r32f(task->maker->samples, count, task->out);
    else
        samples_write_r16(task->maker->samples, count, task->out);
    return written(task);
}

static bool make_json(const struct task *task)
{
    const unsigned index = painter_layer(task->order->painter);
    const struct world_layer *layer = world_layer(task->order->world, index);
    if (!sample(task))
        return false;
    const struct sample_raster grid = {
        .layer = layer->name,
        .unit = layer->unit,
        .samples = task->maker->samples,
        .columns = task->grid.columns,
        .rows = task->grid.rows,
        .step = task->grid.step,
        .origin = {task->grid.x, task->grid.y},
    };
    samples_write_json(&grid, task->out);
    return written(task);
}

/* Where nobody says how far apart contours are, every tile exists: ground too steep for the zoom's
 * interval has fewer of them. */
static bool add_contours(const struct task *task)
{
    const struct tile_order *order = task->order;
    struct tile_maker *maker = task->maker;
    struct vector_request request = {
        .world = order->world,
        .sampler = canvas_sampler(maker->canvas),
        .grid = task->grid,
        .interval = tile_order_interval(order),
    };
    for (;; request.interval *= 10.0) {
        features_begin(&maker->features, FEATURES_EXTENT);
        if (vector_tile_add(maker->tiler, &request, &maker->features, task->error))
            return true;
        if (order->interval > 0.0 || task->error->code != ERROR_LIMIT ||
            request.interval > (double)FLT_MAX)
            return false;
    }
}

static bool make_mvt(const struct task *task)
{
    const struct tile_order *order = task->order;
    struct tile_maker *maker = task->maker;
    if (!add_contours(task) ||
        !vector_objects_add(&maker->objects, canvas_sampler(maker->canvas), order->world,
                            &order->address, &maker->features, task->error))
        return false;
    maker->painted = clock_microseconds();
    return mvt_encode(&maker->features, task->out, task->error);
}

static bool make_txt(const struct task *task)
{
    const struct tile_order *order = task->order;
    if (!sample(task))
        return false;
    const struct terminal_heights heights = {
        .heights = task->maker->samples,
        .columns = task->grid.columns,
        .rows = task->grid.rows,
        .spacing = (float)place_metres(task->grid.step),
        .sea = painter_layer(order->painter) == world_height_layer(order->world),
    };
    return terminal_write_heights(&heights, order->columns, task->out, task->error);
}

static bool make_ansi(const struct task *task)
{
    struct image image;
    return paint(task, &image) &&
           terminal_write_picture(&image, task->order->columns, task->out, task->error);
}

/* By the formats' numbers. */
static bool (*const makers[])(const struct task *task) = {
    [FORMAT_PNG] = make_png, [FORMAT_WEBP] = make_webp, [FORMAT_R32F] = make_raw,
    [FORMAT_R16] = make_raw, [FORMAT_JSON] = make_json, [FORMAT_MVT] = make_mvt,
    [FORMAT_TXT] = make_txt, [FORMAT_ANSI] = make_ansi,
};

bool tile_order_uses_time(const struct tile_order *order)
{
    const struct world *world = order->world;
    if (painter_uses_time(order->painter) ||
        world_layer_uses_time(world, painter_layer(order->painter)))
        return true;
    if (order->format->id != FORMAT_MVT)
        return false;
    const int water = surface_water_layer(world);
    return world_layer_uses_time(world, world_height_layer(world)) ||
           (water >= 0 && world_layer_uses_time(world, (unsigned)water));
}

double tile_order_interval(const struct tile_order *order)
{
    return order->interval > 0.0 ? order->interval
                                 : vector_tile_default_interval(order->address.zoom);
}

static bool compress(const struct task *task, struct buffer *out)
{
    const struct coding_order order = {task->order->coding,
                                       task->effort == TILE_SERVE ? CODING_SERVE : CODING_EXPORT};
    return coder_append(task->maker->coder, order, task->out, out, task->error);
}

bool tile_make(struct tile_maker *maker, const struct tile_order *order, enum tile_effort effort,
               struct buffer *out, struct error *error)
{
    struct task task = {.maker = maker, .order = order, .effort = effort, .error = error};
    const bool coded = order->coding != CODING_IDENTITY;
    const int64_t start = clock_microseconds();
    buffer_clear(&maker->plain);
    task.out = coded ? &maker->plain : out;
    tile_grid(&order->address, order->size, 0, &task.grid);
    task.grid.t = order->t;
    if (!makers[order->format->id](&task) || (coded && !compress(&task, out)))
        return false;
    maker->times.render = (uint32_t)(maker->painted - start);
    maker->times.encode = (uint32_t)(clock_microseconds() - maker->painted);
    return true;
}
