/* Numbers with limits, and places, in a world file. */
#include "core/base/number.h"
#include "core/base/place.h"
#include "core/worldfile/reader.h"

bool reader_number(const struct reader *reader, const char *key, struct reader_limits limits,
                   double *number)
{
    const struct json *value = json_member(reader->value, key);
    const bool is_number = json_number(value, number);
    char low[NUMBER_TEXT], high[NUMBER_TEXT];
    if (!value)
        *number = limits.default_value;
    if ((is_number || !value) && *number >= limits.low && *number <= limits.high)
        return true;
    *number = limits.low;
    number_format_double(limits.low, low);
    number_format_double(limits.high, high);
    return reader_fail(reader, key, "%smust be a number of %s from %s to %s%s%.20s%s",
                       value ? "" : "is missing; it ", limits.unit, low, high,
                       is_number ? ", not " : "", is_number ? json_text(value) : "", limits.why);
}

#define COORDINATE_MAX 0x1p40 /* PLACE_LIMIT in metres */

static bool is_coordinate(const struct json *value, double *metres)
{
    return json_number(value, metres) && *metres >= -COORDINATE_MAX && *metres <= COORDINATE_MAX;
}

bool reader_place(const struct reader *reader, const char *key, struct place *place)
{
    const struct json *value = json_member(reader->value, key);
    const struct json *x = json_first(value), *y = json_next(x);
    double metres[2];
    if (json_type(value) != JSON_ARRAY || json_count(value) != 2 || !is_coordinate(x, &metres[0]) ||
        !is_coordinate(y, &metres[1]))
        return reader_fail(reader, key, "%smust be [x, y], metres from -%.0f to %.0f each",
                           value ? "" : "is missing; it ", COORDINATE_MAX, COORDINATE_MAX);
    *place = (struct place){place_from_metres(metres[0]), place_from_metres(metres[1])};
    return true;
}
