/* The folder of grid_folder.h while it is open: found in grid_folder_open.c, written in
 * grid_folder.c. For these two files only. */
#ifndef TERRANE_SERVER_EXPORT_GRIDS_GRID_FOLDER_PRIVATE_H
#define TERRANE_SERVER_EXPORT_GRIDS_GRID_FOLDER_PRIVATE_H

#include "server/export/grids/grid_folder.h"

#define GRID_SUMS "SHA256SUMS"
#define GRID_MANIFEST "manifest.json"

enum { GRID_PIECE = 1 << 16 }; /* bytes of a file that are read at once */

/* A file that is being written. */
struct grid_part {
    int file; /* -1 for none */
    uint64_t length;
    struct sha256 *hash;
};

struct grid_folder {
    const struct grid_plan *plan;
    char *path;
    int folder, sums;
    uint64_t sums_length;
    char header[64]; /* of SHA256SUMS */
    struct grid_file *files;
    uint32_t file_count;
    uint32_t tile; /* whose files are being written */
    struct grid_part parts[GRID_LAYERS_MAX];
    uint8_t piece[GRID_PIECE];
};

/* ERROR_IO with the reason in errno; a name of "" is the folder itself. False. */
bool grid_folder_fail(const struct grid_folder *folder, const char *name, const char *what,
                      struct error *error);
/* Closes and removes the files of a tile that is not complete. */
void grid_folder_drop_parts(struct grid_folder *folder);
#endif
