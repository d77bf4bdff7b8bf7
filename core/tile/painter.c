/* A style bound to a world, and painting with it. */
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/tile/paint_objects.h"
#include "core/tile/style_private.h"

enum { CANVAS_BAND_ROWS = 272 }; /* of a tall picture sampled at once */

struct canvas {
    struct sampler *sampler;
    float *samples; /* layer after layer, apron included */
    size_t sample_capacity;
    uint8_t *pixels;
    size_t pixel_capacity;
    float *planes; /* red, green, blue, weight of one row */
    size_t plane_capacity;
    struct object_scene scene;
};

static bool fail_layer(const struct painter *painter, const struct step *step, const char *layer,
                       struct error *error)
{
    const char *names[WORLD_LAYERS_MAX + 1];
    unsigned count = world_layer_count(painter->world);
    for (unsigned i = 0; i < count; i++)
        names[i] = world_layer(painter->world, i)->name;
    const char *nearest = error_suggest(layer, names, count);
    if (strcmp(layer, "biome") == 0)
        error_set(error, ERROR_UNKNOWN, "the world has no biomes");
    else if (nearest)
        error_set(error, ERROR_UNKNOWN, "the world has no layer \"%s\" (did you mean \"%s\"?)",
                  layer, nearest);
    else
        error_set(error, ERROR_UNKNOWN, "the world has no layer \"%s\"", layer);
    return error_in_path(error, "%s", step->path);
}

/* The painter's own number for a layer of the world. */
static bool use_layer(struct painter *painter, const struct step *step, const char *layer,
                      unsigned *index, struct error *error)
{
    int found = world_find_layer(painter->world, layer);
    if (found < 0)
        return fail_layer(painter, step, layer, error);
    for (*index = 0; *index < painter->layer_count; ++*index)
        if (painter->layers[*index] == (unsigned)found)
            return true;
    if (painter->layer_count == STYLE_LAYERS_MAX) {
        error_set(error, ERROR_LIMIT, "a style reads at most %d layers", STYLE_LAYERS_MAX);
        return error_in_path(error, "%s", step->path);
    }
    painter->layers[painter->layer_count++] = (unsigned)found;
    return true;
}

/* Objects read no layer here; they name the height so that every step has one. */
static const char *step_layer(const struct step *step)
{
    return step->kind == STEP_BIOMES    ? "biome"
           : step->kind == STEP_OBJECTS ? "height"
                                        : step->layer;
}

static bool bind_step(struct painter *painter, struct step *step, struct error *error)
{
    const char *layer = step_layer(step);
    if (step->kind == STEP_OBJECTS && world_object_count(painter->world) == 0) {
        error_set(error, ERROR_UNKNOWN, "the world has no objects");
        return error_in_path(error, "%s", step->path);
    }
    if (!use_layer(painter, step, layer, &step->index, error))
        return false;
    if (step->mask.layer && !use_layer(painter, step, step->mask.layer, &step->mask.index, error))
        return false;
    if (step->kind == STEP_SHADE)
        painter->apron = 1;
    if (step->kind == STEP_GREY) {
        const struct world_layer *info = world_layer(painter->world, painter->layers[step->index]);
        painter->grey_low = info->range_low;
        painter->grey_scale = 255.0f / (info->range_high - info->range_low);
    }
    return true;
}

