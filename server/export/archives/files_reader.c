/* Reads the metadata of folders and tar archives, see files.c, which show whether an export has
 * finished one. In a tar archive they are the first file. Nothing stays open. */
#define _GNU_SOURCE /* asprintf() */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/file.h"
#include "server/export/archives/tar.h"
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

/* A pointer that stands for an open archive. */
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
    return opened(tar_read_first(path, metadata_name, METADATA_MAX, metadata, error));
}

static void close_nothing(void *reader)
{
    (void)reader;
}

const struct tile_reader tar_reader = {
    .extension = "tar", .open = open_tar, .close = close_nothing};
const struct tile_reader folder_reader = {
    .extension = "/", .open = open_folder, .close = close_nothing};
