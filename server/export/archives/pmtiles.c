/* PMTiles 3. The tiles are in the spool in the archive's order, so the file of bytes becomes the
 * archive: behind the tiles come the leaf directories and the metadata, and into the room in front
 * of them go the header and the root directory. All sections together fill the file, but for the
 * room that the root directory leaves.
 *
 * A directory is five columns, compressed by gzip: the number of entries, then of each entry the
 * difference of its tile's number to that of the entry before, how many tiles in a row it is for,
 * its length, and its offset + 1, or 0 if it follows the one before; as variable-length integers of
 * 7 bits a byte, the lowest first. An entry of the root directory that is for no tile names a leaf.
 */
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/json_writer.h"
#include "core/encode/gzip.h"
#include "server/export/archives/tile_archive.h"

enum {
    HEADER = 127,
    LEAF_ENTRIES = 4096, /* in a leaf directory, at first: doubled until the root has room */
    COMPRESSION_UNKNOWN = 0,
    COMPRESSION_NONE = 1,
    COMPRESSION_GZIP = 2,
};

struct entry {
    uint64_t id;     /* of the first tile */
    uint64_t offset; /* of its bytes in their section */
    uint32_t length;
    uint32_t run; /* tiles with these bytes, one behind another; 0 for a leaf */
};

struct entry_list {
    struct entry *items;
    size_t count, capacity;
};

/* The archive that is being written. */
struct work {
    const struct tile_archive_content *content;
    struct gzip_encoder *gzip;
    uint64_t at; /* where the next bytes go in the file */
    uint64_t tiles, entries;
    struct entry_list leaf; /* entries that are not yet written */
    struct entry_list root;
    uint64_t leaves_at;
    size_t leaf_entries;
    struct buffer plain, packed;
    struct error *error;
};

static void put_integer(struct buffer *out, uint64_t value)
{
    for (; value >= 128; value >>= 7)
        buffer_byte(out, (uint8_t)(value & 127) | 128);
    buffer_byte(out, (uint8_t)value);
}

/* The directory of these entries, compressed, in work->packed. */
static bool pack_directory(struct work *work, const struct entry_list *list)
{
    const struct entry *items = list->items;
    struct buffer *out = &work->plain;
    buffer_clear(out);
    buffer_clear(&work->packed);
    put_integer(out, list->count);
    for (size_t i = 0; i < list->count; i++)
        put_integer(out, items[i].id - (i > 0 ? items[i - 1].id : 0));
    for (size_t i = 0; i < list->count; i++)
        put_integer(out, items[i].run);
    for (size_t i = 0; i < list->count; i++)
        put_integer(out, items[i].length);
    for (size_t i = 0; i < list->count; i++) {
        const bool follows = i > 0 && items[i].offset == items[i - 1].offset + items[i - 1].length;
        put_integer(out, follows ? 0 : items[i].offset + 1);
    }
    if (out->failed)
        return error_memory(work->error);
    return gzip_compress(work->gzip, GZIP_LEVEL_EXPORT, out, &work->packed, work->error);
}

static bool add(struct work *work, struct entry_list *list, const struct entry *entry)
{
    struct entry *items = array_reserve(list->items, list->count, &list->capacity, sizeof *items);
    if (!items)
        return error_memory(work->error);
    list->items = items;
    list->items[list->count++] = *entry;
    return true;
}

static bool write_bytes(struct work *work, const struct buffer *bytes)
{
    if (!spool_write_at(work->content->spool, bytes->data, bytes->length, work->at, work->error))
        return false;
    work->at += bytes->length;
    return true;
}

/* Writes the entries so far as a leaf, and names it in the root. */
static bool end_leaf(struct work *work)
{
    if (work->leaf.count == 0)
        return true;
    if (!pack_directory(work, &work->leaf))
        return false;
    const struct entry leaf = {work->leaf.items[0].id, work->at - work->leaves_at,
                               (uint32_t)work->packed.length, 0};
    work->leaf.count = 0;
    return write_bytes(work, &work->packed) && add(work, &work->root, &leaf);
}

static bool add_tile(struct work *work, uint64_t id, const struct spool_entry *tile)
{
    struct entry *last = work->leaf.count ? &work->leaf.items[work->leaf.count - 1] : NULL;
    work->tiles++;
    if (last && last->offset == tile->offset && last->id + last->run == id) {
        last->run++;
        return true;
    }
    if (work->leaf.count == work->leaf_entries && !end_leaf(work))
        return false;
    const struct entry entry = {id, tile->offset, tile->length, 1};
    work->entries++;
    return add(work, &work->leaf, &entry);
}

/* Writes the leaves, with so many entries in each, and leaves the root directory in work->packed.
 * If one directory has them all, that is the root, and there are no leaves. */
