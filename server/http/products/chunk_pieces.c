/* Sampling neighbouring chunks as one rectangle is cheaper than one by one, as they share lattice
 * rows and borders. But a rectangle has samples that no client requested, and a piece is the unit
 * in which render threads work and memory is reserved. So a piece grows chunk by chunk, in the
 * order of the batch, while it stays below a number of samples and at least two thirds of the
 * rectangle around it are wanted. */
#include "server/http/products/chunk_pieces.h"

#include <math.h>
#include <string.h>

#include "core/base/extremes.h"
#include "core/base/place.h"
#include "core/encode/gzip.h"
#include "server/http/products/chunk_objects.h"
#include "server/render/price.h"

enum {
    RECORD_VERSION = 1,
    CHUNK_HEADER_BYTES = 32,
    VOLUME_HEADER_BYTES = 48,
    PIECE_SAMPLES_MAX = 3 << 14, /* unless one chunk has more */
};

static size_t record_header_bytes(const struct chunk_order *order)
{
    return order->shape == CHUNK_VOLUME ? VOLUME_HEADER_BYTES : CHUNK_HEADER_BYTES;
}

/* Whether the samples of a batch are taken in areas: volumes are sampled plane by plane. */
static bool has_areas(const struct chunk_order *order)
{
    return order->shape == CHUNK_FLAT;
}

size_t chunk_piece_plan(const struct chunk_batch *batch, size_t first, struct chunk_area *area)
{
    const struct chunk_order *order = &batch->order;
    const struct chunk_address *address = batch->addresses + first;
    const uint64_t chunks_that_fit = PIECE_SAMPLES_MAX / chunk_samples(order);
    struct chunk_address low = *address, high = *address;
    size_t count = 1;
    *area = (struct chunk_area){low, 1, 1};
    while (count < chunks_that_fit && count < CHUNK_PIECE_MAX && first + count < batch->count &&
           chunk_in_range(order, address) && chunk_in_range(order, address + count)) {
        const struct chunk_address *next = address + count;
        low.x = next->x < low.x ? next->x : low.x;
        low.y = next->y < low.y ? next->y : low.y;
        high.x = next->x > high.x ? next->x : high.x;
        high.y = next->y > high.y ? next->y : high.y;
        const uint64_t columns = (uint64_t)(high.x - low.x) + 1;
        const uint64_t rows = (uint64_t)(high.y - low.y) + 1;
        if (has_areas(order) && (columns > 2 * CHUNK_PIECE_MAX || rows > 2 * CHUNK_PIECE_MAX ||
                                 2 * columns * rows > 3 * (count + 1)))
            break;
        *area = (struct chunk_area){low, (uint32_t)columns, (uint32_t)rows};
        count++;
    }
    return count;
}

/* If most of the rectangle is missing, its samples are taken at once. */
static bool samples_area(const struct chunk_order *order, const struct chunk_area *area,
                         size_t missing)
{
    return has_areas(order) && missing > 1 && 3 * missing >= 2 * (size_t)area->columns * area->rows;
}

/* A chunk beyond the edge of the world is a piece of its own, and is not made. */
uint64_t chunk_piece_price(const struct chunk_price *price, const struct chunk_area *area,
                           size_t missing)
{
    if (!chunk_in_range(price->order, &area->first))
        return 0;
    return samples_area(price->order, area, missing) ? price_chunk_area(price, area, missing)
                                                     : price_chunks(price, missing);
}

uint64_t chunk_piece_objects_price(const struct chunk_price *price, const struct chunk_area *area,
                                   size_t count)
{
    return chunk_in_range(price->order, &area->first)
               ? price_nanoseconds((double)count * (double)price->objects)
               : 0;
}

struct chunk_price chunk_batch_price(const struct chunk_batch *batch, size_t count,
                                     enum coding coding)
{
    const struct chunk_order *order = &batch->order;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    struct chunk_spread spread = {0.0, 0, NULL};
    struct chunk_area area;
    for (size_t first = 0; first < count; first += chunk_piece_plan(batch, first, &area))
        spread.pieces++;
    for (size_t i = 0; i < count; i++) {
        const double at[2] = {(double)batch->addresses[i].x, (double)batch->addresses[i].y};
        for (int axis = 0; axis < 2 && chunk_in_range(order, &batch->addresses[i]); axis++) {
            low[axis] = double_min(low[axis], at[axis]);
            high[axis] = double_max(high[axis], at[axis]);
        }
    }
    const double across = double_max(high[0] - low[0], high[1] - low[1]) + 1.0;
    spread.extent = double_max(across, 0.0) * order->size * place_metres(order->step);
    const double columns = high[0] - low[0] + 1.0, rows = high[1] - low[1] + 1.0;
    const bool filled = 2.0 * (double)count >= columns * rows; /* not if none is in range */
    const struct sampling_where where =
        filled ? chunk_where(order, &(struct chunk_area){{(int64_t)low[0], (int64_t)low[1], 0},
                                                         (uint32_t)columns,
                                                         (uint32_t)rows})
               : (struct sampling_where){.count = 0};
    spread.where = filled ? &where : NULL;
    struct chunk_price price = price_chunk(order, coding, spread);
    spread.pieces = count;
    if (batch->has_objects && count > 0)
        price.objects = chunk_objects_price(order, &spread);
    return price;
}

