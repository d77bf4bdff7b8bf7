/* Reading the steps of a style's "paint": one table row for each kind of step. */
#include <stdio.h>
#include <string.h>

#include "core/tile/style_reader.h"

static bool read_ramp(const struct style_reader *reader)
{
    static const char *const keys[] = {"layer", "stops", "opacity", "mask", "until", "optional"};
    return style_check_keys(reader, keys, 6) && style_read_layer(reader) &&
           style_read_stops(reader, (struct style_limits){-1e9, 1e9, 0}) &&
           style_read_visibility(reader);
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
        if (reader->style->steps[i].kind == STEP_OBJECTS)
            return style_fail(reader, "", "stands twice; a style paints objects once");
    const struct style_limits from = {0.5, 1000, 1}, shadow = {0, 1, 0.4};
    if (!style_check_keys(reader, keys, 4) ||
        !style_read_number(reader, "from", from, &objects->from) ||
        !style_read_number(reader, "shadow", shadow, &objects->shadow) ||
        !style_read_visibility(reader))
        return false;
    objects->opacity = reader->step->opacity;
    return true;
}

struct step_row {
    const char *name;
    enum step_kind kind;
    bool (*read)(const struct style_reader *reader);
};

/* clang-format off */
static const struct step_row step_rows[] = {
    {"ramp", STEP_RAMP, read_ramp},
    {"biomes", STEP_BIOMES, read_biomes},
    {"water", STEP_WATER, style_read_water},
    {"slope", STEP_SLOPE, style_read_slope},
    {"shade", STEP_SHADE, style_read_shade},
    {"contour", STEP_CONTOUR, style_read_contour},
    {"objects", STEP_OBJECTS, read_objects},
    {"grey", STEP_GREY, read_layer_only},
    {"grey16", STEP_GREY16, read_layer_only},
    {"terrarium", STEP_TERRARIUM, read_layer_only},
    {"mapbox", STEP_MAPBOX, read_layer_only},
    {"normal", STEP_NORMAL, read_layer_only},
};
/* clang-format on */
enum { STEP_ROWS = sizeof step_rows / sizeof *step_rows };

static const struct step_row *find_row(const struct style_reader *reader, const struct json *member)
{
    const char *names[STEP_ROWS];
    for (int i = 0; i < STEP_ROWS; i++) {
        names[i] = step_rows[i].name;
        if (member && strcmp(json_key(member), names[i]) == 0)
            return &step_rows[i];
    }
    const char *nearest = member ? error_suggest(json_key(member), names, STEP_ROWS) : NULL;
    if (nearest)
        style_fail(reader, "", "there is no step \"%.40s\" (did you mean \"%s\"?)",
                   json_key(member), nearest);
    else
        style_fail(
            reader, "",
            "must be an object with one member, the step: ramp, biomes, water, slope, shade, "
            "contour, objects, grey, grey16, terrarium, mapbox or normal");
    return NULL;
}

static bool read_step(struct style_reader *reader, const struct json *value, size_t count)
{
    const struct json *member =
        json_type(value) == JSON_OBJECT && json_count(value) == 1 ? json_first(value) : NULL;
    const struct step_row *row = find_row(reader, member);
    char path[160];
    if (!row)
        return false;
    snprintf(path, sizeof path, "%s.%s", reader->step->path, row->name);
    reader->step->path = arena_copy(&reader->style->arena, path, strlen(path));
    reader->step->kind = row->kind;
    reader->step->opacity = 1.0f;
    reader->value = member;
    if (!reader->step->path)
        return error_memory(reader->error);
    if (json_type(member) != JSON_OBJECT)
        return style_fail(reader, "", "must be an object, not %s",
                          json_type_name(json_type(member)));
    if (row->kind >= STEP_FIRST_WHOLE_PICTURE && count > 1)
        return style_fail(reader, "", "makes the whole picture; it must be the only step");
    return row->read(reader);
}

bool style_read_steps(struct style *style, const struct json *paint, const char *path,
                      struct error *error)
{
    size_t count = json_count(paint);
    if (json_type(paint) != JSON_ARRAY || count < 1 || count > STYLE_STEPS_MAX) {
        error_set(error, ERROR_VALUE, "must be an array of 1 to %d steps", STYLE_STEPS_MAX);
        return error_in_path(error, "%s%spaint", path, *path ? "." : "");
    }
    for (const struct json *value = json_first(paint); value; value = json_next(value)) {
        struct step *step = &style->steps[style->step_count];
        char place[160];
        struct style_reader reader = {.style = style, .step = step, .error = error};
        snprintf(place, sizeof place, "%s%spaint[%u]", path, *path ? "." : "", style->step_count);
        step->path = arena_copy(&style->arena, place, strlen(place));
        if (!step->path)
            return error_memory(error);
        if (!read_step(&reader, value, count))
            return false;
        style->step_count++;
    }
    return true;
}
