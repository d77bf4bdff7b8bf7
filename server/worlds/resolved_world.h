/* A world as a client names it, NAME~SEED@PIN, before and after it is compiled.
 *
 * A seed changes nothing but samples. So names, layers, styles and prices of a world with another
 * seed are those of its base, and its fingerprint is known from the text of the base's file and the
 * seed: microseconds instead of the milliseconds of a compilation. Whatever needs no samples, such
 * as a cached response, a 304, a 410 or a 413, needs nothing compiled. */
#ifndef TERRANE_SERVER_WORLDS_RESOLVED_WORLD_H
#define TERRANE_SERVER_WORLDS_RESOLVED_WORLD_H

#include "server/worlds/catalog.h"

/* A value with references; zeroed if there is no world. */
struct resolved_world {
    struct world_identity identity;
    const struct catalog_world *base;     /* the version of the world, with its own seed */
    const struct catalog_world *compiled; /* with the seed of the identity; null: not yet */
};

/* Identifies `base` with another seed, or with its own if `seed` is null; it is compiled if the
 * catalog has it ready (catalog_acquire_ready()). Never waits. The base's reference stays the
 * caller's; the result is to be released. False with ERROR_MEMORY. */
bool resolved_world_identify(struct resolved_world *world, struct catalog *catalog,
                             const struct catalog_world *base, const char *seed,
                             struct error *error);
/* Compiles the world unless it is. Takes milliseconds: for render threads. False with an error of
 * catalog_acquire_seed(). */
bool resolved_world_compile(struct resolved_world *world, struct catalog *catalog,
                            struct error *error);
/* The nanoseconds that compiling takes, on one core of the machine of tests/bench/README.md: 0 if
 * the world is compiled. The seed makes no difference. */
uint64_t resolved_world_compile_time(const struct resolved_world *world);
/* A copy with references of its own. */
struct resolved_world resolved_world_copy(const struct resolved_world *world);
/* Gives the references back and zeroes them; without a world it does nothing. */
void resolved_world_release(struct resolved_world *world);

#endif