uint64_t chunk_batch_total(const struct chunk_batch *batch, size_t count, enum coding coding,
                           size_t cached)
{
    const struct chunk_price price = chunk_batch_price(batch, count, coding);
    const struct chunk_batch some = {
        .order = batch->order, .addresses = batch->addresses, .count = count};
    struct chunk_area area;
    double total = 0.0, objects = 0.0;
    for (size_t first = 0, piece; first < count; first += piece) {
        piece = chunk_piece_plan(&some, first, &area);
        total += (double)chunk_piece_price(&price, &area, piece);
        objects += (double)chunk_piece_objects_price(&price, &area, piece);
    }
    if (count == 0)
        return 0;
    const double missing = (double)(batch->count - cached) / (double)batch->count;
    return price_nanoseconds(total * missing + objects);
}

size_t chunk_piece_estimate_bytes(const struct chunk_batch *batch)
{
    const size_t bytes_per_chunk =
        chunk_bytes(&batch->order) + record_header_bytes(&batch->order) +
        (batch->has_objects ? CHUNK_HEADER_BYTES + chunk_objects_bytes(&batch->order) : 0);
    uint64_t chunks_max = PIECE_SAMPLES_MAX / chunk_samples(&batch->order);
    chunks_max = chunks_max < CHUNK_PIECE_MAX ? chunks_max : CHUNK_PIECE_MAX;
    chunks_max = chunks_max < batch->count ? chunks_max : batch->count;
    return bytes_per_chunk * (size_t)(chunks_max > 1 ? chunks_max : 1);
}

