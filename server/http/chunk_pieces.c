/* The pieces of a batch of chunks: which chunks are made together, and their records. */
#include <microhttpd.h>
#include <string.h>

#include "core/encode/gzip.h"
#include "server/http/chunk_stream.h"

enum {
    RECORD_VERSION = 1,
    RECORD_BYTES = 32,       /* the length of a digest's text as well */
    PIECE_SAMPLES = 3 << 14, /* at most, unless one chunk has more */
};

static int64_t lower(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t higher(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

_Static_assert((int)RECORD_BYTES == (int)CHUNK_DIGEST_TEXT - 1, "a digest fits");

/* Chunks are sampled together as long as two thirds of the rectangle around them are asked for. */
size_t chunk_piece(const struct chunk_batch *batch, size_t first, struct chunk_area *area)
{
    const struct chunk_order *order = &batch->order;
    const struct chunk_address *address = batch->addresses + first;
    const uint64_t fit = PIECE_SAMPLES / chunk_samples(order);
    struct chunk_address low = *address, high = *address;
    size_t count = 1;
    *area = (struct chunk_area){low, 1, 1};
    while (count < fit && count < CHUNK_PIECE_MAX && first + count < batch->count &&
           chunk_in_range(order, address) && chunk_in_range(order, address + count)) {
        const struct chunk_address *next = address + count;
        low = (struct chunk_address){lower(low.x, next->x), lower(low.y, next->y), 0};
        high = (struct chunk_address){higher(high.x, next->x), higher(high.y, next->y), 0};
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

size_t chunk_piece_estimate(const struct chunk_batch *batch)
{
    const size_t one = chunk_bytes(&batch->order) + RECORD_BYTES;
    uint64_t most = PIECE_SAMPLES / chunk_samples(&batch->order);
    most = most < CHUNK_PIECE_MAX ? most : CHUNK_PIECE_MAX;
    most = most < batch->count ? most : batch->count;
    return one * (size_t)(most > 1 ? most : 1);
}

static void put(uint8_t *out, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

/* The record of a payload that stands in `out` behind RECORD_BYTES left free at `start`. */
static void seal(struct buffer *out, size_t start, const struct chunk_address *address,
                 unsigned status)
{
    static const uint8_t magic[4] = {'T', 'R', 'N', 'C'};
    uint8_t *record = out->data + start;
    const size_t bytes = out->length - start - RECORD_BYTES;
    memcpy(record, magic, sizeof magic);
    put(record + 4, RECORD_VERSION, 2);
    put(record + 6, status, 2);
    put(record + 8, (uint64_t)address->x, 8);
    put(record + 16, (uint64_t)address->y, 8);
    put(record + 24, bytes, 4);
    put(record + 28, gzip_checksum(record + RECORD_BYTES, bytes), 4);
}

static bool refuse(const struct chunk_address *address, unsigned status, struct buffer *out)
{
    const size_t start = out->length;
    if (!buffer_reserve(out, RECORD_BYTES))
        return false;
    out->length += RECORD_BYTES;
    seal(out, start, address, status);
    return true;
}

/* The i-th chunk, which is kept. */
static bool copy(const struct chunk_kept *kept, size_t i, struct buffer *out)
{
    const size_t start = out->length;
    size_t length;
    const uint8_t *bytes = tile_bytes(kept->tiles[i], &length);
    if (!buffer_reserve(out, RECORD_BYTES + length))
        return false;
    out->length += RECORD_BYTES;
    buffer_append(out, bytes, length);
    seal(out, start, &kept->batch->addresses[kept->first + i], MHD_HTTP_OK);
    return true;
}

/* Where the record will be, the digest stands for a moment: in front of the payload, as in tiles.
 */
static bool add(struct chunk_kept *kept, size_t i, struct tools *tools, struct buffer *out)
{
    const struct chunk_order *order = &kept->batch->order;
    const struct chunk_address *address = &kept->batch->addresses[kept->first + i];
    struct sampler *sampler = canvas_sampler(tile_maker_canvas(tools->maker));
    struct error error;
    const size_t start = out->length;
    if (kept->tiles[i])
        return copy(kept, i, out);
    if (!chunk_in_range(order, address))
        return refuse(address, MHD_HTTP_NOT_FOUND, out);
    if (!buffer_reserve(out, RECORD_BYTES))
        return false;
    out->length += RECORD_BYTES;
    if (chunk_make(tools->chunks, sampler, order, address, out, &error)) {
        memcpy(out->data + start, chunk_maker_digest(tools->chunks), RECORD_BYTES);
        chunk_kept_add(kept, i, out->data + start, out->length - start);
        seal(out, start, address, MHD_HTTP_OK);
        return true;
    }
    out->length = start;
    out->failed = false;
    return refuse(address,
                  error.code == ERROR_MEMORY ? MHD_HTTP_SERVICE_UNAVAILABLE
                                             : MHD_HTTP_INTERNAL_SERVER_ERROR,
                  out);
}

bool chunk_piece_make(struct chunk_kept *kept, struct tools *tools, struct buffer *out)
{
    struct sampler *sampler = canvas_sampler(tile_maker_canvas(tools->maker));
    struct chunk_area area;
    const size_t count = chunk_piece(kept->batch, kept->first, &area);
    const size_t missing = count - kept->found;
    bool done = true;
    /* Without memory for all at once, one after another. */
    if (missing > 1 && 3 * missing >= 2 * (size_t)area.columns * area.rows)
        chunk_maker_prepare(tools->chunks, sampler, &kept->batch->order, &area, NULL);
    for (size_t i = 0; i < count && done; i++)
        done = add(kept, i, tools, out);
    chunk_maker_forget(tools->chunks);
    return done;
}

bool chunk_piece_refuse(const struct chunk_batch *batch, size_t first, unsigned status,
                        struct buffer *out)
{
    struct chunk_area area;
    const size_t count = chunk_piece(batch, first, &area);
    for (size_t i = 0; i < count; i++)
        if (!refuse(&batch->addresses[first + i], status, out))
            return false;
    return true;
}
