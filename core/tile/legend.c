/* The meaning of the colours of a style, as JSON: an object for each step of a painter, in the
 * order in which they are painted, with what the step's kind says of itself and where it shows. The
 * members are named as in a style's file, so that whoever knows one reads the other. */
#include <math.h>
#include <stdio.h>

#include "core/terrain/angle.h"
#include "core/tile/style_private.h"

static uint8_t byte_of(float colour)
{
    return (uint8_t)(clamp_to(colour, 0.0f, 255.0f) + 0.5f);
}

static void write_colour(struct json_writer *json, const struct colour *colour)
{
    char text[8];
    snprintf(text, sizeof text, "#%02x%02x%02x", byte_of(colour->red), byte_of(colour->green),
             byte_of(colour->blue));
    json_write_string(json, text);
}

static void write_pair(struct json_writer *json, float at, float value)
{
    json_array_open(json);
    json_write_float(json, at);
    json_write_float(json, value);
    json_array_close(json);
}

static void write_curve(struct json_writer *json, const char *key, const struct curve *curve)
{
    json_member_array(json, key);
    for (uint32_t i = 0; i < curve->count; i++)
        write_pair(json, curve->at[i], curve->value[i]);
    json_array_close(json);
}

static void write_stops(const struct step *step, struct json_writer *json)
{
    const struct ramp *ramp = &step->ramp;
    json_member_array(json, "stops");
    for (uint32_t i = 0; i < ramp->count; i++) {
        const struct colour colour = {ramp->red[i], ramp->green[i], ramp->blue[i]};
        json_array_open(json);
        json_write_float(json, ramp->value[i]);
        write_colour(json, &colour);
        json_array_close(json);
    }
    json_array_close(json);
}

static const struct world_layer *layer_at(const struct painter *painter, unsigned index)
{
    return world_layer(painter->world, painter->layers[index]);
}

static void write_layer(const struct painter *painter, const struct step *step,
                        struct json_writer *json)
{
    json_member_string(json, "layer", layer_at(painter, step->index)->name);
}

void legend_ramp(const struct painter *painter, const struct step *step, struct json_writer *json)
{
    write_layer(painter, step, json);
    json_member_string(json, "unit", layer_at(painter, step->index)->unit);
    write_stops(step, json);
}

void legend_water(const struct painter *painter, const struct step *step, struct json_writer *json)
{
    write_layer(painter, step, json);
    if (step->surface)
        json_member_string(json, "surface", layer_at(painter, step->surface_index)->name);
    json_member_string(json, "unit", "m");
    write_stops(step, json);
}

void legend_slope(const struct painter *painter, const struct step *step, struct json_writer *json)
{
    write_layer(painter, step, json);
    json_member_string(json, "unit", "°");
    write_stops(step, json);
}

/* The vectors point to the lights and are as long as their weights: what style_light.c made of
 * degrees, here in hundredths. */
void legend_shade(const struct painter *painter, const struct step *step, struct json_writer *json)
{
    const struct shade *shade = &step->shade;
    write_layer(painter, step, json);
    json_member_array(json, "lights");
    for (uint32_t i = 0; i < shade->light_count; i++) {
        const double east = (double)shade->east[i], south = (double)shade->south[i];
        const double up = (double)shade->up[i], level = sqrt(east * east + south * south);
        const double numbers[] = {angle_bearing(east, -south),
                                  level > 1e-6 * up ? angle_of_tangent(up / level) : 90.0,
                                  sqrt(level * level + up * up)};
        json_array_open(json);
        for (int k = 0; k < 3; k++)
            json_write_double(json, floor(numbers[k] * 100.0 + 0.5) / 100.0);
        json_array_close(json);
    }
    json_array_close(json);
    write_curve(json, "exaggeration", &shade->exaggeration);
}

void legend_contour(const struct painter *painter, const struct step *step,
                    struct json_writer *json)
{
    const struct contour *contour = &step->contour;
    write_layer(painter, step, json);
    write_curve(json, "intervals", &contour->intervals);
    json_member_float(json, "index", contour->index);
    json_write_key(json, "color");
    write_colour(json, &contour->colour);
    json_write_key(json, "index_color");
    write_colour(json, &contour->index_colour);
}

void legend_objects(const struct painter *painter, const struct step *step,
                    struct json_writer *json)
{
    (void)painter;
    json_member_float(json, "from", step->objects.from);
}

void legend_grey(const struct painter *painter, const struct step *step, struct json_writer *json)
{
    write_layer(painter, step, json);
    json_member_string(json, "unit", layer_at(painter, step->index)->unit);
    json_write_key(json, "range");
    write_pair(json, painter->grey_low, painter->grey_high);
}

/* Where a step shows, and how much of it. */
static void write_visibility(const struct painter *painter, const struct step *step,
                             struct json_writer *json)
{
    if (step->opacity < 1.0f)
        json_member_float(json, "opacity", step->opacity);
    if (step->until > 0.0f)
        json_member_float(json, "until", step->until);
    if (!step->mask.layer)
        return;
    json_member_object(json, "mask");
    json_member_string(json, "layer", layer_at(painter, step->mask.index)->name);
    json_member_float(json, "from", step->mask.low);
    json_member_float(json, "to", step->mask.high);
    json_object_close(json);
}

void painter_write_legend(const struct painter *painter, struct json_writer *json)
{
    json_member_array(json, "legend");
    for (uint32_t i = 0; i < painter->step_count; i++) {
        const struct step *step = &painter->steps[i];
        json_object_open(json);
        json_member_string(json, "kind", step->kind->name);
        if (step->kind->describe)
            step->kind->describe(painter, step, json);
        write_visibility(painter, step, json);
        json_object_close(json);
    }
    json_array_close(json);
}
