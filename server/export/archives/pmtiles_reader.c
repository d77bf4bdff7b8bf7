/* Reads PMTiles 3, see pmtiles.c. The root directory and the leaf that was used last are kept.
 * Lengths come from the file, so each is checked before memory is taken for it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/encode/gzip.h"
#include "server/base/file.h"
#include "server/export/archives/tile_range.h"
#include "server/export/archives/tile_source_private.h"

enum {
    HEADER = 127,
    COMPRESSION_NONE = 1,
    COMPRESSION_GZIP = 2,
    DIRECTORY_MAX = 64 << 20, /* bytes, not compressed */
    TILE_MAX = 256 << 20,
    DEPTH_MAX = 4, /* directories below each other */
};

/* A part of the file. */
struct extent {
    uint64_t offset, length;
};

struct entry {
    uint64_t id, offset;
    uint64_t length, run; /* run 0: a leaf */
};

struct directory {
    struct entry *entries;
    size_t count;
    uint64_t offset; /* in the file */
};

struct pmtiles {
    int file;
    uint64_t size;                    /* of the file */
    struct extent leaves, tiles;      /* their sections */
    uint64_t tile_count, entry_count; /* as the header says */
    uint8_t compression;              /* of directories and metadata */
    struct directory root, leaf;
};

static uint64_t header_number(const uint8_t *header, unsigned index)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < 8; i++)
        number |= (uint64_t)header[8 + 8 * index + i] << 8 * i;
    return number;
}

/* One of the sections that the header names first. */
static struct extent header_section(const uint8_t *header, unsigned index)
{
    return (struct extent){header_number(header, 2 * index), header_number(header, 2 * index + 1)};
}

/* The extent in the file of an entry of a section. */
static struct extent extent_of(const struct extent *section, const struct entry *entry)
{
    return (struct extent){section->offset + entry->offset, entry->length};
}

/* Reads a part of at most so many bytes. */
static bool read_at(const struct pmtiles *archive, struct extent at, uint64_t most,
                    struct buffer *out, struct error *error)
{
    const uint64_t offset = at.offset, length = at.length;
    if (length > most || offset > archive->size || length > archive->size - offset)
        return error_set(error, ERROR_SYNTAX,
                         "damaged: %llu bytes at %llu are named, of a file of %llu",
                         (unsigned long long)length, (unsigned long long)offset,
                         (unsigned long long)archive->size);
    uint8_t *room = buffer_reserve(out, length + 1);
    if (!room)
        return error_memory(error);
    const ssize_t got = file_read_at(archive->file, room, length, offset);
    if (got != (ssize_t)length)
        return error_set(error, ERROR_IO, "cannot be read: %s",
                         got < 0 ? strerror(errno) : "it became shorter");
    out->length += length;
    return true;
}

/* A directory or the metadata, not compressed. */
static bool read_section(const struct pmtiles *archive, struct extent at, struct buffer *out,
                         struct error *error)
{
    if (archive->compression == COMPRESSION_NONE)
        return read_at(archive, at, DIRECTORY_MAX, out, error);
    struct buffer packed = {0};
    const bool done = read_at(archive, at, DIRECTORY_MAX, &packed, error) &&
                      gzip_decompress(packed.data, packed.length, DIRECTORY_MAX, out, error);
    buffer_free(&packed);
    return done;
}

/* The next variable-length integer; false at the end, or if it has more than 64 bits. */
static bool take_integer(const struct buffer *bytes, size_t *at, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && *at < bytes->length; shift += 7) {
        const uint8_t byte = bytes->data[(*at)++];
        *value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return true;
    }
    return false;
}

