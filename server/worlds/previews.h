/* Previews: worlds of files that clients post, kept for a while under names that are hashes of the
 * files. They are worlds like those of a catalog, with its shared styles and its limit of cost, but
 * stand in no list.
 *
 * The store is bounded by number and by bytes; the least recently used preview is dropped first.
 * One that requests still use lives on, and counts until they end. All functions may be called by
 * many threads, but for those that make and free the store. They take a lock, so render threads,
 * which have a low priority, must call none but preview_name() and preview_compile(). */
#ifndef TERRANE_SERVER_WORLDS_PREVIEWS_H
#define TERRANE_SERVER_WORLDS_PREVIEWS_H

#include "server/worlds/catalog.h"
#include "server/worlds/preview_name.h"

enum {
    PREVIEWS_DEFAULT = 32, /* previews at once */
    PREVIEWS_MAX = 1000,
};

struct previews;

/* A store that takes none yet. `account` is that of its memory_budget. Null when memory is out. */
struct previews *previews_new(size_t *account);
/* When no preview is in use any more; null is allowed. */
void previews_free(struct previews *previews);

/* At most `count` previews, of so many bytes in memory; those beyond are dropped. */
void previews_set_limits(struct previews *previews, unsigned count, size_t bytes);

struct previews_statistics {
    unsigned limit, count;
    size_t bytes;     /* of those in the store, and of those that are still in use */
    uint64_t dropped; /* since the start, for want of room */
};
struct previews_statistics previews_statistics(struct previews *previews);

/* Compiles the text of the diagnostics under that name, with the catalog's styles and limits; to be
 * released with catalog_release(). Null with all errors of the text; otherwise `root` is that of
 * the world's document. */
struct catalog_world *preview_compile(struct catalog *catalog, const char *name,
                                      struct diagnostics *diagnostics);

/* Adds a compiled preview, with a reference of its own, and drops others until there is room; one
 * of the same name is replaced. `catalog` is the one that has other seeds of previews, which are
 * dropped with them. False with ERROR_MEMORY when all memory for previews is in use. */
bool previews_add(struct previews *previews, struct catalog *catalog, struct catalog_world *world,
                  struct error *error);
/* The preview of that name, with a reference for the caller; null with ERROR_UNKNOWN. */
const struct catalog_world *previews_find(struct previews *previews, const char *name,
                                          struct error *error);

#endif
