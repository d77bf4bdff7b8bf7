/* Appending tiles to a spool and reading them. Entries are written some hundred at once; a block of
 * them is read at once, as whoever reads them goes through all. */
#include "server/export/spool/spool_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "core/encode/gzip.h"
#include "server/base/file.h"

bool spool_fail(const char *path, const char *what, struct error *error)
{
    error_set(error, ERROR_IO, "%s: %s", what, strerror(errno));
    return error_in_file(error, path);
}

/* Of a read that got so many bytes, less than there should be; or -1, with errno. */
static bool fail_read(const char *path, ssize_t got, struct error *error)
{
    if (got < 0)
        return spool_fail(path, "cannot be read", error);
    error_set(error, ERROR_IO, "cannot be read: it became shorter");
    return error_in_file(error, path);
}

/* Entries */

bool spool_flush(struct spool *spool, struct error *error)
{
    const uint64_t first = spool->count - spool->pending_count;
    if (!file_write_at(spool->index, spool->pending, spool->pending_count * (size_t)SPOOL_ENTRY,
                       spool->entries_at + first * SPOOL_ENTRY))
        return spool_fail(spool->index_path, "cannot be written", error);
    spool->pending_count = 0;
    return true;
}

bool spool_read_block(struct spool *spool, uint64_t first, uint64_t count, struct error *error)
{
    const size_t length = count * SPOOL_ENTRY;
    const ssize_t got =
        file_read_at(spool->index, spool->block, length, spool->entries_at + first * SPOOL_ENTRY);
    spool->block_first = first;
    spool->block_count = got == (ssize_t)length ? count : 0;
    return spool->block_count == count || fail_read(spool->index_path, got, error);
}

/* Takes an entry from memory; false if it is in the file alone. */
static bool recall_entry(const struct spool *spool, uint64_t index, struct spool_entry *entry)
{
    const uint64_t written = spool->count - spool->pending_count;
    if (index >= written)
        *entry = spool->pending[index - written];
    else if (index >= spool->block_first && index - spool->block_first < spool->block_count)
        *entry = spool->block[index - spool->block_first];
    else
        return false;
    return true;
}

bool spool_read_entry(struct spool *spool, uint64_t index, struct spool_entry *entry,
                      struct error *error)
{
    const uint64_t left = spool->count - spool->pending_count - index;
    return recall_entry(spool, index, entry) ||
           (spool_read_block(spool, index, left < SPOOL_BLOCK ? left : SPOOL_BLOCK, error) &&
            recall_entry(spool, index, entry));
}

/* Equal tiles */

bool spool_take_unique(struct spool *spool, const struct spool_entry *entry, struct error *error)
{
    if (!equal_table_add(&spool->equal, entry->checksum, spool->count))
        return error_memory(error);
    spool->length += entry->length;
    spool->unique++;
    return true;
}

/* Equal tiles may be anywhere, so no block is read for one. */
static bool read_one_entry(struct spool *spool, uint64_t index, struct spool_entry *entry,
                           struct error *error)
{
    if (recall_entry(spool, index, entry))
        return true;
    const ssize_t got =
        file_read_at(spool->index, entry, SPOOL_ENTRY, spool->entries_at + index * SPOOL_ENTRY);
    return got == SPOOL_ENTRY || fail_read(spool->index_path, got, error);
}

/* Gives a new entry the offset of an equal tile; *is_found tells if there is one. Checksums may be
 * equal by chance, so the bytes are compared. */
static bool find_equal(struct spool *spool, struct spool_entry *entry, const void *bytes,
                       bool *is_found, struct error *error)
{
    uint64_t tile;
    size_t cursor = 0;
    *is_found = false;
    while (!*is_found && equal_table_next(&spool->equal, entry->checksum, &cursor, &tile)) {
        struct spool_entry other;
        if (!read_one_entry(spool, tile, &other, error))
            return false;
        if (other.length != entry->length)
            continue;
        buffer_clear(&spool->compare);
        if (!spool_read_bytes(spool, &other, &spool->compare, error))
            return false;
        *is_found = memcmp(spool->compare.data, bytes, entry->length) == 0;
        if (*is_found)
            entry->offset = other.offset;
    }
    return true;
}

