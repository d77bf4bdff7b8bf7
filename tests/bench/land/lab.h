/* How different colours look. A colour is a place in CIE L*a*b* (1976), to which sRGB (IEC
 * 61966-2-1) is converted with the white point D65; a difference is the distance of two places
 * (CIE76): 2.3 is just seen, 10 at a glance. */
#ifndef TERRANE_BENCH_LAND_LAB_H
#define TERRANE_BENCH_LAND_LAB_H

#include <stdint.h>

/* Writes L*, 0 … 100, a* and b* of red, green and blue, 0 … 255. */
void lab_of(const double rgb[3], double lab[3]);
/* The difference of two colours, red, green and blue. */
double lab_difference(const double a[3], const double b[3]);

/* Sums over pixels. A zeroed struct is of none. */
struct lab_sums {
    double count, sum[3], squares;
};
void lab_add(struct lab_sums *sums, const uint8_t rgb[3]);
/* The root mean square of the differences to the mean colour; 0 of no pixels. */
double lab_deviation(const struct lab_sums *sums);

#endif
