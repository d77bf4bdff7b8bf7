/* manifest.json of an export for engines: what the files are, how numbers become metres, and what
 * to enter in each engine's importer. */
#ifndef TERRANE_SERVER_EXPORT_GRIDS_GRID_MANIFEST_H
#define TERRANE_SERVER_EXPORT_GRIDS_GRID_MANIFEST_H

#include "server/export/grids/grid_folder.h"

/* Appends the manifest; all files of the folder are made. */
void grid_manifest_write(const struct grid_plan *plan, const struct grid_folder *folder,
                         struct buffer *out);

#endif
