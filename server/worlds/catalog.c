/* The catalog: loading all worlds and styles, and the cache of worlds with other seeds.
 *
 * Loading compiles every world, so that a request never waits for a compiler, and an error in any
 * file shows at start or reload. Worlds are found by binary search; a lookup takes no lock unless
 * a seed is given.
 *
 * "NAME~SEED" makes a reseeded world. A client can invent seeds without end, so these are cached
 * within limits: the least recently used is evicted, but first among those that were used only
 * once, while more than one in CATALOG_RESEEDED_FRESH_SHARE was. A scan over many seeds so evicts
 * its own worlds and not those that other clients return to. Evicted worlds live on while requests
 * hold references; CATALOG_RESEEDED_LIVE and a budget of bytes bound all of them together. A world
 * that finds no room in the budget evicts others until it does; one that is larger than the budget
 * needs all of it.
 *
 * Event loops only look whether a world is ready, and do not wait for the lock: a render thread
 * that holds it has a low priority, and may get no time for long. */
#include "server/worlds/catalog.h"

#include <stdlib.h>
#include <string.h>

#include "server/worlds/catalog_private.h"
#include "server/worlds/sources.h"

void catalog_free(struct catalog *catalog)
{
    if (!catalog)
        return;
    for (size_t i = 0; i < CATALOG_RESEEDED_MAX; i++)
        catalog_release(catalog->reseeded[i].world);
    for (size_t i = 0; i < catalog->world_count; i++)
        catalog_release(catalog->worlds[i]);
    for (size_t i = 0; i < catalog->former_count; i++)
        catalog_release(catalog->former[i]);
    style_list_release(catalog->styles);
    free(catalog->worlds);
    free(catalog->former);
    pthread_mutex_destroy(&catalog->lock);
    free(catalog);
}

/* The text of a source, for its diagnostics; an error of reading it is one of these. */
static bool read_text(const struct source *source, struct buffer *text,
                      struct diagnostics *diagnostics)
{
    struct error error = {0};
    const bool done = source_read(source, text, &error);
    *diagnostics = (struct diagnostics){
        .file = source->file, .text = (const char *)text->data, .length = text->length};
    if (!done)
        diagnostics_add(diagnostics, &error);
    return done;
}

static bool load_style(struct catalog *catalog, const struct source *source,
                       struct diagnostics *diagnostics)
{
    struct buffer text = {0};
    struct style *style = NULL;
    if (read_text(source, &text, diagnostics))
        style = style_diagnose(source->name, diagnostics);
    buffer_free(&text);
    if (style)
        catalog->styles->items[catalog->styles->count++] = style;
    return style;
}

static struct catalog_world *read_world(const struct catalog *catalog, const struct source *source,
                                        struct diagnostics *diagnostics)
{
    struct buffer text = {0};
    struct catalog_world *world = NULL;
    const struct catalog_recipe recipe = {
        .name = source->name,
        .pin = source->pin,
        .styles = catalog->styles,
        .limits = catalog->limits,
    };
    if (read_text(source, &text, diagnostics))
        world = catalog_world_new(&recipe, diagnostics);
    diagnostics->root = NULL; /* the text is freed */
    buffer_free(&text);
    return world;
}

static bool load_world(struct catalog *catalog, const struct source *source,
                       struct diagnostics *diagnostics)
{
    struct catalog_world *world = read_world(catalog, source, diagnostics);
    if (world && source->pin[0])
        catalog->former[catalog->former_count++] = world;
    else if (world)
        catalog->worlds[catalog->world_count++] = world;
    return world;
}

/* Passes the error on, if errors are reported. Always false. */
static bool report(const struct catalog_options *options, const struct error *error)
{
    if (options->report)
        options->report(options->context, error);
    return false;
}

/* Passes on the errors of a file; the first one is in *error as well. Always false. */
static bool report_all(const struct catalog_options *options, const struct diagnostics *diagnostics,
                       struct error *error)
{
    *error = diagnostics->errors[0];
    for (unsigned i = 0; i < diagnostics->count; i++)
        report(options, &diagnostics->errors[i]);
    return false;
}

/* Loads all sources if errors are reported, otherwise up to the first error. */
static bool load_each(struct catalog *catalog, const struct catalog_options *options,
                      const struct source_list *list,
                      bool (*load)(struct catalog *, const struct source *, struct diagnostics *),
                      struct error *error)
{
    struct diagnostics *diagnostics = malloc(sizeof *diagnostics);
    bool done = diagnostics || error_memory(error);
    for (size_t i = 0; i < list->count && diagnostics && (done || options->report); i++)
        if (!load(catalog, &list->items[i], diagnostics))
            done = report_all(options, diagnostics, error);
    free(diagnostics);
    return done;
}