bool spool_read_bytes(struct spool *spool, const struct spool_entry *entry, struct buffer *out,
                      struct error *error)
{
    uint8_t *room = buffer_reserve(out, entry->length);
    if (!room)
        return error_memory(error);
    const ssize_t got =
        file_read_at(spool->bytes, room, entry->length, SPOOL_HEADER + entry->offset);
    if (got != (ssize_t)entry->length)
        return fail_read(spool->bytes_path, got, error);
    out->length += entry->length;
    return true;
}

bool spool_read(struct spool *spool, uint64_t index, struct buffer *out, struct error *error)
{
    struct spool_entry entry;
    return spool_read_entry(spool, index, &entry, error) &&
           spool_read_bytes(spool, &entry, out, error);
}

bool spool_digest(struct spool *spool, uint64_t first, char digest[33], struct error *error)
{
    struct hash_stream stream = hash_begin(0);
    for (uint64_t i = first; i < spool->count; i++) {
        struct spool_entry entry;
        if (!spool_read_entry(spool, i, &entry, error))
            return false;
        const uint64_t block[2] = {entry.length, entry.checksum};
        hash_blocks(&stream, block, sizeof block);
    }
    hash_hex(hash_end(&stream, NULL, 0), digest);
    return true;
}

bool spool_append(struct spool *spool, const void *bytes, size_t length, struct error *error)
{
    struct spool_entry entry = {spool->length, (uint32_t)length, gzip_crc32(bytes, length)};
    bool is_found = false;
    if (length > UINT32_MAX)
        return error_set(error, ERROR_LIMIT, "a tile has more than 4 GB");
    if (length > 0 && !find_equal(spool, &entry, bytes, &is_found, error))
        return false;
    if (length > 0 && !is_found) {
        if (!file_write_at(spool->bytes, bytes, length, SPOOL_HEADER + spool->length))
            return spool_fail(spool->bytes_path, "cannot be written", error);
        if (!spool_take_unique(spool, &entry, error))
            return false;
    }
    spool->pending[spool->pending_count++] = entry;
    spool->count++;
    return spool->pending_count < SPOOL_PENDING || spool_flush(spool, error);
}

bool spool_sync(struct spool *spool, struct error *error)
{
    if (fdatasync(spool->bytes) != 0)
        return spool_fail(spool->bytes_path, "cannot be written", error);
    if (!spool_flush(spool, error))
        return false;
    return fdatasync(spool->index) == 0 ||
           spool_fail(spool->index_path, "cannot be written", error);
}

void spool_close(struct spool *spool)
{
    if (!spool)
        return;
    if (spool->pending_count > 0)
        spool_flush(spool, NULL);
    if (spool->bytes >= 0)
        close(spool->bytes);
    if (spool->index >= 0)
        close(spool->index);
    free(spool->path);
    free(spool->bytes_path);
    free(spool->index_path);
    equal_table_free(&spool->equal);
    buffer_free(&spool->compare);
    free(spool);
}

void spool_remove(struct spool *spool)
{
    if (!spool)
        return;
    spool->pending_count = 0;
    unlink(spool->bytes_path);
    unlink(spool->index_path);
    spool_close(spool);
}

uint64_t spool_count(const struct spool *spool)
{
    return spool->count;
}

uint64_t spool_unique(const struct spool *spool)
{
    return spool->unique;
}

uint64_t spool_length(const struct spool *spool)
{
    return spool->length;
}

bool spool_write_at(struct spool *spool, const void *bytes, size_t length, uint64_t offset,
                    struct error *error)
{
    return file_write_at(spool->bytes, bytes, length, offset) ||
           spool_fail(spool->bytes_path, "cannot be written", error);
}

bool spool_publish(struct spool *spool, uint64_t length, struct error *error)
{
    if (ftruncate(spool->bytes, (off_t)length) != 0 || fsync(spool->bytes) != 0)
        return spool_fail(spool->bytes_path, "cannot be written", error);
    if (rename(spool->bytes_path, spool->path) != 0)
        return spool_fail(spool->path, "cannot be created", error);
    spool->pending_count = 0;
    unlink(spool->index_path);
    spool_close(spool);
    return true;
}
