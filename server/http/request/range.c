/* Only one range of bytes is served. Other units, several ranges and malformed headers are ignored,
 * as RFC 9110 allows: the answer is then the whole representation. */
#include "server/http/request/range.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* Reads digits from *at on, which moves behind them; a number that is too large becomes the largest
 * one. False if there is no digit. */
static bool read_position(const char **at, uint64_t *position)
{
    const char *const start = *at;
    *position = 0;
    for (; **at >= '0' && **at <= '9'; ++*at) {
        const uint64_t digit = (uint64_t)(**at - '0');
        *position = *position > (UINT64_MAX - digit) / 10 ? UINT64_MAX : 10 * *position + digit;
    }
    return *at > start;
}

static bool at_end(const char *at)
{
    return at[strspn(at, " \t")] == '\0';
}

/* "-500": so many of the last bytes, or all of fewer. */
static enum range_outcome parse_suffix(const char *at, uint64_t length, struct byte_range *range)
{
    uint64_t count;
    at++;
    if (!read_position(&at, &count) || !at_end(at) || length == 0)
        return RANGE_WHOLE;
    if (count == 0)
        return RANGE_BEYOND;
    range->count = count < length ? count : length;
    range->first = length - range->count;
    return RANGE_PART;
}

/* "500-999" or "500-". */
static enum range_outcome parse_positions(const char *at, uint64_t length, struct byte_range *range)
{
    uint64_t first, last;
    if (!read_position(&at, &first) || *at++ != '-')
        return RANGE_WHOLE;
    if (!read_position(&at, &last))
        last = UINT64_MAX;
    if (!at_end(at) || last < first)
        return RANGE_WHOLE;
    if (first >= length)
        return RANGE_BEYOND;
    range->first = first;
    range->count = (last < length ? last + 1 : length) - first;
    return RANGE_PART;
}

enum range_outcome range_parse(const char *value, uint64_t length, struct byte_range *range)
{
    static const char unit[] = "bytes=";
    const char *at = value + sizeof unit - 1;
    if (strncasecmp(value, unit, sizeof unit - 1) != 0)
        return RANGE_WHOLE;
    return *at == '-' ? parse_suffix(at, length, range) : parse_positions(at, length, range);
}
