/* Reads members of a paint step's JSON object. Each function checks the type and the range, stores
 * the value in the step, and on failure fills the error with the JSON path of the member and the
 * values that are allowed, so that the kinds' own readers are lists of calls. */
#include "core/tile/style_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/colour.h"
#include "core/base/number.h"

#define VALUE_MAX 1e9 /* of stops and the like, either side of 0 */

bool style_fail(const struct style_reader *reader, const char *key, const char *format, ...)
{
    char message[sizeof reader->error->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    error_set(reader->error, ERROR_VALUE, "%s", message);
    return error_in_path(reader->error, "%s%s%s", reader->step->path, *key ? "." : "", key);
}

bool style_take(const struct style_reader *reader, bool done)
{
    return diagnostics_take(reader->diagnostics, done, reader->error);
}

static bool fail_limits(const struct style_reader *reader, const char *key,
                        struct style_limits limits)
{
    char low[NUMBER_TEXT], high[NUMBER_TEXT];
    number_format_double(limits.low, low);
    number_format_double(limits.high, high);
    return style_fail(reader, key, "must be a number from %s to %s", low, high);
}

/* Reads a number from the member `value`, or takes the initial one if it is null; `key` is its name
 * for messages. */
static bool read_value(const struct style_reader *reader, const struct json *value, const char *key,
                       struct style_limits limits, float *number)
{
    double read = limits.initial;
    if (value && (!json_number(value, &read) || read < limits.low || read > limits.high))
        return fail_limits(reader, key, limits);
    *number = (float)read;
    return true;
}

bool style_read_number(const struct style_reader *reader, const char *key,
                       struct style_limits limits, float *number)
{
    return read_value(reader, json_member(reader->value, key), key, limits, number);
}

static struct colour colour_of(uint32_t rgb)
{
    return (struct colour){(float)(rgb >> 16), (float)(rgb >> 8 & 0xFF), (float)(rgb & 0xFF)};
}

bool style_read_colour(const struct style_reader *reader, const char *key, struct colour *colour)
{
    const struct json *value = json_member(reader->value, key);
    uint32_t rgb;
    if (!value)
        return true;
    if (json_type(value) != JSON_STRING || !colour_parse(json_text(value), &rgb))
        return style_fail(reader, key, "must be a color, like \"#2a6fb0\"");
    *colour = colour_of(rgb);
    return true;
}

static bool read_layer(const struct style_reader *reader, const struct json *value, const char *key,
                       const char **layer)
{
    if (json_type(value) != JSON_STRING)
        return style_fail(reader, key, "must be the name of a layer, in quotes");
    *layer = arena_copy(&reader->style->arena, json_text(value), strlen(json_text(value)));
    return *layer || error_memory(reader->error);
}

bool style_read_layer(const struct style_reader *reader)
{
    return read_layer(reader, json_member(reader->value, "layer"), "layer", &reader->step->layer);
}

bool style_read_name(const struct style_reader *reader, const char *key, const char **name)
{
    const struct json *value = json_member(reader->value, key);
    *name = NULL;
    return !value || read_layer(reader, value, key, name);
}

/* "mask": the layer and the range of its values over which the step appears. */
static bool read_mask(const struct style_reader *reader)
{
    static const char *const keys[] = {"layer", "from", "to"};
    const struct json *value = json_member(reader->value, "mask");
    struct mask *mask = &reader->step->mask;
    const struct style_limits any = {-VALUE_MAX, VALUE_MAX, 0.0};
    if (!value)
        return true;
    if (json_type(value) != JSON_OBJECT)
        return style_fail(reader, "mask",
                          "must be an object like {\"layer\":\"height\",\"from\":0,"
                          "\"to\":5}");
    return json_allow(value, reader->step->path, keys, 3, reader->error) &&
           read_layer(reader, json_member(value, "layer"), "mask.layer", &mask->layer) &&
           read_value(reader, json_member(value, "from"), "mask.from", any, &mask->low) &&
           read_value(reader, json_member(value, "to"), "mask.to",
                      (struct style_limits){-VALUE_MAX, VALUE_MAX, (double)mask->low}, &mask->high);
}

bool style_read_flag(const struct style_reader *reader, const char *key, bool *flag)
{
    const struct json *value = json_member(reader->value, key);
    *flag = json_type(value) == JSON_TRUE;
    return !value || *flag || json_type(value) == JSON_FALSE ||
           style_fail(reader, key, "must be true or false");
}

bool style_read_visibility(const struct style_reader *reader)
{
    return style_read_flag(reader, "optional", &reader->step->optional) &&
           style_read_number(reader, "opacity", (struct style_limits){0, 1, 1},
                             &reader->step->opacity) &&
           style_read_number(reader, "until", (struct style_limits){0.001, 1e9, 0},
                             &reader->step->until) &&
           read_mask(reader);
}

/* A stop [value, "#rrggbb"]. Values must not fall; two equal ones make a hard edge. */
static bool read_stop(const struct style_reader *reader, const struct json *stop, uint32_t index,
                      struct style_limits limits)
{
    struct ramp *ramp = &reader->step->ramp;
    const struct json *value = json_first(stop), *colour = json_next(value);
    char key[32];
    double number;
    uint32_t rgb;
    snprintf(key, sizeof key, "stops[%u]", index);
    if (json_type(stop) != JSON_ARRAY || json_count(stop) != 2 || !json_number(value, &number) ||
        !colour_parse(json_text(colour), &rgb))
        return style_fail(reader, key, "must be a value and a color, like [0, \"#2a6fb0\"]");
    if (number < limits.low || number > limits.high)
        return fail_limits(reader, key, limits);
    if (index > 0 && (float)number < ramp->value[index - 1])
        return style_fail(reader, key, "must not be below the stop before it");
    const struct colour parts = colour_of(rgb);
    ramp->value[index] = (float)number;
    ramp->red[index] = parts.red;
    ramp->green[index] = parts.green;
    ramp->blue[index] = parts.blue;
    ramp->count = index + 1;
    return true;
}

bool style_read_stops(const struct style_reader *reader, struct style_limits limits)
{
    const struct json *stops = json_member(reader->value, "stops");
    if (json_type(stops) != JSON_ARRAY || json_count(stops) < 1 ||
        json_count(stops) > STYLE_STOPS_MAX)
        return style_fail(reader, "stops",
                          "must be an array of 1 to %d stops like [0, \"#2a6fb0\"]",
                          STYLE_STOPS_MAX);
    uint32_t index = 0;
    for (const struct json *stop = json_first(stops); stop; stop = json_next(stop))
        if (!style_take(reader, read_stop(reader, stop, index++, limits)))
            return false;
    return true;
}

/* Reads a pair: two numbers in their ranges, the first above `last`. */
static bool read_pair(const struct json *pair, const struct style_pairs *pairs, double last,
                      double numbers[2])
{
    const struct json *first = json_first(pair);
    return json_type(pair) == JSON_ARRAY && json_count(pair) == 2 &&
           json_number(first, &numbers[0]) && json_number(json_next(first), &numbers[1]) &&
           numbers[0] >= pairs->at_low && numbers[0] <= VALUE_MAX && numbers[0] > last &&
           numbers[1] >= pairs->value_low && numbers[1] <= pairs->value_high;
}

static bool fail_pairs(const struct style_reader *reader, const struct style_pairs *pairs)
{
    char low[NUMBER_TEXT], high[NUMBER_TEXT];
    number_format_double(pairs->value_low, low);
    number_format_double(pairs->value_high, high);
    return style_fail(
        reader, pairs->key,
        "must be pairs [%s], at most %d, the first number rising, the second from %s to "
        "%s",
        pairs->what, STYLE_STOPS_MAX, low, high);
}

bool style_read_pairs(const struct style_reader *reader, const struct style_pairs *pairs,
                      struct curve *curve)
{
    const struct json *list = json_member(reader->value, pairs->key);
    curve->count = 1;
    curve->at[0] = 0.0f;
    curve->value[0] = (float)pairs->initial;
    if (!list)
        return true;
    if (json_type(list) != JSON_ARRAY || json_count(list) < 1 || json_count(list) > STYLE_STOPS_MAX)
        return fail_pairs(reader, pairs);
    double numbers[2] = {0}, last = -2.0 * VALUE_MAX;
    curve->count = 0;
    for (const struct json *pair = json_first(list); pair; pair = json_next(pair)) {
        if (!read_pair(pair, pairs, last, numbers))
            return fail_pairs(reader, pairs);
        last = (double)(float)numbers[0]; /* rounded as it is stored: no two are equal */
        curve->at[curve->count] = (float)numbers[0];
        curve->value[curve->count++] = (float)numbers[1];
    }
    return true;
}
