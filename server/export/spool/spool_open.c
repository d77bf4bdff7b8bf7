/* Opening a spool: the files of a new one, or those that an interrupted export left. What is
 * continued (job.c: open_outputs()) was checked tile by tile, so a file that a power failure has
 * damaged costs no more than the tiles from there on. */
#define _GNU_SOURCE /* asprintf() */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/encode/gzip.h"
#include "server/base/file.h"
#include "server/export/spool/spool_private.h"

/* Begins both files anew. */
static bool begin(struct spool *spool, const struct buffer *recipe, struct error *error)
{
    const uint64_t length = recipe->length;
    if (ftruncate(spool->index, 0) != 0 || ftruncate(spool->bytes, 0) != 0 ||
        !file_write_at(spool->index, recipe->data, recipe->length, sizeof length) ||
        !file_write_at(spool->index, &length, sizeof length, 0))
        return spool_fail(spool->index_path, "cannot be written", error);
    return true;
}

/* True if the index was begun with this recipe, or is empty: then *is_new. */
static bool check_recipe(struct spool *spool, const struct buffer *recipe, enum spool_start start,
                         bool *is_new, struct error *error)
{
    uint64_t length = 0;
    const ssize_t got = file_read_at(spool->index, &length, sizeof length, 0);
    *is_new = got < (ssize_t)sizeof length || length == 0;
    if (got < 0)
        return spool_fail(spool->index_path, "cannot be read", error);
    if (*is_new)
        return true;
    buffer_clear(&spool->compare);
    uint8_t *text = length == recipe->length ? buffer_reserve(&spool->compare, length) : NULL;
    if (text && file_read_at(spool->index, text, length, sizeof length) == (ssize_t)length &&
        memcmp(text, recipe->data, length) == 0)
        return true;
    error_set(error, ERROR_VALUE, "holds the beginning of another export: %s",
              start == SPOOL_RESUME ? "finish that one, delete the file, or export without "
                                      "--resume to begin anew"
                                    : "finish that one with --resume, delete the file, or choose "
                                      "another name");
    return error_in_file(error, spool->index_path);
}

/* Takes the entry if its bytes are there and sound. Those of empty tiles have a place, too: so the
 * zeros that a power failure may leave at the end of a file are none. */
static bool take_entry(struct spool *spool, const struct spool_entry *entry, uint64_t bytes_length,
                       bool *is_sound, struct error *error)
{
    *is_sound = false;
    if (entry->length == 0 && (entry->offset != spool->length || entry->checksum != 0))
        return true;
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
    if (entry->length > 0 && entry->offset == spool->length &&
        !spool_take_unique(spool, entry, error))
        return false;
    spool->count++;
    return true;
}

/* Reads the entries that are there, `most` at most. */
static bool recover(struct spool *spool, uint64_t most, struct error *error)
{
    struct stat bytes, index;
    if (fstat(spool->bytes, &bytes) != 0 || fstat(spool->index, &index) != 0)
        return spool_fail(spool->index_path, "cannot be read", error);
    const uint64_t size = (uint64_t)index.st_size;
    const uint64_t count = size < spool->entries_at ? 0 : (size - spool->entries_at) / SPOOL_ENTRY;
    const uint64_t bytes_length =
        bytes.st_size < SPOOL_HEADER ? 0 : (uint64_t)bytes.st_size - SPOOL_HEADER;
    const uint64_t end = count < most ? count : most;
    bool is_sound = true;
    while (is_sound && spool->count < end) {
        const uint64_t first = spool->count, left = end - first;
        if (!spool_read_block(spool, first, left < SPOOL_BLOCK ? left : SPOOL_BLOCK, error))
            return false;
        for (uint64_t i = 0; is_sound && i < spool->block_count; i++)
            if (!take_entry(spool, &spool->block[i], bytes_length, &is_sound, error))
                return false;
    }
    spool->block_count = 0;
    if (ftruncate(spool->index, (off_t)(spool->entries_at + spool->count * SPOOL_ENTRY)) != 0 ||
        ftruncate(spool->bytes, (off_t)(SPOOL_HEADER + spool->length)) != 0)
        return spool_fail(spool->index_path, "cannot be written", error);
    return true;
}

/* The end of the name of the folder in which the path is; null for the present folder. */
static const char *folder_end(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length > 0 ? path + length : NULL;
}

/* What would fail at the end, after hours: a folder has the archive's name, or a file a folder's.
 * And what would be said of a file that the user has not named: there is no such folder. */
