/* Says if the files of a spool, and the file that is made of them, fit on the disk, or on the two
 * where they lie. */
#ifndef TERRANE_SERVER_EXPORT_SPOOL_SPOOL_DISK_H
#define TERRANE_SERVER_EXPORT_SPOOL_SPOOL_DISK_H

#include "server/base/long_work.h"

/* False, with an error about -o, if the spool of PATH, or the copy of it that PATH is made of,
 * surely does not fit. A spool lies beside a folder, which may be on a disk of its own. */
bool spool_check_disk(const char *path, const struct long_work_space *parts,
                      const struct long_work_space *copy, struct error *error);

#endif
