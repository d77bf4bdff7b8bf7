/* Metres and units of 2⁻¹⁶ m, exactly in both directions.
 *
 * Reading never goes through a double: the digits before the point become a whole number of metres,
 * the first 17 digits after it another whole number, and one flag remembers whether anything but
 * zeros follows. 17 digits are enough because every midpoint between two units has exactly that
 * many. So 0.1 is the nearest unit and not the nearest unit of the nearest double. */
#include "core/base/place.h"

#include "core/base/decimal.h"
#include "core/base/utf8.h"

#include <stdio.h>

enum { FRACTION_DIGITS = PLACE_BITS + 1 }; /* 2⁻¹⁷ m, half a unit, has 17 decimals */

/* A decimal number of metres without loss: whole + fraction / 10^FRACTION_DIGITS + more. */
struct metres {
    uint64_t whole; /* exact up to the limit; some larger value above */
    uint64_t fraction;
    bool has_more_digits;
};

static struct metres read_metres(const struct decimal *decimal)
{
    const uint64_t whole_max = (uint64_t)1 << 50;
    struct metres metres = {0};
    int64_t weight = decimal->digits ? decimal->point - 1 : 0; /* of the next digit: 10^weight */
    for (size_t i = 0; i < decimal->length; i++) {
        if (decimal->digits[i] == '.')
            continue;
        uint64_t digit = (uint64_t)(decimal->digits[i] - '0');
        if (weight >= 0)
            metres.whole = metres.whole < whole_max ? metres.whole * 10 + digit : metres.whole;
        else if (weight >= -FRACTION_DIGITS)
            metres.fraction = metres.fraction * 10 + digit;
        else
            metres.has_more_digits |= digit != 0;
        weight--;
    }
    /* Trailing zeros that are not written: up to the point, then up to the last decimal. */
    for (; weight >= 0 && metres.whole > 0 && metres.whole < whole_max; weight--)
        metres.whole *= 10;
    if (weight >= 0)
        weight = -1;
    for (; weight >= -FRACTION_DIGITS && metres.fraction > 0; weight--)
        metres.fraction *= 10;
    return metres;
}

/* In units of 2⁻¹⁶ m, to nearest, ties to even. `whole` must be within the limit. */
static uint64_t round_metres(struct metres metres)
{
    const uint64_t unit = 100000000000000000; /* 10^FRACTION_DIGITS */
    uint64_t rest = metres.fraction, cut = 0; /* of the fraction, in 2⁻¹⁷ m */
    for (int bit = 0; bit < PLACE_BITS + 1; bit++) {
        rest *= 2;
        cut = cut << 1 | (rest >= unit);
        rest -= rest >= unit ? unit : 0;
    }
    bool has_more_digits = metres.has_more_digits || rest != 0;
    uint64_t units = (metres.whole << PLACE_BITS) + cut / 2;
    if (cut % 2 == 1 && (has_more_digits || units % 2 == 1))
        units++;
    return units;
}

/* The bytes of a text that a message shows. */
static int shown_length(const char *text, size_t length)
{
    return (int)utf8_cut(text, length, 40);
}

bool place_parse(const char *text, size_t length, int64_t *coordinate, struct error *error)
{
    struct decimal decimal;
    if (!decimal_read(text, length, &decimal))
        return error_set(error, ERROR_SYNTAX,
                         "\"%.*s\" is not a decimal number of metres such as -12.5",
                         shown_length(text, length), text);
    struct metres metres = read_metres(&decimal);
    const uint64_t limit = (uint64_t)PLACE_LIMIT;
    uint64_t units = metres.whole <= limit >> PLACE_BITS ? round_metres(metres) : UINT64_MAX;
    /* A number just above the limit rounds to it, but is refused as well. */
    bool beyond = units > limit || (units == limit && (metres.fraction || metres.has_more_digits) &&
                                    metres.whole == limit >> PLACE_BITS);
    if (beyond)
        return error_set(error, ERROR_LIMIT,
                         "%.*s m is beyond the world's edge: allowed is -1099511627776 to "
                         "1099511627776",
                         shown_length(text, length), text);
    *coordinate = decimal.negative ? -(int64_t)units : (int64_t)units;
    return true;
}

size_t place_format(int64_t coordinate, char out[NUMBER_TEXT])
{
    uint64_t size = coordinate < 0 ? 0 - (uint64_t)coordinate : (uint64_t)coordinate;
    /* n / 2¹⁶ = n · 5¹⁶ / 10¹⁶ */
    uint64_t decimals = (size & 0xFFFF) * 152587890625;
    int width = PLACE_BITS;
    for (; width > 0 && decimals % 10 == 0; width--)
        decimals /= 10;
    const char *sign = coordinate < 0 ? "-" : "";
    unsigned long long whole = size >> PLACE_BITS;
    int written = width == 0 ? snprintf(out, NUMBER_TEXT, "%s%llu", sign, whole)
                             : snprintf(out, NUMBER_TEXT, "%s%llu.%0*llu", sign, whole, width,
                                        (unsigned long long)decimals);
    /* Coordinates beyond ±2⁴³ m, which no place has, may lose their last digits. */
    return written < NUMBER_TEXT ? (size_t)written : NUMBER_TEXT - 1;
}

double place_metres(int64_t coordinate)
{
    return (double)coordinate / (double)PLACE_METRE;
}
