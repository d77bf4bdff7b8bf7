/* Reading the steps of a style's "paint": one table row for each kind of step. */
#include "core/tile/style_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/colour.h"
#include "core/base/number.h"

/* A step being read. */
struct reader {
    struct style *style;
    const struct json *value; /* the step's parameters */
    struct step *step;
    struct error *error;
};

static bool fail(const struct reader *reader, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool fail(const struct reader *reader, const char *key, const char *format, ...)
{
    char message[sizeof reader->error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    error_set(reader->error, ERROR_VALUE, "%s", message);
    return error_in_path(reader->error, "%s%s%s", reader->step->path, *key ? "." : "", key);
}

struct limits {
    double low, high, initial;
};

static bool fail_limits(const struct reader *reader, const char *key, struct limits limits)
{
    char low[NUMBER_TEXT], high[NUMBER_TEXT];
    number_format_double(limits.low, low);
    number_format_double(limits.high, high);
    return fail(reader, key, "must be a number from %s to %s", low, high);
}

static bool read_number(const struct reader *reader, const struct json *value, const char *key,
                        struct limits limits, float *number)
{
    double read = limits.initial;
    if (value && (!json_number(value, &read) || read < limits.low || read > limits.high))
        return fail_limits(reader, key, limits);
    *number = (float)read;
    return true;
}

static bool read_member(const struct reader *reader, const char *key, struct limits limits,
                        float *number)
{
    return read_number(reader, json_member(reader->value, key), key, limits, number);
}

static bool read_layer(const struct reader *reader, const struct json *object, const char *key,
                       const char **layer)
{
    const struct json *value = json_member(object, "layer");
    if (json_type(value) != JSON_STRING)
        return fail(reader, key, "must be the name of a layer, in quotes");
    *layer = arena_copy(&reader->style->arena, json_text(value), strlen(json_text(value)));
    return *layer || error_memory(reader->error);
}

static const struct limits any = {-1e9, 1e9, 0.0};

static bool read_mask(const struct reader *reader)
{
    static const char *const keys[] = {"layer", "from", "to"};
    const struct json *value = json_member(reader->value, "mask");
    struct mask *mask = &reader->step->mask;
    if (!value)
        return true;
    if (json_type(value) != JSON_OBJECT)
        return fail(reader, "mask",
                    "must be an object like {\"layer\":\"height\",\"from\":0,"
                    "\"to\":5}");
    return json_allow(value, reader->step->path, keys, 3, reader->error) &&
           read_layer(reader, value, "mask.layer", &mask->layer) &&
           read_number(reader, json_member(value, "from"), "mask.from", any, &mask->low) &&
           read_number(reader, json_member(value, "to"), "mask.to",
                       (struct limits){(double)mask->low, 1e9, (double)mask->low}, &mask->high);
}

static bool read_coverage(const struct reader *reader)
{
    const struct json *optional = json_member(reader->value, "optional");
    reader->step->optional = json_type(optional) == JSON_TRUE;
    if (optional && json_type(optional) != JSON_TRUE && json_type(optional) != JSON_FALSE)
        return fail(reader, "optional", "must be true or false");
    return read_member(reader, "opacity", (struct limits){0, 1, 1}, &reader->step->opacity) &&
           read_mask(reader);
}

static bool read_stop(const struct reader *reader, const struct json *stop, uint32_t index)
{
    struct ramp *ramp = &reader->step->ramp;
    const struct json *value = json_first(stop), *colour = json_next(value);
    char key[32];
    double number;
    uint32_t rgb;
    snprintf(key, sizeof key, "stops[%u]", index);
    if (json_type(stop) != JSON_ARRAY || json_count(stop) != 2 || !json_number(value, &number) ||
        number < any.low || number > any.high || !colour_parse(json_text(colour), &rgb))
        return fail(reader, key, "must be a value and a color, like [0, \"#2a6fb0\"]");
    if (index > 0 && (float)number < ramp->value[index - 1])
        return fail(reader, key, "must not be below the stop before it");
    ramp->value[index] = (float)number;
    ramp->red[index] = (float)(rgb >> 16);
    ramp->green[index] = (float)(rgb >> 8 & 0xFF);
    ramp->blue[index] = (float)(rgb & 0xFF);
    ramp->count = index + 1;
    return true;
}

static bool read_ramp(const struct reader *reader)
{
    static const char *const keys[] = {"layer", "stops", "opacity", "mask", "optional"};
    const struct json *stops = json_member(reader->value, "stops");
    if (!json_allow(reader->value, reader->step->path, keys, 5, reader->error) ||
        !read_layer(reader, reader->value, "layer", &reader->step->layer))
        return false;
    if (json_type(stops) != JSON_ARRAY || json_count(stops) < 1 ||
        json_count(stops) > STYLE_STOPS_MAX)
        return fail(reader, "stops", "must be an array of 1 to %d stops like [0, \"#2a6fb0\"]",
                    STYLE_STOPS_MAX);
    uint32_t index = 0;
    for (const struct json *stop = json_first(stops); stop; stop = json_next(stop))
        if (!read_stop(reader, stop, index++))
            return false;
    return read_coverage(reader);
}

static bool read_biomes(const struct reader *reader)
{
    static const char *const keys[] = {"opacity", "mask", "optional"};
    return json_allow(reader->value, reader->step->path, keys, 3, reader->error) &&
           read_coverage(reader);
}

static bool read_plain(const struct reader *reader)
{
    static const char *const keys[] = {"layer"};
    return json_allow(reader->value, reader->step->path, keys, 1, reader->error) &&
           read_layer(reader, reader->value, "layer", &reader->step->layer);
}

/* Sine and cosine of 0 … 360°, by reduction to ±45° and Taylor series: good to 1e-12, and the same
 * everywhere, which libm's are not. */
static void unit_vector(double degrees, double *sine, double *cosine)
{
    int quarter = (int)(degrees / 90.0 + 0.5);
    double a = (degrees - quarter * 90.0) * (3.14159265358979324 / 180.0), q = a * a;
    double s = a * (1 - q / 6 * (1 - q / 20 * (1 - q / 42 * (1 - q / 72 * (1 - q / 110)))));
    double c = 1 - q / 2 * (1 - q / 12 * (1 - q / 30 * (1 - q / 56 * (1 - q / 90))));
    *sine = quarter % 4 == 0 ? s : quarter % 4 == 1 ? c : quarter % 4 == 2 ? -s : -c;
    *cosine = quarter % 4 == 0 ? c : quarter % 4 == 1 ? -s : quarter % 4 == 2 ? -c : s;
}

/* [azimuth, altitude, weight]: degrees clockwise from north, degrees above the horizon. */
static bool read_light(const struct reader *reader, const struct json *light, uint32_t index)
{
    struct shade *shade = &reader->step->shade;
    double numbers[3] = {0};
    const struct json *value = json_first(light);
    char key[32];
    snprintf(key, sizeof key, "lights[%u]", index);
    for (int i = 0; i < 3; i++, value = json_next(value))
        if (!json_number(value, &numbers[i]) || numbers[i] < 0.0)
            return fail(reader, key,
                        "must be [azimuth, altitude, weight]: degrees from north, "
                        "degrees above the horizon, a share");
    if (json_type(light) != JSON_ARRAY || json_count(light) != 3 || numbers[0] > 360.0 ||
        numbers[1] < 1.0 || numbers[1] > 90.0 || numbers[2] > 100.0)
        return fail(reader, key, "must be [azimuth 0 to 360, altitude 1 to 90, weight 0 to 100]");
    double sine, cosine, up, level;
    unit_vector(numbers[0], &sine, &cosine);
    unit_vector(numbers[1], &up, &level);
    shade->east[index] = (float)(sine * level * numbers[2]);
    shade->south[index] = (float)(-cosine * level * numbers[2]);
    shade->up[index] = (float)(up * numbers[2]);
    shade->level += shade->up[index];
    shade->light_count = index + 1;
    return true;
}

static bool read_lights(const struct reader *reader)
{
    const struct json *lights = json_member(reader->value, "lights");
    if (json_type(lights) != JSON_ARRAY || json_count(lights) < 1 ||
        json_count(lights) > STYLE_LIGHTS_MAX)
        return fail(reader, "lights", "must be an array of 1 to %d lights like [315, 45, 1]",
                    STYLE_LIGHTS_MAX);
    uint32_t index = 0;
    for (const struct json *light = json_first(lights); light; light = json_next(light))
        if (!read_light(reader, light, index++))
            return false;
    return reader->step->shade.level > 0.0f || fail(reader, "lights", "must have some weight");
}

/* [[metres a pixel, factor], …]; 1 everywhere if left out. */
static bool read_exaggeration(const struct reader *reader)
{
    struct shade *shade = &reader->step->shade;
    const struct json *list = json_member(reader->value, "exaggeration");
    shade->exaggeration_count = 1;
    shade->exaggeration[0] = 1.0f;
    if (!list)
        return true;
    uint32_t count = 0;
    double last = -1.0, spacing = 0.0, factor = 0.0;
    bool valid = json_type(list) == JSON_ARRAY && json_count(list) >= 1 &&
                 json_count(list) <= STYLE_STOPS_MAX;
    for (const struct json *pair = json_first(list); valid && pair; pair = json_next(pair)) {
        const struct json *first = json_first(pair);
        valid = json_type(pair) == JSON_ARRAY && json_count(pair) == 2 &&
                json_number(first, &spacing) && json_number(json_next(first), &factor) &&
                spacing > last && factor >= 0.0 && factor <= 1e4 && spacing <= 1e9;
        last = spacing;
        shade->spacing[count] = (float)spacing;
        shade->exaggeration[count++] = (float)factor;
    }
    shade->exaggeration_count = count;
    return valid || fail(reader, "exaggeration",
                         "must be pairs [metres a pixel, factor], the first number rising");
}

static bool read_shade(const struct reader *reader)
{
    static const char *const keys[] = {"layer",    "lights",    "exaggeration",
                                       "strength", "highlight", "water"};
    struct shade *shade = &reader->step->shade;
    const struct limits share = {0, 1, 1}, strength = {0, 4, 1};
    return json_allow(reader->value, reader->step->path, keys, 6, reader->error) &&
           read_layer(reader, reader->value, "layer", &reader->step->layer) &&
           read_lights(reader) && read_exaggeration(reader) &&
           read_member(reader, "strength", strength, &shade->strength) &&
           read_member(reader, "highlight", share, &shade->highlight) &&
           read_member(reader, "water", share, &shade->water);
}

static bool read_objects(const struct reader *reader)
{
    static const char *const keys[] = {"from", "shadow", "opacity", "optional"};
    struct object_paint *objects = &reader->step->objects;
    for (uint32_t i = 0; i < reader->style->step_count; i++)
        if (reader->style->steps[i].kind == STEP_OBJECTS)
            return fail(reader, "", "stands twice; a style paints objects once");
    const struct limits from = {0.5, 1000, 1}, shadow = {0, 1, 0.4};
    if (!json_allow(reader->value, reader->step->path, keys, 4, reader->error) ||
        !read_member(reader, "from", from, &objects->from) ||
        !read_member(reader, "shadow", shadow, &objects->shadow) || !read_coverage(reader))
        return false;
    objects->opacity = reader->step->opacity;
    return true;
}

struct step_row {
    const char *name;
    enum step_kind kind;
    bool alone; /* it makes the whole picture */
    bool (*read)(const struct reader *reader);
};

static const struct step_row step_rows[] = {
    {"ramp", STEP_RAMP, false, read_ramp},    {"biomes", STEP_BIOMES, false, read_biomes},
    {"shade", STEP_SHADE, false, read_shade}, {"objects", STEP_OBJECTS, false, read_objects},
    {"grey", STEP_GREY, true, read_plain},    {"terrarium", STEP_TERRARIUM, true, read_plain},
};
enum { STEP_ROWS = sizeof step_rows / sizeof *step_rows };

static const struct step_row *find_row(const struct reader *reader, const struct json *member)
{
    const char *names[STEP_ROWS];
    for (int i = 0; i < STEP_ROWS; i++) {
        names[i] = step_rows[i].name;
        if (member && strcmp(json_key(member), names[i]) == 0)
            return &step_rows[i];
    }
    const char *nearest = member ? error_suggest(json_key(member), names, STEP_ROWS) : NULL;
    if (nearest)
        fail(reader, "", "there is no step \"%.40s\" (did you mean \"%s\"?)", json_key(member),
             nearest);
    else
        fail(reader, "",
             "must be an object with one member, the step: \"ramp\", \"biomes\", "
             "\"shade\", \"objects\", \"grey\" or \"terrarium\"");
    return NULL;
}

static bool read_step(struct reader *reader, const struct json *value, size_t count)
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
        return fail(reader, "", "must be an object, not %s", json_type_name(json_type(member)));
    if (row->alone && count > 1)
        return fail(reader, "", "makes the whole picture; it must be the only step");
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
        struct reader reader = {.style = style, .step = step, .error = error};
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
