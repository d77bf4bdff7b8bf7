/* Makes contours and water of a tile from a grid of heights.
 *
 * Heights are sampled at pixel centres, with an apron as wide as the tile's buffer. Contours are
 * traced on that grid (terrain/contour.h), cut at the buffer, and simplified to whole units of the
 * tile (terrain/simplify.h). Water is the area where the height is below the water's surface,
 * traced in the same way as closed rings; its simplification preserves the topology, so that
 * polygons stay valid. Samples lie on whole units, hence the limit of 16 to 1024 samples a side, a
 * power of two. */
#include "core/tile/vector_tile.h"

#include <math.h>
#include <stdlib.h>

#include "core/terrain/simplify.h"
#include "core/terrain/surface.h"
#include "core/tile/address.h"

/* Samples a side. Up to SIDE_MAX they lie on whole units of the tile, which keeps polygons valid.
 */
enum { SIDE_MIN = 16, SIDE_MAX = 1024 };

struct vector_tile_maker {
    float *samples;             /* heights, followed by the water's surface */
    size_t capacity;            /* samples of each */
    struct contours work[3];    /* traced, cut, joined */
    struct contours simplified; /* in units of the tile */
    struct contour_levels levels;
};

/* The tile's square in the field of samples, and the box that lines are cut by. */
struct frame {
    struct contour_field field;
    struct simplify_tile tile;
    struct contour_box box;
};

struct vector_tile_maker *vector_tile_maker_new(void)
{
    return calloc(1, sizeof(struct vector_tile_maker));
}

void vector_tile_maker_free(struct vector_tile_maker *maker)
{
    if (!maker)
        return;
    free(maker->samples);
    for (int i = 0; i < 3; i++)
        contours_free(&maker->work[i]);
    contours_free(&maker->simplified);
    free(maker);
}

/* The samples around the tile that cover its buffer. Samples are at pixel centres: the first one
 * that lies a whole pixel beyond the buffer is half a pixel and the buffer's pixels away. */
static uint32_t apron_samples(uint32_t side)
{
    return (side * VECTOR_TILE_BUFFER + FEATURES_EXTENT - 1) / FEATURES_EXTENT + 1;
}

static bool sample_field(struct vector_tile_maker *maker, const struct vector_request *request,
                         struct frame *frame, struct error *error)
{
    struct sample_grid grid = request->grid;
    uint32_t side = grid.columns, apron = apron_samples(side);
    grid.columns = grid.rows = side + 2 * apron;
    grid.x -= apron * grid.step;
    grid.y -= apron * grid.step;
    size_t count = (size_t)grid.columns * grid.rows;
    if (count > maker->capacity) {
        free(maker->samples);
        maker->samples = malloc(2 * count * sizeof *maker->samples);
        maker->capacity = maker->samples ? count : 0;
    }
    if (!maker->samples)
        return error_memory(error);
    const int water = surface_water_layer(request->world);
    const unsigned layers[] = {world_height_layer(request->world), (unsigned)water};
    float *const outputs[] = {maker->samples, maker->samples + count};
    const struct sample_request wanted = {layers, outputs, water < 0 ? 1 : 2};
    int32_t edge = (int32_t)apron * CONTOUR_ONE - CONTOUR_ONE / 2;
    int32_t length = (int32_t)side * CONTOUR_ONE;
    /* Lines keep one unit away from samples, so that no two touch after rounding to units. */
    int32_t unit = length / FEATURES_EXTENT;
    int32_t buffer = unit * VECTOR_TILE_BUFFER;
    frame->field = (struct contour_field){maker->samples, grid.columns, grid.rows, unit};
    frame->tile =
        (struct simplify_tile){edge, edge, length, FEATURES_EXTENT, VECTOR_TILE_TOLERANCE, false};
    frame->box = (struct contour_box){edge - buffer, edge - buffer, edge + length + buffer,
                                      edge + length + buffer};
    return sampler_grid(request->sampler, world_program(request->world), &grid, &wanted, error);
}

