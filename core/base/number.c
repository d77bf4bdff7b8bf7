/* Numbers from text and to text by exact arithmetic (decimal.h), so locale and C library have no
 * say.
 *
 * Reading: the leading 19 digits as a whole number, scaled exactly and rounded once.
 *
 * Writing: the shortest digits that read back to the same value (Steele and White 1990). The value
 * and the two places half-way to its neighbours are scaled to whole numbers of 18 or 19 digits;
 * then the value is rounded to one digit, two digits and so on, until the result lies between the
 * two. */
#include "core/base/number.h"

#include "core/base/decimal.h"

#include <stdio.h>
#include <string.h>

static size_t scan_digits(const char *text, size_t length)
{
    size_t count = 0;
    while (count < length && text[count] >= '0' && text[count] <= '9')
        count++;
    return count;
}

size_t number_scan(const char *text, size_t length)
{
    size_t at = length > 0 && text[0] == '-';
    size_t whole = scan_digits(text + at, length - at);
    if (whole == 0 || (whole > 1 && text[at] == '0'))
        return 0;
    at += whole;
    if (at < length && text[at] == '.') {
        size_t digits = scan_digits(text + at + 1, length - at - 1);
        if (digits == 0)
            return 0;
        at += 1 + digits;
    }
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        if (at < length && (text[at] == '+' || text[at] == '-'))
            at++;
        size_t digits = scan_digits(text + at, length - at);
        if (digits == 0)
            return 0;
        at += digits;
    }
    return at;
}

bool number_parse(const char *text, size_t length, double *value)
{
    enum { DIGITS = 19 }; /* 64 bits hold every number of 19 digits */
    struct decimal decimal;
    if (!decimal_read(text, length, &decimal))
        return false;
    uint64_t bits = 0;
    if (decimal.digits && decimal.point > 310)
        return false;
    if (decimal.digits && decimal.point > -330) {
        uint64_t mantissa = 0;
        int used = 0;
        for (size_t i = 0; i < decimal.length && used < DIGITS; i++) {
            if (decimal.digits[i] == '.')
                continue;
            mantissa = mantissa * 10 + (uint64_t)(decimal.digits[i] - '0');
            used++;
        }
        bits = decimal_round_double(decimal_scale(mantissa, 0, (int)decimal.point - used));
    }
    if (bits >> 52 == 0x7FF)
        return false;
    bits |= (uint64_t)decimal.negative << 63;
    memcpy(value, &bits, sizeof bits);
    return true;
}

