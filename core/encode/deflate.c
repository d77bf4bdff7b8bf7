/* Two compressors behind one interface: ISA-L's igzip for what a client waits for, libdeflate for
 * exports. igzip keeps its whole state in the deflater; libdeflate's compressor is allocated at its
 * first use and again when the level changes. */
#include "core/encode/deflate.h"

#include <isa-l/igzip_lib.h>
#include <libdeflate.h>
#include <stdlib.h>

/* The smallest of igzip's buffer sizes. A buffer holds one block, and blocks of 16 K symbols adapt
 * to the picture as well as smaller ones, in less time. */
enum { LEVEL_BUFFER = ISAL_DEF_LVL3_SMALL };

struct deflater {
    struct isal_zstream stream;
    uint8_t level_buffer[LEVEL_BUFFER];
    struct libdeflate_compressor *small; /* null until it is used */
    int small_level;
};

struct deflater *deflater_new(void)
{
    return calloc(1, sizeof(struct deflater));
}

void deflater_free(struct deflater *deflater)
{
    if (!deflater)
        return;
    libdeflate_free_compressor(deflater->small);
    free(deflater);
}

static uint32_t level_buffer_size(int level)
{
    static const uint32_t sizes[DEFLATE_FAST_MAX + 1] = {ISAL_DEF_LVL0_SMALL, ISAL_DEF_LVL1_SMALL,
                                                         ISAL_DEF_LVL2_SMALL, ISAL_DEF_LVL3_SMALL};
    return sizes[level];
}

bool deflate_fast(struct deflater *deflater, int level, const uint8_t *bytes, size_t length,
                  struct buffer *out)
{
    struct isal_zstream *stream = &deflater->stream;
    isal_deflate_init(stream);
    stream->level = (uint32_t)level;
    stream->level_buf = deflater->level_buffer;
    stream->level_buf_size = level_buffer_size(level);
    stream->gzip_flag = IGZIP_ZLIB;
    stream->end_of_stream = 1;
    stream->flush = NO_FLUSH;
    stream->next_in = (uint8_t *)(uintptr_t)bytes;
    stream->avail_in = (uint32_t)length;
    /* igzip has no bound of the output's length: a longer output takes a second round. */
    size_t room = length + length / 16 + 1024;
    while (stream->internal_state.state != ZSTATE_END) {
        stream->next_out = buffer_reserve(out, room);
        if (!stream->next_out)
            return false;
        stream->avail_out = (uint32_t)room;
        if (isal_deflate(stream) != COMP_OK)
            return false;
        out->length += room - stream->avail_out;
    }
    return true;
}

bool deflate_small(struct deflater *deflater, int level, const uint8_t *bytes, size_t length,
                   struct buffer *out)
{
    if (!deflater->small || deflater->small_level != level) {
        libdeflate_free_compressor(deflater->small);
        deflater->small = libdeflate_alloc_compressor(level);
        deflater->small_level = level;
    }
    size_t room = libdeflate_zlib_compress_bound(deflater->small, length);
    uint8_t *end = deflater->small ? buffer_reserve(out, room) : NULL;
    if (!end)
        return false;
    const size_t taken = libdeflate_zlib_compress(deflater->small, bytes, length, end, room);
    out->length += taken;
    return taken > 0;
}
