/* libtiff compresses for files. So a tile is written as the only one of a TIFF file in memory, and
 * its bytes are taken from there. A decoder keeps such a file and has libtiff read other bytes as
 * that tile's. */
#include "server/export/rasters/tiff_tile.h"

#include <stdlib.h>
#include <string.h>

/* A file in memory. */
struct memory {
    struct buffer bytes;
    uint64_t at;
};

struct tiff_decoder {
    struct memory memory;
    TIFF *tiff;
    size_t length; /* of a tile */
};

static tmsize_t memory_read(thandle_t handle, void *bytes, tmsize_t length)
{
    struct memory *memory = handle;
    const uint64_t left = memory->at < memory->bytes.length ? memory->bytes.length - memory->at : 0;
    const size_t count = (uint64_t)length < left ? (size_t)length : (size_t)left;
    if (count > 0)
        memcpy(bytes, memory->bytes.data + memory->at, count);
    memory->at += count;
    return (tmsize_t)count;
}

static tmsize_t memory_write(thandle_t handle, void *bytes, tmsize_t length)
{
    struct memory *memory = handle;
    const uint64_t end = memory->at + (uint64_t)length;
    if (end > memory->bytes.length) {
        const size_t more = (size_t)(end - memory->bytes.length);
        uint8_t *room = buffer_reserve(&memory->bytes, more);
        if (!room)
            return -1;
        memset(room, 0, more);
        memory->bytes.length += more;
    }
    memcpy(memory->bytes.data + memory->at, bytes, (size_t)length);
    memory->at = end;
    return length;
}

static toff_t memory_seek(thandle_t handle, toff_t offset, int whence)
{
    struct memory *memory = handle;
    const uint64_t from = whence == SEEK_SET   ? 0
                          : whence == SEEK_CUR ? memory->at
                                               : memory->bytes.length;
    return memory->at = from + offset;
}

static int memory_close(thandle_t handle)
{
    (void)handle;
    return 0;
}

static toff_t memory_size(thandle_t handle)
{
    const struct memory *memory = handle;
    return memory->bytes.length;
}

/* What libtiff has to say is reported by its callers, who know what they wanted. */
static int ignore(TIFF *tiff, void *context, const char *module, const char *format, va_list list)
{
    (void)tiff, (void)context, (void)module, (void)format, (void)list;
    return 1;
}

TIFF *tiff_open(const char *mode, const struct tiff_access *access, void *context)
{
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options)
        return NULL;
    TIFFOpenOptionsSetErrorHandlerExtR(options, ignore, NULL);
    TIFFOpenOptionsSetWarningHandlerExtR(options, ignore, NULL);
    TIFF *tiff = TIFFClientOpenExt("tiff", mode, context, access->read, access->write, access->seek,
                                   access->close, access->size, NULL, NULL, options);
    TIFFOpenOptionsFree(options);
    return tiff;
}

static TIFF *memory_open(struct memory *memory, const char *mode)
{
    static const struct tiff_access access = {memory_read, memory_write, memory_seek, memory_close,
                                              memory_size};
    memory->at = 0;
    return tiff_open(mode, &access, memory);
}

size_t tiff_layout_bytes(const struct tiff_layout *layout)
{
    return (size_t)layout->width * layout->height * raster_pixel_bytes(layout->pixel);
}

