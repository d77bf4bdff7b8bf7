/* The encoders of chunks and volumes, one for each row of chunk_format.c. The encodings themselves
 * are in core/encode; what is added here is the order of layers, the place of the grid in the
 * world, and for JSON the members of the object. */
#include "server/render/chunk_task.h"

#include "core/base/json_writer.h"
#include "core/encode/ascii_grid.h"
#include "core/encode/geotiff.h"
#include "core/encode/glb.h"
#include "core/encode/npy.h"
#include "core/encode/predict.h"
#include "core/encode/samples.h"

_Static_assert((int)CHUNK_SKIRT_MAX == (int)GLB_SKIRT_MAX, "a mesh may have all skirts");

/* Buffers remember a failed allocation; it is reported once, at the end. */
static bool written(const struct chunk_task *task)
{
    return !task->out->failed || error_memory(task->error);
}

/* The first layer as a raster in the world, for encoders that write coordinates. */
static struct sample_raster raster(const struct chunk_task *task)
{
    const struct world_layer *layer = world_layer(task->order->world, task->order->layers[0]);
    return (struct sample_raster){
        .layer = layer->name,
        .unit = layer->unit,
        .samples = task->samples,
        .columns = chunk_side(task->order),
        .rows = chunk_side(task->order),
        .step = task->order->step,
        .origin = {task->origin.x, task->origin.y},
    };
}

bool chunk_encode_r32f(const struct chunk_task *task)
{
    samples_write_r32f(task->samples, (size_t)chunk_samples(task->order), task->out);
    return written(task);
}

/* Rows and columns; in front of them the slices of a volume, or the layers if there are several. */
bool chunk_encode_npy(const struct chunk_task *task)
{
    const struct chunk_order *order = task->order;
    const uint64_t side = chunk_side(order), area = side * side;
    const bool flat = order->shape == CHUNK_FLAT && order->layer_count == 1;
    const uint64_t shape[] = {chunk_samples(order) / area, side, side};
    npy_write_header(shape + flat, 3 - flat, task->out);
    return chunk_encode_r32f(task);
}

bool chunk_encode_r16(const struct chunk_task *task)
{
    samples_write_r16(task->samples, (size_t)chunk_samples(task->order), task->out);
    return written(task);
}

/* Each layer's declared range scaled to 0 … 255. The header X-Terrane-Encoding tells the scale. */
bool chunk_encode_r8(const struct chunk_task *task)
{
    const struct chunk_order *order = task->order;
    const size_t part = (size_t)chunk_samples(order) / order->layer_count;
    for (unsigned i = 0; i < order->layer_count; i++) {
        const struct world_layer *layer = world_layer(order->world, order->layers[i]);
        samples_write_r8_range(task->samples + i * part, part, layer->range_low, layer->range_high,
                               task->out);
    }
    return written(task);
}

/* Each layer as 16-bit numbers, each number replaced by its difference from a prediction of its
 * neighbours, all compressed by gzip: differences are small and repeat, so that they compress well.
 */
bool chunk_encode_r16z(const struct chunk_task *task)
{
    const struct coding_order order = {CODING_GZIP, CODING_SAMPLES};
    struct chunk_scratch *scratch = task->scratch;
    const uint32_t side = chunk_side(task->order);
    const size_t area = (size_t)side * side;
    buffer_clear(&scratch->plain);
    for (unsigned i = 0; i < task->order->layer_count; i++) {
        buffer_clear(&scratch->numbers);
        samples_write_r16(task->samples + i * area, area, &scratch->numbers);
        if (scratch->numbers.failed)
            return error_memory(task->error);
        predict_write(scratch->numbers.data, side, side, &scratch->plain);
    }
    if (scratch->plain.failed)
        return error_memory(task->error);
    return coder_append(scratch->coder, order, &scratch->plain, task->out, task->error);
}

/* Writes the shares of four materials as the channels of pixels; 0 where there are no more. */
static void write_shares(const struct chunk_task *task, struct buffer *out)
{
    const struct chunk_order *order = task->order;
    const size_t area = (size_t)chunk_side(order) * chunk_side(order);
    uint8_t *pixels = buffer_reserve(out, CHUNK_MATERIAL_GROUP * area);
    if (!pixels)
        return;
    out->length += CHUNK_MATERIAL_GROUP * area;
    for (unsigned channel = 0; channel < CHUNK_MATERIAL_GROUP; channel++) {
        const unsigned material = CHUNK_MATERIAL_GROUP * order->material_group + channel;
        const bool exists = material < order->material_count;
        const float *shares = task->samples + (exists ? material : 0) * area;
        for (size_t i = 0; i < area; i++)
            pixels[CHUNK_MATERIAL_GROUP * i + channel] = (uint8_t)(exists ? shares[i] : 0.0f);
    }
}