static bool load_styles(struct catalog *catalog, const struct catalog_options *options,
                        struct error *error)
{
    struct source_list list = {0};
    bool done = sources_collect(&list, "styles/", options->style_directories,
                                options->style_directory_count, error);
    catalog->styles = style_list_new(list.count);
    if (!catalog->styles)
        done = error_memory(error);
    done = done ? load_each(catalog, options, &list, load_style, error) : report(options, error);
    sources_free(&list);
    return done;
}

static bool load_worlds(struct catalog *catalog, const struct catalog_options *options,
                        struct error *error)
{
    struct source_list list = {0};
    bool done = sources_collect(&list, "worlds/", options->world_directories,
                                options->world_directory_count, error);
    catalog->worlds = calloc(list.count + 1, sizeof(struct catalog_world *));
    catalog->former = calloc(list.count + 1, sizeof(struct catalog_world *));
    if (!catalog->worlds || !catalog->former)
        done = error_memory(error);
    done = done ? load_each(catalog, options, &list, load_world, error) : report(options, error);
    sources_free(&list);
    return done;
}

static int compare_name(const void *name, const void *world)
{
    return strcmp(name, (*(const struct catalog_world *const *)world)->identity.name);
}

const struct catalog_world *catalog_find(const struct catalog *catalog, const char *name,
                                         struct error *error)
{
    const struct catalog_world **found = catalog->world_count == 0
                                             ? NULL
                                             : bsearch(name, catalog->worlds, catalog->world_count,
                                                       sizeof catalog->worlds[0], compare_name);
    if (found)
        return *found;
    const char **names = calloc(catalog->world_count + 1, sizeof *names);
    for (size_t i = 0; i < catalog->world_count && names; i++)
        names[i] = catalog->worlds[i]->identity.name;
    error_unknown(error, "world", name, names, names ? catalog->world_count : 0);
    free(names);
    return NULL;
}

struct catalog *catalog_load(const struct catalog_options *options, struct error *error)
{
    struct catalog *catalog = calloc(1, sizeof *catalog);
    if (!catalog)
        return error_memory_null(error);
    pthread_mutex_init(&catalog->lock, NULL);
    catalog->is_caching = true;
    catalog->limits = options->limits;
    const char *name = options->default_world ? options->default_world : "terra";
    bool done = load_styles(catalog, options, error);
    if (catalog->styles && (done || options->report))
        done = load_worlds(catalog, options, error) && done;
    if (done && !(catalog->default_world = catalog_find(catalog, name, error)))
        done = report(options, error);
    catalog_drop_present(catalog);
    catalog->former_file_count = catalog->former_count;
    if (done)
        return catalog;
    catalog_free(catalog);
    return NULL;
}

size_t catalog_world_count(const struct catalog *catalog)
{
    return catalog->world_count;
}

const struct catalog_world *catalog_world_at(const struct catalog *catalog, size_t index)
{
    return catalog->worlds[index];
}

const struct catalog_world *catalog_default(const struct catalog *catalog)
{
    return catalog->default_world;
}

size_t catalog_style_count(const struct catalog *catalog)
{
    return catalog->styles->count;
}

const struct style *catalog_style_at(const struct catalog *catalog, size_t index)
{
    return catalog->styles->items[index];
}

/* The cached world, with a reference for the caller, or null. Under the lock. */
static const struct catalog_world *reseeded_find(struct catalog *catalog,
                                                 const struct catalog_world *base, const char *seed)
{
    for (size_t i = 0; i < CATALOG_RESEEDED_MAX; i++) {
        struct reseeded *slot = &catalog->reseeded[i];
        if (slot->world && slot->world->base == base &&
            strcmp(slot->world->identity.seed, seed) == 0) {
            slot->used = ++catalog->clock;
            slot->again = true;
            return catalog_world_retain(slot->world);
        }
    }
    return NULL;
}

/* The slot of the world to evict (see the top); null if all are free. Under the lock. */
static struct reseeded *reseeded_oldest(struct catalog *catalog)
{
    struct reseeded *oldest = NULL;
    unsigned count = 0, fresh = 0;
    for (size_t i = 0; i < CATALOG_RESEEDED_MAX; i++) {
        count += catalog->reseeded[i].world != NULL;
        fresh += catalog->reseeded[i].world && !catalog->reseeded[i].again;
    }
    for (size_t i = 0; i < CATALOG_RESEEDED_MAX; i++) {
        struct reseeded *slot = &catalog->reseeded[i];
        if (!slot->world || (slot->again && fresh > count / CATALOG_RESEEDED_FRESH_SHARE))
            continue;
        if (!oldest || slot->used < oldest->used)
            oldest = slot;
    }
    return oldest;
}

