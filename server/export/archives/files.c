/* Archives of one file a tile, Z/X/Y.FORMAT, and metadata.json: a folder, or a tar archive. Equal
 * tiles are equal files. A folder that was there is added to, so that shards may have one folder.
 */
#define _GNU_SOURCE /* asprintf(), syncfs() */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/json_writer.h"
#include "server/base/file.h"
#include "server/export/archives/tile_archive.h"

enum { NAME = 96 }; /* "20/1048575/1048575.terrarium" */

/* Where files go. */
struct files {
    const char *path;   /* of the folder, with "/"; or of the tar archive */
    bool metadata_last; /* they tell that all tiles are there */
    bool (*add)(struct files *files, const char *name, const struct buffer *bytes);
    struct archive *tar;
    struct archive_entry *entry;
    struct error *error;
};

static bool fail(const struct files *files, const char *name, const char *reason)
{
    error_set(files->error, ERROR_IO, "%s cannot be written: %s", name, reason);
    return error_in_file(files->error, files->path);
}

static bool add_metadata(struct files *files, struct spool *spool,
                         const struct tile_archive_description *description)
{
    struct json_writer json;
    struct buffer text = {0};
    json_begin(&json, &text, true);
    json_object_open(&json);
    bool done =
        tile_archive_metadata(description, spool, tile_archive_json_row, &json, files->error);
    json_object_close(&json);
    json_finish(&json);
    if (text.failed)
        done = error_memory(files->error);
    done = done && files->add(files, "metadata.json", &text);
    buffer_free(&text);
    return done;
}

static bool add_tile(struct files *files, const char *format, struct tile_address address,
                     const struct buffer *bytes)
{
    char name[NAME];
    snprintf(name, sizeof name, "%d/%lld/%lld.%s", address.zoom, (long long)address.x,
             (long long)address.y, format);
    return files->add(files, name, bytes);
}

static bool add_all(struct files *files, struct spool *spool,
                    const struct tile_archive_description *description,
                    const struct tile_archive_progress *progress)
{
    const uint64_t count = spool_count(spool);
    uint64_t first, end;
    tile_archive_shard(description, &first, &end);
    struct buffer bytes = {0};
    bool done = files->metadata_last || add_metadata(files, spool, description);
    for (uint64_t i = 0; done && i < count; i++) {
        struct spool_entry entry;
        buffer_clear(&bytes);
        done = spool_read_entry(spool, i, &entry, files->error) &&
               spool_read_bytes(spool, &entry, &bytes, files->error);
        if (done && entry.length > 0)
            done = add_tile(files, description->values[ARCHIVE_FORMAT],
                            tile_range_at(&description->range, first + i), &bytes);
        if (done && i % 1024 == 0 && progress->show)
            done = progress->show(progress->context, i, count);
    }
    buffer_free(&bytes);
    return done && (!files->metadata_last || add_metadata(files, spool, description));
}

/* A folder */

/* Makes the folders in front of the file's name. */
static bool make_folders(char *path, size_t from)
{
    for (char *slash = strchr(path + from, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const bool done = mkdir(path, 0777) == 0 || errno == EEXIST;
        *slash = '/';
        if (!done)
            return false;
    }
    return true;
}

static bool write_file(const char *path, const struct buffer *bytes)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0)
        return false;
    const bool done = file_write_at(file, bytes->data, bytes->length, 0);
    return close(file) == 0 && done;
}

static bool add_file(struct files *files, const char *name, const struct buffer *bytes)
{
    char *path;
    if (asprintf(&path, "%s%s", files->path, name) < 0)
        return error_memory(files->error);
    bool done = write_file(path, bytes) ||
                (errno == ENOENT && make_folders(path, 1) && write_file(path, bytes));
    if (!done)
        fail(files, name, strerror(errno));
    free(path);
    return done;
}

/* Writes all files through to the disk, as the spool is removed then. */
static bool sync_folder(struct files *files)
{
    const int folder = open(files->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool done = folder >= 0 && syncfs(folder) == 0;
    if (!done)
        fail(files, "the folder", strerror(errno));
    if (folder >= 0)
        close(folder);
    return done;
}

/* Those of an export that was there before, whose tiles are about to be replaced. */
static bool remove_metadata(struct files *files)
{
    char *path;
    if (asprintf(&path, "%smetadata.json", files->path) < 0)
        return error_memory(files->error);
    const bool done =
        unlink(path) == 0 || errno == ENOENT || fail(files, "metadata.json", strerror(errno));
    free(path);
    return done;
}

bool folder_write(struct spool *spool, const char *path,
                  const struct tile_archive_description *description,
                  const struct tile_archive_progress *progress, struct error *error)
{
    struct files files = {.path = path, .metadata_last = true, .add = add_file, .error = error};
    return remove_metadata(&files) && add_all(&files, spool, description, progress) &&
           sync_folder(&files);
}

/* A tar archive */

/* The system's reason says more than the library's "Write error". */
static bool fail_in_tar(const struct files *files, const char *name)
{
    const int number = archive_errno(files->tar);
    return fail(files, name, number > 0 ? strerror(number) : archive_error_string(files->tar));
}

/* Without owner and time, so that the same tiles are the same bytes. */
static bool add_to_tar(struct files *files, const char *name, const struct buffer *bytes)
{
    struct archive_entry *entry = archive_entry_clear(files->entry);
    archive_entry_set_pathname(entry, name);
    archive_entry_set_size(entry, (int64_t)bytes->length);
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_entry_set_mtime(entry, 0, 0);
    const bool done =
        archive_write_header(files->tar, entry) == ARCHIVE_OK &&
        archive_write_data(files->tar, bytes->data, bytes->length) == (la_ssize_t)bytes->length;
    return done || fail_in_tar(files, name);
}

static bool open_tar(struct files *files)
{
    /* What another program put there, such as a link, is not written through. */
    if (unlink(files->path) != 0 && errno != ENOENT)
        return fail(files, "the archive", strerror(errno));
    files->tar = archive_write_new();
    files->entry = archive_entry_new();
    if (!files->tar || !files->entry)
        return error_memory(files->error);
    const bool done = archive_write_set_format_ustar(files->tar) == ARCHIVE_OK &&
                      archive_write_add_filter_none(files->tar) == ARCHIVE_OK &&
                      archive_write_open_filename(files->tar, files->path) == ARCHIVE_OK;
    return done || fail_in_tar(files, "the archive");
}

static bool close_tar(struct files *files, bool done)
{
    if (files->tar && archive_write_close(files->tar) != ARCHIVE_OK && done)
        done = fail_in_tar(files, "the archive");
    archive_write_free(files->tar);
    archive_entry_free(files->entry);
    return done;
}

bool tar_write(struct spool *spool, const char *path,
               const struct tile_archive_description *description,
               const struct tile_archive_progress *progress, struct error *error)
{
    struct files files = {.path = path, .add = add_to_tar, .error = error};
    const bool done = open_tar(&files) && add_all(&files, spool, description, progress);
    return close_tar(&files, done);
}
