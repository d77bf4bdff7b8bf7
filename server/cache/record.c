#include "server/cache/record.h"

#include <string.h>

static const char magic[4] = {'T', 'R', 'N', 'R'};

enum {
    AT_MAGIC = 0,
    AT_VERSION = 4,
    AT_BUILD = 8,
    AT_KEY = 24,
    AT_FORMAT = AT_KEY + CACHE_KEY_BYTES,
    AT_FORMAT_VERSION = AT_FORMAT + RECORD_FORMAT,
    AT_CODING = AT_FORMAT_VERSION + 2,
    AT_ZERO = AT_CODING + 1,
    AT_LENGTH = AT_ZERO + 1,
    AT_CHECKSUM = AT_LENGTH + 4,
};

_Static_assert((int)AT_CHECKSUM % 16 == 0, "what the checksum is of are whole blocks");
_Static_assert((int)AT_CHECKSUM + 16 == (int)RECORD_HEADER, "the checksum is the header's end");

static void put(uint8_t *out, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        out[i] = (uint8_t)(value >> (8 * i));
}

static uint64_t get(const uint8_t *in, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = bytes; i-- > 0;)
        value = value << 8 | in[i];
    return value;
}

static void put_hash(uint8_t *out, struct hash128 hash)
{
    put(out, hash.high, 8);
    put(out + 8, hash.low, 8);
}

static struct hash128 get_hash(const uint8_t *in)
{
    return (struct hash128){.high = get(in, 8), .low = get(in + 8, 8)};
}

static bool same_hash(struct hash128 a, struct hash128 b)
{
    return a.high == b.high && a.low == b.low;
}

static struct hash128 checksum(const uint8_t *header, const uint8_t *bytes, size_t length)
{
    struct hash_stream stream = hash_begin(RECORD_LAYOUT);
    hash_blocks(&stream, header, AT_CHECKSUM);
    return hash_end(&stream, bytes, length);
}

void record_seal(const struct record *record, struct buffer *out)
{
    uint8_t header[RECORD_HEADER] = {0};
    memcpy(header + AT_MAGIC, magic, sizeof magic);
    put(header + AT_VERSION, RECORD_LAYOUT, 4);
    put_hash(header + AT_BUILD, record->build);
    memcpy(header + AT_KEY, record->key, CACHE_KEY_BYTES);
    memcpy(header + AT_FORMAT, record->format, strnlen(record->format, RECORD_FORMAT - 1));
    put(header + AT_FORMAT_VERSION, record->format_version, 2);
    header[AT_CODING] = record->coding;
    put(header + AT_LENGTH, record->length, 4);
    put_hash(header + AT_CHECKSUM, checksum(header, record->bytes, record->length));
    if (!buffer_reserve(out, RECORD_HEADER + record->length))
        return;
    buffer_append(out, header, RECORD_HEADER);
    if (record->length > 0)
        buffer_append(out, record->bytes, record->length);
}

bool record_peek(const uint8_t *header, size_t length, struct record *record)
{
    if (length < RECORD_HEADER || memcmp(header + AT_MAGIC, magic, sizeof magic) != 0 ||
        get(header + AT_VERSION, 4) != RECORD_LAYOUT)
        return false;
    record->build = get_hash(header + AT_BUILD);
    memcpy(record->key, header + AT_KEY, CACHE_KEY_BYTES);
    memcpy(record->format, header + AT_FORMAT, RECORD_FORMAT);
    record->format[RECORD_FORMAT - 1] = '\0';
    record->format_version = (uint16_t)get(header + AT_FORMAT_VERSION, 2);
    record->coding = header[AT_CODING];
    record->bytes = NULL;
    record->length = (size_t)get(header + AT_LENGTH, 4);
    return true;
}

enum record_state record_read(const uint8_t *data, size_t length, struct record *record)
{
    struct record read;
    if (length < RECORD_HEADER || memcmp(data + AT_MAGIC, magic, sizeof magic) != 0)
        return RECORD_DAMAGED;
    if (!record_peek(data, length, &read))
        return RECORD_FOREIGN;
    read.bytes = data + RECORD_HEADER;
    const size_t rest = length - RECORD_HEADER;
    if (rest > RECORD_BYTES_MAX || read.length != rest || data[AT_ZERO] != 0 ||
        data[AT_FORMAT + RECORD_FORMAT - 1] != 0 ||
        !same_hash(get_hash(data + AT_CHECKSUM), checksum(data, read.bytes, rest)))
        return RECORD_DAMAGED;
    *record = read;
    return RECORD_WHOLE;
}

bool record_open(const uint8_t *data, size_t length, const struct cache_key *key,
                 struct hash128 build, struct record *record)
{
    struct record read;
    if (record_read(data, length, &read) != RECORD_WHOLE || !same_hash(read.build, build) ||
        memcmp(read.key, key->bytes, CACHE_KEY_BYTES) != 0)
        return false;
    *record = read;
    return true;
}
