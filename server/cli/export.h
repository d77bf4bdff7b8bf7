/* What `terrane export` can make, each from the options of the command. */
#ifndef TERRANE_SERVER_CLI_EXPORT_H
#define TERRANE_SERVER_CLI_EXPORT_H

#include "server/cli/command.h"

enum exit_status export_archives(const struct options *options); /* map tiles */
enum exit_status export_grids(const struct options *options);    /* tiles for engines */
enum exit_status export_meshes(const struct options *options);   /* .glb and .stl */

/* Reads a step in metres above 0 that is a whole number of 2⁻¹⁶ m. */
bool export_parse_step(const char *text, int64_t *step, struct error *error);

#endif
