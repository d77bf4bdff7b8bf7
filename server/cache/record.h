/* Sealed records: the form in which encoded tiles are stored on a disk and on other machines.
 *
 * A record describes itself: the layout's version, the build whose encoders made the bytes, the
 * whole cache key and the format, and a checksum over everything. Readers check all of that, so a
 * torn, flipped or misplaced record, or one of another build, is never taken for the tile.
 *
 * The layout, numbers little-endian: "TRNR", version (4 bytes), build (16), key (112), format's
 * name padded with zeros (16), format's version (2), coding (1), zero (1), length of the bytes (4),
 * checksum (16: hash_bytes() of everything in front of and behind it), the bytes. The seed of the
 * checksum is the version.
 *
 * An example: the chunk whose key is the example of server/http/products/recipe.h, kept by the
 * build {0x0123456789abcdef, 7}. The bytes of a chunk begin with the digest of its samples.
 *
 *       0  54 52 4e 52 01 00 00 00                          "TRNR", version 1
 *       8  ef cd ab 89 67 45 23 01 07 00 00 00 00 00 00 00  the build
 *      24  67 31 2d 35 33 38 … fd 00 c8 58 9c bf 18 49 00 00  the key
 *     136  72 33 32 66 00 00 00 00 00 00 00 00 00 00 00 00  "r32f"
 *     152  01 00 00 00 30 00 00 00                          version 1, identity, 0, 48 bytes
 *     160  98 c3 8a 45 e4 55 50 33 10 c2 fc 81 df 16 70 52  checksum
 *     176  30 30 32 35 32 39 64 33 63 66 34 65 62 35 66 64  "002529d3cf4eb5fd6629e3017d663d3a"
 *     192  36 36 32 39 65 33 30 31 37 64 36 36 33 64 33 61
 *     208  00 00 40 40 00 00 80 40 00 00 40 40 00 00 80 40  the samples: 3, 4, 3, 4
 */
#ifndef TERRANE_SERVER_CACHE_RECORD_H
#define TERRANE_SERVER_CACHE_RECORD_H

#include <stdbool.h>

#include "core/base/buffer.h"
#include "server/cache/key.h"

enum {
    RECORD_LAYOUT_VERSION = 1,
    RECORD_HEADER_SIZE = 176,    /* bytes in front of the tile's */
    RECORD_FORMAT_TEXT = 16,     /* bytes for a format's name and a zero */
    RECORD_BYTES_MAX = 32 << 20, /* of a tile */
};

struct record {
    struct hash128 build; /* server_build_hash() of the program that made the bytes */
    uint8_t key[CACHE_KEY_BYTES];
    char format[RECORD_FORMAT_TEXT]; /* "png" */
    uint16_t format_version;
    uint8_t coding;       /* of enum coding */
    const uint8_t *bytes; /* borrowed */
    size_t length;        /* at most RECORD_BYTES_MAX */
};

/* Appends the sealed record to `out`; `out->failed` when memory is out. */
void record_seal(const struct record *record, struct buffer *out);

enum record_state {
    RECORD_VALID,
    RECORD_OTHER_LAYOUT, /* another version of the layout; not checked further */
    RECORD_DAMAGED,
};

/* Reads and checks a whole record, whatever its key and build. Fills `record` only if it is valid;
 * `bytes` points into `data`. */
enum record_state record_read(const uint8_t *data, size_t length, struct record *record);

/* Reads the header alone, for listings: the checksum is not checked and `bytes` is null. False for
 * another layout. */
bool record_read_header(const uint8_t *header, size_t length, struct record *record);

/* True if a record of this layout seems to begin somewhere in these bytes. */
bool record_occurs(const void *bytes, size_t length);

/* Reads and checks a record. False, with `record` unchanged, unless it is valid, of this build and
 * of exactly this key. */
bool record_open(const uint8_t *data, size_t length, const struct cache_key *key,
                 struct hash128 build, struct record *record);

#endif
