/* PNG of any size, a band of rows at a time: for pictures that are too large for memory. Uses
 * libpng's own row writer; for tiles, png.h is faster. */
#ifndef TERRANE_ENCODE_PNG_STREAM_H
#define TERRANE_ENCODE_PNG_STREAM_H

#include "core/base/error.h"
#include "core/tile/image.h"

/* Takes the next bytes of the file; false if they could not be written. */
typedef bool png_sink(void *context, const uint8_t *bytes, size_t length);

struct png_stream;

/* Begins a picture of the shape's format (but IMAGE_RGBA8), content, width, height and palette; its
 * pixels are not read. Null when memory is out, or a side is 0 or beyond 2³¹ − 1. */
struct png_stream *png_stream_new(const struct image *shape, png_sink *sink, void *context,
                                  struct error *error);
/* Appends the band's rows, of the same width and format. False as above, if the sink refuses, or if
 * the picture has fewer rows. After a failure only png_stream_free() is allowed. */
bool png_stream_rows(struct png_stream *stream, const struct image *band, struct error *error);
/* Adds a text (tEXt, or iTXt if it is not ASCII) that stands before the pixels: the key has 1 to 79
 * characters of ASCII. Before the first rows. */
bool png_stream_text(struct png_stream *stream, const char *key, const char *text,
                     struct error *error);
/* After the last row: writes the end of the file. */
bool png_stream_end(struct png_stream *stream, struct error *error);
void png_stream_free(struct png_stream *stream); /* null is allowed */

#endif