/* The columns of a directory. */
static bool parse_entries(const struct buffer *bytes, size_t at, struct directory *directory)
{
    struct entry *entries = directory->entries;
    uint64_t id = 0, number;
    for (size_t i = 0; i < directory->count; i++, entries[i - 1].id = id) {
        if (!take_integer(bytes, &at, &number))
            return false;
        id += number;
    }
    for (size_t i = 0; i < directory->count; i++)
        if (!take_integer(bytes, &at, &entries[i].run))
            return false;
    for (size_t i = 0; i < directory->count; i++)
        if (!take_integer(bytes, &at, &entries[i].length))
            return false;
    for (size_t i = 0; i < directory->count; i++) {
        if (!take_integer(bytes, &at, &number) || (number == 0 && i == 0))
            return false;
        entries[i].offset = number > 0 ? number - 1 : entries[i - 1].offset + entries[i - 1].length;
    }
    return at == bytes->length;
}

static bool parse_directory(const struct buffer *bytes, struct directory *directory,
                            struct error *error)
{
    uint64_t count;
    size_t at = 0;
    free(directory->entries);
    *directory = (struct directory){0};
    /* An entry takes at least four bytes. */
    if (!take_integer(bytes, &at, &count) || count > bytes->length / 4)
        return error_set(error, ERROR_SYNTAX, "damaged: a directory cannot be read");
    directory->entries = calloc(count + 1, sizeof *directory->entries);
    if (!directory->entries)
        return error_memory(error);
    directory->count = (size_t)count;
    return parse_entries(bytes, at, directory) ||
           error_set(error, ERROR_SYNTAX, "damaged: a directory cannot be read");
}

static bool read_directory(const struct pmtiles *archive, struct extent at,
                           struct directory *directory, struct error *error)
{
    struct buffer bytes = {0};
    const bool done =
        read_section(archive, at, &bytes, error) && parse_directory(&bytes, directory, error);
    directory->offset = done ? at.offset : 0;
    buffer_free(&bytes);
    return done;
}

/* The last entry that is not behind the tile; null if there is none. */
static const struct entry *find_entry(const struct directory *directory, uint64_t id)
{
    size_t low = 0, high = directory->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (directory->entries[middle].id <= id)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? &directory->entries[low - 1] : NULL;
}

static bool pmtiles_read(void *reader, struct tile_address tile, struct buffer *out,
                         struct error *error)
{
    struct pmtiles *archive = reader;
    const uint64_t id = tile_id(tile);
    const struct entry *entry = find_entry(&archive->root, id);
    for (int depth = 0; entry && entry->run == 0; depth++) {
        const struct extent leaf = extent_of(&archive->leaves, entry);
        if (depth == DEPTH_MAX)
            return error_set(error, ERROR_SYNTAX, "damaged: directories name each other");
        if (archive->leaf.offset != leaf.offset &&
            !read_directory(archive, leaf, &archive->leaf, error))
            return false;
        entry = find_entry(&archive->leaf, id);
    }
    if (!entry || id - entry->id >= entry->run)
        return true;
    return read_at(archive, extent_of(&archive->tiles, entry), TILE_MAX, out, error);
}

/* What was seen of the directories, which are read in their order. */
struct walk {
    uint64_t id;       /* behind the last tile */
    uint64_t leaf_end; /* of the last leaf, in the section of leaves */
    uint64_t tiles, entries;
};

static bool check_directory(const struct pmtiles *archive, const struct directory *directory,
                            struct walk *walk, struct error *error);

/* Leaves fill their section, one behind another: so none is read twice. */
static bool check_leaf(const struct pmtiles *archive, const struct entry *entry, struct walk *walk,
                       struct error *error)
{
    struct directory leaf = {0};
    if (entry->offset != walk->leaf_end)
        return error_set(error, ERROR_SYNTAX, "damaged: leaf directories are not in order");
    walk->leaf_end += entry->length;
    const bool done = read_directory(archive, extent_of(&archive->leaves, entry), &leaf, error) &&
                      check_directory(archive, &leaf, walk, error);
    free(leaf.entries);
    return done;
}

