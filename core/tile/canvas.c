/* Painting a picture: the painter's layers are sampled in bands of rows, and each band is painted
 * row by row.
 *
 * A band's samples have an apron of one sample on every side if a step needs slopes, so that slopes
 * at the edge of a tile are those of the neighbouring tile: pictures have no seams. A row is
 * painted in three planes of floats, step after step in the order of the style, and rounded to
 * bytes once at the end. Styles of one whole-picture step write the pixels directly, and a style
 * that only shows biomes writes indices into a palette. Bands of 272 rows bound the memory of tall
 * pictures; a tile of 256 rows is one band.
 *
 * All memory belongs to the canvas and grows to the largest picture so far. */
#include <stdlib.h>
#include <string.h>

#include "core/tile/paint_objects.h"
#include "core/tile/style_private.h"

enum {
    CANVAS_BAND_ROWS = 272, /* rows sampled at once at most */
    PLANE_COUNT = 5,        /* rows of floats: red, green, blue, a step's weight, its values */
};

struct canvas {
    struct sampler *sampler;
    float *samples; /* layer after layer, apron included */
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

/* One band of the grid. */
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

/* Finds the objects of a band, if the style has a step that paints them. */
static bool find_objects(const struct band *band, struct error *error)
{
    const struct painter *painter = band->painter;
    struct sample_grid grid = band->grid;
    grid.x += painter->apron * grid.step;
    grid.y += painter->apron * grid.step;
    grid.columns = band->width;
    grid.rows = band->rows;
    for (uint32_t i = 0; i < painter->step_count; i++)
        if (painter->steps[i].kind->needs & NEEDS_OBJECTS)
            return object_scene_make(&band->canvas->scene, band->canvas->sampler, painter->world,
                                     &painter->steps[i].objects, &grid, error);
    return true;
}

static struct ground_row ground_row_of(const struct band *band, unsigned layer, uint32_t number)
{
    return (struct ground_row){band_row(band, layer, number), band->stride,
                               (float)place_metres(band->grid.step)};
}

/* The share of a step that shows at so many metres a pixel, 0 … 1: it fades out from half of
 * `until` on. */
static float zoom_fade(const struct step *step, float spacing)
{
    const float remaining = 2.0f - 2.0f * spacing / step->until;
    if (step->until <= 0.0f)
        return 1.0f;
    return remaining < 0.0f ? 0.0f : remaining < 1.0f ? remaining : 1.0f;
}

/* Points the row at the samples of the layers that a step reads. */
static void set_ground(const struct band *band, const struct step *step, struct step_row *row)
{
    row->ground = ground_row_of(band, step->index, row->number);
    row->surface = (struct ground_row){0};
    if (step->surface)
        row->surface = ground_row_of(band, step->surface_index, row->number);
}

static void paint_step(const struct band *band, const struct step *step, struct step_row *row)
{
    set_ground(band, step, row);
    const float *masked = step->mask.layer ? band_row(band, step->mask.index, row->number) : NULL;
    const float opacity = step->opacity * zoom_fade(step, row->ground.spacing);
    if (opacity <= 0.0f)
        return;
    paint_weights(row->colours.count, &step->mask, masked, opacity, row->weight);
    step->kind->paint(row, step);
}

static void paint_row(const struct band *band, uint32_t number, uint8_t *pixels)
{
    const size_t width = band->width;
    const struct painter *painter = band->painter;
    float *planes = band->canvas->planes;
    struct step_row row = {
        .painter = painter,
        .colours = {planes, planes + width, planes + 2 * width, band->width},
        .number = number,
        .weight = planes + 3 * width,
        .values = planes + 4 * width,
        .scene = &band->canvas->scene,
    };
    if (painter->steps[0].kind->store) {
        set_ground(band, &painter->steps[0], &row);
        painter->steps[0].kind->store(&row, pixels);
        return;
    }
    memset(planes, 0, 3 * width * sizeof *planes);
    for (uint32_t i = 0; i < painter->step_count; i++)
        paint_step(band, &painter->steps[i], &row);
    paint_store_rgb(&row.colours, pixels);
}

static void paint_band(const struct band *band, const struct image *image, uint8_t *pixels)
{
    for (uint32_t row = 0; row < band->rows; row++, pixels += image->stride)
        if (image->format == IMAGE_PALETTE8)
            paint_store_indices(band->width, band_row(band, 0, row), pixels);
        else
            paint_row(band, row, pixels);
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

bool painter_paint(const struct painter *painter, struct canvas *canvas,
                   const struct sample_grid *grid, struct image *image, struct error *error)
{
    uint32_t apron = painter->apron;
    struct band band = {.painter = painter, .canvas = canvas, .grid = *grid};
    *image = (struct image){.width = grid->columns, .height = grid->rows};
    choose_format(painter, image);
    image->stride = pixel_size(image->format) * grid->columns;
    band.width = grid->columns;
    band.stride = (size_t)grid->columns + 2 * apron;
    band.grid.columns += 2 * apron;
    band.grid.x -= apron * grid->step;
    size_t rows = grid->rows < CANVAS_BAND_ROWS ? grid->rows : CANVAS_BAND_ROWS;
    size_t samples = painter->layer_count * band.stride * (rows + 2 * apron) * sizeof(float);
    if (!paint_reserve((void **)&canvas->samples, &canvas->sample_capacity, samples) ||
        !paint_reserve((void **)&canvas->pixels, &canvas->pixel_capacity,
                       image->stride * grid->rows) ||
        !paint_reserve((void **)&canvas->planes, &canvas->plane_capacity,
                       PLANE_COUNT * (size_t)band.width * sizeof(float)))
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
