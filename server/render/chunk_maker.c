/* Making chunks: sample, cut off the ring, take the digest, encode.
 *
 * A format may need a ring of samples around those that it shows (a mesh needs normals at its
 * edge): the ring is sampled with the chunk and is part of neither digest nor shown samples. A
 * batch of neighbouring chunks is sampled as one patch, because a sampler shares work along rows
 * and planes; chunk_make() then copies a chunk's samples out of the patch. Samples depend on
 * nothing but their place, so both ways give the same bits. Weights of materials become shares as
 * soon as they are sampled.
 *
 * All memory but the canvas belongs to the maker, one for each thread, and is reused from chunk to
 * chunk. */
#include "server/render/chunk_maker.h"

#include <stdlib.h>
#include <string.h>

#include "core/terrane.h"
#include "core/worldfile/materials.h"
#include "server/base/clock.h"
#include "server/base/process.h"
#include "server/render/chunk_task.h"

_Static_assert((int)CHUNK_DIGEST_TEXT == (int)TERRANE_DIGEST_TEXT, "a digest's text fits");

enum {
    KEPT_MAX = 1 << 20, /* bytes of a buffer that are kept for the next chunk */
    INCOMPRESSIBLE = 8, /* no coder adds as much as this part of the bytes */
};

/* Memory for samples, kept from chunk to chunk. */
struct samples {
    float *values;
    size_t capacity;
};

/* The samples of several neighbouring chunks: planes of `width` by `height`, one for each layer. */
struct patch {
    struct chunk_area area; /* without columns there is no patch */
    struct samples samples;
    uint32_t width, height;
};

struct chunk_maker {
    struct canvas *canvas; /* borrowed */
    struct chunk_scratch scratch;
    struct samples sampled, inner; /* with the format's ring, and without */
    struct patch patch;
    char digest[CHUNK_DIGEST_TEXT];
    float low, high; /* of a volume's samples */
    struct chunk_times times;
};

size_t chunk_prefix_length(const struct chunk_order *order)
{
    return CHUNK_DIGEST_LENGTH + (order->shape == CHUNK_VOLUME ? 2 * sizeof(float) : 0);
}

struct chunk_prefix chunk_prefix_read(const struct chunk_order *order, const uint8_t *bytes)
{
    struct chunk_prefix prefix = {.low = 0.0F};
    memcpy(prefix.digest, bytes, CHUNK_DIGEST_LENGTH);
    if (order->shape == CHUNK_VOLUME) {
        memcpy(&prefix.low, bytes + CHUNK_DIGEST_LENGTH, sizeof prefix.low);
        memcpy(&prefix.high, bytes + CHUNK_DIGEST_LENGTH + sizeof prefix.low, sizeof prefix.high);
    }
    return prefix;
}

struct chunk_maker *chunk_maker_new(struct canvas *canvas)
{
    struct chunk_maker *maker = calloc(1, sizeof *maker);
    if (!maker)
        return NULL;
    maker->canvas = canvas;
    maker->scratch.png = png_encoder_new();
    maker->scratch.coder = coder_new();
    if (maker->scratch.png && maker->scratch.coder)
        return maker;
    chunk_maker_free(maker);
    return NULL;
}

