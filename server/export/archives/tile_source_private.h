/* The readers of tile_source.h. */
#ifndef TERRANE_SERVER_EXPORT_ARCHIVES_TILE_SOURCE_PRIVATE_H
#define TERRANE_SERVER_EXPORT_ARCHIVES_TILE_SOURCE_PRIVATE_H

#include "core/base/json_writer.h"
#include "core/worldfile/json.h"
#include "server/export/archives/tile_source.h"

/* A reader of a kind of archive. Errors need not name the file. */
struct tile_reader {
    const char *extension; /* "/" for a folder */
    /* Null with an error. The metadata go into `metadata` as a JSON object, the number of tiles
     * into *count. */
    void *(*open)(const char *path, struct buffer *metadata, uint64_t *count, struct error *error);
    /* Null, as the next one, for archives whose metadata alone are read. */
    bool (*read)(void *reader, struct tile_address tile, struct buffer *out, struct error *error);
    /* Whether the file is in order, apart from the bytes of its tiles. */
    bool (*check)(void *reader, struct error *error);
    void (*close)(void *reader); /* null is allowed */
};

/* Writes a value of a document, without spaces: an equal value is written as the same text. */
void tile_source_write_json(struct json_writer *json, const struct json *value);

extern const struct tile_reader pmtiles_reader, mbtiles_reader, tar_reader, folder_reader;

#endif
