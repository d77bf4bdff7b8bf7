/* Files of users: reads one as a whole, with a limit on its size, and finds out what is at a path
 * before something is created, replaced or removed there. */
#ifndef TERRANE_SERVER_BASE_FILE_H
#define TERRANE_SERVER_BASE_FILE_H

#include <sys/types.h>

#include "core/base/buffer.h"
#include "core/base/error.h"

/* Appends the file's content to `out`. False, with the file named, if it cannot be read, is no
 * regular file, or has more than `limit` bytes (ERROR_LIMIT). */
bool file_read(const char *path, size_t limit, struct buffer *out, struct error *error);

/* Writes all the bytes to a place of an open file, through interruptions; false with errno. */
bool file_write_at(int file, const void *bytes, size_t length, uint64_t offset);
/* Reads `length` bytes from a place of an open file. The number that were read, which is less at
 * the end of the file; -1 with errno. */
ssize_t file_read_at(int file, void *bytes, size_t length, uint64_t offset);

/* The kind of a file at a path, for an error to name it: "a regular file", "a symbolic link" … */
const char *file_kind(const char *path);

/* Tells a file from one that takes its place. The number of a removed file that nobody has open
 * may be given to a new one. */
struct file_identity {
    dev_t device;
    ino_t inode;
};

/* The identity of the file at the path, of the target if it is a link; false if there is none. */
bool file_identify(const char *path, struct file_identity *identity);
/* True if the file at the path is still this one. */
bool file_is(const char *path, const struct file_identity *identity);
/* Removes the file at the path if it is this one. */
void file_remove(const char *path, const struct file_identity *identity);

/* Creates a file for writing beside `path`, under a name that did not exist: what others have
 * planted is neither followed nor overwritten. Returns its descriptor, and its name in `name`, for
 * free(). -1 with errno on failure. */
int file_create_temporary(const char *path, char **name);

/* Writes a file through to the disk and gives it the name `path`, in place of a file that has it.
 * False with the file named. */
bool file_publish(const char *temporary, const char *path, struct error *error);

/* The base name without its extension (".json"), cut to `size` - 1 bytes, terminated. */
void file_stem(const char *path, char *out, size_t size);

#endif
