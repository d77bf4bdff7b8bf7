/* The part of `terrane export` that `terrane render` has, too. */
#ifndef TERRANE_SERVER_CLI_EXPORT_H
#define TERRANE_SERVER_CLI_EXPORT_H

#include "server/cli/command.h"

/* True if the options of `render` are for a kind of export, or are wrong for want of one: then
 * *status is that of making the file. */
bool export_rendered(const struct options *options, enum exit_status *status);

#endif
