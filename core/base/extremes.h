/* The lesser and the greater of two numbers that are not NaN. */
#ifndef TERRANE_BASE_EXTREMES_H
#define TERRANE_BASE_EXTREMES_H

static inline double double_min(double a, double b)
{
    return a < b ? a : b;
}

static inline double double_max(double a, double b)
{
    return a > b ? a : b;
}

#endif
