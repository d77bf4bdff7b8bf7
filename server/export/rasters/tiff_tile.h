/* Tiles of TIFF files, each compressed by itself with libtiff, so that several threads can make
 * those of one file. */
#ifndef TERRANE_SERVER_EXPORT_RASTERS_TIFF_TILE_H
#define TERRANE_SERVER_EXPORT_RASTERS_TIFF_TILE_H

#include <tiffio.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "server/render/raster.h"

/* Opens a TIFF "w" (BigTIFF: "w8") or "r" over functions; libtiff prints no messages. Null when
 * memory is out, or on failure of a function. */
struct tiff_access {
    TIFFReadWriteProc read, write;
    TIFFSeekProc seek;
    TIFFCloseProc close;
    TIFFSizeProc size;
};
TIFF *tiff_open(const char *mode, const struct tiff_access *access, void *context);

/* What all tiles of a file have in common. */
struct tiff_layout {
    enum raster_pixel pixel;
    uint16_t compression;   /* COMPRESSION_ADOBE_DEFLATE or COMPRESSION_ZSTD */
    uint32_t width, height; /* of a tile: multiples of 16 */
    bool is_fast;           /* compressed little: for what is soon read again */
    bool is_coded;          /* the bands of a pixel are parts of one number: they have no mean */
};

/* Sets what a layout says in the directory of a file that is written. */
bool tiff_layout_set(TIFF *tiff, const struct tiff_layout *layout);
/* Bytes of a tile that is not compressed. */
size_t tiff_layout_bytes(const struct tiff_layout *layout);

/* Appends the compressed bytes of a tile's rows, one behind another. They depend on the pixels, the
 * layout and the release of the libraries alone. */
bool tiff_tile_encode(const struct tiff_layout *layout, const void *pixels, struct buffer *out,
                      struct error *error);

/* Opens compressed tiles. Of one thread. */
struct tiff_decoder;
struct tiff_decoder *tiff_decoder_new(const struct tiff_layout *layout); /* null: out of memory */
void tiff_decoder_free(struct tiff_decoder *decoder);                    /* null is allowed */
/* The inverse; false with ERROR_VALUE if the bytes are damaged. */
bool tiff_tile_decode(struct tiff_decoder *decoder, const struct buffer *bytes, void *pixels,
                      struct error *error);

#endif
