#include "server/render/chunk_maker.h"

#include <stdlib.h>
#include <string.h>

#include "core/encode/ascii_grid.h"
#include "core/encode/geotiff.h"
#include "core/encode/glb.h"
#include "core/encode/png.h"
#include "core/encode/predict.h"
#include "core/encode/samples.h"
#include "core/terrane.h"
#include "server/base/clock.h"
#include "server/base/json_writer.h"

_Static_assert((int)CHUNK_DIGEST_TEXT == (int)TERRANE_DIGEST_TEXT, "a digest's text fits");

enum { KEPT_MAX = 1 << 20 }; /* bytes of a buffer that are kept for the next chunk */

/* Samples, kept from chunk to chunk. */
struct samples {
    float *values;
    size_t capacity;
};

/* Several chunks' samples: planes of `width` by `height`, one for each layer. */
struct patch {
    struct chunk_area area; /* without columns there is none */
    struct samples samples;
    uint32_t width, height;
};

struct chunk_maker {
    struct png_encoder *encoder;
    struct coder *coder;
    struct samples sampled, shown; /* with the format's ring, and without */
    struct patch patch;
    struct buffer numbers, plain; /* of 16 bits; what is to be compressed */
    char digest[CHUNK_DIGEST_TEXT];
    struct chunk_times times;
};

struct chunk_maker *chunk_maker_new(void)
{
    struct chunk_maker *maker = calloc(1, sizeof *maker);
    if (!maker)
        return NULL;
    maker->encoder = png_encoder_new();
    maker->coder = coder_new();
    if (maker->encoder && maker->coder)
        return maker;
    chunk_maker_free(maker);
    return NULL;
}

void chunk_maker_free(struct chunk_maker *maker)
{
    if (!maker)
        return;
    if (maker->encoder)
        png_encoder_free(maker->encoder);
    coder_free(maker->coder);
    free(maker->sampled.values);
    free(maker->shown.values);
    free(maker->patch.samples.values);
    buffer_free(&maker->numbers);
    buffer_free(&maker->plain);
    free(maker);
}

const char *chunk_maker_digest(const struct chunk_maker *maker)
{
    return maker->digest;
}

struct chunk_times chunk_maker_take_times(struct chunk_maker *maker)
{
    struct chunk_times times = maker->times;
    maker->times = (struct chunk_times){0};
    return times;
}

static uint32_t slices(const struct chunk_order *order)
{
    return order->shape == CHUNK_VOLUME ? chunk_side(order) : 1;
}

/* One chunk on its way. */
struct task {
    struct chunk_maker *maker;
    const struct chunk_order *order;
    const struct chunk_address *address;
    struct chunk_address origin; /* of what is shown */
    const float *samples;        /* what is shown */
    struct buffer *out;
    struct error *error;
};

static bool make_room(struct samples *samples, uint64_t count, struct error *error)
{
    if (count > samples->capacity) {
        free(samples->values);
        samples->values = count < SIZE_MAX / sizeof(float) ? malloc(count * sizeof(float)) : NULL;
        samples->capacity = samples->values ? (size_t)count : 0;
    }
    return samples->values || error_memory(error);
}

static bool sample_slice(const struct task *task, struct sampler *sampler,
                         const struct sample_grid *grid, size_t slice)
{
    const struct chunk_order *order = task->order;
    const size_t area = (size_t)grid->columns * grid->rows;
    float *outputs[CHUNK_LAYERS_MAX];
    for (unsigned i = 0; i < order->layer_count; i++)
        outputs[i] = task->maker->sampled.values + (i * slices(order) + slice) * area;
    const struct sample_request request = {order->layers, outputs, order->layer_count};
    return sampler_grid(sampler, order->world, grid, &request, task->error);
}

/* Whether the chunk is one of the patch's; then its samples are taken from there. */
static bool cut(const struct task *task)
{
    const struct patch *patch = &task->maker->patch;
    const struct chunk_order *order = task->order;
    const uint64_t column = (uint64_t)task->address->x - (uint64_t)patch->area.first.x;
    const uint64_t row = (uint64_t)task->address->y - (uint64_t)patch->area.first.y;
    const size_t side = chunk_side(order) + 2 * (size_t)order->format->ring;
    if (column >= patch->area.columns || row >= patch->area.rows)
        return false;
    const float *from =
        patch->samples.values + row * order->size * patch->width + column * order->size;
    float *to = task->maker->sampled.values;
    for (unsigned layer = 0; layer < order->layer_count; layer++)
        for (size_t i = 0; i < side; i++, to += side)
            memcpy(to, from + (layer * (size_t)patch->height + i) * patch->width,
                   side * sizeof(float));
    return true;
}

