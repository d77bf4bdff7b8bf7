/* Binds a style to a world.
 *
 * Binding finds each step's layers in the world, lists every layer once (the canvas samples that
 * list), and drops the optional steps whose layers the world lacks. It also collects what the steps
 * need besides samples, by the flags of their kinds: an apron, the biomes' palette, the colours of
 * the materials, the range of a layer shown as grey.
 *
 * The fingerprint names pictures in caches and entity tags. It covers the version of painting, the
 * style's canonical JSON and what the world contributes to pixels but has not in its own: the
 * colours of biomes, the materials, the names, colours and radii of objects, the range and the name
 * of a grey layer. */
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/price/sampling.h"
#include "core/tile/paint_objects.h"
#include "core/tile/style_private.h"

/* Nanoseconds of a step for a pixel: that stores the samples themselves, or colours them. */
#define STORE_STEP 0.5
#define PAINT_STEP 1.6

/* Changes when the pixels of the same style and samples do: part of every style's fingerprint. */
enum { PAINTING_VERSION = 1 };

/* The names of the layers of a world. */
struct layer_names {
    const char *names[WORLD_LAYERS_MAX + 1];
    unsigned count;
};

static bool fail_name(const struct layer_names *layers, const struct step *step, const char *layer,
                      struct error *error)
{
    const char *nearest = error_suggest(layer, layers->names, layers->count);
    if (strcmp(layer, "biome") == 0)
        error_set(error, ERROR_UNKNOWN, "the world has no biomes");
    else if (nearest)
        error_set(error, ERROR_UNKNOWN, "the world has no layer \"%s\" (did you mean \"%s\"?)",
                  layer, nearest);
    else
        error_set(error, ERROR_UNKNOWN, "the world has no layer \"%s\"", layer);
    return error_in_path(error, "%s", step->path);
}

static bool fail_layer(const struct painter *painter, const struct step *step, const char *layer,
                       struct error *error)
{
    struct layer_names layers = {.count = world_layer_count(painter->world)};
    for (unsigned i = 0; i < layers.count; i++)
        layers.names[i] = world_layer(painter->world, i)->name;
    return fail_name(&layers, step, layer, error);
}

static bool check_name(const struct layer_names *layers, const struct step *step, const char *layer,
                       struct error *error)
{
    bool found = !layer || strcmp(layer, "biome") == 0;
    for (unsigned i = 0; i < layers->count && !found; i++)
        found = strcmp(layers->names[i], layer) == 0;
    return found || fail_name(layers, step, layer, error);
}

bool style_check_layers(const struct style *style, const struct json *world, struct error *error)
{
    struct layer_names layers = {.count = 0};
    const struct json *layer = json_first(json_member(world, "layers"));
    for (; layer && layers.count < WORLD_LAYERS_MAX; layer = json_next(layer))
        if (json_key(layer))
            layers.names[layers.count++] = json_key(layer);
    for (uint32_t i = 0; i < style->step_count && layers.count > 0; i++) {
        const struct step *step = &style->steps[i];
        if (!step->optional && (!check_name(&layers, step, step->layer, error) ||
                                !check_name(&layers, step, step->mask.layer, error)))
            return false;
    }
    return true;
}

/* Sets *index to the layer's number in the painter's list, which the layer joins if it is new. */
static bool add_layer(struct painter *painter, const struct step *step, unsigned layer,
                      unsigned *index, struct error *error)
{
    for (*index = 0; *index < painter->layer_count; ++*index)
        if (painter->layers[*index] == layer)
            return true;
    if (painter->layer_count == STYLE_LAYERS_MAX) {
        error_set(error, ERROR_LIMIT, "a style reads at most %d layers", STYLE_LAYERS_MAX);
        return error_in_path(error, "%s", step->path);
    }
    painter->layers[painter->layer_count++] = layer;
    return true;
}

static bool use_layer(struct painter *painter, const struct step *step, const char *layer,
                      unsigned *index, struct error *error)
{
    const int found = world_find_layer(painter->world, layer);
    return found < 0 ? fail_layer(painter, step, layer, error)
                     : add_layer(painter, step, (unsigned)found, index, error);
}

/* The weights come into the list together, so they follow one another in it. */
static bool use_materials(struct painter *painter, struct step *step, struct error *error)
{
    unsigned index;
    painter->material_count = world_material_count(painter->world);
    if (painter->material_count == 0) {
        error_set(error, ERROR_UNKNOWN, "the world has no materials");
        return error_in_path(error, "%s", step->path);
    }
    for (unsigned i = 0; i < painter->material_count; i++) {
        const uint32_t colour = world_material(painter->world, i)->colour;
        if (!add_layer(painter, step, world_material_layer(painter->world, i),
                       i ? &index : &step->index, error))
            return false;
        painter->materials[i] = (struct colour){
            (float)(colour >> 16 & 0xFF), (float)(colour >> 8 & 0xFF), (float)(colour & 0xFF)};
    }
    return true;
}

