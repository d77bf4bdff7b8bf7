/* The offsets of record.h's layout. Numbers are written byte by byte, so records of machines with
 * another byte order are the same. */
#define _GNU_SOURCE /* memmem() */
#include "server/cache/record.h"

#include <string.h>

static const char magic[4] = {'T', 'R', 'N', 'R'};

enum {
    OFFSET_MAGIC = 0,
    OFFSET_VERSION = 4,
    OFFSET_BUILD = 8,
    OFFSET_KEY = 24,
    OFFSET_FORMAT = OFFSET_KEY + CACHE_KEY_BYTES,
    OFFSET_FORMAT_VERSION = OFFSET_FORMAT + RECORD_FORMAT_TEXT,
    OFFSET_CODING = OFFSET_FORMAT_VERSION + 2,
    OFFSET_ZERO = OFFSET_CODING + 1,
    OFFSET_LENGTH = OFFSET_ZERO + 1,
    OFFSET_CHECKSUM = OFFSET_LENGTH + 4,
};

_Static_assert((int)OFFSET_CHECKSUM % 16 == 0, "hash_blocks() takes whole blocks of 16");
_Static_assert((int)OFFSET_CHECKSUM + 16 == (int)RECORD_HEADER_SIZE,
               "the checksum ends the header");

static void write_le(uint8_t *out, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t read_le(const uint8_t *in, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = bytes; i-- > 0;)
        value = value << 8 | in[i];
    return value;
}

static void write_hash(uint8_t *out, struct hash128 hash)
{
    write_le(out, hash.high, 8);
    write_le(out + 8, hash.low, 8);
}

static struct hash128 read_hash(const uint8_t *in)
{
    return (struct hash128){.high = read_le(in, 8), .low = read_le(in + 8, 8)};
}

static bool hashes_equal(struct hash128 a, struct hash128 b)
{
    return a.high == b.high && a.low == b.low;
}

static struct hash128 checksum(const uint8_t *header, const uint8_t *bytes, size_t length)
{
    struct hash_stream stream = hash_begin(RECORD_LAYOUT_VERSION);
    hash_blocks(&stream, header, OFFSET_CHECKSUM);
    return hash_end(&stream, bytes, length);
}

void record_seal(const struct record *record, struct buffer *out)
{
    uint8_t header[RECORD_HEADER_SIZE] = {0};
    memcpy(header + OFFSET_MAGIC, magic, sizeof magic);
    write_le(header + OFFSET_VERSION, RECORD_LAYOUT_VERSION, 4);
    write_hash(header + OFFSET_BUILD, record->build);
    memcpy(header + OFFSET_KEY, record->key, CACHE_KEY_BYTES);
    memcpy(header + OFFSET_FORMAT, record->format, strnlen(record->format, RECORD_FORMAT_TEXT - 1));
    write_le(header + OFFSET_FORMAT_VERSION, record->format_version, 2);
    header[OFFSET_CODING] = record->coding;
    write_le(header + OFFSET_LENGTH, record->length, 4);
    write_hash(header + OFFSET_CHECKSUM, checksum(header, record->bytes, record->length));
    if (!buffer_reserve(out, RECORD_HEADER_SIZE + record->length))
        return;
    buffer_append(out, header, RECORD_HEADER_SIZE);
    if (record->length > 0)
        buffer_append(out, record->bytes, record->length);
}

bool record_read_header(const uint8_t *header, size_t length, struct record *record)
{
    if (length < RECORD_HEADER_SIZE || memcmp(header + OFFSET_MAGIC, magic, sizeof magic) != 0 ||
        read_le(header + OFFSET_VERSION, 4) != RECORD_LAYOUT_VERSION)
        return false;
    record->build = read_hash(header + OFFSET_BUILD);
    memcpy(record->key, header + OFFSET_KEY, CACHE_KEY_BYTES);
    memcpy(record->format, header + OFFSET_FORMAT, RECORD_FORMAT_TEXT);
    record->format[RECORD_FORMAT_TEXT - 1] = '\0';
    record->format_version = (uint16_t)read_le(header + OFFSET_FORMAT_VERSION, 2);
    record->coding = header[OFFSET_CODING];
    record->bytes = NULL;
    record->length = (size_t)read_le(header + OFFSET_LENGTH, 4);
    return true;
}

bool record_occurs(const void *bytes, size_t length)
{
    uint8_t head[OFFSET_BUILD];
    memcpy(head + OFFSET_MAGIC, magic, sizeof magic);
    write_le(head + OFFSET_VERSION, RECORD_LAYOUT_VERSION, 4);
    return memmem(bytes, length, head, sizeof head);
}

enum record_state record_read(const uint8_t *data, size_t length, struct record *record)
{
    struct record read;
    if (length < RECORD_HEADER_SIZE || memcmp(data + OFFSET_MAGIC, magic, sizeof magic) != 0)
        return RECORD_DAMAGED;
    if (!record_read_header(data, length, &read))
        return RECORD_OTHER_LAYOUT;
    read.bytes = data + RECORD_HEADER_SIZE;
    const size_t rest = length - RECORD_HEADER_SIZE;
    if (rest > RECORD_BYTES_MAX || read.length != rest || data[OFFSET_ZERO] != 0 ||
        data[OFFSET_FORMAT + RECORD_FORMAT_TEXT - 1] != 0 ||
        !hashes_equal(read_hash(data + OFFSET_CHECKSUM), checksum(data, read.bytes, rest)))
        return RECORD_DAMAGED;
    *record = read;
    return RECORD_VALID;
}

bool record_open(const uint8_t *data, size_t length, const struct cache_key *key,
                 struct hash128 build, struct record *record)
{
    struct record read;
    if (record_read(data, length, &read) != RECORD_VALID || !hashes_equal(read.build, build) ||
        memcmp(read.key, key->bytes, CACHE_KEY_BYTES) != 0)
        return false;
    *record = read;
    return true;
}