/* Nobody can ask for the world again: it is of a preview that has left the store. */
static bool is_forgotten(const struct catalog_world *world)
{
    return __atomic_load_n(&world->base->is_dropped, __ATOMIC_RELAXED);
}

/* Caches a world, with its own reference. Returns the evicted world or null, to be released outside
 * the lock. */
static const struct catalog_world *reseeded_keep(struct catalog *catalog,
                                                 const struct catalog_world *world)
{
    struct reseeded *slot = NULL;
    if (!catalog->is_caching || is_forgotten(world))
        return NULL;
    for (size_t i = 0; i < CATALOG_RESEEDED_MAX && !slot; i++)
        if (!catalog->reseeded[i].world)
            slot = &catalog->reseeded[i];
    if (!slot)
        slot = reseeded_oldest(catalog);
    const struct catalog_world *gone = slot->world;
    *slot = (struct reseeded){catalog_world_retain(world), ++catalog->clock, false};
    return gone;
}

/* Evicts a world; false if the cache is empty. Its memory is free when no request uses it. */
static bool evict_world(struct catalog *catalog)
{
    const struct catalog_world *gone = NULL;
    pthread_mutex_lock(&catalog->lock);
    struct reseeded *oldest = reseeded_oldest(catalog);
    if (oldest) {
        gone = oldest->world;
        *oldest = (struct reseeded){0};
    }
    pthread_mutex_unlock(&catalog->lock);
    catalog_release(gone);
    return oldest != NULL;
}

void catalog_forget_seeds(struct catalog *catalog)
{
    const struct catalog_world *gone[CATALOG_RESEEDED_MAX];
    size_t count = 0;
    if (pthread_mutex_trylock(&catalog->lock) != 0)
        return;
    for (size_t i = 0; i < CATALOG_RESEEDED_MAX; i++) {
        struct reseeded *slot = &catalog->reseeded[i];
        if (!slot->world || !is_forgotten(slot->world))
            continue;
        gone[count++] = slot->world;
        *slot = (struct reseeded){0};
    }
    pthread_mutex_unlock(&catalog->lock);
    while (count > 0)
        catalog_release(gone[--count]);
}

void catalog_stop_caching(struct catalog *catalog)
{
    pthread_mutex_lock(&catalog->lock);
    catalog->is_caching = false;
    pthread_mutex_unlock(&catalog->lock);
    while (evict_world(catalog))
        ;
}

void catalog_set_budget(struct catalog *catalog, struct memory_budget *budget)
{
    catalog->budget = budget;
}

/* Takes the bytes of a new world from the budget. */
static bool reserve_memory(struct catalog *catalog, struct catalog_world *world,
                           struct error *error)
{
    struct memory_budget *budget = catalog->budget;
    if (!budget)
        return true;
    const size_t bytes = catalog_world_memory(world), limit = memory_budget_limit(budget);
    world->reserved = bytes < limit ? bytes : limit;
    while (!memory_budget_reserve(budget, world->reserved))
        if (!evict_world(catalog))
            return error_set(error, ERROR_MEMORY,
                             "worlds with a seed of their own use all of their %zu MB of memory; "
                             "try again soon",
                             limit >> 20);
    world->budget = budget;
    return true;
}

/* Counts the world before it is made, so that concurrent callers cannot exceed the limit. Its bytes
 * are known, and reserved, when it is made. */
