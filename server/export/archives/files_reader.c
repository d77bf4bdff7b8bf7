/* Reads the metadata of folders and tar archives, see files.c: whether an export has finished one.
 */
#define _GNU_SOURCE /* asprintf() */
#include <archive.h>
#include <archive_entry.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/file.h"
#include "server/export/archives/tile_source_private.h"

enum { METADATA_MAX = 16 << 20 };
static const char metadata_name[] = "metadata.json";

static bool read_folder(const char *path, struct buffer *metadata, struct error *error)
{
    char *name;
    if (asprintf(&name, "%s%s", path, metadata_name) < 0)
        return error_memory(error);
    const bool done = file_read(name, METADATA_MAX, metadata, error);
    free(name);
    return done;
}

/* The metadata are the first file of an archive. */
static bool read_first_file(struct archive *tar, struct buffer *metadata, struct error *error)
{
    struct archive_entry *entry;
    if (archive_read_next_header(tar, &entry) != ARCHIVE_OK)
        return error_set(error, ERROR_IO, "cannot be read: %s", archive_error_string(tar));
    const int64_t size = archive_entry_size(entry);
    if (strcmp(archive_entry_pathname(entry), metadata_name) != 0 || size > METADATA_MAX)
        return error_set(error, ERROR_VALUE, "does not begin with %s", metadata_name);
    uint8_t *room = buffer_reserve(metadata, (size_t)size);
    if (!room)
        return error_memory(error);
    if (archive_read_data(tar, room, (size_t)size) != (la_ssize_t)size)
        return error_set(error, ERROR_IO, "cannot be read: %s", archive_error_string(tar));
    metadata->length += (size_t)size;
    return true;
}

static bool read_tar(const char *path, struct buffer *metadata, struct error *error)
{
    enum { BLOCK = 10240 };
    struct archive *tar = archive_read_new();
    if (!tar)
        return error_memory(error);
    bool done = archive_read_support_format_tar(tar) == ARCHIVE_OK &&
                archive_read_open_filename(tar, path, BLOCK) == ARCHIVE_OK;
    if (!done)
        error_set(error, ERROR_IO, "cannot be opened: %s", archive_error_string(tar));
    done = done && read_first_file(tar, metadata, error);
    archive_read_free(tar);
    return done;
}

/* What stands for an open archive, as nothing of it stays open. */
static void *opened(bool done)
{
    static char something;
    return done ? &something : NULL;
}

static void *open_folder(const char *path, struct buffer *metadata, uint64_t *count,
                         struct error *error)
{
    *count = 0;
    return opened(read_folder(path, metadata, error));
}

static void *open_tar(const char *path, struct buffer *metadata, uint64_t *count,
                      struct error *error)
{
    *count = 0;
    return opened(read_tar(path, metadata, error));
}

static void close_nothing(void *reader)
{
    (void)reader;
}

const struct tile_reader tar_reader = {
    .extension = "tar", .open = open_tar, .close = close_nothing};
const struct tile_reader folder_reader = {
    .extension = "/", .open = open_folder, .close = close_nothing};
