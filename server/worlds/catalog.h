/* The worlds and styles there are: embedded ones, and those of the worlds folders, which win over
 * embedded ones of the same name. Immutable once loaded but for a bounded cache of reseeded worlds
 * under a lock of its own; all functions may be called by many threads. */
#ifndef TERRANE_SERVER_WORLDS_CATALOG_H
#define TERRANE_SERVER_WORLDS_CATALOG_H

#include "core/tile/style.h"
#include "core/world/world.h"

/* Worlds with a seed that somebody asked for, of half a megabyte to one each. The least recently
 * used goes; of those that were asked for only once first, as long as there are some: whoever asks
 * for one new seed after another does not push out those that others use. */
enum {
    CATALOG_RESEEDED_MAX = 64,   /* kept, */
    CATALOG_RESEEDED_FRESH = 16, /* so many of them at least may be used once only; */
    CATALOG_RESEEDED_LIVE = 128, /* in memory, those that requests still use included */
};

struct catalog_options {
    const char *const *world_directories; /* folders of NAME.json; a later one wins */
    size_t world_directory_count;
    const char *const *style_directories;
    size_t style_directory_count;
    const char *default_world; /* null for "terra" */
    struct world_limits limits;
    /* If there is one, it is told of every error, so all files are looked at; else loading ends at
     * the first. */
    void (*report)(void *context, const struct error *error);
    void *context;
};

/* A world with all its painters: its own styles, the shared ones it has the layers for, and each of
 * its layers that no style has the name of. Reference counted; immutable. */
struct catalog_world {
    char name[WORLD_NAME_MAX + 1];            /* without seed */
    char *seed_override;                      /* the text behind "~" (decoded), or null */
    char fingerprint[WORLD_FINGERPRINT_TEXT]; /* of the world with its seed */
    /* Of a promise, the world whose seed is another one: what follows is that world's, and right
     * in all but the samples. Else null. */
    const struct catalog_world *promised_by;
    struct catalog *catalog; /* of a promise */
    struct world *world;
    struct painter **painters; /* styles first, then layers; sorted by neither */
    size_t painter_count;
    size_t style_count;          /* how many of them are styles */
    unsigned references;         /* atomic; for catalog.c */
    unsigned *live;              /* atomic: a count of the catalog's that it is in, or null */
    struct style *const *shared; /* all shared styles, the catalog's, which outlives its worlds */
    size_t shared_count;
};

struct catalog;

/* Null with an error; nothing is half loaded. */
struct catalog *catalog_load(const struct catalog_options *options, struct error *error);
void catalog_free(struct catalog *catalog);

size_t catalog_world_count(const struct catalog *catalog);
/* The index-th world by name, borrowed for as long as the catalog lives. */
const struct catalog_world *catalog_world_at(const struct catalog *catalog, size_t index);
const struct catalog_world *catalog_default(const struct catalog *catalog);

/* The index-th shared style by name, borrowed likewise. */
size_t catalog_style_count(const struct catalog *catalog);
const struct style *catalog_style_at(const struct catalog *catalog, size_t index);

/* The world "name" with another seed, or with its own if `seed` is null; to be given back with
 * catalog_release(). `name` null is the default world. Null with ERROR_UNKNOWN (nearest name in the
 * message), ERROR_MEMORY (also if CATALOG_RESEEDED_LIVE are in use) or what compiling said. */
const struct catalog_world *catalog_acquire(struct catalog *catalog, const char *name,
                                            const char *seed, struct error *error);
/* Likewise, but never compiling, so it never takes long: null if that would be needed, or if the
 * name is unknown. */
const struct catalog_world *catalog_acquire_ready(struct catalog *catalog, const char *name,
                                                  const char *seed);
/* A promise of the world "name" with another seed, never compiling either: it knows its
 * fingerprint, so whatever is cached of it is found. Null with ERROR_UNKNOWN or ERROR_MEMORY. */
const struct catalog_world *catalog_promise(struct catalog *catalog, const char *name,
                                            const char *seed, struct error *error);
/* The promised world, as by catalog_acquire(); the promise is still the caller's. */
const struct catalog_world *catalog_keep_promise(const struct catalog_world *promise,
                                                 struct error *error);
void catalog_release(const struct catalog_world *world);

/* A world from a file of any path, not in any catalog; `seed` may be null. Released like above. */
const struct catalog_world *catalog_open_file(struct catalog *catalog, const char *path,
                                              const char *seed, struct error *error);

/* The painter of a style or layer name (null: "relief"), or null with ERROR_UNKNOWN and the nearest
 * name. Borrowed from the world. */
const struct painter *catalog_painter(const struct catalog_world *world, const char *style,
                                      struct error *error);

#endif
