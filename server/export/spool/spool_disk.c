/* A folder's spool lies beside the folder: if that is on another disk, each disk needs room for its
 * own files, otherwise the one for both. */
#include "server/export/spool/spool_disk.h"

#include <stdlib.h>

#include "server/export/spool/spool.h"

bool spool_check_disk(const char *path, const struct long_work_space *parts,
                      const struct long_work_space *copy, struct error *error)
{
    char *beside = spool_bytes_path(path);
    if (!beside)
        return error_memory(error);
    const struct long_work_space both = {parts->least + copy->least, parts->about + copy->about,
                                         parts->there + copy->there};
    const bool is_apart = !long_work_shares_disk(path, beside);
    const bool fits = long_work_check_disk(beside, is_apart ? parts : &both, error) &&
                      (!is_apart || long_work_check_disk(path, copy, error));
    free(beside);
    return fits;
}