void chunk_maker_free(struct chunk_maker *maker)
{
    if (!maker)
        return;
    png_encoder_free(maker->scratch.png);
    coder_free(maker->scratch.coder);
    free(maker->sampled.values);
    free(maker->inner.values);
    free(maker->patch.samples.values);
    buffer_free(&maker->scratch.numbers);
    buffer_free(&maker->scratch.plain);
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

static bool make_room(struct samples *samples, uint64_t count, struct error *error)
{
    if (count > samples->capacity) {
        free(samples->values);
        samples->values = count < SIZE_MAX / sizeof(float) ? malloc(count * sizeof(float)) : NULL;
        samples->capacity = samples->values ? (size_t)count : 0;
    }
    return samples->values || error_memory(error);
}

/* Copies the chunk's samples from the patch; false if the chunk is not in it. */
static bool copy_from_patch(struct chunk_maker *maker, const struct chunk_order *order,
                            const struct chunk_address *address)
{
    const struct patch *patch = &maker->patch;
    const uint64_t column = (uint64_t)address->x - (uint64_t)patch->area.first.x;
    const uint64_t row = (uint64_t)address->y - (uint64_t)patch->area.first.y;
    const size_t side = chunk_side(order) + 2 * (size_t)order->format->ring;
    if (column >= patch->area.columns || row >= patch->area.rows)
        return false;
    const float *from =
        patch->samples.values + row * order->size * patch->width + column * order->size;
    float *to = maker->sampled.values;
    for (unsigned layer = 0; layer < order->layer_count; layer++)
        for (size_t i = 0; i < side; i++, to += side)
            memcpy(to, from + (layer * (size_t)patch->height + i) * patch->width,
                   side * sizeof(float));
    return true;
}

/* The grid of a chunk's samples, with the format's ring; of a volume, the first plane. */
static struct sample_grid ringed_grid(const struct chunk_order *order,
                                      const struct chunk_address *address)
{
    const uint32_t ring = order->format->ring, side = chunk_side(order) + 2 * ring;
    const struct chunk_address origin = chunk_origin(order, address);
    return (struct sample_grid){
        .x = origin.x - order->step * ring,
        .y = origin.y - order->step * ring,
        .step = order->step,
        .columns = side,
        .rows = side,
        .spacing = place_metres(order->step),
        .z = origin.z,
        .t = order->t,
    };
}

/* Samples a plane of each layer: that of the first layer at `first`, the others behind the slices
 * of the one before. */
static bool sample_planes(struct chunk_maker *maker, const struct chunk_order *order,
                          const struct sample_grid *grid, float *first, struct error *error)
{
    const size_t samples = (size_t)grid->columns * grid->rows;
    float *outputs[CHUNK_PLANES_MAX];
    for (unsigned i = 0; i < order->layer_count; i++)
        outputs[i] = first + i * chunk_slices(order) * samples;
    const struct sample_request request = {order->layers, outputs, order->layer_count};
    if (!sampler_grid(canvas_sampler(maker->canvas), world_program(order->world), grid, &request,
                      error))
        return false;
    if (order->material_count > 0)
        materials_share(outputs + order->material_first, order->material_count, samples);
    return true;
}

/* Samples the chunk, with the format's ring, into maker->sampled. */
static bool sample(struct chunk_maker *maker, const struct chunk_order *order,
                   const struct chunk_address *address, struct error *error)
{
    struct sample_grid grid = ringed_grid(order, address);
    const size_t side = grid.columns;
    const uint64_t count = (uint64_t)side * side * chunk_slices(order) * order->layer_count;
    if (!make_room(&maker->sampled, count, error))
        return false;
    if (copy_from_patch(maker, order, address))
        return true;
    for (uint32_t slice = 0; slice < chunk_slices(order); slice++, grid.z += order->step)
        if (!sample_planes(maker, order, &grid, maker->sampled.values + slice * side * side, error))
            return false;
    return true;
}

/* Points task->samples at the samples without the ring. */
static bool strip_ring(struct chunk_maker *maker, struct chunk_task *task)
{
    const uint32_t ring = task->order->format->ring, side = chunk_side(task->order);
    const size_t width = side + 2 * (size_t)ring;
    task->samples = task->ringed = maker->sampled.values;
    if (ring == 0)
        return true;
    if (!make_room(&maker->inner, chunk_samples(task->order), task->error))
        return false;
    float *to = maker->inner.values;
    for (unsigned layer = 0; layer < task->order->layer_count; layer++)
        for (size_t row = 0; row < side; row++, to += side)
            memcpy(to, task->ringed + (layer * width + row + ring) * width + ring,
                   side * sizeof(float));
    task->samples = maker->inner.values;
    return true;
}

static void find_extremes(struct chunk_maker *maker, const struct chunk_task *task)
{
    const uint64_t count = chunk_samples(task->order);
    maker->low = maker->high = task->samples[0];
    for (uint64_t i = 1; i < count; i++) {
        maker->low = task->samples[i] < maker->low ? task->samples[i] : maker->low;
        maker->high = task->samples[i] > maker->high ? task->samples[i] : maker->high;
    }
}

static bool take_digest(struct chunk_maker *maker, struct chunk_task *task)
{
    if (!strip_ring(maker, task))
        return false;
    terrane_digest(task->samples, (size_t)chunk_samples(task->order), maker->digest);
    return true;
}

static bool encode(struct chunk_maker *maker, const struct chunk_order *order,
                   const struct chunk_address *address, struct buffer *out, struct error *error)
{
    struct chunk_task task = {
        .scratch = &maker->scratch,
        .canvas = maker->canvas,
        .order = order,
        .origin = chunk_origin(order, address),
        .digest = maker->digest,
        .out = out,
        .error = error,
    };
    if (!take_digest(maker, &task))
        return false;
    if (order->shape == CHUNK_VOLUME)
        find_extremes(maker, &task);
    return order->format->encode(&task);
}

/* Frees what a large chunk has needed, so that it does not stay occupied for good. */
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
    trim_samples(&maker->inner);
    trim(&maker->scratch.numbers);
    trim(&maker->scratch.plain);
}