/* Water in a world without its surface stands at 0 m. */
static bool bind_surface(struct painter *painter, struct step *step, struct error *error)
{
    if (step->surface && world_find_layer(painter->world, step->surface) < 0)
        step->surface = NULL;
    return !step->surface || use_layer(painter, step, step->surface, &step->surface_index, error);
}

/* The layer of a step that is bound. */
static const struct world_layer *layer_of(const struct painter *painter, const struct step *step)
{
    return world_layer(painter->world, painter->layers[step->index]);
}

static bool bind_step(struct painter *painter, struct step *step, struct error *error)
{
    const char *layer = step->kind->layer ? step->kind->layer : step->layer;
    if ((step->kind->needs & NEEDS_OBJECTS) && world_object_count(painter->world) == 0) {
        error_set(error, ERROR_UNKNOWN, "the world has no objects");
        return error_in_path(error, "%s", step->path);
    }
    step->objects.opacity = step->opacity;
    if (!(step->kind->needs & NEEDS_MATERIALS
              ? use_materials(painter, step, error)
              : use_layer(painter, step, layer, &step->index, error)))
        return false;
    if (step->mask.layer && !use_layer(painter, step, step->mask.layer, &step->mask.index, error))
        return false;
    if (step->kind->needs & NEEDS_SLOPES)
        painter->apron = 1;
    if (step->kind->needs & NEEDS_RANGE) {
        painter->grey_low = layer_of(painter, step)->range_low;
        painter->grey_high = layer_of(painter, step)->range_high;
    }
    if (step->fit)
        ramp_fit(&step->ramp, layer_of(painter, step)->usual_low,
                 layer_of(painter, step)->usual_high);
    return bind_surface(painter, step, error);
}

static bool has_layer(const struct world *world, const char *layer)
{
    return world_find_layer(world, layer) >= 0;
}

/* True if the world has what the step needs. Binding would tell as well, but with a message about
 * the name that is nearest, which takes long and which nobody reads. */
static bool step_fits(const struct step *step, const struct world *world)
{
    const bool fits = step->kind->needs & NEEDS_MATERIALS
                          ? world_material_count(world) > 0
                          : has_layer(world, step->kind->layer ? step->kind->layer : step->layer);
    return fits && ((step->kind->needs & NEEDS_OBJECTS) == 0 || world_object_count(world) > 0) &&
           (!step->mask.layer || has_layer(world, step->mask.layer));
}

bool style_fits(const struct style *style, const struct world *world)
{
    uint32_t fitting = 0;
    for (uint32_t i = 0; i < style->step_count; i++) {
        const bool fits = step_fits(&style->steps[i], world);
        if (!fits && !style->steps[i].optional)
            return false;
        fitting += fits;
    }
    return fitting > 0;
}

/* Copies the style's steps, without the optional ones whose layer the world lacks. */
static bool bind_steps(struct painter *painter, const struct style *style, struct error *error)
{
    for (uint32_t i = 0; i < style->step_count; i++) {
        struct step *step = &painter->steps[painter->step_count];
        *step = style->steps[i];
        if (step->optional && !step_fits(step, painter->world))
            continue;
        if (!bind_step(painter, step, error))
            return false;
        painter->step_count++;
    }
    if (painter->step_count > 0)
        return true;
    error_set(error, ERROR_UNKNOWN, "the world has none of the layers that the style paints");
    return error_in_path(error, "paint");
}

static void read_palette(struct painter *painter)
{
    painter->palette_count = world_biome_count(painter->world);
    for (uint32_t i = 0; i < painter->palette_count; i++) {
        uint32_t colour = world_biome(painter->world, i)->colour;
        painter->palette[3 * i] = (uint8_t)(colour >> 16);
        painter->palette[3 * i + 1] = (uint8_t)(colour >> 8);
        painter->palette[3 * i + 2] = (uint8_t)colour;
    }
}

/* Hashes what changes the pixels of objects and is not in the world's fingerprint. */
static uint64_t hash_objects(const struct world *world, uint64_t seed)
{
    for (unsigned i = 0; i < world_object_count(world); i++) {
        const struct world_object *object = world_object(world, i);
        uint32_t bits;
        memcpy(&bits, &object->radius, sizeof bits);
        seed = hash_bytes(object->name, strlen(object->name), seed).low;
        seed = hash_mix(hash_mix(seed + bits) + object->colour);
    }
    return seed;
}

