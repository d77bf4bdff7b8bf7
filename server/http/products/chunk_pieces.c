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
#include "server/render/cost.h"

enum {
    RECORD_VERSION = 1,
    RECORD_HEADER_BYTES = 32,    /* also the length of a digest as text */
    PIECE_SAMPLES_MAX = 3 << 14, /* unless one chunk has more */
};

_Static_assert((int)RECORD_HEADER_BYTES == (int)CHUNK_DIGEST_TEXT - 1, "a digest fits");

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
        if (columns > 2 * CHUNK_PIECE_MAX || rows > 2 * CHUNK_PIECE_MAX ||
            2 * columns * rows > 3 * (count + 1))
            break;
        *area = (struct chunk_area){low, (uint32_t)columns, (uint32_t)rows};
        count++;
    }
    return count;
}

/* If most of the rectangle is missing, its samples are taken at once. */
static bool samples_area(const struct chunk_area *area, size_t missing)
{
    return missing > 1 && 3 * missing >= 2 * (size_t)area->columns * area->rows;
}

uint64_t chunk_piece_cost(const struct chunk_price *price, const struct chunk_area *area,
                          size_t missing)
{
    return samples_area(area, missing) ? cost_chunk_area(price, area, missing)
                                       : cost_chunks(price, missing);
}

struct chunk_price chunk_batch_price(const struct chunk_batch *batch, size_t count,
                                     enum coding coding)
{
    const struct chunk_order *order = &batch->order;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    struct chunk_spread spread = {0.0, 0};
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
    return cost_chunk_price(order, coding, spread);
}

uint64_t chunk_batch_cost(const struct chunk_batch *batch, size_t count, enum coding coding,
                          size_t cached)
{
    const struct chunk_price price = chunk_batch_price(batch, count, coding);
    const struct chunk_batch some = {batch->order, batch->addresses, count};
    struct chunk_area area;
    double cost = 0.0;
    for (size_t first = 0, piece; first < count; first += piece) {
        piece = chunk_piece_plan(&some, first, &area);
        cost += (double)chunk_piece_cost(&price, &area, piece);
    }
    return count ? (uint64_t)(cost * (double)(batch->count - cached) / (double)batch->count) : 0;
}

size_t chunk_piece_estimate_bytes(const struct chunk_batch *batch)
{
    const size_t bytes_per_chunk = chunk_bytes(&batch->order) + RECORD_HEADER_BYTES;
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

/* The header of a record, for which RECORD_HEADER_BYTES were left free at `start`; all that follows
 * in `out` is the payload. */
static void write_record_header(struct buffer *out, size_t start,
                                const struct chunk_address *address, unsigned status)
{
    static const uint8_t magic[4] = {'T', 'R', 'N', 'C'};
    uint8_t *record = out->data + start;
    const size_t bytes = out->length - start - RECORD_HEADER_BYTES;
    memcpy(record, magic, sizeof magic);
    put_little_endian(record + 4, RECORD_VERSION, 2);
    put_little_endian(record + 6, status, 2);
    put_little_endian(record + 8, (uint64_t)address->x, 8);
    put_little_endian(record + 16, (uint64_t)address->y, 8);
    put_little_endian(record + 24, bytes, 4);
    put_little_endian(record + 28, gzip_crc32(record + RECORD_HEADER_BYTES, bytes), 4);
}

/* `bytes` are those of a chunk from the cache, or null. */
static bool append_record(const struct chunk_address *address, unsigned status,
                          const uint8_t *bytes, size_t length, struct buffer *out)
{
    const size_t start = out->length;
    if (!buffer_reserve(out, RECORD_HEADER_BYTES + length))
        return false;
    out->length += RECORD_HEADER_BYTES;
    if (bytes)
        buffer_append(out, bytes, length);
    write_record_header(out, start, address, status);
    return true;
}

/* A cached chunk has its digest in front of the payload (product_type.c). So the digest is written
 * where the record's header will be, the chunk copied into the cache, and the header written over
 * the digest. */
static bool append_chunk_record(struct chunk_cache_lookup *lookup, size_t i,
                                struct worker_context *worker, struct buffer *out)
{
    const struct chunk_order *order = &lookup->batch->order;
    const struct chunk_address *address = &lookup->batch->addresses[lookup->first + i];
    struct error error;
    const size_t start = out->length;
    if (lookup->cached[i]) {
        size_t length;
        const uint8_t *bytes = cached_response_bytes(lookup->cached[i], &length);
        return append_record(address, MHD_HTTP_OK, bytes, length, out);
    }
    if (!chunk_in_range(order, address))
        return append_record(address, MHD_HTTP_NOT_FOUND, NULL, 0, out);
    const struct chunk_recipe recipe = {*order, *address, CODING_IDENTITY};
    if (chunk_make_record(worker->chunks, &recipe, out, &error)) {
        chunk_cache_lookup_add(lookup, i, out->data + start, out->length - start);
        write_record_header(out, start, address, MHD_HTTP_OK);
        return true;
    }
    out->length = start;
    out->failed = false;
    const bool memory = error.code == ERROR_MEMORY;
    return append_record(address,
                         memory ? MHD_HTTP_SERVICE_UNAVAILABLE : MHD_HTTP_INTERNAL_SERVER_ERROR,
                         NULL, 0, out);
}

bool chunk_piece_render(struct chunk_cache_lookup *lookup, struct worker_context *worker,
                        struct buffer *out)
{
    struct chunk_area area;
    const size_t count = chunk_piece_plan(lookup->batch, lookup->first, &area);
    const size_t missing = count - lookup->found;
    bool done = true;
    /* If there is no memory for all at once, they are sampled one by one. */
    if (samples_area(&area, missing))
        chunk_maker_prepare(worker->chunks, &lookup->batch->order, &area, NULL);
    for (size_t i = 0; i < count && done; i++)
        done = append_chunk_record(lookup, i, worker, out);
    chunk_maker_forget(worker->chunks);
    return done;
}

bool chunk_piece_fail(const struct chunk_batch *batch, size_t first, unsigned status,
                      struct buffer *out)
{
    struct chunk_area area;
    const size_t count = chunk_piece_plan(batch, first, &area);
    for (size_t i = 0; i < count; i++)
        if (!append_record(&batch->addresses[first + i], status, NULL, 0, out))
            return false;
    return true;
}
