#include "core/encode/gzip.h"

#include <libdeflate.h>
#include <stdlib.h>

struct gzipper {
    struct libdeflate_compressor *compressor; /* made when first used */
    int level;
};

struct gzipper *gzipper_new(void)
{
    return calloc(1, sizeof(struct gzipper));
}

void gzipper_free(struct gzipper *gzipper)
{
    if (!gzipper)
        return;
    libdeflate_free_compressor(gzipper->compressor);
    free(gzipper);
}

bool gzip_compress(struct gzipper *gzipper, int level, const struct buffer *bytes,
                   struct buffer *out, struct error *error)
{
    if (!gzipper->compressor || gzipper->level != level) {
        libdeflate_free_compressor(gzipper->compressor);
        gzipper->compressor = libdeflate_alloc_compressor(level);
        gzipper->level = level;
    }
    if (!gzipper->compressor)
        return error_memory(error);
    size_t room = libdeflate_gzip_compress_bound(gzipper->compressor, bytes->length);
    uint8_t *end = buffer_reserve(out, room);
    if (!end)
        return error_memory(error);
    /* Room for the bound is always enough. */
    out->length +=
        libdeflate_gzip_compress(gzipper->compressor, bytes->data, bytes->length, end, room);
    return true;
}

uint32_t gzip_checksum(const void *bytes, size_t length)
{
    return libdeflate_crc32(0, bytes, length);
}
