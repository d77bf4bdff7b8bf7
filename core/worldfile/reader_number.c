/* Numbers with limits in a world file. */
#include "core/base/number.h"
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