bool number_parse_unsigned(const char *text, size_t length, uint64_t *value)
{
    if (length == 0 || scan_digits(text, length) != length || (length > 1 && text[0] == '0'))
        return false;
    uint64_t sum = 0;
    for (size_t i = 0; i < length; i++) {
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (sum > (UINT64_MAX - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return true;
}

bool number_parse_integer(const char *text, size_t length, int64_t min, int64_t max, int64_t *value)
{
    bool negative = length > 0 && text[0] == '-';
    uint64_t magnitude;
    if (!number_parse_unsigned(text + negative, length - negative, &magnitude))
        return false;
    if (magnitude > (uint64_t)INT64_MAX + negative || (negative && magnitude == 0))
        return false;
    int64_t number = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    if (number < min || number > max)
        return false;
    *value = number;
    return true;
}

/* A finite value > 0 as mantissa · 2^exponent. */
struct binary {
    uint64_t mantissa;
    int exponent;
    bool
        narrow_below; /* a power of two: its lower neighbour is only half as far as its upper one */
};

/* All numbers between `low` and `high`, the midpoints to the neighbours, read back to the value.
 * All three are scaled by the same power of ten to 18 or 19 digits before the point. */
struct bounds {
    uint64_t low, value, high;
    bool low_inexact, value_inexact, high_inexact;
    bool closed;      /* the midpoints read back to the value, too: ties go to the even mantissa */
    int power_of_ten; /* the value is `value` / 10^power_of_ten */
};

/* The part before the point; *inexact tells whether there is more. */
static uint64_t scale_whole(uint64_t mantissa, int power_of_two, int power_of_ten, bool *inexact)
{
    struct scaled scaled = decimal_scale(mantissa, power_of_two, power_of_ten);
    uint64_t cut = scaled.top & (((uint64_t)1 << -scaled.exponent) - 1);
    *inexact = scaled.inexact || cut != 0;
    return scaled.top >> -scaled.exponent;
}

static struct bounds find_bounds(struct binary value)
{
    int bits = 64 - __builtin_clzll(value.mantissa) + value.exponent;
    /* floor(bits · log₁₀2), which is floor(log₁₀(value)) or one more. */
    int decade = (int)((int64_t)bits * 1292913986 >> 32);
    struct bounds bounds = {.power_of_ten = 18 - decade, .closed = value.mantissa % 2 == 0};
    uint64_t quarters = value.mantissa * 4;
    int power_of_two = value.exponent - 2;
    bounds.value = scale_whole(quarters, power_of_two, bounds.power_of_ten, &bounds.value_inexact);
    bounds.high =
        scale_whole(quarters + 2, power_of_two, bounds.power_of_ten, &bounds.high_inexact);
    bounds.low = scale_whole(quarters - (value.narrow_below ? 1 : 2), power_of_two,
                             bounds.power_of_ten, &bounds.low_inexact);
    return bounds;
}

/* True if the whole number reads back to the value. */
static bool bounds_contain(const struct bounds *bounds, uint64_t number)
{
    bool above =
        number > bounds->low || (number == bounds->low && !bounds->low_inexact && bounds->closed);
    bool below = number < bounds->high ||
                 (number == bounds->high && (bounds->high_inexact || bounds->closed));
    return above && below;
}

/* The value rounded to a multiple of `unit`, a power of ten. */
static uint64_t round_to_unit(const struct bounds *bounds, uint64_t unit)
{
    uint64_t kept = bounds->value / unit, rest = bounds->value % unit;
    uint64_t half = unit / 2;
    bool more = rest > half || (rest == half && (bounds->value_inexact || kept % 2 == 1));
    if (unit > 1 && more)
        kept++;
    return kept * unit;
}

/* The fewest digits that read back to the value: a number without trailing zeros, to be multiplied
 * by 10^*power_of_ten. */
static uint64_t find_shortest(struct binary value, int *power_of_ten)
{
    struct bounds bounds = find_bounds(value);
    uint64_t unit = 1;
    while (unit <= bounds.value / 10)
        unit *= 10;
    uint64_t digits = round_to_unit(&bounds, unit);
    while (unit > 1 && !bounds_contain(&bounds, digits)) {
        unit /= 10;
        digits = round_to_unit(&bounds, unit);
    }
    *power_of_ten = -bounds.power_of_ten;
    for (; digits % 10 == 0; ++*power_of_ten)
        digits /= 10;
    return digits;
}

static size_t put_zeros(char *out, size_t at, int count)
{
    for (; count > 0; count--)
        out[at++] = '0';
    return at;
}

/* digits · 10^power_of_ten, written without an exponent. */
static size_t put_plain(char *out, size_t at, const char *digits, int count, int power_of_ten)
{
    int point = count + power_of_ten; /* digits before the point */
    if (point <= 0) {
        out[at++] = '0';
        out[at++] = '.';
        at = put_zeros(out, at, -point);
    }
    for (int i = 0; i < count; i++) {
        if (i == point && i > 0)
            out[at++] = '.';
        out[at++] = digits[i];
    }
    return put_zeros(out, at, power_of_ten);
}

/* digits · 10^power_of_ten, written with one digit before the point and an exponent. */
static size_t put_exponent(char *out, size_t at, const char *digits, int count, int power_of_ten)
{
    int exponent = count + power_of_ten - 1;
    for (int i = 0; i < count; i++) {
        if (i == 1)
            out[at++] = '.';
        out[at++] = digits[i];
    }
    return at + (size_t)snprintf(out + at, NUMBER_TEXT - at, "e%d", exponent);
}

static size_t write_number(bool negative, struct binary value, char out[NUMBER_TEXT])
{
    size_t at = 0;
    if (negative)
        out[at++] = '-';
    if (value.mantissa == 0) {
        out[at++] = '0';
    } else {
        int power_of_ten, count = 0;
        uint64_t rest = find_shortest(value, &power_of_ten);
        char reversed[20], digits[20];
        for (; rest > 0; rest /= 10)
            reversed[count++] = (char)('0' + rest % 10);
        for (int i = 0; i < count; i++)
            digits[i] = reversed[count - 1 - i];
        int decade = count + power_of_ten - 1;
        bool plain = decade >= -5 && decade < 15;
        at = plain ? put_plain(out, at, digits, count, power_of_ten)
                   : put_exponent(out, at, digits, count, power_of_ten);
    }
    out[at] = '\0';
    return at;
}

/* Writes the IEEE 754 number of these bits; one that is not finite as 0. */
static size_t format_bits(uint64_t bits, int fraction_bits, int exponent_bits,
                          char out[NUMBER_TEXT])
{
    const int special = (1 << exponent_bits) - 1;
    const int exponent = (int)(bits >> fraction_bits) & special;
    const uint64_t one = (uint64_t)1 << fraction_bits, fraction = bits & (one - 1);
    if (exponent == special)
        return write_number(false, (struct binary){0}, out);
    struct binary binary = {
        .mantissa = exponent ? fraction | one : fraction,
        .exponent = (exponent ? exponent : 1) - special / 2 - fraction_bits,
        .narrow_below = fraction == 0 && exponent > 1,
    };
    return write_number(bits >> (fraction_bits + exponent_bits), binary, out);
}

size_t number_format_float(float value, char out[NUMBER_TEXT])
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return format_bits(bits, 23, 8, out);
}

size_t number_format_double(double value, char out[NUMBER_TEXT])
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return format_bits(bits, 52, 11, out);
}