static uint64_t hash_range(float low, float high, uint64_t seed)
{
    uint32_t bits[2];
    memcpy(&bits[0], &low, sizeof bits[0]);
    memcpy(&bits[1], &high, sizeof bits[1]);
    return hash_mix(hash_mix(seed + bits[0]) + bits[1]);
}

static uint64_t hash_materials(const struct world *world, uint64_t seed)
{
    const char *weights = world_materials_fingerprint(world);
    seed = hash_bytes(weights, strlen(weights), seed).low;
    for (unsigned i = 0; i < world_material_count(world); i++)
        seed = hash_mix(seed + world_material(world, i)->colour);
    return seed;
}

/* Hashes the version of painting, the style's canonical JSON, and what the world adds to its pixels
 * besides samples. */
static void make_fingerprint(struct painter *painter, const char *canonical)
{
    char hex[33];
    uint64_t seed = PAINTING_VERSION;
    for (uint32_t i = 0; i < painter->step_count; i++) {
        const struct step *step = &painter->steps[i];
        if (step->kind->needs & NEEDS_PALETTE)
            seed = hash_bytes(painter->palette, painter->palette_count * 3u, seed).low;
        if (step->kind->needs & NEEDS_OBJECTS)
            seed = hash_objects(painter->world, seed);
        if (step->kind->needs & NEEDS_MATERIALS)
            seed = hash_materials(painter->world, seed);
        if (step->kind->needs & NEEDS_RANGE) {
            seed = hash_range(painter->grey_low, painter->grey_high, seed);
            seed = hash_bytes(step->layer, strlen(step->layer), seed).low;
        }
        if (step->fit)
            seed = hash_range(layer_of(painter, step)->usual_low,
                              layer_of(painter, step)->usual_high, seed);
    }
    hash_hex(hash_bytes(canonical, strlen(canonical), seed), hex);
    memcpy(painter->fingerprint, "s1-", 3);
    memcpy(painter->fingerprint + 3, hex, 16);
    painter->fingerprint[19] = '\0';
}

struct painter *painter_new(const struct style *style, struct world *world, struct error *error)
{
    struct painter *painter = calloc(1, sizeof *painter);
    if (!painter)
        return error_memory_null(error);
    struct arena *arena = &painter->arena;
    painter->world = world_retain(world);
    painter->name = arena_copy(arena, style->name, strlen(style->name));
    painter->title = arena_copy(arena, style->title, strlen(style->title));
    painter->steps = arena_allocate(arena, style->step_count, sizeof *painter->steps);
    bool done = (painter->name && painter->title && painter->steps) || error_memory(error);
    done = done && bind_steps(painter, style, error);
    if (!done) {
        painter_free(painter);
        return NULL;
    }
    read_palette(painter);
    make_fingerprint(painter, style->canonical);
    for (uint32_t i = 0; i < painter->step_count; i++) /* the style's texts, which it may free */
        painter->steps[i].layer = painter->steps[i].path = NULL;
    return painter;
}

struct painter *painter_of_layer(struct world *world, unsigned layer, struct error *error)
{
    bool biomes = (int)layer == world_biome_layer(world);
    struct style style = {
        .name = world_layer(world, layer)->name,
        .title = world_layer(world, layer)->name,
        .canonical = biomes ? "biomes" : "grey",
        .step_count = 1,
    };
    style.steps[0] = (struct step){
        .kind = step_kind_find(style.canonical),
        .path = "",
        .layer = style.name,
        .opacity = 1.0f,
    };
    return painter_new(&style, world, error);
}

/* A seed changes neither layers nor ranges, colours and objects. */
struct painter *painter_reseed(const struct painter *painter, struct world *world)
{
    struct painter *reseeded = malloc(sizeof *reseeded);
    if (!reseeded)
        return NULL;
    *reseeded = *painter;
    reseeded->arena = (struct arena){0};
    reseeded->world = world_retain(world);
    return reseeded;
}

void painter_free(struct painter *painter)
{
    if (!painter)
        return;
    world_release(painter->world);
    arena_free(&painter->arena);
    free(painter);
}

size_t painter_memory(const struct painter *painter)
{
    return sizeof *painter + painter->arena.bytes;
}

const char *painter_name(const struct painter *painter)
{
    return painter->name;
}

const char *painter_title(const struct painter *painter)
{
    return painter->title;
}

const char *painter_fingerprint(const struct painter *painter)
{
    return painter->fingerprint;
}

const char *painter_encoding(const struct painter *painter)
{
    return painter->steps[0].kind->encoding;
}

bool painter_is_16bit(const struct painter *painter)
{
    return painter->steps[0].kind->format == IMAGE_GREY16;
}

bool painter_is_picture(const struct painter *painter)
{
    return !painter->steps[0].kind->store;
}

