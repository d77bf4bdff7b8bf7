/* Painting a picture: the layers of the painter are sampled in bands of rows, and each band is
 * painted row by row while it is still in the cache.
 *
 * The samples have an apron of one sample on every side if a step needs slopes, so that slopes at
 * the edge of a tile are those of the neighbouring tile: pictures have no seams. A row is painted
 * when the row south of it has been sampled, so a band begins with the rows that the apron needs of
 * the band before. A row is painted in three planes of floats, step after step in the order of the
 * style, and rounded to bytes once at the end. Styles of one whole-picture step write the pixels
 * directly, and a style that only shows biomes writes indices into a palette.
 *
 * Steps that have faded out at the zoom are skipped, and layers that only such steps read are not
 * sampled.
 *
 * Pictures larger than a tile are painted in blocks, each as a picture of its own. For the same
 * reason, several threads may paint the rows of one picture.
 *
 * All memory belongs to the canvas and grows to the largest picture so far. */
#include <stdlib.h>
#include <string.h>

#include "core/base/lanes.h"
#include "core/tile/paint_objects.h"
#include "core/tile/style_private.h"

enum {
    BLOCK_ROWS = 272, /* at most: bounds the objects that are painted at once */
    PLANE_COUNT = 5,  /* rows of floats: red, green, blue, a step's weight, its values */
};

struct canvas {
    struct sampler *sampler;
    float *samples; /* layer after layer: the rows kept of the last band, then those of this one */
    size_t sample_capacity;
    uint8_t *pixels;
    size_t pixel_capacity;
    float *planes; /* PLANE_COUNT of one row */
    size_t plane_capacity;
    struct object_scene scene;
};

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

bool paint_reserve(void **memory, size_t *capacity, size_t size)
{
    if (size <= *capacity)
        return true;
    free(*memory);
    *memory = malloc(size);
    *capacity = *memory ? size : 0;
    return *memory != NULL;
}

/* A part of a picture. */
struct block {
    const struct painter *painter;
    struct canvas *canvas;
    struct sample_grid grid; /* with apron */
    uint32_t width, rows;    /* without */
    uint32_t sampled;        /* rows of the grid before the current band */
    enum image_format format;
    uint8_t *pixels;
    size_t stride;
};

/* The rows that the canvas keeps of the band before. */
static uint32_t kept_rows(const struct block *block)
{
    return 2 * block->painter->apron;
}

static size_t layer_samples(const struct block *block)
{
    return (size_t)(kept_rows(block) +
                    sampler_band_rows(world_program(block->painter->world), block->grid.columns)) *
           block->grid.columns;
}

static const float *layer_row(const struct block *block, unsigned layer, uint32_t row)
{
    const uint32_t apron = block->painter->apron;
    return block->canvas->samples + layer * layer_samples(block) +
           (size_t)(row + apron + kept_rows(block) - block->sampled) * block->grid.columns + apron;
}

/* Finds the objects of a block, if the style has a step that paints them. */
static bool find_objects(const struct block *block, struct error *error)
{
    const struct painter *painter = block->painter;
    struct sample_grid grid = block->grid;
    grid.x += painter->apron * grid.step;
    grid.y += painter->apron * grid.step;
    grid.columns = block->width;
    grid.rows = block->rows;
    for (uint32_t i = 0; i < painter->step_count; i++)
        if (painter->steps[i].kind->needs & NEEDS_OBJECTS)
            return object_scene_make(&block->canvas->scene,
                                     &(struct object_view){block->canvas->sampler, painter->world,
                                                           &painter->steps[i].objects, &grid},
                                     error);
    return true;
}

static struct ground_row ground_row_of(const struct block *block, unsigned layer, uint32_t number)
{
    return (struct ground_row){layer_row(block, layer, number), block->grid.columns,
                               (float)place_metres(block->grid.step)};
}

/* Points the row at the samples of the layers that a step reads. */
static void set_ground(const struct block *block, const struct step *step, struct step_row *row)
{
    row->ground = ground_row_of(block, step->index, row->number);
    row->surface = (struct ground_row){0};
    if (step->surface)
        row->surface = ground_row_of(block, step->surface_index, row->number);
}

