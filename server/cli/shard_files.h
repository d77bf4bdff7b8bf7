/* The files that merge joins: its arguments, where a folder stands for all archives in it, so that
 * a job without a shell need not name each. */
#ifndef TERRANE_SERVER_CLI_SHARD_FILES_H
#define TERRANE_SERVER_CLI_SHARD_FILES_H

#include "core/base/error.h"
#include "server/settings/options.h"

struct shard_files {
    char **paths; /* owned, as the texts are */
    size_t count;
};

/* False with an error that names a folder which cannot be read or has no archive. The files are to
 * be freed in any case. */
bool shard_files_find(const struct options *options, struct shard_files *files,
                      struct error *error);
void shard_files_free(struct shard_files *files);

#endif
