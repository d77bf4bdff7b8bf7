/* What commands have in common that may work for hours. */
#ifndef TERRANE_SERVER_BASE_LONG_WORK_H
#define TERRANE_SERVER_BASE_LONG_WORK_H

#include <stdbool.h>

#include "core/base/error.h"

/* From now on the first SIGINT, SIGTERM or SIGHUP only sets a flag, for the work to end in good
 * order; a second one, half a second later, ends the program. Signals that are ignored stay so. */
void long_work_catch_signals(void);
bool long_work_is_interrupted(void);
/* The exit status of a command that returns `status`: 128 and the number of the signal if that has
 * ended its work, as a shell says of a program that a signal ended. */
int long_work_exit_status(int status);

/* Bytes with a unit: "1.5 GB". */
enum { LONG_WORK_SIZE_TEXT = 32 };
void long_work_format_size(double bytes, char text[LONG_WORK_SIZE_TEXT]);

/* What a file or a folder would take of a disk, in bytes. */
struct long_work_space {
    double least; /* surely */
    double about; /* what messages tell */
    double there; /* of it, that an interrupted run has left, and that would be written over */
};
/* False, with an error about -o, if the disk has less left than the least. It is the disk of a
 * folder that is there, else of the folder that the path lies in. */
bool long_work_check_disk(const char *path, const struct long_work_space *space,
                          struct error *error);
/* True if both paths lie on one disk, in the same sense. */
bool long_work_shares_disk(const char *path, const char *other);

#endif
