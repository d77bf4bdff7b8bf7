/* tar archives in the format "ustar" of POSIX.1-1988: regular files only, without owner and time,
 * so that the same files in the same order are the same bytes. They are the bytes that libarchive
 * writes as "ustar".
 *
 * Nothing larger than the format is written: a name of more than TAR_NAME_MAX bytes or a file of
 * more than TAR_SIZE_MAX is refused, so no extended (pax) headers are needed. */
#ifndef TERRANE_SERVER_EXPORT_ARCHIVES_TAR_H
#define TERRANE_SERVER_EXPORT_ARCHIVES_TAR_H

#include "core/base/buffer.h"
#include "core/base/error.h"

#define TAR_NAME_MAX 100
#define TAR_SIZE_MAX 077777777777 /* 8 GiB - 1: eleven octal digits */

struct tar_writer {
    int file;
    uint64_t size;        /* bytes that were written */
    struct buffer record; /* the latest file: header, content, padding */
};

/* Makes a new file at the path, where nothing may be. False with errno. */
bool tar_create(struct tar_writer *tar, const char *path);
/* False with errno: ENAMETOOLONG and EFBIG for what the format cannot hold. */
bool tar_add(struct tar_writer *tar, const char *name, const struct buffer *bytes);
/* Writes the end of the archive. False with errno. */
bool tar_finish(struct tar_writer *tar);
/* Closes the file, finished or not; also after a failure of tar_create(). */
void tar_close(struct tar_writer *tar);

/* Appends the content of the archive's first file, which must be a regular file of this name with
 * at most `limit` bytes. False with an error that does not name the archive. */
bool tar_read_first(const char *path, const char *name, size_t limit, struct buffer *out,
                    struct error *error);

#endif
