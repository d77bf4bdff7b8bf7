/* The folder of an export for engines. A file appears there when it is complete, and is then named
 * in SHA256SUMS, with its digest: that is how an interrupted export goes on, and what `sha256sum
 * --check SHA256SUMS` reads. The file manifest.json is there only if all others are.
 *
 * A folder holds one export: another one is never mixed with it. Not for several threads at once.
 */
#ifndef TERRANE_SERVER_EXPORT_GRIDS_GRID_FOLDER_H
#define TERRANE_SERVER_EXPORT_GRIDS_GRID_FOLDER_H

#include "core/base/error.h"
#include "server/base/progress.h"
#include "server/base/sha256.h"
#include "server/export/grids/grid_plan.h"

struct grid_folder;

/* What is known of a file that is there. */
struct grid_file {
    uint8_t digest[SHA256_BYTES];
    struct grid_extremes extremes;
    bool is_made;
};

/* Bytes on the disk of the plan's files that are in the folder, if there is one. */
double grid_folder_space(const char *path, const struct grid_plan *plan);

/* Opens the folder, which is created if it does not exist. The plan must live as long. Null with
 * ERROR_VALUE if the folder holds another export, and ERROR_IO if another process has it open. */
struct grid_folder *grid_folder_open(const char *path, const struct grid_plan *plan,
                                     struct error *error);
/* Files of a tile that is not complete are removed. Null is allowed. */
void grid_folder_close(struct grid_folder *folder);

/* Either must be called before files count as made. check() reads the files that are named in
 * SHA256SUMS, and believes those that have their digest; false if the progress, of bytes that were
 * read, has ended it. */
bool grid_folder_check(struct grid_folder *folder, struct progress *progress);
void grid_folder_forget(struct grid_folder *folder);
/* True if all files of the tile are made. */
bool grid_folder_has_tile(const struct grid_folder *folder, uint32_t tile);
const struct grid_file *grid_folder_file(const struct grid_folder *folder, uint32_t file);

/* Begins to write files: forgets those that were not found to be made, and the manifest. */
bool grid_folder_begin(struct grid_folder *folder, struct error *error);
/* One tile after another: its files are begun, get bytes, and then their names. */
bool grid_folder_begin_tile(struct grid_folder *folder, uint32_t tile, struct error *error);
bool grid_folder_add(struct grid_folder *folder, unsigned layer, const void *bytes, size_t length,
                     struct error *error);
bool grid_folder_end_tile(struct grid_folder *folder, struct error *error);
/* When all tiles are made: writes everything through to the disk, and the manifest. */
bool grid_folder_finish(struct grid_folder *folder, const struct buffer *manifest,
                        struct error *error);

#endif
