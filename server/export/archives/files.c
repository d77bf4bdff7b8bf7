/* Archives of one file a tile, Z/X/Y.FORMAT, and metadata.json: a folder, or a tar archive. Equal
 * tiles are equal files. A folder that was there is added to, so that shards may have one folder.
 *
 * The path of the folder is the user's, who may name a link. Whatever is found below it may be of
 * others: files and folders are opened one within the other, and no link is followed. */
#define _GNU_SOURCE /* asprintf(), syncfs() */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/json_writer.h"
#include "server/base/file.h"
#include "server/export/archives/tar.h"
#include "server/export/archives/tile_archive.h"

enum { NAME = 96 }; /* "20/1048575/1048575.terrarium" */
#define METADATA "metadata.json"

/* Where files go. */
struct files {
    const char *path;   /* of the folder, with "/"; or of the tar archive */
    bool metadata_last; /* they tell that all tiles are there */
    bool (*add)(struct files *files, const char *name, const struct buffer *bytes);
    int top;           /* the folder, open */
    int folder;        /* that of the latest file below it, open; or -1 */
    char within[NAME]; /* its name, such as "3/4" */
    struct tar_writer tar;
    struct error *error;
};

static bool fail(const struct files *files, const char *name, const char *reason)
{
    error_set(files->error, ERROR_IO, "%s cannot be written: %s", name, reason);
    return error_in_file(files->error, files->path);
}

