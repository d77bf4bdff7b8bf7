/* PATH.part-index: the length of the recipe, the recipe, padding to a multiple of 16, then an entry
 * of 16 bytes for each tile, in the byte order of the machine: 8 of offset, 4 of length, 4 of
 * checksum. Bytes are written before the entry that tells of them.
 *
 * Equal tiles are found by a table of open addressing: numbers of entries, in slots that their
 * checksum and length choose. A match is compared byte by byte. */
#define _GNU_SOURCE /* asprintf() */
#include "server/export/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/hash.h"
#include "core/encode/gzip.h"
#include "server/base/file.h"

enum {
    ENTRY = sizeof(struct spool_entry),
    BLOCK = 4096,  /* entries that are read together */
    PENDING = 256, /* entries that are written together: what a kill may cost */
    SLOTS_MIN = 1 << 12,
    /* Beyond as many different tiles, further equal ones are not found: the table has 1 GB. */
    UNIQUE_MAX = 1 << 26,
};

struct spool {
    char *path, *bytes_path, *index_path;
    int bytes, index;    /* descriptors */
    uint64_t entries_at; /* where entries begin */
    uint64_t count, unique, length;
    uint64_t *slots;                     /* number of the entry + 1, or 0 */
    uint64_t slot_count;                 /* a power of two */
    struct spool_entry pending[PENDING]; /* entries that are not yet written */
    unsigned pending_count;
    struct spool_entry block[BLOCK]; /* entries that were read */
    uint64_t block_first, block_count;
    struct buffer compare;
};

static bool fail(const char *path, const char *what, struct error *error)
{
    error_set(error, ERROR_IO, "%s: %s", what, strerror(errno));
    return error_in_file(error, path);
}

/* Entries and the table of equal tiles */

static bool flush_entries(struct spool *spool, struct error *error)
{
    const uint64_t first = spool->count - spool->pending_count;
    if (!file_write_at(spool->index, spool->pending, spool->pending_count * (size_t)ENTRY,
                       spool->entries_at + first * ENTRY))
        return fail(spool->index_path, "cannot be written", error);
    spool->pending_count = 0;
    return true;
}

bool spool_read_entry(struct spool *spool, uint64_t index, struct spool_entry *entry,
                      struct error *error)
{
    const uint64_t written = spool->count - spool->pending_count;
    if (index >= written) {
        *entry = spool->pending[index - written];
        return true;
    }
    if (index < spool->block_first || index >= spool->block_first + spool->block_count) {
        spool->block_first = index;
        const uint64_t left = written - index;
        spool->block_count = left < BLOCK ? left : BLOCK;
        const size_t length = spool->block_count * ENTRY;
        if (file_read_at(spool->index, spool->block, length, spool->entries_at + index * ENTRY) !=
            (ssize_t)length) {
            spool->block_count = 0;
            return fail(spool->index_path, "cannot be read", error);
        }
    }
    *entry = spool->block[index - spool->block_first];
    return true;
}

static uint64_t slot_of(const struct spool *spool, const struct spool_entry *entry)
{
    const uint64_t mixed = ((uint64_t)entry->length << 32 | entry->checksum) * 0x9E3779B97F4A7C15u;
    return (mixed ^ mixed >> 32) & (spool->slot_count - 1);
}

/* Puts an entry into the first free slot of its row. */
static void put(struct spool *spool, const struct spool_entry *entry, uint64_t index)
{
    uint64_t slot = slot_of(spool, entry);
    while (spool->slots[slot])
        slot = (slot + 1) & (spool->slot_count - 1);
    spool->slots[slot] = index + 1;
}

static bool grow(struct spool *spool, struct error *error)
{
    uint64_t *const before = spool->slots, before_count = spool->slot_count;
    spool->slot_count = before_count ? before_count * 2 : SLOTS_MIN;
    spool->slots = calloc(spool->slot_count, sizeof *spool->slots);
    bool done = spool->slots || error_memory(error);
    for (uint64_t i = 0; done && i < before_count; i++) {
        struct spool_entry entry;
        if (before[i] && (done = spool_read_entry(spool, before[i] - 1, &entry, error)))
            put(spool, &entry, before[i] - 1);
    }
    free(before);
    return done;
}

/* Gives a new entry the offset of an equal tile, if there is one; otherwise it is put into the
 * table. `entry->offset` is where its bytes would go. */