static struct catalog_world *make_reseeded(struct catalog *catalog,
                                           const struct catalog_world *base, const char *seed,
                                           struct error *error)
{
    struct catalog_world *world = NULL;
    if (__atomic_add_fetch(&catalog->live, 1, __ATOMIC_RELAXED) > CATALOG_RESEEDED_LIVE)
        error_set(error, ERROR_MEMORY,
                  "%d worlds with a seed of their own are in use, which is the limit; try again "
                  "soon",
                  CATALOG_RESEEDED_LIVE);
    else
        world = catalog_world_reseed(base, seed, error);
    if (!world) {
        __atomic_sub_fetch(&catalog->live, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    world->live = &catalog->live;
    if (reserve_memory(catalog, world, error))
        return world;
    catalog_release(world);
    return NULL;
}

/* Compiling takes milliseconds and happens outside the lock. Two threads may then compile the same
 * seed at once; both get the world of the first. */
static const struct catalog_world *acquire_reseeded(struct catalog *catalog,
                                                    const struct catalog_world *base,
                                                    const char *seed, struct error *error)
{
    pthread_mutex_lock(&catalog->lock);
    const struct catalog_world *world = reseeded_find(catalog, base, seed);
    pthread_mutex_unlock(&catalog->lock);
    if (world)
        return world;
    const struct catalog_world *made = make_reseeded(catalog, base, seed, error);
    if (!made)
        return NULL;
    pthread_mutex_lock(&catalog->lock);
    world = reseeded_find(catalog, base, seed);
    const struct catalog_world *gone = world ? made : reseeded_keep(catalog, made);
    pthread_mutex_unlock(&catalog->lock);
    catalog_release(gone);
    return world ? world : made;
}

const struct catalog_world *catalog_acquire(struct catalog *catalog, const char *name,
                                            const char *seed, struct error *error)
{
    const struct catalog_world *base =
        name ? catalog_find(catalog, name, error) : catalog->default_world;
    return base ? catalog_acquire_seed(catalog, base, seed, error) : NULL;
}

const struct catalog_world *catalog_acquire_seed(struct catalog *catalog,
                                                 const struct catalog_world *base, const char *seed,
                                                 struct error *error)
{
    return seed ? acquire_reseeded(catalog, base, seed, error) : catalog_world_retain(base);
}

const struct catalog_world *catalog_acquire_ready(struct catalog *catalog,
                                                  const struct catalog_world *base,
                                                  const char *seed)
{
    if (!seed)
        return catalog_world_retain(base);
    if (pthread_mutex_trylock(&catalog->lock) != 0)
        return NULL;
    const struct catalog_world *world = reseeded_find(catalog, base, seed);
    pthread_mutex_unlock(&catalog->lock);
    return world;
}

const struct catalog_world *catalog_open_file(struct catalog *catalog, const char *path,
                                              const char *seed, struct diagnostics *diagnostics)
{
    struct error error = {0};
    struct source source = {.file = (char *)path};
    source_set_name(&source, path);
    if (!source_name_valid(source.name))
        memcpy(source.name, "world", sizeof "world");
    struct catalog_world *world = read_world(catalog, &source, diagnostics);
    if (!world || !seed)
        return world;
    struct catalog_world *reseeded = catalog_world_reseed(world, seed, &error);
    catalog_release(world);
    if (!reseeded)
        diagnostics_add(diagnostics, &error);
    return reseeded;
}

/* Sets the error for a shared style that needs layers which this world does not have; false if
 * there is no shared style of the name. */
static bool explain_missing(const struct catalog_world *world, const char *style,
                            struct error *error)
{
    struct error reason = {0};
    for (size_t i = 0; i < world->shared->count; i++) {
        const struct style *shared = world->shared->items[i];
        if (strcmp(style_name(shared), style) != 0)
            continue;
        painter_free(painter_new(shared, world->world, &reason));
        error_set(error, ERROR_UNKNOWN, "the world \"%s\" has no style \"%s\": %s: %s",
                  world->identity.name, style, reason.path, reason.message);
        return true;
    }
    return false;
}

bool catalog_layer(const struct world *world, const char *name, int *layer, struct error *error)
{
    const char *names[WORLD_LAYERS_MAX + 1];
    const unsigned count = world_layer_count(world);
    *layer = world_find_layer(world, name);
    if (*layer >= 0)
        return true;
    for (unsigned i = 0; i < count; i++)
        names[i] = world_layer(world, i)->name;
    return error_unknown(error, "layer", name, names, count);
}

const struct painter *catalog_painter(const struct catalog_world *world, const char *style,
                                      struct error *error)
{
    const char *wanted = style ? style : "relief";
    for (size_t i = 0; i < world->painter_count; i++)
        if (strcmp(painter_name(world->painters[i]), wanted) == 0)
            return world->painters[i];
    if (explain_missing(world, wanted, error))
        return NULL;
    const char **names = calloc(world->painter_count + 1, sizeof *names);
    for (size_t i = 0; i < world->painter_count && names; i++)
        names[i] = painter_name(world->painters[i]);
    if (strcmp(wanted, "biome") == 0)
        error_set(error, ERROR_UNKNOWN, "the world \"%s\" has no biomes", world->identity.name);
    else
        error_unknown(error, "style", wanted, names, names ? world->painter_count : 0);
    free(names);
    return NULL;
}
