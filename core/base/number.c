/* Numbers from text and to text by exact arithmetic (decimal.h), so locale and C library have no
 * say.
 *
 * Reading: the leading 19 digits as a whole number, scaled exactly and rounded once.
 *
 * Writing: the shortest digits that read back to the same value (Steele and White 1990). The value
 * and the two places half-way to its neighbours are scaled by a power of ten; then the value is
 * rounded to one digit, two digits and so on, until the result lies between the two. For usual
 * values the power is chosen so that all but two of these steps are known to fail, as in R.
 * Giulietti, "The Schubfach way to render doubles" (2021), and the scaled values are exact in 128
 * bits. Other values take the general way.
 */
#include "core/base/number.h"

#include "core/base/decimal.h"
#include "core/base/int128.h"

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
 * All three are scaled by the same power of ten; what is behind the point is cut off. */
struct bounds {
    uint64_t low, value, high;
    bool low_inexact, value_inexact, high_inexact;
    bool closed;      /* the midpoints read back to the value, too: ties go to the even mantissa */
    int power_of_ten; /* the value is `value` / 10^power_of_ten */
};

/* True if the whole number reads back to the value. */
static inline bool bounds_contain(const struct bounds *bounds, uint64_t number)
{
    const bool above =
        number > bounds->low || (number == bounds->low && !bounds->low_inexact && bounds->closed);
    const bool below = number < bounds->high ||
                       (number == bounds->high && (bounds->high_inexact || bounds->closed));
    return above && below;
}

/* The value rounded to a multiple of `unit`, a power of ten. */
static inline uint64_t round_to_unit(const struct bounds *bounds, uint64_t unit)
{
    const uint64_t kept = bounds->value / unit, rest = bounds->value % unit, half = unit / 2;
    const bool more = rest > half || (rest == half && (bounds->value_inexact || kept % 2 == 1));
    return (unit > 1 && more ? kept + 1 : kept) * unit;
}

/* The part before the point; *inexact tells whether there is more. */
static uint64_t scale_whole(uint64_t mantissa, int power_of_two, int power_of_ten, bool *inexact)
{
    struct scaled scaled = decimal_scale(mantissa, power_of_two, power_of_ten);
    uint64_t cut = scaled.top & (((uint64_t)1 << -scaled.exponent) - 1);
    *inexact = scaled.inexact || cut != 0;
    return scaled.top >> -scaled.exponent;
}

/* Scales any value to 18 or 19 digits before the point. */
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

static uint64_t find_shortest_of_any(struct binary value, int *power_of_ten)
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
    return digits;
}

/* The exponents of usual numbers: floats from 10⁻¹⁸ to 10¹⁸, doubles from 10⁻¹⁰ to 10¹⁹. */
enum { USUAL_EXPONENT_MIN = -86, USUAL_EXPONENT_MAX = 38 };

static const uint64_t powers_of_five[] = {
    1u,
    5u,
    25u,
    125u,
    625u,
    3125u,
    15625u,
    78125u,
    390625u,
    1953125u,
    9765625u,
    48828125u,
    244140625u,
    1220703125u,
    6103515625u,
    30517578125u,
    152587890625u,
    762939453125u,
    3814697265625u,
    19073486328125u,
    95367431640625u,
    476837158203125u,
    2384185791015625u,
    11920928955078125u,
    59604644775390625u,
    298023223876953125u,
    1490116119384765625u,
    7450580596923828125u,
};

/* floor(exponent · log₁₀2), as far as USUAL_EXPONENT_MAX and more. */
static int floor_log10_power_of_two(int exponent)
{
    return exponent * 1233 >> 12;
}

/* The part of a product before the point, of which `bits` are behind it. */
static inline uint64_t cut_bits(uint64_t high, uint64_t low, unsigned bits, bool *inexact)
{
    *inexact = low << (64 - bits) != 0;
    return high << (64 - bits) | low >> bits;
}

/* Scales a usual value by a power of ten that leaves its last binary digit worth 10 … 100, or by
 * none if it is a whole number, where the last digit is worth 1 and more: exactly, as the power of
 * five has 64 bits and the product 128. False if the value has too many bits. */
static inline bool scale_usual(struct binary value, struct bounds *bounds)
{
    const int two = value.exponent;
    const int ten = two < 0 ? floor_log10_power_of_two(-two) + 2 : 0;
    const unsigned bits = two < 0 ? (unsigned)(2 - two - ten) : 2;
    const uint64_t factor = two < 0 ? powers_of_five[ten] : (uint64_t)1 << two;
    const uint64_t below = value.narrow_below ? factor : 2 * factor, above = 2 * factor;
    const struct wide product = wide_multiply(4 * value.mantissa, factor);
    if (product.high >> bits)
        return false;
    bounds->power_of_ten = ten;
    bounds->closed = value.mantissa % 2 == 0;
    bounds->value = cut_bits(product.high, product.low, bits, &bounds->value_inexact);
    bounds->low = cut_bits(product.high - (product.low < below), product.low - below, bits,
                           &bounds->low_inexact);
    bounds->high = cut_bits(product.high + (product.low + above < above), product.low + above, bits,
                            &bounds->high_inexact);
    return true;
}

