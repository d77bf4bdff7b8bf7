/* A sealed record: an encoded tile as it lies on a disk or with other machines.
 *
 * It says what it is: the record's layout, the build whose encoders made the bytes, the whole key
 * and the format; and ends in a checksum over everything. Whoever reads one checks all of that, so
 * bytes that were torn, flipped, mixed up or made by another build are never taken for the tile.
 *
 * The layout, numbers little-endian: "TRNR", version (4 bytes), build (16), key (112), format's
 * name padded with zeros (16), format's version (2), coding (1), zero (1), length of the bytes (4),
 * checksum (16: hash_bytes() of all that stands before and behind it), the bytes. */
#ifndef TERRANE_SERVER_CACHE_RECORD_H
#define TERRANE_SERVER_CACHE_RECORD_H

#include <stdbool.h>

#include "core/base/buffer.h"
#include "server/cache/key.h"

enum {
    RECORD_LAYOUT_VERSION = 1,   /* its version */
    RECORD_HEADER_SIZE = 176,    /* bytes before the tile's own */
    RECORD_FORMAT_TEXT = 16,     /* room for a format's name and a zero */
    RECORD_BYTES_MAX = 32 << 20, /* of a tile */
};

struct record {
    struct hash128 build; /* of what made the bytes: build.h */
    uint8_t key[CACHE_KEY_BYTES];
    char format[RECORD_FORMAT_TEXT]; /* "png" */
    uint16_t format_version;
    uint8_t coding;       /* of enum coding */
    const uint8_t *bytes; /* borrowed */
    size_t length;        /* at most RECORD_BYTES_MAX */
};

/* Appends the sealed record to `out`, whose failure says that memory is out. */
void record_seal(const struct record *record, struct buffer *out);

enum record_state {
    RECORD_VALID,
    RECORD_OTHER_LAYOUT, /* whole or not: of another version of the layout */
    RECORD_DAMAGED,
};

/* What a record says of itself; `bytes` points into `data`. Only a whole one fills `record`. */
enum record_state record_read(const uint8_t *data, size_t length, struct record *record);

/* What the header alone says, unchecked but for the layout's version: false if it is another's. No
 * `bytes`. */
bool record_read_header(const uint8_t *header, size_t length, struct record *record);

/* Reads it and fills `record`, if it is whole, of this build and of this very key. */
bool record_open(const uint8_t *data, size_t length, const struct cache_key *key,
                 struct hash128 build, struct record *record);

#endif