/* The patch has one row and column of samples more than chunks × size, as neighbours share a
 * border, and the aprons and rings of the outermost chunks. */
bool chunk_maker_prepare(struct chunk_maker *maker, const struct chunk_order *order,
                         const struct chunk_area *area, struct error *error)
{
    struct patch *patch = &maker->patch;
    const int64_t began = clock_microseconds();
    struct sample_grid grid = ringed_grid(order, &area->first);
    grid.columns += (area->columns - 1) * order->size;
    grid.rows += (area->rows - 1) * order->size;
    const size_t plane = (size_t)grid.columns * grid.rows;
    chunk_maker_forget(maker);
    if (!make_room(&patch->samples, plane * order->layer_count, error) ||
        !sample_planes(maker, order, &grid, patch->samples.values, error))
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

/* A buffer that is not kept would come page by page, and grow into others. */
static void make_large_room(size_t bytes, struct buffer *out)
{
    if (bytes > KEPT_MAX && buffer_reserve(out, bytes))
        process_use_large_pages(out->data, out->capacity);
}

bool chunk_make(struct chunk_maker *maker, const struct chunk_order *order,
                const struct chunk_address *address, struct buffer *out, struct error *error)
{
    const int64_t start = clock_microseconds();
    bool done = sample(maker, order, address, error);
    const int64_t sampled = clock_microseconds();
    make_large_room(chunk_bytes(order), out);
    done = done && encode(maker, order, address, out, error);
    maker->times.render += (uint32_t)(sampled - start);
    maker->times.encode += (uint32_t)(clock_microseconds() - sampled);
    trim_maker(maker);
    return done;
}

bool chunk_make_digest(struct chunk_maker *maker, const struct chunk_order *order,
                       const struct chunk_address *address, struct error *error)
{
    struct chunk_task task = {.order = order, .error = error};
    const int64_t start = clock_microseconds();
    const bool done = sample(maker, order, address, error) && take_digest(maker, &task);
    maker->times.render += (uint32_t)(clock_microseconds() - start);
    trim_maker(maker);
    return done;
}

static void write_prefix(const struct chunk_maker *maker, const struct chunk_order *order,
                         uint8_t *bytes)
{
    memcpy(bytes, maker->digest, CHUNK_DIGEST_LENGTH);
    if (order->shape == CHUNK_VOLUME) {
        memcpy(bytes + CHUNK_DIGEST_LENGTH, &maker->low, sizeof maker->low);
        memcpy(bytes + CHUNK_DIGEST_LENGTH + sizeof maker->low, &maker->high, sizeof maker->high);
    }
}

/* The prefix is known only after the samples, so that its place is kept free until then. */
bool chunk_make_record(struct chunk_maker *maker, const struct chunk_recipe *recipe,
                       struct buffer *out, struct error *error)
{
    const size_t prefix = chunk_prefix_length(&recipe->order);
    const size_t start = out->length, payload = start + prefix;
    if (!buffer_reserve(out, prefix))
        return error_memory(error);
    out->length = payload;
    if (!chunk_make(maker, &recipe->order, &recipe->address, out, error) ||
        !chunk_compress(maker, recipe->coding, payload, out, error))
        return false;
    write_prefix(maker, &recipe->order, out->data + start);
    return true;
}

/* The prefix is copied and the rest compressed into the scratch buffer, which then changes places
 * with `bytes`: no second copy. */
bool chunk_compress(struct chunk_maker *maker, enum coding coding, size_t start,
                    struct buffer *bytes, struct error *error)
{
    const struct coding_order order = {coding, CODING_SAMPLES};
    const struct buffer part = {.data = bytes->data + start, .length = bytes->length - start};
    const int64_t began = clock_microseconds();
    if (coding == CODING_IDENTITY)
        return true;
    buffer_clear(&maker->scratch.plain);
    buffer_append(&maker->scratch.plain, bytes->data, start);
    make_large_room(part.length + part.length / INCOMPRESSIBLE, &maker->scratch.plain);
    if (maker->scratch.plain.failed)
        return error_memory(error);
    if (!coder_append(maker->scratch.coder, order, &part, &maker->scratch.plain, error))
        return false;
    struct buffer plain = *bytes;
    *bytes = maker->scratch.plain;
    maker->scratch.plain = plain;
    trim(&maker->scratch.plain);
    maker->times.encode += (uint32_t)(clock_microseconds() - began);
    return true;
}
