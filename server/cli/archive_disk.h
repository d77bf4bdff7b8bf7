/* Whether an archive of tiles fits on the disk, or on the two where it and its parts lie. */
#ifndef TERRANE_SERVER_CLI_ARCHIVE_DISK_H
#define TERRANE_SERVER_CLI_ARCHIVE_DISK_H

#include "server/base/long_work.h"
#include "server/export/archives/tile_archive.h"

/* False, with an error about -o, if the parts of the archive PATH, or the copy of them that it is
 * made of, surely do not fit. Parts lie beside a folder, which may be on a disk of its own. */
bool archive_disk_check(const char *path, const struct tile_archive_kind *kind,
                        const struct long_work_space *parts, const struct long_work_space *copy,
                        struct error *error);

#endif