static bool check_directory(const struct pmtiles *archive, const struct directory *directory,
                            struct walk *walk, struct error *error)
{
    for (size_t i = 0; i < directory->count; i++) {
        const struct entry *entry = &directory->entries[i];
        if (entry->id < walk->id || entry->run > UINT32_MAX || entry->length == 0 ||
            (directory != &archive->root && entry->run == 0))
            return error_set(error, ERROR_SYNTAX, "damaged: a directory is not in order");
        if (entry->run == 0) {
            if (!check_leaf(archive, entry, walk, error))
                return false;
            continue;
        }
        if (entry->offset > archive->tiles.length ||
            entry->length > archive->tiles.length - entry->offset)
            return error_set(error, ERROR_SYNTAX, "damaged: a tile lies outside of its section");
        walk->id = entry->id + entry->run;
        walk->tiles += entry->run;
        walk->entries++;
    }
    return true;
}

static bool pmtiles_check(void *reader, struct error *error)
{
    const struct pmtiles *archive = reader;
    struct walk walk = {0};
    if (!check_directory(archive, &archive->root, &walk, error))
        return false;
    if (walk.tiles != archive->tile_count || walk.entries != archive->entry_count)
        return error_set(error, ERROR_SYNTAX,
                         "damaged: the directories name %llu tiles by %llu entries, the header "
                         "%llu by %llu",
                         (unsigned long long)walk.tiles, (unsigned long long)walk.entries,
                         (unsigned long long)archive->tile_count,
                         (unsigned long long)archive->entry_count);
    return walk.leaf_end == archive->leaves.length ||
           error_set(error, ERROR_SYNTAX, "damaged: the section of leaf directories has a rest");
}

static void pmtiles_close(void *reader)
{
    struct pmtiles *archive = reader;
    if (!archive)
        return;
    if (archive->file >= 0)
        close(archive->file);
    free(archive->root.entries);
    free(archive->leaf.entries);
    free(archive);
}

static bool read_header(struct pmtiles *archive, struct buffer *metadata, uint64_t *count,
                        struct error *error)
{
    struct buffer bytes = {0};
    struct stat status;
    if (fstat(archive->file, &status) != 0)
        return error_set(error, ERROR_IO, "cannot be read: %s", strerror(errno));
    archive->size = (uint64_t)status.st_size;
    bool done = archive->size >= HEADER &&
                read_at(archive, (struct extent){0, HEADER}, HEADER, &bytes, error);
    const uint8_t *header = bytes.data;
    if (archive->size < HEADER || (done && memcmp(header, "PMTiles\3", 8) != 0))
        done = error_set(error, ERROR_SYNTAX, "is no archive of PMTiles, version 3");
    if (done) {
        archive->compression = header[97];
        archive->leaves = header_section(header, 2);
        archive->tiles = header_section(header, 3);
        archive->tile_count = *count = header_number(header, 8);
        archive->entry_count = header_number(header, 9);
        if (archive->compression != COMPRESSION_NONE && archive->compression != COMPRESSION_GZIP)
            done = error_set(error, ERROR_VALUE, "has directories that are not compressed by gzip");
    }
    done = done && read_directory(archive, header_section(header, 0), &archive->root, error) &&
           read_section(archive, header_section(header, 1), metadata, error);
    buffer_free(&bytes);
    return done;
}

static void *pmtiles_open(const char *path, struct buffer *metadata, uint64_t *count,
                          struct error *error)
{
    struct pmtiles *archive = calloc(1, sizeof *archive);
    if (!archive)
        return error_memory_null(error);
    archive->file = open(path, O_RDONLY | O_CLOEXEC);
    if (archive->file < 0)
        error_set(error, ERROR_IO, "cannot be opened: %s", strerror(errno));
    else if (read_header(archive, metadata, count, error))
        return archive;
    pmtiles_close(archive);
    return NULL;
}

const struct tile_reader pmtiles_reader = {"pmtiles", pmtiles_open, pmtiles_read, pmtiles_check,
                                           pmtiles_close};
