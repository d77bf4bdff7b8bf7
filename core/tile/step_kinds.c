/* The kinds of paint steps: one row of the table and its functions for each.
 *
 * A style is a list of steps (style_steps.c), which a painter binds to a world by what their kinds
 * need (painter.c) and a canvas runs row by row (canvas.c). Those files work from the rows and know
 * no kind by name. Steps that paint blend into a row of colours by a weight for each pixel; steps
 * that make whole pictures write the pixels themselves and stand alone in a style. */
#include <string.h>

#include "core/tile/paint_objects.h"
#include "core/tile/style_reader.h"

static bool read_stops(const struct style_reader *reader, struct style_limits limits)
{
    static const char *const keys[] = {"layer", "stops", "opacity", "mask", "until", "optional"};
    return style_check_keys(reader, keys, 6) && style_read_layer(reader) &&
           style_read_stops(reader, limits) && style_read_visibility(reader);
}

static bool read_ramp(const struct style_reader *reader)
{
    return read_stops(reader, (struct style_limits){-1e9, 1e9, 0});
}

static bool read_slope(const struct style_reader *reader)
{
    return read_stops(reader, (struct style_limits){0, 90, 0});
}

static bool read_biomes(const struct style_reader *reader)
{
    static const char *const keys[] = {"opacity", "mask", "until", "optional"};
    return style_check_keys(reader, keys, 4) && style_read_visibility(reader);
}

static bool read_layer_only(const struct style_reader *reader)
{
    static const char *const keys[] = {"layer"};
    return style_check_keys(reader, keys, 1) && style_read_layer(reader);
}

static bool read_objects(const struct style_reader *reader)
{
    static const char *const keys[] = {"from", "shadow", "opacity", "optional"};
    struct object_paint *objects = &reader->step->objects;
    for (uint32_t i = 0; i < reader->style->step_count; i++)
        if (reader->style->steps[i].kind->needs & NEEDS_OBJECTS)
            return style_fail(reader, "", "appears twice; a style has at most one step of objects");
    const struct style_limits from = {0.5, 1000, 1}, shadow = {0, 1, 0.4};
    if (!style_check_keys(reader, keys, 4) ||
        !style_read_number(reader, "from", from, &objects->from) ||
        !style_read_number(reader, "shadow", shadow, &objects->shadow) ||
        !style_read_visibility(reader))
        return false;
    objects->opacity = reader->step->opacity;
    return true;
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

static void paint_shade_step(const struct step_row *row, const struct step *step)
{
    paint_shade(&row->colours, &step->shade, &row->ground, row->weight);
}

static void paint_contour_step(const struct step_row *row, const struct step *step)
{
    paint_contour(&row->colours, &step->contour, &row->ground, row->weight);
}

/* Objects have an opacity of their own and no mask, so the weight does not matter. */
static void paint_objects_step(const struct step_row *row, const struct step *step)
{
    object_scene_paint(row->scene, &step->objects, row->number, &row->colours);
}

static void store_grey(const struct step_row *row, uint8_t *pixels)
{
    const float low = row->painter->grey_low, high = row->painter->grey_high;
    paint_store_grey(row->colours.count, row->ground.samples, low, 255.0f / (high - low), pixels);
}

static void store_grey16(const struct step_row *row, uint8_t *pixels)
{
    paint_store_grey16(row->colours.count, row->ground.samples, row->painter->grey_low,
                       row->painter->grey_high, pixels);
}

static void store_terrarium(const struct step_row *row, uint8_t *pixels)
{
    paint_store_terrarium(row->colours.count, row->ground.samples, pixels);
}

static void store_mapbox(const struct step_row *row, uint8_t *pixels)
{
    paint_store_mapbox(row->colours.count, row->ground.samples, pixels);
}

static void store_normal(const struct step_row *row, uint8_t *pixels)
{
    paint_store_normal(row->colours.count, &row->ground, pixels);
}

/* clang-format off */
static const struct step_kind step_kinds[] = {
    {"ramp", read_ramp, .paint = paint_ramp_step},
    {"biomes", read_biomes, "biome", NEEDS_PALETTE, .paint = paint_biomes_step},
    {"water", style_read_water, .needs = NEEDS_SLOPES, .paint = paint_water_step},
    {"slope", read_slope, .needs = NEEDS_SLOPES, .paint = paint_slope_step},
    {"shade", style_read_shade, .needs = NEEDS_SLOPES, .paint = paint_shade_step},
    {"contour", style_read_contour, .needs = NEEDS_SLOPES, .paint = paint_contour_step},
    /* Objects read no layer here; they name the height, so that every step has a layer. */
    {"objects", read_objects, "height", NEEDS_OBJECTS, .paint = paint_objects_step},
    {"grey", read_layer_only, .needs = NEEDS_RANGE, .store = store_grey, .format = IMAGE_GREY8,
     .content = IMAGE_SMOOTH},
    {"grey16", read_layer_only, .needs = NEEDS_RANGE, .store = store_grey16,
     .format = IMAGE_GREY16, .content = IMAGE_DATA},
    {"terrarium", read_layer_only, .store = store_terrarium, .format = IMAGE_RGB8,
     .content = IMAGE_DATA, .encoding = "terrarium"},
    {"mapbox", read_layer_only, .store = store_mapbox, .format = IMAGE_RGB8,
     .content = IMAGE_DATA, .encoding = "mapbox"},
    {"normal", read_layer_only, .needs = NEEDS_SLOPES, .store = store_normal,
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