/* Copies the style's steps; optional ones the world has no layer for are left out. */
static bool bind_steps(struct painter *painter, const struct style *style, struct error *error)
{
    for (uint32_t i = 0; i < style->step_count; i++) {
        struct error reason = {0};
        struct step *step = &painter->steps[painter->step_count];
        *step = style->steps[i];
        if (bind_step(painter, step, &reason)) {
            painter->step_count++;
        } else if (!step->optional || reason.code != ERROR_UNKNOWN) {
            *error = reason;
            return false;
        }
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

/* What of the world's objects changes pixels and is not in its fingerprint. */
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

/* Over the style's spelling and what the world adds to its pixels besides samples. */
static void make_fingerprint(struct painter *painter, const char *spelling)
{
    char hex[33];
    uint64_t seed = 0;
    for (uint32_t i = 0; i < painter->step_count; i++) {
        const struct step *step = &painter->steps[i];
        if (step->kind == STEP_BIOMES)
            seed = hash_bytes(painter->palette, painter->palette_count * 3u, seed).low;
        if (step->kind == STEP_OBJECTS)
            seed = hash_objects(painter->world, seed);
        if (step->kind == STEP_GREY) {
            uint32_t bits[2];
            memcpy(&bits[0], &painter->grey_low, 4);
            memcpy(&bits[1], &painter->grey_scale, 4);
            seed = hash_mix(hash_mix(seed + bits[0]) + bits[1]);
            seed = hash_bytes(step->layer, strlen(step->layer), seed).low;
        }
    }
    hash_hex(hash_bytes(spelling, strlen(spelling), seed), hex);
    memcpy(painter->fingerprint, "s1-", 3);
    memcpy(painter->fingerprint + 3, hex, 16);
    painter->fingerprint[19] = '\0';
}

struct painter *painter_new(const struct style *style, struct world *world, struct error *error)
{
    struct painter *painter = calloc(1, sizeof *painter);
    if (!painter) {
        error_memory(error);
        return NULL;
    }
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
    make_fingerprint(painter, style->spelling);
    for (uint32_t i = 0; i < painter->step_count; i++) /* texts of the style, which may go */
        painter->steps[i].layer = painter->steps[i].path = NULL;
    return painter;
}

struct painter *painter_of_layer(struct world *world, unsigned layer, struct error *error)
{
    bool biomes = (int)layer == world_biome_layer(world);
    struct style style = {
        .name = world_layer(world, layer)->name,
        .title = world_layer(world, layer)->name,
        .spelling = biomes ? "biomes" : "grey",
        .step_count = 1,
    };
    style.steps[0] = (struct step){
        .kind = biomes ? STEP_BIOMES : STEP_GREY,
        .path = "",
        .layer = style.name,
        .opacity = 1.0f,
    };
    return painter_new(&style, world, error);
}

void painter_free(struct painter *painter)
{
    if (!painter)
        return;
    world_release(painter->world);
    arena_free(&painter->arena);
    free(painter);
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
    return painter->steps[0].kind == STEP_TERRARIUM ? "terrarium" : NULL;
}

unsigned painter_layer(const struct painter *painter)
{
    const struct step *first = &painter->steps[0];
    const bool shows = first->kind == STEP_GREY || first->kind == STEP_TERRARIUM ||
                       (painter->step_count == 1 && first->kind == STEP_BIOMES);
    return shows ? painter->layers[first->index] : world_height_layer(painter->world);
}

bool painter_uses_time(const struct painter *painter)
{
    for (uint32_t i = 0; i < painter->layer_count; i++)
        if (world_layer_uses_time(painter->world, painter->layers[i]))
            return true;
    return false;
}

struct canvas *canvas_new(void)
{
    struct canvas *canvas = calloc(1, sizeof *canvas);
    if (canvas && !(canvas->sampler = sampler_new())) {
        free(canvas);
        return NULL;
    }
    return canvas;
}

void canvas_free(struct canvas *canvas)
{
    if (!canvas)
        return;
    sampler_free(canvas->sampler);
    object_scene_free(&canvas->scene);
    free(canvas->samples);
    free(canvas->pixels);
    free(canvas->planes);
    free(canvas);
}

struct sampler *canvas_sampler(struct canvas *canvas)
{
    return canvas->sampler;
}

static bool reserve(void **memory, size_t *capacity, size_t size)
{
    if (size <= *capacity)
        return true;
    free(*memory);
    *memory = malloc(size);
    *capacity = *memory ? size : 0;
    return *memory != NULL;
}

/* One band of the grid: its samples with apron, and where its pixels go. */
struct band {
    const struct painter *painter;
    struct canvas *canvas;
    struct sample_grid grid; /* with apron */
    uint32_t width, rows;
    size_t stride; /* samples a row */
};

static const float *band_row(const struct band *band, unsigned layer, uint32_t row)
{
    uint32_t apron = band->painter->apron;
    return band->canvas->samples + layer * band->stride * band->grid.rows +
           (row + apron) * band->stride + apron;
}

static bool sample_band(const struct band *band, struct error *error)
{
    const struct painter *painter = band->painter;
    float *outputs[STYLE_LAYERS_MAX];
    for (uint32_t i = 0; i < painter->layer_count; i++)
        outputs[i] = band->canvas->samples + i * band->stride * band->grid.rows;
    const struct sample_request request = {painter->layers, outputs, painter->layer_count};
    return sampler_grid(band->canvas->sampler, painter->world, &band->grid, &request, error);
}

/* The objects of a band, for the steps that paint them: the first one's, as a style has one. */
static bool find_objects(const struct band *band, struct error *error)
{
    const struct painter *painter = band->painter;
    struct sample_grid grid = band->grid;
    grid.x += painter->apron * grid.step;
    grid.y += painter->apron * grid.step;
    grid.columns = band->width;
    grid.rows = band->rows;
    for (uint32_t i = 0; i < painter->step_count; i++)
        if (painter->steps[i].kind == STEP_OBJECTS)
            return object_scene_make(&band->canvas->scene, band->canvas->sampler, painter->world,
                                     &painter->steps[i].objects, &grid, error);
    return true;
}

static float exaggeration_at(const struct shade *shade, float spacing)
{
    uint32_t last = shade->exaggeration_count - 1;
    if (spacing <= shade->spacing[0])
        return shade->exaggeration[0];
    for (uint32_t i = 1; i <= last; i++) {
        float from = shade->spacing[i - 1], to = shade->spacing[i];
        if (spacing < to)
            return shade->exaggeration[i - 1] +
                   (shade->exaggeration[i] - shade->exaggeration[i - 1]) * (spacing - from) /
                       (to - from);
    }
    return shade->exaggeration[last];
}

static void paint_step(const struct band *band, const struct step *step, uint32_t row_number,
                       const struct paint_row *row, float *weight)
{
    const struct painter *painter = band->painter;
    const float *values = band_row(band, step->index, row_number);
    const float *masked = step->mask.layer ? band_row(band, step->mask.index, row_number) : NULL;
    float spacing = (float)place_metres(band->grid.step);
    switch (step->kind) {
    case STEP_RAMP:
        paint_weigh(row->count, &step->mask, masked, step->opacity, weight);
        paint_ramp(row, &step->ramp, values, weight);
        break;
    case STEP_BIOMES:
        paint_weigh(row->count, &step->mask, masked, step->opacity, weight);
        paint_palette(row, painter->palette, values, weight);
        break;
    case STEP_SHADE:
        paint_shade(row, &step->shade, values, band->stride,
                    exaggeration_at(&step->shade, spacing) / (2.0f * spacing));
        break;
    case STEP_OBJECTS:
        object_scene_paint(&band->canvas->scene, &step->objects, row_number, row);
        break;
    case STEP_GREY:
    case STEP_TERRARIUM:
        break; /* whole images of their own */
    }
}

static void paint_colours(const struct band *band, uint32_t row_number, uint8_t *pixels)
{
    float *planes = band->canvas->planes;
    const struct paint_row row = {planes, planes + band->width, planes + 2 * (size_t)band->width,
                                  band->width};
    memset(planes, 0, 3 * (size_t)band->width * sizeof *planes);
    for (uint32_t i = 0; i < band->painter->step_count; i++)
        paint_step(band, &band->painter->steps[i], row_number, &row,
                   planes + 3 * (size_t)band->width);
    paint_store_rgb(&row, pixels);
}

static void paint_band(const struct band *band, const struct image *image, uint8_t *pixels)
{
    const struct painter *painter = band->painter;
    const struct step *first = &painter->steps[0];
    for (uint32_t row = 0; row < band->rows; row++, pixels += image->stride) {
        const float *values = band_row(band, first->index, row);
        if (first->kind == STEP_GREY)
            paint_store_grey(band->width, values, painter->grey_low, painter->grey_scale, pixels);
        else if (first->kind == STEP_TERRARIUM)
            paint_store_terrarium(band->width, values, pixels);
        else if (image->format == IMAGE_PALETTE8)
            paint_store_indices(band->width, values, pixels);
        else
            paint_colours(band, row, pixels);
    }
}

static void choose_format(const struct painter *painter, struct image *image)
{
    const struct step *first = &painter->steps[0];
    image->format = IMAGE_RGB8;
    image->content = IMAGE_PICTURE;
    if (first->kind == STEP_GREY) {
        image->format = IMAGE_GREY8;
        image->content = IMAGE_SMOOTH;
    } else if (first->kind == STEP_TERRARIUM) {
        image->content = IMAGE_DATA;
    } else if (painter->step_count == 1 && first->kind == STEP_BIOMES && !first->mask.layer &&
               first->opacity == 1.0f) {
        image->format = IMAGE_PALETTE8;
        image->content = IMAGE_AREAS;
        image->palette = painter->palette;
        image->palette_count = painter->palette_count;
    }
}

bool painter_paint(const struct painter *painter, struct canvas *canvas,
                   const struct sample_grid *grid, struct image *image, struct error *error)
{
    uint32_t apron = painter->apron;
    struct band band = {.painter = painter, .canvas = canvas, .grid = *grid};
    *image = (struct image){.width = grid->columns, .height = grid->rows};
    choose_format(painter, image);
    image->stride = (image->format == IMAGE_RGB8 ? 3 : 1) * (size_t)grid->columns;
    band.width = grid->columns;
    band.stride = (size_t)grid->columns + 2 * apron;
    band.grid.columns += 2 * apron;
    band.grid.x -= apron * grid->step;
    size_t rows = grid->rows < CANVAS_BAND_ROWS ? grid->rows : CANVAS_BAND_ROWS;
    size_t samples = painter->layer_count * band.stride * (rows + 2 * apron) * sizeof(float);
    if (!reserve((void **)&canvas->samples, &canvas->sample_capacity, samples) ||
        !reserve((void **)&canvas->pixels, &canvas->pixel_capacity, image->stride * grid->rows) ||
        !reserve((void **)&canvas->planes, &canvas->plane_capacity,
                 4 * (size_t)band.width * sizeof(float)))
        return error_memory(error);
    image->pixels = canvas->pixels;
    for (uint32_t row = 0; row < grid->rows; row += band.rows) {
        band.rows = grid->rows - row < CANVAS_BAND_ROWS ? grid->rows - row : CANVAS_BAND_ROWS;
        band.grid.y = grid->y + ((int64_t)row - apron) * grid->step;
        band.grid.rows = band.rows + 2 * apron;
        if (!sample_band(&band, error) || !find_objects(&band, error))
            return false;
        paint_band(&band, image, image->pixels + row * image->stride);
    }
    return true;
}
