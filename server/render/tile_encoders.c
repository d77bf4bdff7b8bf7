/* The encoders of tiles, one for each row of format.c. Pictures are painted by the style's painter,
 * numbers are the samples of the one layer that the style shows, and vector tiles are contours,
 * water, rivers and objects of the world, whatever the style. The encodings themselves are in
 * core/encode.
 *
 * Where another thread is free, it samples and paints the lower half of a picture. */
#include "server/render/tile_task.h"

#include <float.h>
#include <stdlib.h>

#include "core/encode/geotiff.h"
#include "core/encode/mvt.h"
#include "core/encode/npy.h"
#include "core/encode/quantized_mesh.h"
#include "core/encode/samples.h"
#include "core/encode/terminal.h"
#include "core/encode/webp.h"
#include "server/base/clock.h"

/* Smaller pictures do not pay for waking another thread. */
enum { SHARED_SAMPLES_MIN = 1 << 14 };

struct half_picture {
    const struct painter *painter;
    struct picture_rows rows;
    struct error error;
    bool done;
};

static void paint_half(struct tile_maker *maker, void *half)
{
    struct half_picture *picture = half;
    picture->done =
        painter_paint_rows(picture->painter, maker->canvas, &picture->rows, &picture->error);
}

/* Paints both halves at once into the maker's own pixels. False if that is impossible. */
static bool paint_halves(const struct tile_task *task, struct image *image, bool *done)
{
    struct tile_maker *maker = task->maker;
    const struct painter *painter = task->order->painter;
    const uint32_t rows = task->grid.rows, middle = rows / 2;
    if (!maker->threads.run_halves || (size_t)task->grid.columns * rows < SHARED_SAMPLES_MIN)
        return false;
    painter_shape(painter, &task->grid, image);
    buffer_clear(&maker->pixels);
    image->pixels = buffer_reserve(&maker->pixels, image->stride * image->height);
    if (!image->pixels)
        return false;
    struct half_picture upper = {painter, {&task->grid, image, 0, middle}, {0}, false};
    struct half_picture lower = {painter, {&task->grid, image, middle, rows - middle}, {0}, false};
    void *const halves[2] = {&upper, &lower};
    if (!maker->threads.run_halves(maker->threads.context, paint_half, halves))
        return false;
    *done = upper.done && lower.done;
    *task->error = upper.done ? lower.error : upper.error;
    return true;
}

static bool paint(const struct tile_task *task, struct image *image)
{
    bool done;
    if (!paint_halves(task, image, &done))
        done = painter_paint(task->order->painter, task->maker->canvas, &task->grid, image,
                             task->error);
    task->maker->painted = clock_microseconds();
    return done;
}

/* Samples a grid of one layer or two into maker->samples, one behind the other. */
static bool sample_layers(const struct tile_task *task, const struct sample_grid *grid,
                          const unsigned *layers, unsigned layer_count)
{
    struct tile_maker *maker = task->maker;
    const size_t plane = (size_t)grid->columns * grid->rows, count = plane * layer_count;
    if (count > maker->capacity) {
        free(maker->samples);
        maker->samples = malloc(count * sizeof *maker->samples);
        maker->capacity = maker->samples ? count : 0;
    }
    if (!maker->samples)
        return error_memory(task->error);
    float *const planes[2] = {maker->samples, maker->samples + (layer_count > 1 ? plane : 0)};
    const struct sample_request request = {layers, planes, layer_count};
    bool done = sampler_grid(canvas_sampler(maker->canvas), world_program(task->order->world), grid,
                             &request, task->error);
    maker->painted = clock_microseconds();
    return done;
}

/* Samples the layer that the style shows. */
static bool sample(const struct tile_task *task)
{
    const unsigned layer = painter_layer(task->order->painter);
    return sample_layers(task, &task->grid, &layer, 1);
}

bool tile_encode_png(const struct tile_task *task)
{
    const enum png_effort effort = task->effort == TILE_FAST ? PNG_SERVE : PNG_EXPORT;
    struct image image;
    return paint(task, &image) &&
           png_encode(task->maker->png, &image, effort, task->out, task->error);
}

