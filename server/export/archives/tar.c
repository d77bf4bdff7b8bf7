/* An archive is a sequence of blocks of 512 bytes. Each file is a header, one block of texts in
 * fixed places, and the content, filled up with zeros; two blocks of zeros are the end.
 *
 * Numbers are octal digits, with a space, a zero byte or both behind them. Readers take any of
 * these; the places below are those of libarchive. The checksum is the sum of the header's bytes,
 * with spaces in its own place: so a reader tells an archive from other files. */
#include "server/export/archives/tar.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "server/base/file.h"

enum { BLOCK = 512 };

/* Where a header has its fields, and their bytes. */
enum {
    NAME = 0,
    MODE = 100,
    USER = 108,
    GROUP = 116,
    SIZE = 124,
    SIZE_BYTES = 12,
    TIME = 136,
    CHECKSUM = 148,
    CHECKSUM_BYTES = 8,
    TYPE = 156,
    MAGIC = 257,
    MAGIC_BYTES = 8,
    DEVICE_MAJOR = 329,
    DEVICE_MINOR = 337,
    PREFIX = 345, /* of a name: what stands before it and a slash */
};

static const char magic[] = "ustar\00000"; /* the name of the format and its version */
static const char regular_file = '0';

static unsigned checksum_of(const uint8_t *header)
{
    unsigned sum = CHECKSUM_BYTES * ' ';
    for (int i = 0; i < BLOCK; i++)
        sum += i < CHECKSUM || i >= CHECKSUM + CHECKSUM_BYTES ? header[i] : 0;
    return sum;
}

static void put_text(uint8_t *header, size_t place, const char *text)
{
    for (; *text; text++)
        header[place++] = (uint8_t)*text;
}

static void write_header(uint8_t *header, const char *name, uint64_t size)
{
    char text[SIZE_BYTES + 1];
    memset(header, 0, BLOCK);
    put_text(header, NAME, name);
    put_text(header, MODE, "000644 ");
    put_text(header, USER, "000000 ");
    put_text(header, GROUP, "000000 ");
    snprintf(text, sizeof text, "%011llo ", (unsigned long long)size);
    put_text(header, SIZE, text);
    put_text(header, TIME, "00000000000 ");
    header[TYPE] = (uint8_t)regular_file;
    memcpy(header + MAGIC, magic, MAGIC_BYTES);
    put_text(header, DEVICE_MAJOR, "000000 ");
    put_text(header, DEVICE_MINOR, "000000 ");
    snprintf(text, sizeof text, "%06o", checksum_of(header));
    put_text(header, CHECKSUM, text);
    header[CHECKSUM + CHECKSUM_BYTES - 1] = ' '; /* behind a zero byte */
}

/* The bytes that fill up the last block of a file. */
static size_t padding_of(uint64_t size)
{
    return (size_t)((BLOCK - size % BLOCK) % BLOCK);
}

bool tar_create(struct tar_writer *tar, const char *path)
{
    *tar = (struct tar_writer){.file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)};
    return tar->file >= 0;
}

static bool write_record(struct tar_writer *tar)
{
    const struct buffer *record = &tar->record;
    if (record->failed) {
        errno = ENOMEM;
        return false;
    }
    if (!file_write_at(tar->file, record->data, record->length, tar->size))
        return false;
    tar->size += record->length;
    return true;
}

bool tar_add(struct tar_writer *tar, const char *name, const struct buffer *bytes)
{
    static const uint8_t zeros[BLOCK];
    uint8_t header[BLOCK];
    if (strlen(name) > TAR_NAME_MAX || bytes->length > TAR_SIZE_MAX) {
        errno = strlen(name) > TAR_NAME_MAX ? ENAMETOOLONG : EFBIG;
        return false;
    }
    write_header(header, name, bytes->length);
    buffer_clear(&tar->record);
    buffer_append(&tar->record, header, BLOCK);
    buffer_append(&tar->record, bytes->data, bytes->length);
    buffer_append(&tar->record, zeros, padding_of(bytes->length));
    return write_record(tar);
}

bool tar_finish(struct tar_writer *tar)
{
    static const uint8_t end[2 * BLOCK];
    buffer_clear(&tar->record);
    buffer_append(&tar->record, end, sizeof end);
    return write_record(tar);
}

void tar_close(struct tar_writer *tar)
{
    if (tar->file >= 0)
        close(tar->file);
    buffer_free(&tar->record);
}

/* Reads the octal number of a field. */
static bool parse_octal(const uint8_t *field, size_t length, uint64_t *number)
{
    size_t i = 0;
    *number = 0;
    while (i < length && field[i] == ' ')
        i++;
    const size_t first = i;
    for (; i < length && field[i] >= '0' && field[i] <= '7'; i++)
        *number = *number * 8 + (field[i] - '0');
    return i > first && (i == length || field[i] == ' ' || field[i] == '\0');
}

static bool read_header(int file, const char *name, uint64_t *size, struct error *error)
{
    uint8_t header[BLOCK];
    uint64_t checksum;
    const ssize_t got = file_read_at(file, header, BLOCK, 0);
    if (got < 0)
        return error_set(error, ERROR_IO, "cannot be read: %s", strerror(errno));
    if (got < BLOCK || !parse_octal(header + CHECKSUM, CHECKSUM_BYTES, &checksum) ||
        checksum != checksum_of(header) || !parse_octal(header + SIZE, SIZE_BYTES, size))
        return error_set(error, ERROR_SYNTAX, "is not a tar archive: it has no sound header");
    if (strncmp((const char *)header + NAME, name, TAR_NAME_MAX) != 0 || header[PREFIX] != '\0' ||
        header[TYPE] != (uint8_t)regular_file)
        return error_set(error, ERROR_VALUE, "does not begin with %s", name);
    return true;
}

static bool read_content(int file, size_t size, struct buffer *out, struct error *error)
{
    uint8_t *room = buffer_reserve(out, size);
    if (!room)
        return error_memory(error);
    const ssize_t got = file_read_at(file, room, size, BLOCK);
    if (got < 0)
        return error_set(error, ERROR_IO, "cannot be read: %s", strerror(errno));
    if ((size_t)got < size)
        return error_set(error, ERROR_SYNTAX, "is truncated");
    out->length += size;
    return true;
}

bool tar_read_first(const char *path, const char *name, size_t limit, struct buffer *out,
                    struct error *error)
{
    uint64_t size;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return error_set(error, ERROR_IO, "cannot be opened: %s", strerror(errno));
    bool done = read_header(file, name, &size, error);
    if (done && size > limit)
        done = error_set(error, ERROR_LIMIT, "has %llu bytes of %s, more than %zu",
                         (unsigned long long)size, name, limit);
    done = done && read_content(file, (size_t)size, out, error);
    close(file);
    return done;
}