/* The layer in 16 bits of grey, or four materials as red, green, blue and alpha. */
bool chunk_encode_png(const struct chunk_task *task)
{
    const bool shares = task->order->material_count > 0;
    struct chunk_scratch *scratch = task->scratch;
    const uint32_t side = chunk_side(task->order);
    buffer_clear(&scratch->numbers);
    if (shares)
        write_shares(task, &scratch->numbers);
    else
        samples_write_grey16(task->samples, (size_t)side * side, &scratch->numbers);
    if (scratch->numbers.failed)
        return error_memory(task->error);
    const struct image image = {
        .format = shares ? IMAGE_RGBA8 : IMAGE_GREY16,
        .content = shares ? IMAGE_DATA : IMAGE_SMOOTH,
        .width = side,
        .height = side,
        .pixels = scratch->numbers.data,
        .stride = (shares ? 4 : 2) * (size_t)side,
    };
    return png_encode(scratch->png, &image, PNG_SERVE, task->out, task->error);
}

bool chunk_encode_asc(const struct chunk_task *task)
{
    const struct sample_raster grid = raster(task);
    ascii_grid_write(&grid, task->out);
    return written(task);
}

bool chunk_encode_tif(const struct chunk_task *task)
{
    const struct sample_raster grid = raster(task);
    static const enum geotiff_crs systems[] = {GEOTIFF_NO_CRS, GEOTIFF_LOCAL, GEOTIFF_WEB_MERCATOR};
    return geotiff_write(&grid, task->order->layer_count, systems[task->order->crs], task->out,
                         task->error);
}

/* Paints a pixel for each sample. */
static bool paint(const struct chunk_task *task, struct image *image)
{
    const struct chunk_order *order = task->order;
    const struct sample_grid grid = {
        .x = task->origin.x,
        .y = task->origin.y,
        .step = order->step,
        .columns = chunk_side(order),
        .rows = chunk_side(order),
        .spacing = place_metres(order->step),
        .t = order->t,
    };
    return painter_paint(order->painter, task->canvas, &grid, image, task->error);
}

/* A mesh with the ring: the normals at the edge need the neighbours beyond it, so that adjacent
 * chunks are lit without a seam. */
bool chunk_encode_glb(const struct chunk_task *task)
{
    const size_t vertices = (size_t)chunk_side(task->order) * chunk_side(task->order);
    const char *names[WORLD_MATERIALS_MAX];
    struct image colours;
    if (task->order->painter && !paint(task, &colours))
        return false;
    struct sample_raster grid = raster(task);
    grid.samples = task->ringed;
    grid.columns += 2;
    grid.rows += 2;
    grid.origin.x -= grid.step;
    grid.origin.y -= grid.step;
    const struct glb_extras extras = {
        .colours = task->order->painter ? &colours : NULL,
        .shares = task->samples + vertices,
        .share_names = names,
        .share_count = task->order->material_count,
        .skirt = place_metres(task->order->skirt),
    };
    for (unsigned i = 0; i < extras.share_count; i++)
        names[i] = world_material(task->order->world, i)->name;
    return glb_write(&grid, &extras, task->out, task->error);
}

/* A list of rows of numbers; of a volume, a list of such slices. */
static void write_numbers(struct json_writer *json, const float *samples, uint32_t side,
                          unsigned depth)
{
    size_t part = 1;
    for (unsigned i = 1; i < depth; i++)
        part *= side;
    json_array_open(json);
    for (uint32_t i = 0; i < side; i++)
        if (depth > 1)
            write_numbers(json, samples + i * part, side, depth - 1);
        else
            json_write_float(json, samples[i]);
    json_array_close(json);
}

static void write_samples(const struct chunk_task *task, struct json_writer *json, unsigned axes)
{
    const struct chunk_order *order = task->order;
    const size_t part = (size_t)chunk_samples(order) / order->layer_count;
    json_member_object(json, "samples");
    for (unsigned i = 0; i < order->layer_count; i++) {
        json_write_key(json, world_layer(order->world, order->layers[i])->name);
        write_numbers(json, task->samples + i * part, chunk_side(order), axes);
    }
    json_object_close(json);
}

bool chunk_encode_json(const struct chunk_task *task)
{
    const int64_t origin[] = {task->origin.x, task->origin.y, task->origin.z};
    const unsigned axes = task->order->shape == CHUNK_VOLUME ? 3 : 2;
    struct json_writer json;
    json_begin_object(&json, task->out, false);
    json_member_string(&json, "world", world_fingerprint(task->order->world));
    json_member_array(&json, "origin");
    for (unsigned i = 0; i < axes; i++)
        json_write_place(&json, origin[i]);
    json_array_close(&json);
    json_member_place(&json, "step", task->order->step);
    json_member_array(&json, "grid");
    for (unsigned i = 0; i < axes; i++)
        json_write_integer(&json, chunk_side(task->order));
    json_array_close(&json);
    json_member_string(&json, "digest", task->digest);
    write_samples(task, &json, axes);
    json_finish_object(&json);
    return written(task);
}
