/* place_list_take() gives up at anything unexpected and says nothing about errors: whoever parses
 * the text again does, so there is one message for each error. */
#include "core/terrain/place_list.h"

#include <string.h>

enum { NUMBER_BYTES = PLACE_LIST_BYTES / 2 };

static const char *const axes[] = {"x", "y"};

struct cursor {
    const char *at, *end;
};

static void skip_space(struct cursor *cursor)
{
    while (cursor->at < cursor->end && (*cursor->at == ' ' || *cursor->at == '\n' ||
                                        *cursor->at == '\r' || *cursor->at == '\t'))
        cursor->at++;
}

/* Takes the character if it is the next one behind white space. */
static bool take(struct cursor *cursor, char character)
{
    skip_space(cursor);
    if (cursor->at == cursor->end || *cursor->at != character)
        return false;
    cursor->at++;
    return true;
}

static bool take_coordinate(struct cursor *cursor, int64_t *coordinate)
{
    skip_space(cursor);
    const size_t length = number_scan(cursor->at, (size_t)(cursor->end - cursor->at));
    const char *text = cursor->at;
    cursor->at += length;
    return length > 0 && place_parse(text, length, coordinate, NULL);
}

static bool take_point(struct cursor *cursor, struct place *place)
{
    return take(cursor, '[') && take_coordinate(cursor, &place->x) && take(cursor, ',') &&
           take_coordinate(cursor, &place->y) && take(cursor, ']');
}

/* The pairs behind '[', as far as before the ']'. */
static bool take_points(struct cursor *cursor, struct place *places, size_t max, size_t *count)
{
    *count = 0;
    skip_space(cursor);
    if (cursor->at < cursor->end && *cursor->at == ']')
        return true;
    do {
        if (*count == max || !take_point(cursor, &places[*count]))
            return false;
        ++*count;
    } while (take(cursor, ','));
    return cursor->at < cursor->end && *cursor->at == ']';
}

/* Behind the first `key` of the text; null without one. */
static const char *find_behind(const char *text, size_t length, const char *key)
{
    const size_t key_length = strlen(key);
    const char *const end = text + length;
    const char *at = memchr(text, key[0], length);
    while (at && (size_t)(end - at) >= key_length) {
        if (memcmp(at, key, key_length) == 0)
            return at + key_length;
        at = memchr(at + 1, key[0], (size_t)(end - at) - 1);
    }
    return NULL;
}

bool place_list_take(const char *text, size_t length, struct place *places, size_t max,
                     size_t *count, struct buffer *rest)
{
    struct cursor cursor = {find_behind(text, length, "\"points\""), text + length};
    if (!cursor.at || !take(&cursor, ':') || !take(&cursor, '['))
        return false;
    const size_t begin = (size_t)(cursor.at - text);
    if (!take_points(&cursor, places, max, count))
        return false;
    buffer_append(rest, text, begin);
    buffer_append(rest, cursor.at, (size_t)(cursor.end - cursor.at));
    return true;
}

static bool parse_coordinate(const struct json *value, size_t index, const char *axis, int64_t *out,
                             struct error *error)
{
    struct error why;
    if (json_type(value) != JSON_NUMBER)
        return error_set(error, ERROR_VALUE, "points[%zu]: %s must be a number, not %s", index,
                         axis, json_type_name(json_type(value)));
    const char *text = json_text(value);
    return place_parse(text, strlen(text), out, &why) ||
           error_set(error, ERROR_VALUE, "points[%zu]: %s: %s", index, axis, why.message);
}

static bool parse_point(const struct json *point, size_t index, struct place *place,
                        struct error *error)
{
    if (json_type(point) != JSON_ARRAY || json_count(point) != 2)
        return error_set(error, ERROR_VALUE, "points[%zu] must be two numbers in metres, [x, y]",
                         index);
    const struct json *x = json_first(point);
    return parse_coordinate(x, index, axes[0], &place->x, error) &&
           parse_coordinate(json_next(x), index, axes[1], &place->y, error);
}

bool place_list_parse(const struct json *points, struct place *places, struct error *error)
{
    size_t index = 0;
    for (const struct json *point = json_first(points); point; point = json_next(point), index++)
        if (!parse_point(point, index, &places[index], error))
            return false;
    return true;
}

static uint64_t read_number(const uint8_t *bytes)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < NUMBER_BYTES; i++)
        number |= (uint64_t)bytes[i] << 8 * i;
    return number;
}

/* The product is exact, and what is left of a fraction is rounded to even. */
static bool read_metres(uint64_t bits, size_t index, const char *axis, int64_t *coordinate,
                        struct error *error)
{
    const double limit = (double)PLACE_LIMIT / (double)PLACE_METRE;
    double metres;
    memcpy(&metres, &bits, sizeof metres);
    if (metres >= -limit && metres <= limit) {
        *coordinate = (int64_t)__builtin_rint(metres * (double)PLACE_METRE);
        return true;
    }
    if (!__builtin_isfinite(metres))
        return error_set(error, ERROR_VALUE, "points[%zu]: %s must be metres, not %s", index, axis,
                         __builtin_isnan(metres) ? "NaN" : "infinity");
    char text[NUMBER_TEXT];
    number_format_double(metres, text);
    return error_set(error, ERROR_VALUE,
                     "points[%zu]: %s: %s m is beyond the world's edge: allowed is "
                     "-1099511627776 to 1099511627776",
                     index, axis, text);
}

static bool read_units(uint64_t bits, size_t index, const char *axis, int64_t *coordinate,
                       struct error *error)
{
    *coordinate = (int64_t)bits;
    if (*coordinate >= -PLACE_LIMIT && *coordinate <= PLACE_LIMIT)
        return true;
    return error_set(error, ERROR_VALUE,
                     "points[%zu]: %s: %lld units of 2^-16 m are beyond the world's edge: allowed "
                     "is -72057594037927936 to 72057594037927936",
                     index, axis, (long long)*coordinate);
}

/* Reads a coordinate from its bits. */
typedef bool coordinate_reader(uint64_t bits, size_t index, const char *axis, int64_t *coordinate,
                               struct error *error);

static bool read_places(const uint8_t *bytes, size_t count, coordinate_reader *read,
                        struct place *places, struct error *error)
{
    for (size_t i = 0; i < count; i++, bytes += PLACE_LIST_BYTES)
        if (!read(read_number(bytes), i, axes[0], &places[i].x, error) ||
            !read(read_number(bytes + NUMBER_BYTES), i, axes[1], &places[i].y, error))
            return false;
    return true;
}

bool place_list_read_metres(const uint8_t *bytes, size_t count, struct place *places,
                            struct error *error)
{
    return read_places(bytes, count, read_metres, places, error);
}

bool place_list_read_units(const uint8_t *bytes, size_t count, struct place *places,
                           struct error *error)
{
    return read_places(bytes, count, read_units, places, error);
}