static bool find_equal(struct spool *spool, struct spool_entry *entry, const void *bytes,
                       bool *is_found, struct error *error)
{
    *is_found = false;
    if (spool->unique >= spool->slot_count / 2 && spool->unique < UNIQUE_MAX && !grow(spool, error))
        return false;
    uint64_t slot = slot_of(spool, entry);
    for (; spool->slots[slot]; slot = (slot + 1) & (spool->slot_count - 1)) {
        struct spool_entry other;
        if (!spool_read_entry(spool, spool->slots[slot] - 1, &other, error))
            return false;
        if (other.length != entry->length || other.checksum != entry->checksum)
            continue;
        buffer_clear(&spool->compare);
        if (!spool_read_bytes(spool, &other, &spool->compare, error))
            return false;
        if (memcmp(spool->compare.data, bytes, entry->length) == 0) {
            entry->offset = other.offset;
            *is_found = true;
            return true;
        }
    }
    if (spool->unique < UNIQUE_MAX)
        spool->slots[slot] = spool->count + 1;
    return true;
}

bool spool_read_bytes(struct spool *spool, const struct spool_entry *entry, struct buffer *out,
                      struct error *error)
{
    uint8_t *room = buffer_reserve(out, entry->length);
    if (!room)
        return error_memory(error);
    if (file_read_at(spool->bytes, room, entry->length, SPOOL_HEADER + entry->offset) !=
        (ssize_t)entry->length)
        return fail(spool->bytes_path, "cannot be read", error);
    out->length += entry->length;
    return true;
}

bool spool_digest(struct spool *spool, char digest[33], struct error *error)
{
    struct hash_stream stream = hash_begin(0);
    for (uint64_t i = 0; i < spool->count; i++) {
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
            return fail(spool->bytes_path, "cannot be written", error);
        spool->length += length;
        spool->unique++;
    }
    spool->pending[spool->pending_count++] = entry;
    spool->count++;
    return spool->pending_count < PENDING || flush_entries(spool, error);
}

bool spool_sync(struct spool *spool, struct error *error)
{
    if (fdatasync(spool->bytes) != 0)
        return fail(spool->bytes_path, "cannot be written", error);
    if (!flush_entries(spool, error))
        return false;
    return fdatasync(spool->index) == 0 || fail(spool->index_path, "cannot be written", error);
}

/* Opening what is there */

/* Begins both files anew. */
static bool begin(struct spool *spool, const struct buffer *recipe, struct error *error)
{
    const uint64_t length = recipe->length;
    if (ftruncate(spool->index, 0) != 0 || ftruncate(spool->bytes, 0) != 0 ||
        !file_write_at(spool->index, recipe->data, recipe->length, sizeof length) ||
        !file_write_at(spool->index, &length, sizeof length, 0))
        return fail(spool->index_path, "cannot be written", error);
    return true;
}

/* True if the index was begun with this recipe; *is_new if it is empty. */
static bool check_recipe(struct spool *spool, const struct buffer *recipe, bool *is_new,
                         struct error *error)
{
    uint64_t length = 0;
    const ssize_t got = file_read_at(spool->index, &length, sizeof length, 0);
    *is_new = got < (ssize_t)sizeof length || length == 0;
    if (got < 0)
        return fail(spool->index_path, "cannot be read", error);
    if (*is_new)
        return true;
    buffer_clear(&spool->compare);
    uint8_t *text = length == recipe->length ? buffer_reserve(&spool->compare, length) : NULL;
    if (text && file_read_at(spool->index, text, length, sizeof length) == (ssize_t)length &&
        memcmp(text, recipe->data, length) == 0)
        return true;
    error_set(error, ERROR_VALUE,
              "holds the beginning of another export: finish that one, delete the file, or export "
              "without --resume to begin anew");
    return error_in_file(error, spool->index_path);
}

/* Takes the entry if its bytes are there and sound. */
static bool take_entry(struct spool *spool, const struct spool_entry *entry, uint64_t bytes_length,
                       bool *is_sound, struct error *error)
{
    *is_sound = false;
    if (entry->length > 0) {
        if (entry->offset > spool->length || entry->offset + entry->length > bytes_length)
            return true;
        buffer_clear(&spool->compare);
        if (!spool_read_bytes(spool, entry, &spool->compare, error))
            return false;
        if (gzip_crc32(spool->compare.data, entry->length) != entry->checksum)
            return true;
    }
    *is_sound = true;
    if (entry->length > 0 && entry->offset == spool->length) {
        if (spool->unique >= spool->slot_count / 2 && spool->unique < UNIQUE_MAX &&
            !grow(spool, error))
            return false;
        if (spool->unique < UNIQUE_MAX)
            put(spool, entry, spool->count);
        spool->length += entry->length;
        spool->unique++;
    }
    spool->count++;
    return true;
}