/* With the format's ring around what is shown. */
static bool sample(const struct task *task, struct sampler *sampler)
{
    const struct chunk_order *order = task->order;
    const uint32_t ring = order->format->ring, side = chunk_side(order) + 2 * ring;
    struct sample_grid grid = {
        .x = task->origin.x - order->step * ring,
        .y = task->origin.y - order->step * ring,
        .step = order->step,
        .columns = side,
        .rows = side,
        .spacing = place_metres(order->step),
        .z = task->origin.z,
        .t = order->t,
    };
    const uint64_t count = (uint64_t)side * side * slices(order) * order->layer_count;
    if (!make_room(&task->maker->sampled, count, task->error))
        return false;
    if (cut(task))
        return true;
    for (uint32_t slice = 0; slice < slices(order); slice++, grid.z += order->step)
        if (!sample_slice(task, sampler, &grid, slice))
            return false;
    return true;
}

/* What is shown, without the ring, and its digest. Formats with a ring have one layer. */
static bool show(struct task *task)
{
    struct chunk_maker *maker = task->maker;
    const uint32_t ring = task->order->format->ring, side = chunk_side(task->order);
    const size_t width = side + 2 * (size_t)ring, count = (size_t)chunk_samples(task->order);
    task->samples = maker->sampled.values;
    if (ring > 0) {
        if (!make_room(&maker->shown, count, task->error))
            return false;
        for (size_t row = 0; row < side; row++)
            memcpy(maker->shown.values + row * side,
                   maker->sampled.values + (row + ring) * width + ring, side * sizeof(float));
        task->samples = maker->shown.values;
    }
    terrane_digest(task->samples, count, maker->digest);
    return true;
}

static bool written(const struct task *task)
{
    return !task->out->failed || error_memory(task->error);
}

static struct sample_raster shown_grid(const struct task *task)
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

static bool make_r32f(const struct task *task)
{
    samples_write_r32f(task->samples, (size_t)chunk_samples(task->order), task->out);
    return written(task);
}

static bool make_r16(const struct task *task)
{
    samples_write_r16(task->samples, (size_t)chunk_samples(task->order), task->out);
    return written(task);
}

static bool make_r8(const struct task *task)
{
    const struct world_layer *layer = world_layer(task->order->world, task->order->layers[0]);
    samples_write_r8_range(task->samples, (size_t)chunk_samples(task->order), layer->range_low,
                           layer->range_high, task->out);
    return written(task);
}

static bool make_r16z(const struct task *task)
{
    const struct coding_order order = {CODING_GZIP, CODING_SAMPLES};
    struct chunk_maker *maker = task->maker;
    const uint32_t side = chunk_side(task->order);
    const size_t area = (size_t)side * side;
    buffer_clear(&maker->plain);
    for (unsigned i = 0; i < task->order->layer_count; i++) {
        buffer_clear(&maker->numbers);
        samples_write_r16(task->samples + i * area, area, &maker->numbers);
        if (maker->numbers.failed)
            return error_memory(task->error);
        predict_write(maker->numbers.data, side, side, &maker->plain);
    }
    if (maker->plain.failed)
        return error_memory(task->error);
    return coder_append(maker->coder, order, &maker->plain, task->out, task->error);
}

static bool make_png(const struct task *task)
{
    struct chunk_maker *maker = task->maker;
    const uint32_t side = chunk_side(task->order);
    buffer_clear(&maker->numbers);
    samples_write_grey16(task->samples, (size_t)side * side, &maker->numbers);
    if (maker->numbers.failed)
        return error_memory(task->error);
    const struct image image = {
        .format = IMAGE_GREY16,
        .content = IMAGE_SMOOTH,
        .width = side,
        .height = side,
        .pixels = maker->numbers.data,
        .stride = 2 * (size_t)side,
    };
    return png_encode(maker->encoder, &image, PNG_SERVE, task->out, task->error);
}

static bool make_asc(const struct task *task)
{
    const struct sample_raster grid = shown_grid(task);
    ascii_grid_write(&grid, task->out);
    return written(task);
}

static bool make_tif(const struct task *task)
{
    const struct sample_raster grid = shown_grid(task);
    return geotiff_write(&grid, task->order->layer_count, task->out, task->error);
}

static bool make_glb(const struct task *task)
{
    struct sample_raster grid = shown_grid(task);
    grid.samples = task->maker->sampled.values;
    grid.columns += 2;
    grid.rows += 2;
    grid.origin.x -= grid.step;
    grid.origin.y -= grid.step;
    return glb_write(&grid, task->out, task->error);
}

/* Lists of lists of numbers: rows, and of a volume the slices. */
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

static void write_samples(const struct task *task, struct json_writer *json, unsigned axes)
{
    const struct chunk_order *order = task->order;
    const size_t part = (size_t)chunk_samples(order) / order->layer_count;
    json_write_key(json, "samples");
    json_object_open(json);
    for (unsigned i = 0; i < order->layer_count; i++) {
        json_write_key(json, world_layer(order->world, order->layers[i])->name);
        write_numbers(json, task->samples + i * part, chunk_side(order), axes);
    }
    json_object_close(json);
}

