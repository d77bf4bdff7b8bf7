/* Guards: the operands that are evaluated first because they can make others unnecessary. */
#ifndef TERRANE_PROGRAM_GUARDS_H
#define TERRANE_PROGRAM_GUARDS_H

#include "core/program/program.h"

/* Sets the guards of a complete program whose readers are counted. False when memory is out. */
bool guards_choose(struct program *program);

#endif