/* Reads the entries that are there, `most` at most. */
static bool recover(struct spool *spool, uint64_t most, struct error *error)
{
    struct stat bytes, index;
    if (fstat(spool->bytes, &bytes) != 0 || fstat(spool->index, &index) != 0)
        return fail(spool->index_path, "cannot be read", error);
    const uint64_t size = (uint64_t)index.st_size;
    const uint64_t count = size < spool->entries_at ? 0 : (size - spool->entries_at) / ENTRY;
    const uint64_t bytes_length =
        bytes.st_size < SPOOL_HEADER ? 0 : (uint64_t)bytes.st_size - SPOOL_HEADER;
    bool is_sound = true;
    for (uint64_t i = 0; is_sound && i < count && i < most; i++) {
        struct spool_entry entry;
        if (file_read_at(spool->index, &entry, ENTRY, spool->entries_at + i * ENTRY) != ENTRY)
            return fail(spool->index_path, "cannot be read", error);
        if (!take_entry(spool, &entry, bytes_length, &is_sound, error))
            return false;
    }
    if (ftruncate(spool->index, (off_t)(spool->entries_at + spool->count * ENTRY)) != 0 ||
        ftruncate(spool->bytes, (off_t)(SPOOL_HEADER + spool->length)) != 0)
        return fail(spool->index_path, "cannot be written", error);
    return true;
}

/* What would fail at the end, after hours: a folder has the archive's name, or a file a folder's.
 */
static bool check_path(const char *path, struct error *error)
{
    struct stat status;
    const bool exists = stat(path, &status) == 0, is_folder = path[strlen(path) - 1] == '/';
    if (exists && S_ISDIR(status.st_mode) && !is_folder)
        errno = EISDIR;
    else if (exists || errno != ENOTDIR)
        return true;
    return fail(path, "cannot be created", error);
}

/* The name of a file beside the archive, or beside the folder of FOLDER/; null when memory is out.
 */
static char *name_beside(const char *path, const char *suffix)
{
    char *name;
    const size_t length = strlen(path);
    const int base = (int)(length > 1 && path[length - 1] == '/' ? length - 1 : length);
    return asprintf(&name, "%.*s%s", base, path, suffix) < 0 ? NULL : name;
}

bool spool_exists(const char *path)
{
    char *index = name_beside(path, ".part-index");
    const bool exists = index && access(index, F_OK) == 0;
    free(index);
    return exists;
}

static bool open_files(struct spool *spool, struct error *error)
{
    spool->bytes_path = name_beside(spool->path, ".part");
    spool->index_path = name_beside(spool->path, ".part-index");
    if (!spool->bytes_path || !spool->index_path || !grow(spool, error))
        return error_memory(error);
    spool->index = open(spool->index_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (spool->index < 0)
        return fail(spool->index_path, "cannot be opened", error);
    if (flock(spool->index, LOCK_EX | LOCK_NB) != 0) {
        errno = errno == EWOULDBLOCK ? EBUSY : errno;
        return fail(spool->index_path, "another process exports to it", error);
    }
    spool->bytes = open(spool->bytes_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    return spool->bytes >= 0 || fail(spool->bytes_path, "cannot be opened", error);
}

struct spool *spool_open(const char *path, const struct buffer *recipe, bool resume,
                         struct error *error)
{
    struct spool *spool = calloc(1, sizeof *spool);
    bool is_new = true;
    if (!spool) {
        error_memory(error);
        return NULL;
    }
    spool->bytes = spool->index = -1;
    spool->entries_at = (sizeof(uint64_t) + recipe->length + 15) / 16 * 16;
    spool->path = strdup(path);
    const bool done = (spool->path || error_memory(error)) && check_path(path, error) &&
                      open_files(spool, error) &&
                      (!resume || check_recipe(spool, recipe, &is_new, error)) &&
                      (is_new ? begin(spool, recipe, error) : recover(spool, UINT64_MAX, error));
    if (done)
        return spool;
    spool_close(spool);
    return NULL;
}

bool spool_cut(struct spool *spool, uint64_t count, struct error *error)
{
    if (count >= spool->count)
        return true;
    if (!flush_entries(spool, error))
        return false;
    spool->count = spool->unique = spool->length = spool->block_count = 0;
    memset(spool->slots, 0, spool->slot_count * sizeof *spool->slots);
    return recover(spool, count, error);
}

void spool_close(struct spool *spool)
{
    if (!spool)
        return;
    if (spool->pending_count > 0)
        flush_entries(spool, NULL);
    if (spool->bytes >= 0)
        close(spool->bytes);
    if (spool->index >= 0)
        close(spool->index);
    free(spool->path);
    free(spool->bytes_path);
    free(spool->index_path);
    free(spool->slots);
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
           fail(spool->bytes_path, "cannot be written", error);
}

bool spool_publish(struct spool *spool, uint64_t length, struct error *error)
{
    if (ftruncate(spool->bytes, (off_t)length) != 0 || fsync(spool->bytes) != 0)
        return fail(spool->bytes_path, "cannot be written", error);
    if (rename(spool->bytes_path, spool->path) != 0)
        return fail(spool->path, "cannot be created", error);
    spool->pending_count = 0;
    unlink(spool->index_path);
    spool_close(spool);
    return true;
}