static bool make_json(const struct task *task)
{
    const int64_t origin[] = {task->origin.x, task->origin.y, task->origin.z};
    const unsigned axes = task->order->shape == CHUNK_VOLUME ? 3 : 2;
    struct json_writer json;
    json_begin(&json, task->out, false);
    json_object_open(&json);
    json_member_string(&json, "world", world_fingerprint(task->order->world));
    json_write_key(&json, "origin");
    json_array_open(&json);
    for (unsigned i = 0; i < axes; i++)
        json_write_place(&json, origin[i]);
    json_array_close(&json);
    json_write_key(&json, "step");
    json_write_place(&json, task->order->step);
    json_write_key(&json, "grid");
    json_array_open(&json);
    for (unsigned i = 0; i < axes; i++)
        json_write_integer(&json, chunk_side(task->order));
    json_array_close(&json);
    json_member_string(&json, "digest", task->maker->digest);
    write_samples(task, &json, axes);
    json_object_close(&json);
    json_finish(&json);
    return written(task);
}

/* By the formats' numbers. */
static bool (*const makers[])(const struct task *task) = {
    [CHUNK_R32F] = make_r32f, [CHUNK_R16] = make_r16,   [CHUNK_R16Z] = make_r16z,
    [CHUNK_PNG] = make_png,   [CHUNK_JSON] = make_json, [CHUNK_ASC] = make_asc,
    [CHUNK_TIF] = make_tif,   [CHUNK_GLB] = make_glb,   [CHUNK_R8] = make_r8,
};

/* One large chunk shall not occupy its memory for good. */
static void trim(struct buffer *buffer)
{
    if (buffer->capacity > KEPT_MAX)
        buffer_free(buffer);
}

static void trim_samples(struct samples *samples)
{
    if (samples->capacity <= KEPT_MAX / sizeof(float))
        return;
    free(samples->values);
    *samples = (struct samples){NULL, 0};
}

static void trim_maker(struct chunk_maker *maker)
{
    trim_samples(&maker->sampled);
    trim_samples(&maker->shown);
    trim(&maker->numbers);
    trim(&maker->plain);
}

bool chunk_maker_prepare(struct chunk_maker *maker, struct sampler *sampler,
                         const struct chunk_order *order, const struct chunk_area *area,
                         struct error *error)
{
    struct patch *patch = &maker->patch;
    const uint32_t ring = order->format->ring, border = 1 + 2 * (order->apron + ring);
    const struct chunk_address origin = chunk_origin(order, &area->first);
    const int64_t began = clock_microseconds();
    const struct sample_grid grid = {
        .x = origin.x - order->step * ring,
        .y = origin.y - order->step * ring,
        .step = order->step,
        .columns = area->columns * order->size + border,
        .rows = area->rows * order->size + border,
        .spacing = place_metres(order->step),
        .t = order->t,
    };
    float *outputs[CHUNK_LAYERS_MAX];
    const size_t plane = (size_t)grid.columns * grid.rows;
    chunk_maker_forget(maker);
    if (!make_room(&patch->samples, plane * order->layer_count, error))
        return false;
    for (unsigned i = 0; i < order->layer_count; i++)
        outputs[i] = patch->samples.values + i * plane;
    const struct sample_request request = {order->layers, outputs, order->layer_count};
    if (!sampler_grid(sampler, order->world, &grid, &request, error))
        return false;
    patch->area = *area;
    patch->width = grid.columns;
    patch->height = grid.rows;
    maker->times.render += (uint32_t)(clock_microseconds() - began);
    return true;
}

void chunk_maker_forget(struct chunk_maker *maker)
{
    maker->patch.area = (struct chunk_area){.columns = 0};
    trim_samples(&maker->patch.samples);
}

bool chunk_make(struct chunk_maker *maker, struct sampler *sampler, const struct chunk_order *order,
                const struct chunk_address *address, struct buffer *out, struct error *error)
{
    struct task task = {
        .maker = maker, .order = order, .address = address, .out = out, .error = error};
    task.origin = chunk_origin(order, address);
    const int64_t start = clock_microseconds();
    bool done = sample(&task, sampler);
    const int64_t sampled = clock_microseconds();
    done = done && show(&task) && makers[order->format->id](&task);
    maker->times.render += (uint32_t)(sampled - start);
    maker->times.encode += (uint32_t)(clock_microseconds() - sampled);
    trim_maker(maker);
    return done;
}

bool chunk_compress(struct chunk_maker *maker, enum coding coding, size_t start,
                    struct buffer *bytes, struct error *error)
{
    const struct coding_order order = {coding, CODING_SAMPLES};
    const struct buffer part = {.data = bytes->data + start, .length = bytes->length - start};
    const int64_t began = clock_microseconds();
    if (coding == CODING_IDENTITY)
        return true;
    buffer_clear(&maker->plain);
    buffer_append(&maker->plain, bytes->data, start);
    if (maker->plain.failed)
        return error_memory(error);
    if (!coder_append(maker->coder, order, &part, &maker->plain, error))
        return false;
    struct buffer plain = *bytes;
    *bytes = maker->plain;
    maker->plain = plain;
    trim(&maker->plain);
    maker->times.encode += (uint32_t)(clock_microseconds() - began);
    return true;
}