/* The multiples of a `unit` that is at most as large as the last binary digit are so near to each
 * other that one of them is between the bounds, and of the multiples of 10 units one at most is.
 * So no other digits need to be tried. False, for some powers of two with their narrow bounds. */
static inline bool round_usual(const struct bounds *bounds, uint64_t unit, uint64_t *digits)
{
    *digits = round_to_unit(bounds, 10 * unit);
    if (bounds_contain(bounds, *digits))
        return true;
    *digits = round_to_unit(bounds, unit);
    return bounds_contain(bounds, *digits);
}

/* Nearly all numbers are written by this, which is several times faster than
 * find_shortest_of_any(). */
static bool find_shortest_of_usual(struct binary value, uint64_t *digits, int *power_of_ten)
{
    struct bounds bounds;
    if (value.exponent < USUAL_EXPONENT_MIN || value.exponent > USUAL_EXPONENT_MAX ||
        !scale_usual(value, &bounds))
        return false;
    *power_of_ten = -bounds.power_of_ten;
    if (value.exponent < 0) /* a unit that the compiler knows */
        return round_usual(&bounds, 10, digits);
    uint64_t unit = 1;
    for (int i = floor_log10_power_of_two(value.exponent); i > 0; i--)
        unit *= 10;
    return round_usual(&bounds, unit, digits);
}

/* The fewest digits that read back to the value: a number without trailing zeros, to be multiplied
 * by 10^*power_of_ten. */
static uint64_t find_shortest(struct binary value, int *power_of_ten)
{
    uint64_t digits;
    if (!find_shortest_of_usual(value, &digits, power_of_ten))
        digits = find_shortest_of_any(value, power_of_ten);
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

static size_t put_digits(char *out, size_t at, const char *digits, int count)
{
    for (int i = 0; i < count; i++)
        out[at++] = digits[i];
    return at;
}

/* digits · 10^power_of_ten, written without an exponent. */
static size_t put_plain(char *out, size_t at, const char *digits, int count, int power_of_ten)
{
    const int point = count + power_of_ten; /* digits before the point */
    if (point <= 0) {
        out[at++] = '0';
        out[at++] = '.';
        at = put_zeros(out, at, -point);
        return put_digits(out, at, digits, count);
    }
    if (point >= count)
        return put_zeros(out, put_digits(out, at, digits, count), power_of_ten);
    at = put_digits(out, at, digits, point);
    out[at++] = '.';
    return put_digits(out, at, digits + point, count - point);
}

enum { DIGITS_MAX = 20 }; /* of 64 bits */

/* Writes the digits of a number > 0 at the end of `text`, and returns how many they are. Two at a
 * time, as each division waits for the one before. */
static int split_digits(uint64_t number, char text[DIGITS_MAX])
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    int at = DIGITS_MAX;
    for (; number >= 10; number /= 100)
        memcpy(&text[at -= 2], &pairs[2 * (number % 100)], 2);
    if (number > 0)
        text[--at] = (char)('0' + number);
    return DIGITS_MAX - at;
}

/* digits · 10^power_of_ten, written with one digit before the point and an exponent,
 * which is not 0. */
static size_t put_exponent(char *out, size_t at, const char *digits, int count, int power_of_ten)
{
    const int exponent = count + power_of_ten - 1;
    out[at++] = digits[0];
    if (count > 1)
        out[at++] = '.';
    at = put_digits(out, at, digits + 1, count - 1);
    out[at++] = 'e';
    if (exponent < 0)
        out[at++] = '-';
    char text[DIGITS_MAX];
    const int length = split_digits((uint64_t)(exponent < 0 ? -exponent : exponent), text);
    return put_digits(out, at, text + DIGITS_MAX - length, length);
}

static size_t write_number(bool negative, struct binary value, char out[NUMBER_TEXT])
{
    size_t at = 0;
    if (negative)
        out[at++] = '-';
    if (value.mantissa == 0) {
        out[at++] = '0';
    } else {
        char text[DIGITS_MAX];
        int power_of_ten;
        const int count = split_digits(find_shortest(value, &power_of_ten), text);
        const char *digits = text + DIGITS_MAX - count;
        const int decade = count + power_of_ten - 1;
        const bool plain = decade >= -5 && decade < 15;
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