static bool write_directories(struct work *work)
{
    const struct tile_archive_description *description = work->content->description;
    const uint64_t count = spool_count(work->content->spool);
    uint64_t first, end;
    tile_archive_shard(description, &first, &end);
    work->tiles = work->entries = 0;
    work->leaf.count = work->root.count = 0;
    work->at = work->leaves_at;
    for (uint64_t i = 0; i < count; i++) {
        struct spool_entry tile;
        if (!spool_read_entry(work->content->spool, i, &tile, work->error))
            return false;
        const struct tile_address address = tile_range_at(&description->range, first + i);
        if (tile.length > 0 && !add_tile(work, tile_id(address), &tile))
            return false;
        if (i % 65536 == 0 && !progress_step(work->content->progress, i, count, 0))
            return false;
    }
    if (work->root.count == 0)
        return pack_directory(work, &work->leaf);
    return end_leaf(work) && pack_directory(work, &work->root);
}

static bool write_metadata(struct work *work)
{
    struct json_writer json;
    buffer_clear(&work->plain);
    buffer_clear(&work->packed);
    json_begin(&json, &work->plain, false);
    json_object_open(&json);
    const bool done =
        tile_archive_metadata(work->content, tile_archive_json_row, &json, work->error);
    json_object_close(&json);
    if (work->plain.failed)
        return error_memory(work->error);
    return done &&
           gzip_compress(work->gzip, GZIP_LEVEL_EXPORT, &work->plain, &work->packed, work->error) &&
           write_bytes(work, &work->packed);
}

static uint8_t tile_type(const char *format)
{
    static const char *const names[] = {"pbf", "png", "jpg", "webp"}; /* from 1 on */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(format, names[i]) == 0)
            return (uint8_t)(i + 1);
    return 0;
}

/* Degrees in units of 10⁻⁷. */
static void put_degrees(struct buffer *out, double degrees)
{
    const double scaled = degrees * 1e7;
    const int32_t whole = (int32_t)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
    buffer_little_endian(out, (uint32_t)whole, 4);
}

static void put_place(const struct tile_archive_description *description, struct buffer *out)
{
    double bounds[4];
    tile_archive_bounds(description, bounds);
    buffer_byte(out, (uint8_t)description->range.zoom_min);
    buffer_byte(out, (uint8_t)description->range.zoom_max);
    for (int i = 0; i < 4; i++)
        put_degrees(out, bounds[i]);
    buffer_byte(out, (uint8_t)description->range.zoom_min);
    put_degrees(out, (bounds[0] + bounds[2]) / 2);
    put_degrees(out, (bounds[1] + bounds[3]) / 2);
}

/* `metadata_at` also ends the leaves; the metadata end at work->at. */
static void put_header(const struct work *work, uint64_t root_length, uint64_t metadata_at,
                       struct buffer *out)
{
    const uint64_t sections[] = {
        HEADER,
        root_length,
        metadata_at,
        work->at - metadata_at,
        work->leaves_at,
        metadata_at - work->leaves_at,
        SPOOL_HEADER,
        spool_length(work->content->spool),
        work->tiles,
        work->entries,
        spool_unique(work->content->spool),
    };
    buffer_text(out, "PMTiles");
    buffer_byte(out, 3);
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        buffer_little_endian(out, sections[i], 8);
    buffer_byte(out, 1); /* clustered: tiles are in the order of the directories */
    buffer_byte(out, COMPRESSION_GZIP);
    buffer_byte(out, tile_archive_is_gzipped(work->content->description) ? COMPRESSION_GZIP
                                                                         : COMPRESSION_NONE);
    buffer_byte(out, tile_type(work->content->description->values[ARCHIVE_FORMAT]));
    put_place(work->content->description, out);
}

static bool write_archive(struct work *work)
{
    struct buffer front = {0};
    bool done = true;
    for (work->leaf_entries = LEAF_ENTRIES;; work->leaf_entries *= 2) {
        done = write_directories(work);
        if (!done || work->packed.length <= SPOOL_HEADER - HEADER)
            break;
    }
    struct buffer root = work->packed;
    work->packed = (struct buffer){0};
    const uint64_t metadata_at = work->at;
    done = done && write_metadata(work);
    if (done) {
        put_header(work, root.length, metadata_at, &front);
        buffer_append(&front, root.data, root.length);
        done = (!front.failed || error_memory(work->error)) &&
               spool_write_at(work->content->spool, front.data, front.length, 0, work->error);
    }
    buffer_free(&front);
    buffer_free(&root);
    return done;
}

bool pmtiles_write(const struct tile_archive_content *content, const char *path,
                   struct error *error)
{
    struct work work = {
        .content = content,
        .gzip = gzip_encoder_new(),
        .leaves_at = SPOOL_HEADER + spool_length(content->spool),
        .error = error,
    };
    (void)path;
    const bool done = work.gzip ? write_archive(&work) : error_memory(error);
    gzip_encoder_free(work.gzip);
    free(work.leaf.items);
    free(work.root.items);
    buffer_free(&work.plain);
    buffer_free(&work.packed);
    return done && spool_publish(content->spool, work.at, error);
}
