/* The names by which outputs, addresses and cache keys say which world they are of. */
#ifndef TERRANE_SERVER_WORLDS_WORLD_IDENTITY_H
#define TERRANE_SERVER_WORLDS_WORLD_IDENTITY_H

#include <stdbool.h>

#include "core/worldfile/world.h"

struct world_identity {
    char name[WORLD_NAME_MAX + 1];            /* of the file */
    char seed[WORLD_SEED_MAX + 1];            /* its own, or the one behind "~" (decoded) */
    bool is_reseeded;                         /* it is the one behind "~" */
    char fingerprint[WORLD_FINGERPRINT_TEXT]; /* of the world with this seed */
};

#endif
