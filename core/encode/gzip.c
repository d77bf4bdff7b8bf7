/* gzip by libdeflate. A compressor has one level; the encoder keeps the one that was used last. */
#include "core/encode/gzip.h"

#include <libdeflate.h>
#include <stdlib.h>

struct gzip_encoder {
    struct libdeflate_compressor *compressor; /* null until it is used */
    int level;
};

struct gzip_encoder *gzip_encoder_new(void)
{
    return calloc(1, sizeof(struct gzip_encoder));
}

void gzip_encoder_free(struct gzip_encoder *encoder)
{
    if (!encoder)
        return;
    libdeflate_free_compressor(encoder->compressor);
    free(encoder);
}

bool gzip_compress(struct gzip_encoder *encoder, int level, const struct buffer *bytes,
                   struct buffer *out, struct error *error)
{
    if (!encoder->compressor || encoder->level != level) {
        libdeflate_free_compressor(encoder->compressor);
        encoder->compressor = libdeflate_alloc_compressor(level);
        encoder->level = level;
    }
    if (!encoder->compressor)
        return error_memory(error);
    size_t room = libdeflate_gzip_compress_bound(encoder->compressor, bytes->length);
    uint8_t *end = buffer_reserve(out, room);
    if (!end)
        return error_memory(error);
    /* The bound is always enough, so this cannot fail. */
    out->length +=
        libdeflate_gzip_compress(encoder->compressor, bytes->data, bytes->length, end, room);
    return true;
}

/* The last four bytes of a member are the length of what it holds, modulo 2³². */
static size_t held_length(const uint8_t *bytes, size_t length)
{
    size_t held = 0;
    for (unsigned i = 0; i < 4 && length >= 18; i++)
        held |= (size_t)bytes[length - 4 + i] << 8 * i;
    return held;
}

bool gzip_decompress(const void *bytes, size_t length, size_t most, struct buffer *out,
                     struct error *error)
{
    const size_t held = held_length(bytes, length);
    size_t written = 0;
    if (held > most)
        return error_set(error, ERROR_LIMIT, "holds %zu bytes, of which %zu are allowed", held,
                         most);
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    uint8_t *room = buffer_reserve(out, held + 1);
    const bool has_memory = decompressor && room;
    const bool done =
        has_memory && libdeflate_gzip_decompress(decompressor, bytes, length, room, held,
                                                 &written) == LIBDEFLATE_SUCCESS;
    libdeflate_free_decompressor(decompressor);
    if (!has_memory)
        return error_memory(error);
    if (!done)
        return error_set(error, ERROR_SYNTAX, "is no gzip member, or a damaged one");
    out->length += written;
    return true;
}

uint32_t gzip_crc32(const void *bytes, size_t length)
{
    return libdeflate_crc32(0, bytes, length);
}