static bool check_path(const char *path, struct error *error)
{
    struct stat status;
    const char *end = folder_end(path);
    char *folder = end ? strndup(path, (size_t)(end - path)) : NULL;
    bool done = true;
    if (end && !folder)
        return error_memory(error);
    if (folder && stat(folder, &status) != 0) {
        done = spool_fail(folder, "cannot be opened", error);
    } else if (stat(path, &status) != 0) {
        done = errno != ENOTDIR || spool_fail(path, "cannot be created", error);
    } else if (S_ISDIR(status.st_mode) && path[strlen(path) - 1] != '/') {
        errno = EISDIR;
        done = spool_fail(path, "cannot be created", error);
    }
    free(folder);
    return done;
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

/* PATH.part: for PATH/ beside the folder. */
static char *bytes_path_of(const char *path)
{
    return name_beside(path, ".part");
}

double spool_disk_space(const char *path)
{
    static const char *const suffixes[] = {".part", ".part-index"};
    double bytes = 0;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        struct stat status;
        char *name = name_beside(path, suffixes[i]);
        if (name && lstat(name, &status) == 0 && S_ISREG(status.st_mode))
            bytes += 512.0 * (double)status.st_blocks;
        free(name);
    }
    return bytes;
}

/* A folder's spool lies beside the folder: if that is on another disk, each disk needs room for its
 * own files, otherwise the one for both. */
bool spool_check_disk(const char *path, const struct long_work_space *parts,
                      const struct long_work_space *copy, struct error *error)
{
    char *beside = bytes_path_of(path);
    if (!beside)
        return error_memory(error);
    const struct long_work_space both = {parts->least + copy->least, parts->about + copy->about,
                                         parts->there + copy->there};
    const bool is_apart = !long_work_shares_disk(path, beside);
    const bool fits = long_work_check_disk(beside, is_apart ? parts : &both, error) &&
                      (!is_apart || long_work_check_disk(path, copy, error));
    free(beside);
    return fits;
}

bool spool_exists(const char *path)
{
    char *bytes = bytes_path_of(path);
    const bool exists = bytes && access(bytes, F_OK) == 0;
    free(bytes);
    return exists;
}

void spool_discard_rest(const char *path)
{
    char *index = name_beside(path, ".part-index");
    if (index)
        unlink(index);
    free(index);
}

/* True if the open file is still the one of that name. */
static bool has_name(int file, const char *path)
{
    struct stat status;
    return fstat(file, &status) == 0 &&
           file_is(path, &(struct file_identity){status.st_dev, status.st_ino});
}

/* Whoever had the lock may have finished, and removed the file, between open() and flock(): what
 * was locked then has no name any more. */
static bool open_index(struct spool *spool, struct error *error)
{
    enum { ATTEMPTS = 100 };
    for (int i = 0; i < ATTEMPTS; i++) {
        spool->index = open(spool->index_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (spool->index < 0)
            return spool_fail(spool->index_path, "cannot be opened", error);
        /* Where files cannot be locked, as on some shared disks, nobody is kept out. */
        if (flock(spool->index, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
            break;
        if (has_name(spool->index, spool->index_path))
            return true;
        close(spool->index);
        spool->index = -1;
    }
    errno = EBUSY;
    return spool_fail(spool->index_path, "another process exports to it", error);
}

static bool open_files(struct spool *spool, struct error *error)
{
    spool->bytes_path = bytes_path_of(spool->path);
    spool->index_path = name_beside(spool->path, ".part-index");
    if (!spool->bytes_path || !spool->index_path)
        return error_memory(error);
    if (!open_index(spool, error))
        return false;
    spool->bytes = open(spool->bytes_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    return spool->bytes >= 0 || spool_fail(spool->bytes_path, "cannot be opened", error);
}

struct spool *spool_open(const char *path, const struct buffer *recipe, enum spool_start start,
                         struct error *error)
{
    struct spool *spool = calloc(1, sizeof *spool);
    bool is_new = true;
    if (!spool)
        return error_memory_null(error);
    spool->bytes = spool->index = -1;
    spool->entries_at = (sizeof(uint64_t) + recipe->length + 15) / 16 * 16;
    spool->path = strdup(path);
    const bool done = (spool->path || error_memory(error)) && check_path(path, error) &&
                      open_files(spool, error) &&
                      (start == SPOOL_ANEW || check_recipe(spool, recipe, start, &is_new, error)) &&
                      (is_new || start == SPOOL_REDO ? begin(spool, recipe, error)
                                                     : recover(spool, UINT64_MAX, error));
    if (done)
        return spool;
    spool_close(spool);
    return NULL;
}

bool spool_cut(struct spool *spool, uint64_t count, struct error *error)
{
    if (count >= spool->count)
        return true;
    if (!spool_flush(spool, error))
        return false;
    spool->count = spool->unique = spool->length = spool->block_count = 0;
    equal_table_clear(&spool->equal);
    return recover(spool, count, error);
}