static bool add_metadata(struct files *files, const struct tile_archive_content *content)
{
    struct json_writer json;
    struct buffer text = {0};
    json_begin_object(&json, &text, true);
    bool done = tile_archive_metadata(content, tile_archive_json_row, &json, files->error);
    json_finish_object(&json);
    if (text.failed)
        done = error_memory(files->error);
    done = done && files->add(files, METADATA, &text);
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

static bool add_all(struct files *files, const struct tile_archive_content *content)
{
    const struct tile_archive_description *description = content->description;
    const uint64_t count = spool_count(content->spool);
    uint64_t first, end;
    tile_archive_shard(description, &first, &end);
    struct buffer bytes = {0};
    bool done = files->metadata_last || add_metadata(files, content);
    for (uint64_t i = 0; done && i < count; i++) {
        buffer_clear(&bytes);
        done = spool_read(content->spool, i, &bytes, files->error);
        if (done && bytes.length > 0)
            done = add_tile(files, description->values[ARCHIVE_FORMAT],
                            tile_range_at(&description->range, first + i), &bytes);
        if (done && i % 1024 == 0)
            done = progress_step(content->progress, i, count, 0);
    }
    buffer_free(&bytes);
    return done && (!files->metadata_last || add_metadata(files, content));
}

/* A folder */

enum { FOLDER_FLAGS = O_RDONLY | O_DIRECTORY | O_CLOEXEC };

/* Opens a folder in another one, where it is made if nothing is there. -1 with errno. */
static int open_within(int parent, const char *name)
{
    const int folder = openat(parent, name, FOLDER_FLAGS | O_NOFOLLOW);
    if (folder >= 0 || errno != ENOENT || (mkdirat(parent, name, 0777) != 0 && errno != EEXIST))
        return folder;
    return openat(parent, name, FOLDER_FLAGS | O_NOFOLLOW);
}

static void leave_folder(struct files *files)
{
    if (files->folder >= 0)
        close(files->folder);
    files->folder = -1;
}

/* Opens the folder "3/4" below the top, which stays open for the next file. False with errno. */
static bool enter_folder(struct files *files, const char *within, size_t length)
{
    if (files->folder >= 0 && strlen(files->within) == length &&
        memcmp(files->within, within, length) == 0)
        return true;
    leave_folder(files);
    snprintf(files->within, sizeof files->within, "%.*s", (int)length, within);
    char names[NAME], *rest = names;
    memcpy(names, files->within, sizeof names);
    int folder = open_within(files->top, ".");
    for (const char *name; folder >= 0 && (name = strsep(&rest, "/")) && *name;) {
        const int parent = folder;
        folder = open_within(parent, name);
        const int reason = errno;
        close(parent);
        errno = reason;
    }
    files->folder = folder;
    return folder >= 0;
}

/* A pipe is refused instead of waiting for its reader. */
static bool write_file(int folder, const char *name, const struct buffer *bytes)
{
    const int file = openat(
        folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (file < 0)
        return false;
    const bool done = file_write_at(file, bytes->data, bytes->length, 0);
    return close(file) == 0 && done;
}

static bool fail_of_kind(const struct files *files, const char *name, const char *part)
{
    const bool is_file = strcmp(part, name) == 0;
    char *path;
    if (asprintf(&path, "%s%s", files->path, part) < 0)
        return error_memory(files->error);
    error_set(files->error, ERROR_IO, "%s cannot be written: %s is %s where a %s is needed", name,
              is_file ? "it" : part, file_kind(path), is_file ? "regular file" : "folder");
    free(path);
    return error_in_file(files->error, files->path);
}

/* Names what stands where a folder or the file is needed, if that is the reason. */
static bool fail_in_folder(const struct files *files, const char *name)
{
    const int reason = errno;
    for (const char *end = strchrnul(name, '/');; end = strchrnul(end + 1, '/')) {
        struct stat status;
        char part[NAME];
        snprintf(part, sizeof part, "%.*s", (int)(end - name), name);
        if (fstatat(files->top, part, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            (status.st_mode & S_IFMT) != (*end ? S_IFDIR : S_IFREG))
            return fail_of_kind(files, name, part);
        if (!*end)
            return fail(files, name, strerror(reason));
    }
}

static bool add_file(struct files *files, const char *name, const struct buffer *bytes)
{
    const char *slash = strrchr(name, '/');
    const bool done = enter_folder(files, name, slash ? (size_t)(slash - name) : 0) &&
                      write_file(files->folder, slash ? slash + 1 : name, bytes);
    return done || fail_in_folder(files, name);
}

/* Makes the folders of the path, as far as they are missing. */
static bool make_path(const char *path)
{
    char *copy = strdup(path);
    bool done = copy != NULL;
    for (char *slash = copy ? strchr(copy + 1, '/') : NULL; slash && done;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        done = mkdir(copy, 0777) == 0 || errno == EEXIST;
        *slash = '/';
    }
    free(copy);
    return done;
}

static bool open_folder(struct files *files)
{
    files->top = make_path(files->path) ? open(files->path, FOLDER_FLAGS) : -1;
    return files->top >= 0 || fail(files, "the folder", strerror(errno));
}

/* Writes all files through to the disk, as the spool is removed then. */
static bool sync_folder(struct files *files)
{
    return syncfs(files->top) == 0 || fail(files, "the folder", strerror(errno));
}

/* Those of an export that was there before, whose tiles are about to be replaced. */
static bool remove_metadata(struct files *files)
{
    return unlinkat(files->top, METADATA, 0) == 0 || errno == ENOENT ||
           fail(files, METADATA, strerror(errno));
}

bool folder_write(const struct tile_archive_content *content, const char *path, struct error *error)
{
    struct files files = {.path = path,
                          .metadata_last = true,
                          .add = add_file,
                          .top = -1,
                          .folder = -1,
                          .error = error};
    const bool done = open_folder(&files) && remove_metadata(&files) && add_all(&files, content) &&
                      sync_folder(&files);
    leave_folder(&files);
    if (files.top >= 0)
        close(files.top);
    return done;
}

/* A tar archive */

static bool add_to_tar(struct files *files, const char *name, const struct buffer *bytes)
{
    return tar_add(&files->tar, name, bytes) || fail(files, name, strerror(errno));
}

/* What another program put at the path, such as a link, is removed instead of written through. */
static bool open_tar(struct files *files)
{
    return ((unlink(files->path) == 0 || errno == ENOENT) &&
            tar_create(&files->tar, files->path)) ||
           fail(files, "the archive", strerror(errno));
}

static bool finish_tar(struct files *files)
{
    return tar_finish(&files->tar) || fail(files, "the archive", strerror(errno));
}

bool tar_write(const struct tile_archive_content *content, const char *path, struct error *error)
{
    struct files files = {.path = path, .add = add_to_tar, .tar.file = -1, .error = error};
    const bool done = open_tar(&files) && add_all(&files, content) && finish_tar(&files);
    tar_close(&files.tar);
    return done;
}