/* Paints a step of a row, if any of it shows. */
static void paint_step(const struct block *block, const struct step *step, struct step_row *row)
{
    const float spacing = (float)place_metres(block->grid.step);
    const float *masked = step->mask.layer ? layer_row(block, step->mask.index, row->number) : NULL;
    const float opacity = step->opacity * step_zoom_fade(step, spacing);
    if (!paint_weights(row->colours.count, &step->mask, masked, opacity, row->weight))
        return;
    set_ground(block, step, row);
    step->kind->paint(row, step);
}

/* Writes the row of a step that stands alone. */
static void store_row(const struct block *block, const struct step *step, struct step_row *row,
                      uint8_t *pixels)
{
    set_ground(block, step, row);
    if (step->over_water) {
        ground_or_water(row->colours.count, &row->ground, &row->surface, row->values);
        row->ground.samples = row->values;
    }
    step->kind->store(row, pixels);
}

static size_t plane_width(const struct block *block)
{
    return ((size_t)block->width + LANES - 1) / LANES * LANES;
}

static void paint_row(const struct block *block, uint32_t number, uint8_t *pixels)
{
    const size_t width = plane_width(block);
    const struct painter *painter = block->painter;
    float *planes = block->canvas->planes;
    struct step_row row = {
        .painter = painter,
        .colours = {planes, planes + width, planes + 2 * width, block->width},
        .number = number,
        .weight = planes + 3 * width,
        .values = planes + 4 * width,
        .scene = &block->canvas->scene,
        .layer_samples = layer_samples(block),
    };
    if (painter->steps[0].kind->store) {
        store_row(block, &painter->steps[0], &row, pixels);
        return;
    }
    memset(planes, 0, 3 * width * sizeof *planes);
    for (uint32_t i = 0; i < painter->step_count; i++)
        paint_step(block, &painter->steps[i], &row);
    paint_store_rgb(&row.colours, pixels);
}

/* True if the style shows biomes and nothing else: their numbers are then the pixels. */
static bool is_palette(const struct painter *painter)
{
    const struct step *first = &painter->steps[0];
    return painter->step_count == 1 && (first->kind->needs & NEEDS_PALETTE) && !first->mask.layer &&
           first->opacity == 1.0f && first->until == 0.0f;
}

static void choose_format(const struct painter *painter, struct image *image)
{
    const struct step_kind *kind = painter->steps[0].kind;
    image->format = IMAGE_RGB8;
    image->content = IMAGE_PICTURE;
    for (uint32_t i = 0; i < painter->step_count; i++)
        if (painter->steps[i].kind->content == IMAGE_DRAWING)
            image->content = IMAGE_DRAWING;
    if (kind->store) {
        image->format = kind->format;
        image->content = kind->content;
    } else if (is_palette(painter)) {
        image->format = IMAGE_PALETTE8;
        image->content = IMAGE_AREAS;
        image->palette = painter->palette;
        image->palette_count = painter->palette_count;
    }
}

static size_t pixel_size(enum image_format format)
{
    return format == IMAGE_RGB8 ? 3 : format == IMAGE_GREY16 ? 2 : 1;
}

void painter_shape(const struct painter *painter, const struct sample_grid *grid,
                   struct image *image)
{
    *image = (struct image){.width = grid->columns, .height = grid->rows};
    choose_format(painter, image);
    image->stride = pixel_size(image->format) * grid->columns;
}

static void paint_pixels(const struct block *block, uint32_t row)
{
    uint8_t *pixels = block->pixels + row * block->stride;
    if (block->format == IMAGE_PALETTE8)
        paint_store_indices(block->width, layer_row(block, 0, row), pixels);
    else
        paint_row(block, row, pixels);
}

/* Moves the last rows of a band of `rows` to where the next band needs them. */
static void keep_rows(const struct block *block, uint32_t rows)
{
    const size_t columns = block->grid.columns;
    float *samples = block->canvas->samples;
    for (uint32_t i = 0; i < block->painter->layer_count; i++, samples += layer_samples(block))
        memmove(samples, samples + rows * columns, kept_rows(block) * columns * sizeof *samples);
}

