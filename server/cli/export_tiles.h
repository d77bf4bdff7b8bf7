/* Which tiles `terrane export` makes, and as what: its options, checked before a world is loaded.
 */
#ifndef TERRANE_SERVER_CLI_EXPORT_TILES_H
#define TERRANE_SERVER_CLI_EXPORT_TILES_H

#include "server/cli/command.h"
#include "server/export/archives/tile_archive.h"
#include "server/render/format.h"

struct export_tiles {
    const struct tile_archive_kind *kind; /* null for a dry run without a file */
    const struct format *format;
    uint32_t size; /* samples a side */
    struct tile_range range;
    unsigned shard, shards;
    uint64_t first, end; /* tiles of the range that the shard has */
};

/* EXIT_USAGE after a message. */
enum exit_status export_tiles_read(const struct options *options, struct export_tiles *tiles);

#endif
