/* A world and its painters. A painter binds a style to a world: it resolves the names of layers to
 * their indices once, so that painting a tile looks no name up. The order of precedence of a name
 * is: the world's own styles, shared styles, layers.
 *
 * References are counted atomically, as requests on many threads hold worlds that a reload has
 * removed from the catalog. A reseeded world has a program of its own and painters that borrow
 * their steps from those of its base, whose reference it holds. */
#include "server/worlds/catalog_world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/worlds/sources.h"

struct style_list *style_list_new(size_t capacity)
{
    struct style_list *styles = calloc(1, sizeof *styles + capacity * sizeof *styles->items);
    if (styles)
        styles->references = 1;
    return styles;
}

static struct style_list *style_list_retain(struct style_list *styles)
{
    __atomic_add_fetch(&styles->references, 1, __ATOMIC_RELAXED);
    return styles;
}

void style_list_release(struct style_list *styles)
{
    if (!styles || __atomic_sub_fetch(&styles->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    for (size_t i = 0; i < styles->count; i++)
        style_free(styles->items[i]);
    free(styles);
}

static void free_compiled(struct catalog_world *world)
{
    for (size_t i = 0; i < world->painter_count && world->painters; i++)
        painter_free(world->painters[i]);
    free(world->painters);
    world_release(world->world);
}

static void catalog_world_free(struct catalog_world *world)
{
    free(world->text);
    free_compiled(world);
    style_list_release(world->shared);
    if (world->live)
        __atomic_sub_fetch(world->live, 1, __ATOMIC_RELAXED);
    if (world->budget)
        memory_budget_release(world->budget, world->reserved);
    catalog_release(world->base);
    free(world);
}

const struct catalog_world *catalog_world_retain(const struct catalog_world *world)
{
    __atomic_add_fetch(&((struct catalog_world *)world)->references, 1, __ATOMIC_RELAXED);
    return world;
}

void catalog_release(const struct catalog_world *world)
{
    struct catalog_world *owned = (struct catalog_world *)world;
    if (owned && __atomic_sub_fetch(&owned->references, 1, __ATOMIC_ACQ_REL) == 0)
        catalog_world_free(owned);
}

const char *catalog_world_text(const struct catalog_world *world, size_t *length)
{
    while (world->base)
        world = world->base;
    *length = world->text_length;
    return world->text;
}

static const struct painter *find_painter(const struct catalog_world *world, const char *name)
{
    for (size_t i = 0; i < world->painter_count; i++)
        if (strcmp(painter_name(world->painters[i]), name) == 0)
            return world->painters[i];
    return NULL;
}

const struct painter *catalog_view_painter(const struct catalog_world *world)
{
    const char *style = world_view(world->world)->style;
    const struct painter *painter = find_painter(world, style ? style : "relief");
    return painter ? painter : world->painters[0];
}

/* A style of the world file; null with an error. */
static struct style *read_own_style(const struct json *own, struct diagnostics *diagnostics)
{
    struct error error = {0};
    const char *name = json_key(own);
    char path[sizeof error.path] = "styles.";
    strncat(path, name, sizeof path - sizeof "styles.");
    if (source_name_valid(name))
        return style_read_all(name, own, path, diagnostics);
    error_set(&error, ERROR_VALUE,
              "a style's name must be letters, digits, \"_\" and \"-\", at most %d",
              WORLD_NAME_MAX);
    error_in_path(&error, "%s", path);
    diagnostics_add(diagnostics, &error);
    return NULL;
}

/* The styles of the world file. An error in one of them is an error of the world. */
static void bind_own_styles(struct catalog_world *world, struct diagnostics *diagnostics)
{
    const struct json *own = json_first(world_styles(world->world));
    for (; own; own = json_next(own)) {
        struct error error = {0};
        struct style *style = read_own_style(own, diagnostics);
        struct painter *painter = style ? painter_new(style, world->world, &error) : NULL;
        style_free(style);
        if (painter)
            world->painters[world->painter_count++] = painter;
        if (error.code == ERROR_NONE)
            continue;
        error_in_path(&error, "styles.%s", json_key(own));
        diagnostics_add(diagnostics, &error);
    }
}

/* Adds the errors of the styles of a world that has others. */
static void check_own_styles(struct diagnostics *diagnostics)
{
    struct json_document *document = json_parse(diagnostics->text, diagnostics->length, NULL, NULL);
    diagnostics->root = json_root(document);
    const struct json *own = json_first(json_member(diagnostics->root, "styles"));
    for (; own; own = json_next(own)) {
        struct error error = {0};
        struct style *style = read_own_style(own, diagnostics);
        if (style && !style_check_layers(style, diagnostics->root, &error)) {
            error_in_path(&error, "styles.%s", json_key(own));
            diagnostics_add(diagnostics, &error);
        }
        style_free(style);
    }
    diagnostics->root = NULL;
    json_free(document);
}

/* Skips shared styles that need layers which the world does not have. */
static bool bind_shared_styles(struct catalog_world *world, struct error *error)
{
    for (size_t i = 0; i < world->shared->count; i++) {
        const struct style *style = world->shared->items[i];
        if (!style_fits(style, world->world) || find_painter(world, style_name(style)))
            continue;
        struct painter *painter = painter_new(style, world->world, error);
        if (!painter)
            return false;
        world->painters[world->painter_count++] = painter;
    }
    return true;
}

/* Every layer can be shown: one without a style of its name gets a default painter. */
static bool bind_layers(struct catalog_world *world, struct error *error)
{
    for (unsigned i = 0; i < world_layer_count(world->world); i++) {
        if (find_painter(world, world_layer(world->world, i)->name))
            continue;
        struct painter *painter = painter_of_layer(world->world, i, error);
        if (!painter)
            return false;
        world->painters[world->painter_count++] = painter;
    }
    return true;
}

/* Takes seed and fingerprint from the compiled world. */
static void identify(struct catalog_world *world)
{
    struct world_identity *identity = &world->identity;
    snprintf(identity->seed, sizeof identity->seed, "%s", world_seed(world->world));
    memcpy(identity->fingerprint, world_fingerprint(world->world), sizeof identity->fingerprint);
}

/* Owns the caller's reference to `compiled` from the call on, in failure too. */
static struct catalog_world *wrap_world(const struct catalog_recipe *recipe, struct world *compiled)
{
    struct catalog_world *world = calloc(1, sizeof *world);
    const size_t most =
        json_count(world_styles(compiled)) + recipe->styles->count + world_layer_count(compiled);
    if (!world || !world_prepare_prices(compiled, NULL) ||
        !(world->painters = calloc(most, sizeof(struct painter *)))) {
        free(world);
        world_release(compiled);
        return NULL;
    }
    world->references = 1;
    world->world = compiled;
    world->shared = style_list_retain(recipe->styles);
    snprintf(world->identity.name, sizeof world->identity.name, "%s", recipe->name);
    identify(world);
    return world;
}

/* The style of the view must be one of the world's. */
static void check_view(const struct catalog_world *world, struct diagnostics *diagnostics)
{
    const char *style = world_view(world->world)->style;
    struct error error = {0};
    if (!style || find_painter(world, style))
        return;
    const char **names = calloc(world->painter_count + 1, sizeof *names);
    for (size_t i = 0; i < world->painter_count && names; i++)
        names[i] = painter_name(world->painters[i]);
    const char *near = names ? error_suggest(style, names, world->painter_count) : NULL;
    if (near)
        error_set(&error, ERROR_UNKNOWN, "unknown style \"%s\" (did you mean \"%s\"?)", style,
                  near);
    else
        error_set(&error, ERROR_UNKNOWN,
                  "unknown style \"%s\"; \"terrane styles --world FILE\" lists those of a world",
                  style);
    free(names);
    error_in_path(&error, "view.style");
    diagnostics_add(diagnostics, &error);
}

static bool bind_styles(struct catalog_world *world, struct diagnostics *diagnostics)
{
    struct error error = {0};
    bind_own_styles(world, diagnostics);
    const bool bound = bind_shared_styles(world, &error);
    world->style_count = world->painter_count;
    if (!bound || !bind_layers(world, &error))
        diagnostics_add(diagnostics, &error);
    if (diagnostics->count == 0)
        check_view(world, diagnostics);
    return diagnostics->count == 0;
}

static bool keep_text(struct catalog_world *world, struct diagnostics *diagnostics)
{
    struct error error = {0};
    world->text = malloc(diagnostics->length);
    if (!world->text && !error_memory(&error)) {
        diagnostics_add(diagnostics, &error);
        return false;
    }
    memcpy(world->text, diagnostics->text, diagnostics->length);
    world->text_length = diagnostics->length;
    return true;
}

/* A former version is served under the fingerprint of its file's name. */
static void check_pin(const struct catalog_recipe *recipe, const struct world *world,
                      struct diagnostics *diagnostics)
{
    struct error error = {0};
    if (!recipe->pin[0] || strcmp(recipe->pin, world_fingerprint(world)) == 0)
        return;
    error_set(&error, ERROR_VALUE,
              "the fingerprint of this world is %s, and the file's name says %s: the file has "
              "changed, or this build makes other samples of it",
              world_fingerprint(world), recipe->pin);
    diagnostics_add(diagnostics, &error);
}

struct catalog_world *catalog_world_new(const struct catalog_recipe *recipe,
                                        struct diagnostics *diagnostics)
{
    struct error error = {0};
    struct world *compiled = world_diagnose(diagnostics, &recipe->limits);
    struct catalog_world *world = compiled ? wrap_world(recipe, compiled) : NULL;
    if (!compiled)
        check_own_styles(diagnostics);
    else if (!world && !error_memory(&error))
        diagnostics_add(diagnostics, &error);
    if (world)
        check_pin(recipe, world->world, diagnostics);
    if (world && keep_text(world, diagnostics) && bind_styles(world, diagnostics))
        return world;
    diagnostics->root = NULL;
    catalog_release(world);
    return NULL;
}

/* A world with the name and styles of `base`, and its reference. Null when memory is out. */
static struct catalog_world *derive_world(const struct catalog_world *base)
{
    struct catalog_world *world = calloc(1, sizeof *world);
    if (!world)
        return NULL;
    memcpy(world->identity.name, base->identity.name, sizeof world->identity.name);
    world->identity.is_reseeded = true;
    world->base = catalog_world_retain(base);
    world->style_count = base->style_count;
    world->is_preview = base->is_preview;
    world->shared = style_list_retain(base->shared);
    world->references = 1;
    return world;
}

static bool reseed_painters(struct catalog_world *world)
{
    const struct catalog_world *base = world->base;
    world->painters = calloc(base->painter_count + 1, sizeof(struct painter *));
    if (!world->painters)
        return false;
    for (; world->painter_count < base->painter_count; world->painter_count++) {
        struct painter *painter =
            painter_reseed(base->painters[world->painter_count], world->world);
        if (!painter)
            return false;
        world->painters[world->painter_count] = painter;
    }
    return true;
}

struct catalog_world *catalog_world_reseed(const struct catalog_world *base, const char *seed,
                                           struct error *error)
{
    struct catalog_world *world = derive_world(base);
    if (!world)
        return error_memory_null(error);
    world->world = world_reseed(base->world, seed, strlen(seed), error);
    if (world->world &&
        ((world_prepare_prices(world->world, base->world) && reseed_painters(world)) ||
         error_memory(error))) {
        identify(world);
        return world;
    }
    catalog_world_free(world);
    return NULL;
}

/* Besides its text a world that is read from a file keeps its document: world_bytes() leaves it
 * out.
 */
enum { DOCUMENT_PER_TEXT = 10 };

size_t catalog_world_memory(const struct catalog_world *world)
{
    size_t bytes = sizeof *world + world->painter_count * sizeof *world->painters +
                   world_bytes(world->world) + (1 + DOCUMENT_PER_TEXT) * world->text_length;
    for (size_t i = 0; i < world->painter_count; i++)
        bytes += painter_memory(world->painters[i]);
    return bytes;
}
