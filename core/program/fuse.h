/* Superinstructions: operations that do the work of several. */
#ifndef TERRANE_PROGRAM_FUSE_H
#define TERRANE_PROGRAM_FUSE_H

#include "core/program/program.h"

/* Fuses the operations of a complete program whose guards are chosen. */
void fuse_operations(struct program *program);

#endif