static bool reserve_rows(const struct block *block)
{
    struct canvas *canvas = block->canvas;
    return paint_reserve((void **)&canvas->samples, &canvas->sample_capacity,
                         block->painter->layer_count * layer_samples(block) * sizeof(float)) &&
           paint_reserve((void **)&canvas->planes, &canvas->plane_capacity,
                         PLANE_COUNT * plane_width(block) * sizeof(float));
}

static bool paint_block(struct block *block, struct error *error)
{
    const struct painter *painter = block->painter;
    struct canvas *canvas = block->canvas;
    const uint32_t kept = kept_rows(block);
    float *outputs[STYLE_LAYERS_MAX];
    unsigned layers[STYLE_LAYERS_MAX];
    uint32_t shown[STYLE_LAYERS_MAX];
    if (!reserve_rows(block))
        return error_memory(error);
    const uint32_t count =
        painter_shown_layers(painter, (float)place_metres(block->grid.step), shown);
    for (uint32_t i = 0; i < count; i++) {
        layers[i] = painter->layers[shown[i]];
        outputs[i] = canvas->samples + shown[i] * layer_samples(block) + kept * block->grid.columns;
    }
    const struct sample_request request = {layers, outputs, count};
    if (!find_objects(block, error) ||
        !sampler_begin_bands(canvas->sampler, world_program(painter->world), &block->grid, &request,
                             error))
        return false;
    for (uint32_t painted = 0, rows; (rows = sampler_next_band(canvas->sampler)) > 0;) {
        for (; painted + kept < block->sampled + rows; painted++)
            paint_pixels(block, painted);
        keep_rows(block, rows);
        block->sampled += rows;
    }
    return sampler_end_bands(canvas->sampler, error);
}

/* A box of pixels of the picture. */
struct pixel_box {
    uint32_t column, row, columns, rows;
};

static struct block block_at(const struct painter *painter, struct canvas *canvas,
                             const struct picture_rows *part, struct pixel_box box)
{
    const uint32_t apron = painter->apron;
    const struct sample_grid *grid = part->grid;
    const struct image *image = part->image;
    struct block block = {
        .painter = painter,
        .canvas = canvas,
        .grid = *grid,
        .width = box.columns,
        .rows = box.rows,
        .format = image->format,
        .pixels = image->pixels + box.row * image->stride + box.column * pixel_size(image->format),
        .stride = image->stride,
    };
    block.grid.x += ((int64_t)box.column - apron) * grid->step;
    block.grid.y += ((int64_t)box.row - apron) * grid->step;
    block.grid.columns = box.columns + 2 * apron;
    block.grid.rows = box.rows + 2 * apron;
    return block;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

bool painter_paint_rows(const struct painter *painter, struct canvas *canvas,
                        const struct picture_rows *part, struct error *error)
{
    const uint32_t columns = part->image->width, end = part->first + part->count;
    const uint32_t columns_max = SAMPLER_COLUMNS_MAX - 2 * painter->apron;
    const uint32_t across = (columns + columns_max - 1) / columns_max;
    const uint32_t width = (columns + across - 1) / across;
    struct pixel_box box = {.row = part->first};
    for (; box.row < end; box.row += BLOCK_ROWS)
        for (box.column = 0; box.column < columns; box.column += width) {
            box.rows = least(end - box.row, BLOCK_ROWS);
            box.columns = least(columns - box.column, width);
            struct block block = block_at(painter, canvas, part, box);
            if (!paint_block(&block, error))
                return false;
        }
    return true;
}

bool painter_paint(const struct painter *painter, struct canvas *canvas,
                   const struct sample_grid *grid, struct image *image, struct error *error)
{
    painter_shape(painter, grid, image);
    if (!paint_reserve((void **)&canvas->pixels, &canvas->pixel_capacity,
                       image->stride * image->height))
        return error_memory(error);
    image->pixels = canvas->pixels;
    return painter_paint_rows(painter, canvas,
                              &(struct picture_rows){grid, image, 0, image->height}, error);
}
