/* Exact arithmetic on whole numbers of up to 38 limbs of 32 bits.
 *
 * Decimal text becomes a double, and a double decimal text, through one operation: a 64-bit
 * mantissa times a power of ten, of which 64 leading bits and one sticky bit are kept. 10ⁿ is 5ⁿ ·
 * 2ⁿ, so only factors of five are computed, 5¹³ at a time. Division needs no long division:
 * dividing by a limb again and again gives the same quotient as dividing by the product. That is
 * slower than tables of powers (Grisu, Ryū), but it is short, has no table and is easily seen to be
 * exact; numbers are read once for a file or a request, and number.c writes nearly all without it.
 */
#include "core/base/decimal.h"

#include "core/base/number.h"

#include <stdlib.h>
#include <string.h>

/* 5¹³ is the largest power of five in 32 bits. 400 factors of five are 31 of these: a division
 * removes one limb for each, and the remaining limbs keep at least 64 bits of quotient. */
enum { FIVES_PER_LIMB = 13, LIMBS = DECIMAL_POWER_OF_TEN_MAX / FIVES_PER_LIMB + 8 };

struct bignum {
    uint32_t limbs[LIMBS]; /* the lowest first */
    int count;
    bool inexact; /* a division left a remainder */
};

static const uint32_t power_of_five[FIVES_PER_LIMB + 1] = {
    1,     5,      25,      125,     625,      3125,      15625,
    78125, 390625, 1953125, 9765625, 48828125, 244140625, 1220703125,
};

static void bignum_multiply(struct bignum *bignum, uint32_t factor)
{
    uint64_t carry = 0;
    for (int i = 0; i < bignum->count; i++) {
        carry += (uint64_t)bignum->limbs[i] * factor;
        bignum->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        bignum->limbs[bignum->count++] = (uint32_t)carry;
}

/* floor(floor(a / b) / c) equals floor(a / (b · c)), so one bit is enough to remember remainders.
 */
static void bignum_divide(struct bignum *bignum, uint32_t divisor)
{
    uint64_t rest = 0;
    for (int i = bignum->count; i-- > 0;) {
        rest = rest << 32 | bignum->limbs[i];
        bignum->limbs[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    while (bignum->count > 0 && bignum->limbs[bignum->count - 1] == 0)
        bignum->count--;
    bignum->inexact |= rest != 0;
}

/* The 64 leading bits; everything below them only sets `inexact`. */
static struct scaled bignum_leading_bits(const struct bignum *bignum, int exponent)
{
    uint32_t head[3] = {0};
    bool inexact = bignum->inexact;
    for (int i = 0; i < bignum->count; i++) {
        int from_top = bignum->count - 1 - i;
        if (from_top < 3)
            head[from_top] = bignum->limbs[i];
        else
            inexact |= bignum->limbs[i] != 0;
    }
    int shift = __builtin_clz(head[0]);
    uint64_t high = (uint64_t)head[0] << 32 | head[1];
    uint64_t low = (uint64_t)head[2] << shift;
    return (struct scaled){
        .top = high << shift | low >> 32,
        .exponent = exponent + 32 * (bignum->count - 2) - shift,
        .inexact = inexact || (uint32_t)low != 0,
    };
}

struct scaled decimal_scale(uint64_t mantissa, int power_of_two, int power_of_ten)
{
    struct bignum bignum = {.count = 0};
    int divisions = power_of_ten < 0 ? (-power_of_ten + FIVES_PER_LIMB - 1) / FIVES_PER_LIMB : 0;
    if (divisions > 0)
        bignum.count = divisions + 3;
    int exponent = power_of_two + power_of_ten - 32 * bignum.count;
    bignum.limbs[bignum.count++] = (uint32_t)mantissa;
    if (mantissa >> 32)
        bignum.limbs[bignum.count++] = (uint32_t)(mantissa >> 32);
    for (int left = abs(power_of_ten); left > 0; left -= FIVES_PER_LIMB) {
        const uint32_t factor = power_of_five[left < FIVES_PER_LIMB ? left : FIVES_PER_LIMB];
        if (power_of_ten > 0)
            bignum_multiply(&bignum, factor);
        else
            bignum_divide(&bignum, factor);
    }
    return bignum_leading_bits(&bignum, exponent);
}

uint64_t decimal_round_double(struct scaled value)
{
    /* The exponent of the result's lowest bit: 53 bits, fewer where they would be below 2⁻¹⁰⁷⁴. */
    int exponent = value.exponent + 11 < -1074 ? -1074 : value.exponent + 11;
    int cut = exponent - value.exponent;
    if (cut > 64)
        return 0;
    uint64_t kept = cut < 64 ? value.top >> cut : 0;
    uint64_t half = (uint64_t)1 << (cut - 1);
    uint64_t below = value.top & (half - 1);
    if ((value.top & half) && (below || value.inexact || (kept & 1)))
        kept++;
    if (exponent > 971)
        return (uint64_t)0x7FF << 52;
    /* The sum carries a 53rd bit, also one that rounding made, into the exponent, which grows by 1
     * as it should; for the largest numbers the result is infinity. */
    return ((uint64_t)(exponent + 1074) << 52) + kept;
}

enum { EXPONENT_MAX = 1 << 30 };

static int64_t read_exponent(const char *text, size_t length)
{
    bool negative = length > 0 && text[0] == '-';
    int64_t value = 0;
    for (size_t i = length > 0 && (text[0] == '-' || text[0] == '+'); i < length; i++)
        value = value < EXPONENT_MAX ? value * 10 + (text[i] - '0') : value;
    return negative ? -value : value;
}

bool decimal_read(const char *text, size_t length, struct decimal *decimal)
{
    if (length == 0 || number_scan(text, length) != length)
        return false;
    *decimal = (struct decimal){.negative = text[0] == '-'};
    const char *start = text + decimal->negative;
    const char *end = text + length;
    const char *stop = start; /* the end of the digits, where the exponent begins */
    while (stop < end && *stop != 'e' && *stop != 'E')
        stop++;
    const char *dot = memchr(start, '.', (size_t)(stop - start));
    const char *first = start;
    while (first < stop && (*first == '0' || *first == '.'))
        first++;
    if (first == stop)
        return true;
    int64_t point = (dot ? dot : stop) - first + (dot && dot < first);
    decimal->digits = first;
    decimal->length = (size_t)(stop - first);
    decimal->point = point + (stop < end ? read_exponent(stop + 1, (size_t)(end - stop) - 1) : 0);
    return true;
}
