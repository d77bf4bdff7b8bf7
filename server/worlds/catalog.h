/* The catalog of worlds and styles: the embedded ones and those of the folders in the settings,
 * which replace embedded ones of the same name. Immutable once loaded, but for a bounded cache of
 * reseeded worlds with its own lock; all functions may be called by many threads. */
#ifndef TERRANE_SERVER_WORLDS_CATALOG_H
#define TERRANE_SERVER_WORLDS_CATALOG_H

#include "core/tile/style.h"
#include "core/worldfile/world.h"
#include "server/base/memory_budget.h"
#include "server/worlds/world_identity.h"

/* Limits of reseeded worlds by number, besides the budget of their bytes: one of the built-in
 * worlds takes 20 to 150 KB. */
enum {
    CATALOG_RESEEDED_MAX = 64,        /* in the cache */
    CATALOG_RESEEDED_FRESH_SHARE = 4, /* of these, one in so many may have been used only once */
    CATALOG_RESEEDED_LIVE = 128,      /* in memory, with those that only requests still use */
};

struct catalog_options {
    const char *const *world_directories; /* folders of NAME.json, or such files; the last wins */
    size_t world_directory_count;
    const char *const *style_directories;
    size_t style_directory_count;
    const char *default_world; /* null for "terra" */
    struct world_limits limits;
    /* Receives every error, and all files are read. Null ends loading at the first error. */
    void (*report)(void *context, const struct error *error);
    void *context;
};

/* A world with all its painters: its own styles, the shared ones it has the layers for, and each of
 * its layers that no style has the name of. Reference counted; immutable. */
struct catalog_world {
    struct world_identity identity;
    const struct catalog_world *base; /* of a reseeded world: with its own seed; or null */
    bool is_preview; /* of server/worlds/previews.h, or such a one with another seed */
    bool is_dropped; /* atomic: a preview that has left the store; set once, by previews.c */
    struct world *world;
    struct painter **painters; /* styles first, then layers; sorted by neither */
    size_t painter_count;
    size_t style_count;           /* how many of them are styles */
    unsigned references;          /* atomic */
    unsigned *live;               /* atomic: the catalog's count of reseeded worlds, or null */
    struct memory_budget *budget; /* in which it has `reserved` bytes, or null */
    size_t reserved;
    struct style_list *shared; /* all shared styles (catalog_world.h); a reference */
    char *text;                /* of the file that it was compiled from; null if it has a base */
    size_t text_length;
};

struct catalog;

/* Null with an error if any file is invalid. */
struct catalog *catalog_load(const struct catalog_options *options, struct error *error);
/* Worlds with another seed are counted by their catalog, and must be released before. */
void catalog_free(struct catalog *catalog);

/* Reseeded worlds, cached ones and those in use, take their bytes from this budget, which must
 * outlive the catalog. Without it they are bounded by number alone. Before any is made. */
void catalog_set_budget(struct catalog *catalog, struct memory_budget *budget);
/* Empties the cache of reseeded worlds and keeps it empty: for a catalog that a reload replaces
 * while requests still use it. */
void catalog_stop_caching(struct catalog *catalog);

size_t catalog_world_count(const struct catalog *catalog);
/* The index-th world by name, borrowed for as long as the catalog lives. */
const struct catalog_world *catalog_world_at(const struct catalog *catalog, size_t index);
const struct catalog_world *catalog_default(const struct catalog *catalog);
/* The world of that name, borrowed as well; null with ERROR_UNKNOWN and the nearest name. */
const struct catalog_world *catalog_find(const struct catalog *catalog, const char *name,
                                         struct error *error);

/* The index-th shared style by name, borrowed for as long as the catalog lives. */
size_t catalog_style_count(const struct catalog *catalog);
const struct style *catalog_style_at(const struct catalog *catalog, size_t index);

/* The name of the world that a client wants: NAME~SEED@FINGERPRINT. */
struct catalog_reference {
    const char *name;
    const char *seed; /* null for its own */
    const char *pin;  /* the fingerprint, of the world with that seed; null for any */
};

/* Former versions of worlds: those of files NAME@FINGERPRINT.json, and those that a reload has
 * kept. They have the styles of the catalog that they were loaded with. Borrowed as the others; no
 * fingerprint stands twice, or is that of the present version. */
size_t catalog_former_count(const struct catalog *catalog);
const struct catalog_world *catalog_former_at(const struct catalog *catalog, size_t index);
/* The version of the world which has the fingerprint of the pin, with the seed of the reference; if
 * there is none, or without a pin, the present version. It has its own seed. Borrowed; null with
 * ERROR_UNKNOWN if there is neither. */
const struct catalog_world *catalog_find_version(const struct catalog *catalog,
                                                 const struct catalog_reference *reference,
                                                 struct error *error);
/* For a catalog that replaces another one: of each of its worlds, up to `most` versions that are
 * served `before` live on, the newest first. Before other threads use it. Without memory fewer do.
 */
void catalog_keep_former(struct catalog *catalog, const struct catalog *before, unsigned most);

/* The world "name" with another seed, or with its own if `seed` is null; to be released
 * with catalog_release(). A null `name` is the default world. Null with ERROR_UNKNOWN (nearest name
 * in the message), ERROR_MEMORY (also beyond CATALOG_RESEEDED_LIVE, and without room in the
 * budget) or an error of the compiler. */
const struct catalog_world *catalog_acquire(struct catalog *catalog, const char *name,
                                            const char *seed, struct error *error);
/* The same for a version of a world that has been found. */
const struct catalog_world *catalog_acquire_seed(struct catalog *catalog,
                                                 const struct catalog_world *base, const char *seed,
                                                 struct error *error);
/* Like catalog_acquire_seed(), but never compiles and never waits for another thread: null if
 * compiling is needed, or if a thread has the lock of the cache just now. */
const struct catalog_world *catalog_acquire_ready(struct catalog *catalog,
                                                  const struct catalog_world *base,
                                                  const char *seed);
void catalog_release(const struct catalog_world *world);
/* The text of the world's file, as it was read; a world with another seed has that of its base.
 * Borrowed from the world. */
const char *catalog_world_text(const struct catalog_world *world, size_t *length);

/* A world from a file at any path, outside the catalog's worlds but with its styles; `seed` may be
 * null. To be released with catalog_release(). Null with all errors of the file, in diagnostics
 * that this fills in. */
const struct catalog_world *catalog_open_file(struct catalog *catalog, const char *path,
                                              const char *seed, struct diagnostics *diagnostics);

/* The index of the world's layer of that name; false with ERROR_UNKNOWN and the nearest name. */
bool catalog_layer(const struct world *world, const char *name, int *layer, struct error *error);
/* The painter of a style or layer name (null: "relief"), or null with ERROR_UNKNOWN and the nearest
 * name. Borrowed from the world. */
const struct painter *catalog_painter(const struct catalog_world *world, const char *style,
                                      struct error *error);
/* The painter of the style that the world's view names, or else of "relief"; of the world's first
 * style if it has none of that name. Borrowed from the world. */
const struct painter *catalog_view_painter(const struct catalog_world *world);

#endif
