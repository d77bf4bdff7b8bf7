/* A gzip member whose parts are compressed separately. Each part ends with an empty stored block (a
 * sync flush), so it ends at a whole byte and the next one can follow; no part refers to bytes of
 * another. The checksum of the whole is combined from the checksums and lengths of the parts. */
#include "core/encode/gzip_parts.h"

#include <isa-l/igzip_lib.h>
#include <stdlib.h>
#include <zlib.h>

#include "core/encode/gzip.h"

enum { LEVEL = 1 };

void gzip_parts_write_header(struct buffer *out)
{
    /* Deflate, no flags, no time, no system. */
    static const uint8_t head[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff};
    buffer_append(out, head, sizeof head);
}

/* Compresses the stream's input; the output ends at a whole byte and has no final block. */
static bool deflate_part(struct isal_zstream *stream, struct buffer *out)
{
    do {
        const size_t room = (size_t)stream->avail_in + stream->avail_in / 16 + 1024;
        stream->next_out = buffer_reserve(out, room);
        if (!stream->next_out)
            return false;
        stream->avail_out = (uint32_t)room;
        if (isal_deflate(stream) != COMP_OK)
            return false;
        out->length += room - stream->avail_out;
    } while (stream->avail_out == 0);
    return true;
}

bool gzip_parts_add(const struct buffer *bytes, struct gzip_trailer *sum, struct buffer *out,
                    struct error *error)
{
    struct isal_zstream *stream = malloc(sizeof *stream + ISAL_DEF_LVL1_DEFAULT);
    if (!stream)
        return error_memory(error);
    isal_deflate_init(stream);
    stream->level = LEVEL;
    stream->level_buf = (uint8_t *)(stream + 1);
    stream->level_buf_size = ISAL_DEF_LVL1_DEFAULT;
    stream->flush = SYNC_FLUSH;
    stream->next_in = bytes->data;
    stream->avail_in = (uint32_t)bytes->length;
    const bool done = bytes->length == 0 || deflate_part(stream, out);
    free(stream);
    if (!done)
        return error_memory(error);
    const struct gzip_trailer part = {gzip_crc32(bytes->data, bytes->length), bytes->length};
    gzip_trailer_combine(sum, &part);
    return true;
}

void gzip_trailer_combine(struct gzip_trailer *sum, const struct gzip_trailer *following)
{
    sum->checksum =
        (uint32_t)crc32_combine(sum->checksum, following->checksum, (z_off_t)following->length);
    sum->length += following->length;
}

void gzip_parts_write_trailer(const struct gzip_trailer *sum, struct buffer *out)
{
    static const uint8_t end[] = {3, 0}; /* an empty final block */
    buffer_append(out, end, sizeof end);
    buffer_little_endian(out, sum->checksum, 4);
    buffer_little_endian(out, sum->length, 4);
}
