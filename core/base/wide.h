/* Signed integers of 128 bits, two's complement, wrapping. Compilers for 64-bit machines have them;
 * elsewhere, and with TERRANE_NO_INT128, they are two halves. Both give the same bits. */
#ifndef TERRANE_BASE_WIDE_H
#define TERRANE_BASE_WIDE_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__SIZEOF_INT128__) && !defined(TERRANE_NO_INT128)

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 wide_unsigned;

static inline wide wide_of(int64_t value)
{
    return value;
}

static inline wide wide_product(int64_t a, int64_t b)
{
    return (wide)a * b;
}

static inline wide wide_sum(wide a, wide b)
{
    return (wide)((wide_unsigned)a + (wide_unsigned)b);
}

/* By 0 … 127 bits. */
static inline wide wide_shift_left(wide a, unsigned bits)
{
    return (wide)((wide_unsigned)a << bits);
}

/* Towards minus infinity, by 0 … 127 bits. */
static inline wide wide_shift_right(wide a, unsigned bits)
{
    return a >> bits;
}

static inline uint64_t wide_low(wide a)
{
    return (uint64_t)a;
}

static inline int64_t wide_high(wide a)
{
    return (int64_t)(a >> 64);
}

static inline bool wide_less(wide a, wide b)
{
    return a < b;
}

/* The remainder of a division, 0 … divisor − 1; the divisor is 1 … 2⁶². */
static inline uint64_t wide_modulo(wide a, uint64_t divisor)
{
    const wide rest = a % (wide)divisor;
    return (uint64_t)(rest < 0 ? rest + (wide)divisor : rest);
}

#else

typedef struct {
    uint64_t low;
    int64_t high;
} wide;

static inline wide wide_of(int64_t value)
{
    return (wide){(uint64_t)value, value < 0 ? -1 : 0};
}

static inline uint64_t wide_low(wide a)
{
    return a.low;
}

static inline int64_t wide_high(wide a)
{
    return a.high;
}

static inline wide wide_sum(wide a, wide b)
{
    const uint64_t low = a.low + b.low;
    return (wide){low, (int64_t)((uint64_t)a.high + (uint64_t)b.high + (low < a.low))};
}

/* Schoolbook, in halves of 32 bits; a negative factor takes the other off the high half. */
static inline wide wide_product(int64_t a, int64_t b)
{
    const uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
    const uint64_t a0 = ua & 0xFFFFFFFFu, a1 = ua >> 32, b0 = ub & 0xFFFFFFFFu, b1 = ub >> 32;
    const uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0;
    const uint64_t middle = (p00 >> 32) + (p01 & 0xFFFFFFFFu) + (p10 & 0xFFFFFFFFu);
    uint64_t high = a1 * b1 + (p01 >> 32) + (p10 >> 32) + (middle >> 32);
    high -= a < 0 ? ub : 0;
    high -= b < 0 ? ua : 0;
    return (wide){middle << 32 | (p00 & 0xFFFFFFFFu), (int64_t)high};
}

/* By 0 … 127 bits. */
static inline wide wide_shift_left(wide a, unsigned bits)
{
    if (bits == 0)
        return a;
    if (bits >= 64)
        return (wide){0, (int64_t)(a.low << (bits - 64))};
    return (wide){a.low << bits, (int64_t)((uint64_t)a.high << bits | a.low >> (64 - bits))};
}

/* Towards minus infinity, by 0 … 127 bits. */
static inline wide wide_shift_right(wide a, unsigned bits)
{
    if (bits == 0)
        return a;
    if (bits >= 64)
        return wide_of(a.high >> (bits - 64));
    return (wide){a.low >> bits | (uint64_t)a.high << (64 - bits), a.high >> bits};
}

static inline bool wide_less(wide a, wide b)
{
    return a.high != b.high ? a.high < b.high : a.low < b.low;
}

/* The remainder of a division, in 0 … divisor − 1; the divisor is 1 … 2⁶². */
static inline uint64_t wide_modulo(wide a, uint64_t divisor)
{
    const uint64_t high = (uint64_t)wide_high(a), low = wide_low(a);
    uint64_t rest = 0;
    for (int bit = 127; bit >= 0; bit--) {
        rest = rest << 1 | ((bit >= 64 ? high >> (bit - 64) : low >> bit) & 1);
        rest -= rest >= divisor ? divisor : 0;
    }
    if (wide_high(a) >= 0)
        return rest;
    /* So far that was a + 2¹²⁸. */
    uint64_t all = 1;
    for (int bit = 0; bit < 128; bit++) {
        all <<= 1;
        all -= all >= divisor ? divisor : 0;
    }
    all %= divisor;
    return rest >= all ? rest - all : rest + (divisor - all);
}

#endif

#endif
