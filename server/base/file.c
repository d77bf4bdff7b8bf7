/* Files of users. The size is limited, as a world is parsed as a whole in memory and a wrong path
 * may name anything; only regular files are read, as a device may never end. */
#include "server/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_all(int descriptor, size_t limit, struct buffer *out, struct error *error)
{
    size_t start = out->length;
    for (;;) {
        enum { PIECE = 1 << 16 };
        uint8_t *room = buffer_reserve(out, PIECE);
        if (!room)
            return error_memory(error);
        ssize_t got = read(descriptor, room, PIECE);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set(error, ERROR_IO, "cannot be read: %s", strerror(errno));
        if (got == 0)
            return true;
        out->length += (size_t)got;
        /* A file may grow after fstat(), so that the bytes are counted too. */
        if (out->length - start > limit)
            return error_set(error, ERROR_LIMIT, "the file has more than %zu bytes", limit);
    }
}

bool file_write_at(int file, const void *bytes, size_t length, uint64_t offset)
{
    const uint8_t *rest = bytes;
    while (length > 0) {
        const ssize_t written = pwrite(file, rest, length, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            errno = written == 0 ? ENOSPC : errno;
            return false;
        }
        rest += written;
        offset += (uint64_t)written;
        length -= (size_t)written;
    }
    return true;
}

ssize_t file_read_at(int file, void *bytes, size_t length, uint64_t offset)
{
    size_t done = 0;
    while (done < length) {
        const ssize_t got =
            pread(file, (uint8_t *)bytes + done, length - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? -1 : (ssize_t)done;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

bool file_read(const char *path, size_t limit, struct buffer *out, struct error *error)
{
    bool done = false;
    struct stat status;
    /* O_NONBLOCK: opening a named pipe must not wait for a writer; fstat() refuses it below. */
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0 || fstat(descriptor, &status) != 0)
        error_set(error, ERROR_IO, "cannot be opened: %s", strerror(errno));
    else if (!S_ISREG(status.st_mode))
        error_set(error, ERROR_IO, "is not a regular file");
    else if (status.st_size > (off_t)limit)
        error_set(error, ERROR_LIMIT, "the file has %lld bytes; at most %zu are allowed",
                  (long long)status.st_size, limit);
    else
        done = read_all(descriptor, limit, out, error);
    if (descriptor >= 0)
        close(descriptor);
    return done || error_in_file(error, path);
}

const char *file_kind(const char *path)
{
    struct stat status;
    if (lstat(path, &status) != 0)
        return "nothing that can be read";
    switch (status.st_mode & S_IFMT) {
    case S_IFREG:
        return "a regular file";
    case S_IFDIR:
        return "a directory";
    case S_IFLNK:
        return "a symbolic link";
    case S_IFSOCK:
        return "a socket";
    case S_IFIFO:
        return "a named pipe";
    default:
        return "a device";
    }
}

bool file_identify(const char *path, struct file_identity *identity)
{
    struct stat status;
    if (stat(path, &status) != 0)
        return false;
    *identity = (struct file_identity){status.st_dev, status.st_ino};
    return true;
}

bool file_is(const char *path, const struct file_identity *identity)
{
    struct file_identity now;
    return file_identify(path, &now) && now.device == identity->device &&
           now.inode == identity->inode;
}

void file_remove(const char *path, const struct file_identity *identity)
{
    if (file_is(path, identity))
        unlink(path);
}

/* The process's number is where the search for a free name begins. */
int file_create_temporary(const char *path, char **name)
{
    enum { ATTEMPTS = 100, SUFFIX = 32 };
    const size_t size = strlen(path) + SUFFIX;
    int descriptor = -1;
    *name = malloc(size);
    for (long i = 0; *name && i < ATTEMPTS; i++) {
        snprintf(*name, size, "%s.%ld.part", path, (long)getpid() + i);
        descriptor = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST)
            break;
    }
    if (descriptor < 0) {
        const int reason = errno;
        free(*name);
        *name = NULL;
        errno = reason;
    }
    return descriptor;
}

void file_stem(const char *path, char *out, size_t size)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    size_t length = dot && dot != name ? (size_t)(dot - name) : strlen(name);
    snprintf(out, size, "%.*s", (int)length, name);
}

bool file_publish(const char *temporary, const char *path, struct error *error)
{
    const int file = open(temporary, O_RDONLY | O_CLOEXEC);
    const bool done = file >= 0 && fsync(file) == 0 && rename(temporary, path) == 0;
    if (!done) {
        error_set(error, ERROR_IO, "cannot be created: %s", strerror(errno));
        error_in_file(error, path);
    }
    if (file >= 0)
        close(file);
    return done;
}