static void put_little_endian(uint8_t *out, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

enum record_kind { RECORD_CHUNK, RECORD_VOLUME, RECORD_OBJECTS };

/* What a record is of, and its status. */
struct record_key {
    enum record_kind kind;
    const struct chunk_address *address;
    unsigned status;
};

static enum record_kind record_kind(const struct chunk_order *order)
{
    return order->shape == CHUNK_VOLUME ? RECORD_VOLUME : RECORD_CHUNK;
}

static void put_float(uint8_t *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_little_endian(out, bits, sizeof bits);
}

/* The header of a record whose payload is all that follows it in `out`. `prefix` is of the samples,
 * or null without any. */
static void write_record_header(struct buffer *out, size_t start, const struct record_key *key,
                                const struct chunk_prefix *prefix)
{
    static const uint8_t magics[][4] = {[RECORD_CHUNK] = {'T', 'R', 'N', 'C'},
                                        [RECORD_VOLUME] = {'T', 'R', 'N', 'V'},
                                        [RECORD_OBJECTS] = {'T', 'R', 'N', 'O'}};
    const bool volume = key->kind == RECORD_VOLUME;
    const size_t header = volume ? VOLUME_HEADER_BYTES : CHUNK_HEADER_BYTES;
    const size_t bytes = out->length - start - header;
    uint8_t *record = out->data + start;
    memcpy(record, magics[key->kind], sizeof magics[0]);
    put_little_endian(record + 4, RECORD_VERSION, 2);
    put_little_endian(record + 6, key->status, 2);
    put_little_endian(record + 8, (uint64_t)key->address->x, 8);
    put_little_endian(record + 16, (uint64_t)key->address->y, 8);
    if (volume) {
        put_little_endian(record + 24, (uint64_t)key->address->z, 8);
        put_float(record + 32, prefix ? prefix->low : 0.0F);
        put_float(record + 36, prefix ? prefix->high : 0.0F);
    }
    put_little_endian(record + header - 8, bytes, 4);
    put_little_endian(record + header - 4, gzip_crc32(record + header, bytes), 4);
}

/* A record without a payload. */
static bool append_empty_record(const struct record_key *key, struct buffer *out)
{
    const size_t start = out->length;
    const size_t header = key->kind == RECORD_VOLUME ? VOLUME_HEADER_BYTES : CHUNK_HEADER_BYTES;
    if (!buffer_reserve(out, header))
        return false;
    out->length += header;
    write_record_header(out, start, key, NULL);
    return true;
}

/* Appends the i-th chunk as caches keep it, with its prefix: a copy, or made and added to the
 * lookup. */
static bool append_chunk(struct chunk_cache_lookup *lookup, size_t i, struct worker_context *worker,
                         struct buffer *out, struct error *error)
{
    const struct chunk_batch *batch = lookup->batch;
    const struct chunk_recipe recipe = {batch->order, batch->addresses[lookup->first + i],
                                        CODING_IDENTITY};
    const size_t start = out->length;
    if (lookup->cached[i]) {
        size_t length;
        const uint8_t *bytes = cached_response_record(lookup->cached[i], &length);
        buffer_append(out, bytes, length);
        return !out->failed || error_memory(error);
    }
    if (!chunk_make_record(worker->chunks, &recipe, out, error))
        return false;
    chunk_cache_lookup_add(lookup, i, out->data + start, out->length - start);
    return true;
}

static unsigned status_of(const struct error *error)
{
    switch (error->code) {
    case ERROR_WORK:
    case ERROR_LIMIT:
        return MHD_HTTP_CONTENT_TOO_LARGE;
    case ERROR_MEMORY:
    case ERROR_CANCELLED:
        return MHD_HTTP_SERVICE_UNAVAILABLE;
    default:
        return MHD_HTTP_INTERNAL_SERVER_ERROR;
    }
}

static bool lacks_surface(const struct chunk_batch *batch, const struct chunk_prefix *prefix)
{
    return batch->has_surface &&
           ((double)prefix->high < batch->surface || (double)prefix->low > batch->surface);
}

/* The prefix of a chunk is no longer than the record's header, which is written over it: so the
 * payload stands where it belongs. */
static bool append_chunk_record(struct chunk_cache_lookup *lookup, size_t i,
                                struct worker_context *worker, struct buffer *out)
{
    const struct chunk_batch *batch = lookup->batch;
    const struct chunk_order *order = &batch->order;
    struct record_key key = {record_kind(order), &batch->addresses[lookup->first + i],
                             MHD_HTTP_NOT_FOUND};
    struct error error = {0};
    const size_t start = out->length, header = record_header_bytes(order),
                 gap = header - chunk_prefix_length(order);
    if (!lookup->cached[i] && !chunk_in_range(order, key.address))
        return append_empty_record(&key, out);
    if (!buffer_reserve(out, gap))
        return false;
    out->length += gap;
    if (!append_chunk(lookup, i, worker, out, &error)) {
        out->length = start;
        out->failed = false;
        key.status = status_of(&error);
        return append_empty_record(&key, out);
    }
    const struct chunk_prefix prefix = chunk_prefix_read(order, out->data + start + gap);
    key.status = MHD_HTTP_OK;
    if (lacks_surface(batch, &prefix)) {
        out->length = start + header;
        key.status = MHD_HTTP_NO_CONTENT;
    }
    write_record_header(out, start, &key, &prefix);
    return true;
}

/* The record of what stands on a chunk. */
static bool append_objects_record(const struct chunk_batch *batch,
                                  const struct chunk_address *address,
                                  struct worker_context *worker, struct buffer *out)
{
    struct record_key key = {RECORD_OBJECTS, address, MHD_HTTP_NOT_FOUND};
    struct error error = {0};
    const size_t start = out->length;
    if (!chunk_in_range(&batch->order, address))
        return append_empty_record(&key, out);
    const struct object_search search = chunk_objects_search(&batch->order, address);
    struct sampler *sampler = canvas_sampler(tile_maker_canvas(worker->maker));
    key.status = MHD_HTTP_OK;
    if (!append_empty_record(&key, out))
        return false;
    if (object_records_find(sampler, batch->order.world, &search, out, &error)) {
        write_record_header(out, start, &key, NULL);
        return true;
    }
    out->length = start;
    out->failed = false;
    key.status = status_of(&error);
    return append_empty_record(&key, out);
}

bool chunk_piece_render(struct chunk_cache_lookup *lookup, struct worker_context *worker,
                        struct buffer *out)
{
    struct chunk_area area;
    const size_t count = chunk_piece_plan(lookup->batch, lookup->first, &area);
    const size_t missing = count - lookup->found;
    bool done = true;
    /* If there is no memory for all at once, they are sampled one by one. */
    if (samples_area(&lookup->batch->order, &area, missing))
        chunk_maker_prepare(worker->chunks, &lookup->batch->order, &area, NULL);
    for (size_t i = 0; i < count && done; i++) {
        done = append_chunk_record(lookup, i, worker, out);
        if (done && lookup->batch->has_objects)
            done = append_objects_record(lookup->batch,
                                         &lookup->batch->addresses[lookup->first + i], worker, out);
    }
    chunk_maker_forget(worker->chunks);
    return done;
}

bool chunk_piece_fail(const struct chunk_batch *batch, size_t first, unsigned status,
                      struct buffer *out)
{
    struct chunk_area area;
    const size_t count = chunk_piece_plan(batch, first, &area);
    for (size_t i = 0; i < count; i++) {
        const struct chunk_address *address = &batch->addresses[first + i];
        const struct record_key key = {record_kind(&batch->order), address, status};
        const struct record_key objects = {RECORD_OBJECTS, address, status};
        if (!append_empty_record(&key, out) ||
            (batch->has_objects && !append_empty_record(&objects, out)))
            return false;
    }
    return true;
}
