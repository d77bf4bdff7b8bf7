/* Archives of tiles that are read: PMTiles and MBTiles, ours and those of other programs. Not for
 * several threads at once. */
#ifndef TERRANE_SERVER_EXPORT_ARCHIVES_TILE_SOURCE_H
#define TERRANE_SERVER_EXPORT_ARCHIVES_TILE_SOURCE_H

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/tile/address.h"
#include "server/export/archives/tile_archive.h"

struct tile_source;

/* Whether a file of this name is an archive that can be read, by its extension. */
bool tile_source_can_open(const char *path);

/* Opens an archive by its extension and reads its metadata; null with an error that names the file.
 */
struct tile_source *tile_source_open(const char *path, struct error *error);
/* The same for the metadata alone, also of .tar and FOLDER/: it has no tiles to read or check. */
struct tile_source *tile_source_open_metadata(const char *path, struct error *error);
void tile_source_close(struct tile_source *source); /* null is allowed */
/* Closes the file, which the next tile that is read opens again: so that any number of sources may
 * be there at once. */
void tile_source_rest(struct tile_source *source);

const char *tile_source_path(const struct tile_source *source);
/* The value of a name of the metadata, borrowed; null if there is none. */
const char *tile_source_metadata(const struct tile_source *source, const char *name);
/* How many tiles it has. */
uint64_t tile_source_count(const struct tile_source *source);
/* Appends the bytes of a tile, none if it has no such tile. Quick for tiles in their order. */
bool tile_source_read(struct tile_source *source, struct tile_address tile, struct buffer *out,
                      struct error *error);

/* Whether the archive's structure is sound, and it has as many tiles as its description says: those
 * of an export have all tiles of their part. So what follows does not work for long on a file that
 * names more tiles than it has. */
bool tile_source_check(struct tile_source *source,
                       const struct tile_archive_description *description, struct error *error);

/* What an archive that an export has made says of itself; its texts are those of the source. False
 * with ERROR_VALUE if it is not one, and ERROR_SYNTAX if what it says makes no sense. */
bool tile_source_describe(const struct tile_source *source,
                          struct tile_archive_description *description, struct error *error);

#endif
