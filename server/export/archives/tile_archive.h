/* Archives of tiles: what an export is written as. An archive is made of a finished spool, in one
 * pass: the same tiles give the same bytes, however the spool came about. */
#ifndef TERRANE_SERVER_EXPORT_ARCHIVES_TILE_ARCHIVE_H
#define TERRANE_SERVER_EXPORT_ARCHIVES_TILE_ARCHIVE_H

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/worldfile/world.h"
#include "server/base/progress.h"
#include "server/export/archives/tile_range.h"
#include "server/export/spool/spool.h"

/* What an archive says of its tiles besides what follows from the range: texts of its metadata,
 * which the parts of a split export have in common. */
enum tile_archive_value {
    ARCHIVE_NAME,
    ARCHIVE_DESCRIPTION,
    ARCHIVE_ATTRIBUTION,
    ARCHIVE_FORMAT,        /* "png", "webp", "pbf" …: also the extension of the tiles' files */
    ARCHIVE_VECTOR_LAYERS, /* of vector tiles: a JSON array, as in TileJSON */
    ARCHIVE_WORLD,         /* NAME or NAME~SEED */
    ARCHIVE_WORLD_FINGERPRINT,
    ARCHIVE_STYLE,
    ARCHIVE_STYLE_FINGERPRINT,
    ARCHIVE_SIZE,   /* samples a side of a tile */
    ARCHIVE_TIME,   /* seconds */
    ARCHIVE_EFFORT, /* "fast" or "small" */
    ARCHIVE_LABELS, /* of tiles with labels: the fingerprint of the world's names, or "none" */
    ARCHIVE_BUILD,  /* server_build */
    ARCHIVE_VALUES
};
extern const char *const tile_archive_names[ARCHIVE_VALUES];

enum { TILE_SHARDS_MAX = 1000000 }; /* times the tiles of all zooms it fits into 64 bits */

struct tile_archive_description {
    struct tile_range range;
    unsigned shard, shards; /* which part of the range's tiles the spool has, 1/1 for all */
    const char *values[ARCHIVE_VALUES]; /* borrowed; "" or null is left out */
};

/* What ARCHIVE_LABELS says of labels of this world. */
const char *tile_archive_labels(const struct world *world);

/* The tiles of a shard: from *first to before *end, of the range. */
void tile_archive_shard(const struct tile_archive_description *description, uint64_t *first,
                        uint64_t *end);
/* What of a range or texts differs, apart from the shard: null if the tiles are those of one
 * export.
 */
const char *tile_archive_difference(const struct tile_archive_description *a,
                                    const struct tile_archive_description *b);
/* Vector tiles are compressed, as the specifications want. */
bool tile_archive_is_gzipped(const struct tile_archive_description *description);

/* What an archive is made of: the tiles of a finished spool. */
struct tile_archive_content {
    struct spool *spool;
    const struct tile_archive_description *description;
    struct progress *progress;
};

/* Writes an archive to a path. False without an error if the progress ends the work. */
typedef bool tile_archive_writer(const struct tile_archive_content *content, const char *path,
                                 struct error *error);

/* A kind of archive. */
struct tile_archive_kind {
    const char *name; /* the file's extension; "/" for a folder */
    enum {
        ARCHIVE_IN_PLACE, /* the spool's file of bytes becomes the archive: the writer publishes it
                           */
        ARCHIVE_NEW_FILE, /* written beside the spool, under a temporary name */
        ARCHIVE_FOLDER,   /* written where it belongs, beside the spool */
    } way;
    unsigned disk_percent; /* space that it takes besides the spool's: 100 for as much again */
    bool repeats;          /* equal tiles stand there as often as there are */
    tile_archive_writer *write;
};

/* Makes the archive PATH of the spool, whose files are gone if that succeeds: then it is closed.
 * Otherwise the spool stays as it was, and so does a file of that name. */
bool tile_archive_make(const struct tile_archive_kind *kind,
                       const struct tile_archive_content *content, const char *path,
                       struct error *error);

/* The kind of a path: by its extension, or a folder if it ends in "/". Null with ERROR_VALUE. */
const struct tile_archive_kind *tile_archive_kind_of(const char *path, struct error *error);

tile_archive_writer pmtiles_write; /* version 3: github.com/protomaps/PMTiles, spec/v3 */
tile_archive_writer mbtiles_write; /* version 1.3: github.com/mapbox/mbtiles-spec */
tile_archive_writer folder_write;  /* PATH/{z}/{x}/{y}.FORMAT, and PATH/metadata.json */
tile_archive_writer tar_write;     /* the same files, as a tar archive (POSIX ustar) */

/* The metadata, as MBTiles has them: calls `row` for each name and value, until it is false.
 * Besides those of the specification there are terrane:…, among them the digest of all tiles. */
typedef bool tile_archive_row(void *context, const char *name, const char *value);
/* A row of a JSON object, whose writer is the context: vector layers are an array, all other values
 * are texts. */
tile_archive_row tile_archive_json_row;
bool tile_archive_metadata(const struct tile_archive_content *content, tile_archive_row *row,
                           void *context, struct error *error);
/* West, south, east, north in degrees, where the archive's tiles lie on a map. */
void tile_archive_bounds(const struct tile_archive_description *description, double bounds[4]);

#endif
