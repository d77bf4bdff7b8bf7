/* Superinstructions: operations that do the work of several. */
#ifndef TERRANE_WORLD_FUSE_H
#define TERRANE_WORLD_FUSE_H

#include "core/world/program.h"

/* Fuses the operations of a complete program whose guards are chosen. */
void fuse_operations(struct program *program);

#endif
