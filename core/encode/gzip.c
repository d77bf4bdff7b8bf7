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

uint32_t gzip_crc32(const void *bytes, size_t length)
{
    return libdeflate_crc32(0, bytes, length);
}
