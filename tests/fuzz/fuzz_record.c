/* Records of a cache: read as they are, and with a header that is right but for what follows. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "server/cache/record.h"

/* A copy of exactly that size, so that a sanitizer sees a read beyond it. */
static uint8_t *copy_of(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    fuzz_expect(copy != NULL);
    if (size)
        memcpy(copy, data, size);
    return copy;
}

static void read_any(const uint8_t *data, size_t size)
{
    uint8_t *copy = copy_of(data, size);
    struct record record = {0};
    struct cache_key key = {0};
    if (record_read(copy, size, &record) == RECORD_VALID) {
        fuzz_expect(record.bytes == copy + RECORD_HEADER_SIZE);
        fuzz_expect(record.length == size - RECORD_HEADER_SIZE);
        fuzz_expect(record.format[RECORD_FORMAT_TEXT - 1] == '\0');
        memcpy(key.bytes, record.key, CACHE_KEY_BYTES);
        fuzz_expect(record_open(copy, size, &key, record.build, &record));
        key.bytes[0] ^= 1;
        fuzz_expect(!record_open(copy, size, &key, record.build, &record));
    }
    record_read_header(copy, size, &record);
    free(copy);
}

/* Neither another build's, nor another key's. */
static void refuse_others(const struct buffer *sealed, const struct cache_key *key,
                          struct hash128 build)
{
    struct record read;
    struct cache_key other = *key;
    const struct hash128 high = {.high = ~build.high, .low = build.low};
    const struct hash128 low = {.high = build.high, .low = ~build.low};
    fuzz_expect(!record_open(sealed->data, sealed->length, key, high, &read));
    fuzz_expect(!record_open(sealed->data, sealed->length, key, low, &read));
    other.bytes[CACHE_KEY_BYTES - 1] ^= 1;
    fuzz_expect(!record_open(sealed->data, sealed->length, &other, build, &read));
}

/* Whatever is sealed opens as it was; with a byte changed, it does not. */
static void seal_and_change(const uint8_t *data, size_t size)
{
    struct record record = {.format = "png", .bytes = data, .length = size};
    struct record read;
    struct cache_key key = {0};
    struct buffer sealed = {0};
    memcpy(record.key, data, size < CACHE_KEY_BYTES ? size : CACHE_KEY_BYTES);
    memcpy(key.bytes, record.key, CACHE_KEY_BYTES);
    record_seal(&record, &sealed);
    fuzz_expect(!sealed.failed);
    fuzz_expect(record_open(sealed.data, sealed.length, &key, record.build, &read));
    fuzz_expect(read.length == size && (size == 0 || memcmp(read.bytes, data, size) == 0));
    refuse_others(&sealed, &key, record.build);
    const size_t at = size >= 2 ? (data[0] | (size_t)data[1] << 8) % sealed.length : 0;
    const uint8_t change = size >= 3 && data[2] ? data[2] : 1;
    sealed.data[at] ^= change;
    fuzz_expect(!record_open(sealed.data, sealed.length, &key, record.build, &read));
    sealed.data[at] ^= change;
    fuzz_expect(!record_open(sealed.data, sealed.length - 1, &key, record.build, &read));
    buffer_free(&sealed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_any(data, size);
    seal_and_change(data, size);
    return 0;
}