static void add_path(const struct contours *lines, const struct contour_line *line, bool repeat,
                     struct features *out)
{
    const struct contour_point *points = lines->points + line->first;
    features_add_path(out);
    for (size_t i = 0; i < line->count; i++)
        features_add_point(out, points[i].x, points[i].y);
    if (repeat)
        features_add_point(out, points[0].x, points[0].y);
}

static void add_level(const struct contour_levels *levels, uint32_t level, struct features *out)
{
    double height = contour_level_value(levels, level);
    features_add(out, FEATURE_LINES);
    if (fabs(height) < 0x1p53 && floor(height) == height)
        features_add_integer(out, "height", (int64_t)height);
    else
        features_add_number(out, "height", height);
    features_add_boolean(out, "index", (levels->first + level) % VECTOR_TILE_INDEX == 0);
}

/* Adds one feature for each level; the lines are ordered by level. */
static void add_contours(const struct contours *lines, const struct contour_levels *levels,
                         struct features *out)
{
    if (lines->line_count > 0)
        features_add_layer(out, "contour");
    for (size_t i = 0; i < lines->line_count; i++) {
        const struct contour_line *line = &lines->lines[i];
        if (i == 0 || line->level != lines->lines[i - 1].level)
            add_level(levels, line->level, out);
        add_path(lines, line, line->closed, out);
    }
}

static void add_water(const struct contours *rings, struct features *out)
{
    if (rings->line_count > 0)
        features_add_layer(out, "water");
    for (size_t i = 0; i < rings->line_count; i++) {
        if (!rings->lines[i].hole)
            features_add(out, FEATURE_POLYGONS);
        add_path(rings, &rings->lines[i], false, out);
    }
}

static bool make_contours(struct vector_tile_maker *maker, const struct frame *frame,
                          double interval, struct features *out, struct error *error)
{
    struct contours *traced = &maker->work[0], *cut = &maker->work[1];
    struct contour_levels *levels = &maker->levels;
    if (!contour_list_levels(&frame->field, interval, levels, error) ||
        !contour_trace(&frame->field, levels->values, levels->count, traced, error) ||
        !contour_clip(traced, &frame->box, cut, error) ||
        !simplify_contours(cut, &frame->tile, &maker->simplified, error))
        return false;
    add_contours(&maker->simplified, levels, out);
    return true;
}

/* Replaces the heights by heights above the water's surface. */
static void subtract_water_level(const struct vector_tile_maker *maker,
                                 const struct contour_field *field)
{
    const size_t count = (size_t)field->columns * field->rows;
    for (size_t i = 0; i < count; i++)
        maker->samples[i] -= maker->samples[count + i];
}

static bool make_water(struct vector_tile_maker *maker, const struct frame *frame,
                       struct features *out, struct error *error)
{
    const struct contour_area area = {&frame->field, 0.0f, frame->box};
    struct simplify_tile tile = frame->tile;
    tile.preserve_topology = true;
    if (!contour_area(&area, maker->work, &maker->work[2], error) ||
        !simplify_contours(&maker->work[2], &tile, &maker->simplified, error))
        return false;
    add_water(&maker->simplified, out);
    return true;
}

bool vector_tile_add(struct vector_tile_maker *maker, const struct vector_request *request,
                     struct features *out, struct error *error)
{
    const struct sample_grid *grid = &request->grid;
    struct frame frame;
    if (grid->columns != grid->rows || grid->columns < SIDE_MIN || grid->columns > SIDE_MAX ||
        (grid->columns & (grid->columns - 1)) != 0)
        return error_set(error, ERROR_VALUE,
                         "a vector tile is made of %d to %d samples a side, a power of two, not "
                         "%u × %u",
                         SIDE_MIN, SIDE_MAX, (unsigned)grid->columns, (unsigned)grid->rows);
    if (!sample_field(maker, request, &frame, error) ||
        !make_contours(maker, &frame, request->interval, out, error))
        return false;
    if (surface_water_layer(request->world) >= 0)
        subtract_water_level(maker, &frame.field);
    if (!make_water(maker, &frame, out, error))
        return false;
    return out->failed ? error_memory(error) : true;
}
