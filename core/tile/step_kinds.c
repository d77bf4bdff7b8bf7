/* The kinds of paint steps: one row of the table and its functions for each.
 *
 * A style is a list of steps (style.c), which a painter binds to a world by what their kinds
 * need (painter.c) and a canvas runs row by row (canvas.c). Both files work from the rows and know
 * no kind by name. Steps that paint blend into a row of colours by a weight for each pixel; steps
 * that make whole pictures write the pixels themselves and stand alone in a style. */
#include <string.h>

#include "core/tile/paint_objects.h"
#include "core/tile/style_reader.h"

static bool read_ramp(const struct style_reader *reader)
{
    return style_read_flag(reader, "fit", &reader->step->fit) &&
           style_read_stops(reader, (struct style_limits){-1e9, 1e9, 0});
}

static bool read_slope(const struct style_reader *reader)
{
    return style_read_stops(reader, (struct style_limits){0, 90, 0});
}

static bool read_objects(const struct style_reader *reader)
{
    struct object_paint *objects = &reader->step->objects;
    const struct style_limits from = {0.5, 1000, 1}, shadow = {0, 1, 0.4};
    return style_read_number(reader, "from", from, &objects->from) &&
           style_read_number(reader, "shadow", shadow, &objects->shadow);
}

static void paint_ramp_step(const struct step_row *row, const struct step *step)
{
    paint_ramp(&row->colours, &step->ramp, row->ground.samples, row->weight);
}

static void paint_biomes_step(const struct step_row *row, const struct step *step)
{
    (void)step;
    paint_palette(&row->colours, row->painter->palette, row->ground.samples, row->weight);
}

static void paint_water_step(const struct step_row *row, const struct step *step)
{
    ground_depth(row->colours.count, &row->ground, &row->surface, row->values, row->weight);
    paint_ramp(&row->colours, &step->ramp, row->values, row->weight);
}

static void paint_slope_step(const struct step_row *row, const struct step *step)
{
    ground_slope(row->colours.count, &row->ground, row->values);
    paint_ramp(&row->colours, &step->ramp, row->values, row->weight);
}

/* Objects have an opacity of their own and no mask, so the weight does not matter. */
static void paint_objects_step(const struct step_row *row, const struct step *step)
{
    object_scene_paint(row->scene, &step->objects, row->number, &row->colours);
}

/* clang-format off */
#define VISIBILITY "opacity", "mask", "until", "optional"
static const struct step_kind step_kinds[] = {
    {"ramp", {"layer", "stops", "fit", VISIBILITY}, read_ramp, .paint = paint_ramp_step,
     .describe = legend_ramp},
    {"biomes", {VISIBILITY}, .layer = "biome", .needs = NEEDS_PALETTE, .paint = paint_biomes_step},
    {"materials", {VISIBILITY}, .needs = NEEDS_MATERIALS, .paint = paint_materials},
    {"water", {"layer", "surface", "stops", VISIBILITY}, style_read_water, .needs = NEEDS_SLOPES,
     .paint = paint_water_step, .describe = legend_water},
    {"slope", {"layer", "stops", VISIBILITY}, read_slope, .needs = NEEDS_SLOPES,
     .paint = paint_slope_step, .content = IMAGE_DRAWING, .describe = legend_slope},
    {"shade", {"layer", "lights", "exaggeration", "contrast", "strength", "highlight", "water",
               "shadow", VISIBILITY},
     style_read_shade, .needs = NEEDS_SLOPES, .paint = paint_shade, .describe = legend_shade},
    {"contour", {"layer", "interval", "intervals", "color", "width", "index", "index_width",
                 "index_color", "water_color", VISIBILITY},
     style_read_contour, .needs = NEEDS_SLOPES, .paint = paint_contour,
     .content = IMAGE_DRAWING, .describe = legend_contour},
    /* Objects read no layer here; they name the height, so that every step has a layer. */
    {"objects", {"from", "shadow", "opacity", "optional"}, read_objects, .layer = "height",
     .needs = NEEDS_OBJECTS, .paint = paint_objects_step, .describe = legend_objects},
    {"grey", {"layer"}, .needs = NEEDS_RANGE, .store = paint_store_grey, .format = IMAGE_GREY8,
     .content = IMAGE_SMOOTH, .describe = legend_grey},
    {"grey16", {"layer"}, .needs = NEEDS_RANGE, .store = paint_store_grey16,
     .format = IMAGE_GREY16, .content = IMAGE_DATA, .describe = legend_grey},
    {"terrarium", {"layer", "surface"}, style_read_heights, .store = paint_store_terrarium,
     .format = IMAGE_RGB8, .content = IMAGE_DATA, .encoding = "terrarium"},
    {"mapbox", {"layer", "surface"}, style_read_heights, .store = paint_store_mapbox,
     .format = IMAGE_RGB8, .content = IMAGE_DATA, .encoding = "mapbox"},
    {"normal", {"layer"}, .needs = NEEDS_SLOPES, .store = paint_store_normal,
     .format = IMAGE_RGB8, .content = IMAGE_DATA},
};
/* clang-format on */
enum { STEP_KINDS = sizeof step_kinds / sizeof *step_kinds };
_Static_assert((int)STEP_KINDS <= (int)STEP_KINDS_MAX, "step_kind_names() needs room");

const struct step_kind *step_kind_find(const char *name)
{
    for (uint32_t i = 0; i < STEP_KINDS; i++)
        if (strcmp(step_kinds[i].name, name) == 0)
            return &step_kinds[i];
    return NULL;
}

uint32_t step_kind_names(const char *names[STEP_KINDS_MAX])
{
    for (uint32_t i = 0; i < STEP_KINDS; i++)
        names[i] = step_kinds[i].name;
    return STEP_KINDS;
}