bool tiff_layout_set(TIFF *tiff, const struct tiff_layout *layout)
{
    static const struct {
        uint16_t bits, format, photometric, predictor;
    } kinds[] = {
        [RASTER_FLOAT32] = {32, SAMPLEFORMAT_IEEEFP, PHOTOMETRIC_MINISBLACK,
                            PREDICTOR_FLOATINGPOINT},
        [RASTER_GREY16] = {16, SAMPLEFORMAT_UINT, PHOTOMETRIC_MINISBLACK, PREDICTOR_HORIZONTAL},
        [RASTER_GREY8] = {8, SAMPLEFORMAT_UINT, PHOTOMETRIC_MINISBLACK, PREDICTOR_HORIZONTAL},
        [RASTER_INDEX8] = {8, SAMPLEFORMAT_UINT, PHOTOMETRIC_PALETTE, PREDICTOR_NONE},
        [RASTER_RGB8] = {8, SAMPLEFORMAT_UINT, PHOTOMETRIC_RGB, PREDICTOR_HORIZONTAL},
    };
    const bool is_zstd = layout->compression == COMPRESSION_ZSTD;
    const int level = layout->is_fast ? 1 : is_zstd ? 9 : 6;
    const int bands = (int)raster_pixel_bands(layout->pixel);
    return TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, kinds[layout->pixel].bits) &&
           TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, bands) &&
           TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, kinds[layout->pixel].format) &&
           TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, kinds[layout->pixel].photometric) &&
           TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) &&
           TIFFSetField(tiff, TIFFTAG_TILEWIDTH, layout->width) &&
           TIFFSetField(tiff, TIFFTAG_TILELENGTH, layout->height) &&
           TIFFSetField(tiff, TIFFTAG_COMPRESSION, layout->compression) &&
           TIFFSetField(tiff, is_zstd ? TIFFTAG_ZSTD_LEVEL : TIFFTAG_ZIPQUALITY, level) &&
           TIFFSetField(tiff, TIFFTAG_PREDICTOR, kinds[layout->pixel].predictor);
}

/* A file of one tile in memory, which stays open for writing. */
static TIFF *write_tile(struct memory *memory, const struct tiff_layout *layout, const void *pixels)
{
    TIFF *tiff = memory_open(memory, "w");
    if (tiff && TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, layout->width) &&
        TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, layout->height) && tiff_layout_set(tiff, layout) &&
        TIFFWriteEncodedTile(tiff, 0, (void *)(uintptr_t)pixels,
                             (tmsize_t)tiff_layout_bytes(layout)) >= 0)
        return tiff;
    if (tiff)
        TIFFClose(tiff);
    return NULL;
}

bool tiff_tile_encode(const struct tiff_layout *layout, const void *pixels, struct buffer *out,
                      struct error *error)
{
    struct memory memory = {.at = 0};
    TIFF *tiff = write_tile(&memory, layout, pixels);
    if (tiff) {
        buffer_append(out, memory.bytes.data + TIFFGetStrileOffset(tiff, 0),
                      TIFFGetStrileByteCount(tiff, 0));
        TIFFClose(tiff);
    }
    buffer_free(&memory.bytes);
    return (tiff && !out->failed) || error_memory(error);
}

struct tiff_decoder *tiff_decoder_new(const struct tiff_layout *layout)
{
    struct tiff_decoder *decoder = calloc(1, sizeof *decoder);
    void *blank = calloc(1, tiff_layout_bytes(layout));
    TIFF *written = decoder && blank ? write_tile(&decoder->memory, layout, blank) : NULL;
    free(blank);
    if (written) {
        TIFFClose(written); /* writes the directory */
        decoder->length = tiff_layout_bytes(layout);
        decoder->tiff = memory_open(&decoder->memory, "r");
    }
    if (decoder && decoder->tiff)
        return decoder;
    tiff_decoder_free(decoder);
    return NULL;
}

void tiff_decoder_free(struct tiff_decoder *decoder)
{
    if (!decoder)
        return;
    if (decoder->tiff)
        TIFFClose(decoder->tiff);
    buffer_free(&decoder->memory.bytes);
    free(decoder);
}

bool tiff_tile_decode(struct tiff_decoder *decoder, const struct buffer *bytes, void *pixels,
                      struct error *error)
{
    return TIFFReadFromUserBuffer(decoder->tiff, 0, bytes->data, (tmsize_t)bytes->length, pixels,
                                  (tmsize_t)decoder->length) ||
           error_set(error, ERROR_VALUE, "a tile of the raster is damaged");
}
