/* What `terrane export` can make, each from the options of the command. */
#ifndef TERRANE_SERVER_CLI_EXPORT_H
#define TERRANE_SERVER_CLI_EXPORT_H

#include "server/cli/command.h"

enum exit_status export_rasters(const struct options *options); /* one picture, or samples */
enum exit_status export_grids(const struct options *options);   /* tiles for engines */
enum exit_status export_meshes(const struct options *options);  /* .glb and .stl */

/* True if the options of `terrane render` want a mesh: then export_meshes() makes it. */
bool export_meshes_wanted(const struct options *options);

#endif
