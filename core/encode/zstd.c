/* Zstandard by libzstd, one frame a call. The context is reused; it allocates at the first frame
 * and grows with the level. */
#include "core/encode/zstd.h"

#include <stdlib.h>
#include <zstd.h>

struct zstd_encoder {
    ZSTD_CCtx *context;
};

struct zstd_encoder *zstd_encoder_new(void)
{
    struct zstd_encoder *encoder = calloc(1, sizeof *encoder);
    if (!encoder)
        return NULL;
    encoder->context = ZSTD_createCCtx(); /* small until the first frame */
    if (encoder->context)
        return encoder;
    free(encoder);
    return NULL;
}

void zstd_encoder_free(struct zstd_encoder *encoder)
{
    if (!encoder)
        return;
    ZSTD_freeCCtx(encoder->context);
    free(encoder);
}

bool zstd_compress(struct zstd_encoder *encoder, int level, const struct buffer *bytes,
                   struct buffer *out, struct error *error)
{
    const size_t room = ZSTD_compressBound(bytes->length);
    uint8_t *end = ZSTD_isError(room) ? NULL : buffer_reserve(out, room);
    if (!end)
        return error_memory(error);
    const size_t length = ZSTD_compressCCtx(
        encoder->context, end, room, bytes->length > 0 ? bytes->data : end, bytes->length, level);
    /* The bound is enough for the output, so only libzstd's own memory can be out. */
    if (ZSTD_isError(length))
        return error_memory(error);
    out->length += length;
    return true;
}
