/* Signed integers of 128 bits, two's complement, wrapping. Compilers for 64-bit machines have them;
 * elsewhere, and with TERRANE_NO_INT128, a struct of two halves replaces them. Both give the same
 * bits. */
#ifndef TERRANE_BASE_INT128_H
#define TERRANE_BASE_INT128_H

#include <stdbool.h>
#include <stdint.h>

/* A product of two unsigned numbers. */
struct wide {
    uint64_t high, low;
};

#if defined(__SIZEOF_INT128__) && !defined(TERRANE_NO_INT128)

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

static inline int128 int128_from(int64_t value)
{
    return value;
}

static inline int128 int128_multiply(int64_t a, int64_t b)
{
    return (int128)a * b;
}

static inline struct wide wide_multiply(uint64_t a, uint64_t b)
{
    const uint128 product = (uint128)a * b;
    return (struct wide){(uint64_t)(product >> 64), (uint64_t)product};
}

static inline int128 int128_add(int128 a, int128 b)
{
    return (int128)((uint128)a + (uint128)b);
}

/* Shifts by 0 … 127 bits. */
static inline int128 int128_shift_left(int128 a, unsigned bits)
{
    return (int128)((uint128)a << bits);
}

/* Towards minus infinity, by 0 … 127 bits. */
static inline int128 int128_shift_right(int128 a, unsigned bits)
{
    return a >> bits;
}

static inline uint64_t int128_low(int128 a)
{
    return (uint64_t)a;
}

static inline int64_t int128_high(int128 a)
{
    return (int64_t)(a >> 64);
}

static inline bool int128_less(int128 a, int128 b)
{
    return a < b;
}

/* The remainder of a division, 0 … divisor − 1; the divisor is 1 … 2⁶². */
static inline uint64_t int128_modulo(int128 a, uint64_t divisor)
{
    const int128 rest = a % (int128)divisor;
    return (uint64_t)(rest < 0 ? rest + (int128)divisor : rest);
}

#else

typedef struct {
    uint64_t low;
    int64_t high;
} int128;

static inline int128 int128_from(int64_t value)
{
    return (int128){(uint64_t)value, value < 0 ? -1 : 0};
}

static inline uint64_t int128_low(int128 a)
{
    return a.low;
}

static inline int64_t int128_high(int128 a)
{
    return a.high;
}

static inline int128 int128_add(int128 a, int128 b)
{
    const uint64_t low = a.low + b.low;
    return (int128){low, (int64_t)((uint64_t)a.high + (uint64_t)b.high + (low < a.low))};
}

/* Schoolbook, in halves of 32 bits. */
static inline struct wide wide_multiply(uint64_t a, uint64_t b)
{
    const uint64_t a0 = a & 0xFFFFFFFFu, a1 = a >> 32, b0 = b & 0xFFFFFFFFu, b1 = b >> 32;
    const uint64_t p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0;
    const uint64_t middle = (p00 >> 32) + (p01 & 0xFFFFFFFFu) + (p10 & 0xFFFFFFFFu);
    const uint64_t high = a1 * b1 + (p01 >> 32) + (p10 >> 32) + (middle >> 32);
    return (struct wide){high, middle << 32 | (p00 & 0xFFFFFFFFu)};
}

/* A negative factor takes the other off the high half. */
static inline int128 int128_multiply(int64_t a, int64_t b)
{
    const struct wide product = wide_multiply((uint64_t)a, (uint64_t)b);
    const uint64_t negative = (a < 0 ? (uint64_t)b : 0) + (b < 0 ? (uint64_t)a : 0);
    return (int128){product.low, (int64_t)(product.high - negative)};
}

/* By 0 … 127 bits. */
static inline int128 int128_shift_left(int128 a, unsigned bits)
{
    if (bits == 0)
        return a;
    if (bits >= 64)
        return (int128){0, (int64_t)(a.low << (bits - 64))};
    return (int128){a.low << bits, (int64_t)((uint64_t)a.high << bits | a.low >> (64 - bits))};
}

/* Towards minus infinity, by 0 … 127 bits. */
static inline int128 int128_shift_right(int128 a, unsigned bits)
{
    if (bits == 0)
        return a;
    if (bits >= 64)
        return int128_from(a.high >> (bits - 64));
    return (int128){a.low >> bits | (uint64_t)a.high << (64 - bits), a.high >> bits};
}

static inline bool int128_less(int128 a, int128 b)
{
    return a.high != b.high ? a.high < b.high : a.low < b.low;
}

/* The remainder of a division, in 0 … divisor − 1; the divisor is 1 … 2⁶². */
static inline uint64_t int128_modulo(int128 a, uint64_t divisor)
{
    const uint64_t high = (uint64_t)int128_high(a), low = int128_low(a);
    uint64_t rest = 0;
    for (int bit = 127; bit >= 0; bit--) {
        rest = rest << 1 | ((bit >= 64 ? high >> (bit - 64) : low >> bit) & 1);
        rest -= rest >= divisor ? divisor : 0;
    }
    if (int128_high(a) >= 0)
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