bool tile_encode_webp(const struct tile_task *task)
{
    const enum webp_effort effort = task->effort == TILE_FAST ? WEBP_SERVE : WEBP_EXPORT;
    struct image image;
    return paint(task, &image) && webp_encode(&image, effort, task->out, task->error);
}

static bool written(const struct tile_task *task)
{
    return !task->out->failed || error_memory(task->error);
}

bool tile_encode_samples(const struct tile_task *task)
{
    const size_t count = (size_t)task->grid.columns * task->grid.rows;
    if (!sample(task))
        return false;
    task->order->format->write_samples(task->maker->samples, count, task->out);
    return written(task);
}

bool tile_encode_npy(const struct tile_task *task)
{
    npy_write_header((const uint64_t[]){task->grid.rows, task->grid.columns}, 2, task->out);
    return tile_encode_samples(task);
}

/* The samples as a raster in the world. */
static struct sample_raster raster(const struct tile_task *task, const struct sample_grid *grid)
{
    const unsigned index = painter_layer(task->order->painter);
    const struct world_layer *layer = world_layer(task->order->world, index);
    return (struct sample_raster){
        .layer = layer->name,
        .unit = layer->unit,
        .samples = task->maker->samples,
        .columns = grid->columns,
        .rows = grid->rows,
        .step = grid->step,
        .origin = {grid->x, grid->y},
    };
}

bool tile_encode_json(const struct tile_task *task)
{
    if (!sample(task))
        return false;
    const struct sample_raster grid = raster(task, &task->grid);
    samples_write_json(&grid, task->out);
    return written(task);
}

/* Raises the ground to the water over it: to 0 m without a layer of its surface. */
static void cover_with_water(float *ground, const float *water, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const float surface = water ? water[i] : 0.0f;
        ground[i] = ground[i] > surface ? ground[i] : surface;
    }
}

bool tile_encode_terrain(const struct tile_task *task)
{
    const struct tile_order *order = task->order;
    struct sample_grid grid;
    unsigned layers[2];
    bool covers;
    const unsigned count = tile_order_mesh_layers(order, layers, &covers);
    tile_vertex_grid(&order->address, order->size, TILE_MESH_RING, &grid);
    grid.t = order->t;
    if (!sample_layers(task, &grid, layers, count))
        return false;
    const size_t plane = (size_t)grid.columns * grid.rows;
    float *samples = task->maker->samples;
    if (covers)
        cover_with_water(samples, count > 1 ? samples + plane : NULL, plane);
    const struct sample_raster ground = raster(task, &grid);
    return quantized_mesh_write(&ground, order->normals, task->out, task->error);
}

/* In the system of maps that are made of tiles. */
bool tile_encode_tif(const struct tile_task *task)
{
    if (!sample(task))
        return false;
    const struct sample_raster grid = raster(task, &task->grid);
    return geotiff_write(&grid, 1, GEOTIFF_WEB_MERCATOR, task->out, task->error);
}

/* Without an interval in the order no tile fails: where the ground is so steep that the zoom's own
 * interval makes too many contours, the interval grows by tens until they fit. */
static bool add_contours(const struct tile_task *task)
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

/* Contours and water, then rivers, objects and labels. The time of encoding counts from here, as
 * tracing contours is rendering. */
bool tile_encode_mvt(const struct tile_task *task)
{
    const struct tile_order *order = task->order;
    struct tile_maker *maker = task->maker;
    const struct vector_source source = {canvas_sampler(maker->canvas), order->world,
                                         order->address, task->grid.t};
    if (!add_contours(task) ||
        !vector_rivers_add(&maker->rivers, &source, &maker->features, task->error) ||
        !vector_objects_add(&maker->objects, &source, &maker->features, task->error) ||
        (order->labels && !vector_labels_add(&maker->labels, &source, &maker->rivers,
                                             &maker->features, task->error)))
        return false;
    maker->painted = clock_microseconds();
    return mvt_encode(&maker->features, task->out, task->error);
}

/* Heights as characters; the sea is drawn where the layer is the world's height. */
bool tile_encode_txt(const struct tile_task *task)
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

bool tile_encode_ansi(const struct tile_task *task)
{
    struct image image;
    return paint(task, &image) &&
           terminal_write_picture(&image, task->order->columns, task->out, task->error);
}