unsigned painter_layer(const struct painter *painter)
{
    const struct step *first = &painter->steps[0];
    const bool is_shown =
        first->kind->store || (painter->step_count == 1 && (first->kind->needs & NEEDS_PALETTE));
    return is_shown ? painter->layers[first->index] : world_height_layer(painter->world);
}

bool painter_covers_water(const struct painter *painter, int *water)
{
    const struct step *first = &painter->steps[0];
    *water = first->surface ? (int)painter->layers[first->surface_index] : -1;
    return first->kind->store && first->over_water;
}

bool painter_uses_time(const struct painter *painter)
{
    for (uint32_t i = 0; i < painter->layer_count; i++)
        if (world_layer_uses_time(painter->world, painter->layers[i]))
            return true;
    return false;
}

/* The step fades out from half of `until` on. */
float step_zoom_fade(const struct step *step, float spacing)
{
    const float remaining = 2.0f - 2.0f * spacing / step->until;
    if (step->until <= 0.0f)
        return 1.0f;
    return remaining < 0.0f ? 0.0f : remaining < 1.0f ? remaining : 1.0f;
}

static bool step_shows(const struct step *step, float spacing)
{
    return step->kind->store || step->opacity * step_zoom_fade(step, spacing) > 0.0f;
}

/* Marks the layers that a step reads, by their numbers in the painter's list. */
static void mark_layers(const struct painter *painter, const struct step *step,
                        bool read[STYLE_LAYERS_MAX])
{
    read[step->index] = true;
    for (uint32_t i = 1; (step->kind->needs & NEEDS_MATERIALS) && i < painter->material_count; i++)
        read[step->index + i] = true;
    if (step->mask.layer)
        read[step->mask.index] = true;
    if (step->surface)
        read[step->surface_index] = true;
}

uint32_t painter_shown_layers(const struct painter *painter, float spacing,
                              uint32_t shown[STYLE_LAYERS_MAX])
{
    bool read[STYLE_LAYERS_MAX] = {false};
    uint32_t count = 0;
    for (uint32_t i = 0; i < painter->step_count; i++)
        if (step_shows(&painter->steps[i], spacing))
            mark_layers(painter, &painter->steps[i], read);
    for (uint32_t i = 0; i < painter->layer_count; i++)
        if (read[i])
            shown[count++] = i;
    return count;
}

/* The work of objects for a pixel: each candidate's density is sampled at a place of its own, in
 * full detail. */
static double object_work(const struct painter *painter, const struct object_paint *paint,
                          double spacing, const struct sampling_where *where)
{
    enum { SIDE = 256 }; /* pixels whose candidates share what they need */
    float visible[WORLD_OBJECTS_MAX];
    double work = 0;
    const uint64_t kinds = object_paint_kinds(painter->world, paint, (float)spacing, visible);
    for (unsigned i = 0; i < world_object_count(painter->world); i++) {
        const struct world_object *object = world_object(painter->world, i);
        const double cells = spacing / place_metres(object->spacing);
        const unsigned layer = world_density_layer(painter->world, i);
        const double side = SIDE * spacing;
        const struct sampling places = {.extent = side < SAMPLING_NEAR ? side : 0.0,
                                        .all_extent = side,
                                        .all_places = SIDE * SIDE * cells * cells,
                                        .where = where};
        if (!(kinds >> i & 1))
            continue;
        const struct sampling_price candidate =
            price_sampling(world_program(painter->world), &layer, 1, places);
        work += cells * cells * (candidate.sample + candidate.place);
    }
    return work;
}

struct sampling_price painter_price(const struct painter *painter, double spacing,
                                    const struct sampling_where *where)
{
    const struct sampling sampling = {.step = spacing, .spacing = spacing, .where = where};
    unsigned layers[STYLE_LAYERS_MAX];
    uint32_t shown[STYLE_LAYERS_MAX];
    const uint32_t count = painter_shown_layers(painter, (float)spacing, shown);
    for (uint32_t i = 0; i < count; i++)
        layers[i] = painter->layers[shown[i]];
    struct sampling_price work =
        price_sampling(world_program(painter->world), layers, count, sampling);
    for (uint32_t i = 0; i < painter->step_count; i++) {
        if (!step_shows(&painter->steps[i], (float)spacing))
            continue;
        work.sample += painter->steps[i].kind->store ? STORE_STEP : PAINT_STEP;
        if (painter->steps[i].kind->needs & NEEDS_MATERIALS)
            work.sample += painter->material_count * PAINT_STEP;
        if (painter->steps[i].kind->needs & NEEDS_OBJECTS)
            work.sample += object_work(painter, &painter->steps[i].objects, spacing, where);
    }
    return work;
}
