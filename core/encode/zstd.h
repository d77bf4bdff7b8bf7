/* The Zstandard format (RFC 8878), for responses with Content-Encoding: zstd. The bytes of libzstd
 * depend on the input, the level and its release alone, not on the machine or on earlier frames. A
 * frame has the content's length and no checksum, and needs a window of 8 MiB at most, which is all
 * that RFC 9659 allows a content coding. */
#ifndef TERRANE_ENCODE_ZSTD_H
#define TERRANE_ENCODE_ZSTD_H

#include "core/base/buffer.h"
#include "core/base/error.h"

enum {
    ZSTD_LEVEL_MAX = 19, /* levels 1 … 19; beyond, windows are larger */
    /* Fast: while a client waits. World terra, libzstd 1.5.4 on one core, against gzip's level 4:
     *                        bytes     level 1        level 3        level 5         gzip 4
     *   tile.r32f          262,144   87 % 325 µs    87 % 346 µs    87 % 1052 µs    87 % 3704 µs
     *   chunk.r32f, 64 m    16,900   78 %  26 µs    78 %  28 µs    78 %  111 µs    77 %   96 µs
     *   16 of them         270,912   81 % 343 µs    80 % 806 µs    79 % 2892 µs    77 % 3862 µs
     *   chunk.glb          151,312   72 % 263 µs    72 % 306 µs    73 %  846 µs    63 % 1753 µs
     *   tile.mvt            37,655   70 %  51 µs    70 % 279 µs    70 %  436 µs    71 %  500 µs
     *   chunk.json          41,075   38 % 133 µs    41 % 187 µs    41 %  468 µs    40 %  497 µs
     *   a world             14,010   27 %  30 µs    27 %  35 µs    26 %   74 µs    27 %   66 µs
     * Higher levels gain nothing for samples, and negative levels do not compress floats. */
    ZSTD_LEVEL_SERVE = 1,
    ZSTD_LEVEL_EXPORT = 19, /* small */
};

/* The scratch memory of one thread: 0.6 MiB at ZSTD_LEVEL_SERVE, more at higher levels. */
struct zstd_encoder;
struct zstd_encoder *zstd_encoder_new(void);          /* null when memory is out */
void zstd_encoder_free(struct zstd_encoder *encoder); /* null is allowed */

/* Appends a whole frame to `out`; false with ERROR_MEMORY, and `out` as it was. */
bool zstd_compress(struct zstd_encoder *encoder, int level, const struct buffer *bytes,
                   struct buffer *out, struct error *error);

#endif
