/* Conversion by the formulas of IEC 61966-2-1 and CIE 15, in doubles. */
#include "tests/bench/land/lab.h"

#include <math.h>

/* Light in proportion to power, 0 … 1. */
static double linear_of(double value)
{
    const double share = value / 255;
    return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4);
}

/* Brightness as it is seen, of light that is a share of white. */
static double seen_of(double share)
{
    const double edge = 6.0 / 29;
    return share > edge * edge * edge ? cbrt(share) : share / (3 * edge * edge) + 4.0 / 29;
}

void lab_of(const double rgb[3], double lab[3])
{
    static const double xyz[3][3] = {{0.4124, 0.3576, 0.1805}, /* rows: X, Y, Z of red, … */
                                     {0.2126, 0.7152, 0.0722},
                                     {0.0193, 0.1192, 0.9505}};
    static const double white[3] = {0.9505, 1, 1.089}; /* the sums of the rows */
    double seen[3];
    for (int i = 0; i < 3; i++)
        seen[i] = seen_of((xyz[i][0] * linear_of(rgb[0]) + xyz[i][1] * linear_of(rgb[1]) +
                           xyz[i][2] * linear_of(rgb[2])) /
                          white[i]);
    lab[0] = 116 * seen[1] - 16;
    lab[1] = 500 * (seen[0] - seen[1]);
    lab[2] = 200 * (seen[1] - seen[2]);
}

double lab_difference(const double a[3], const double b[3])
{
    double first[3], second[3];
    lab_of(a, first);
    lab_of(b, second);
    return hypot(hypot(first[0] - second[0], first[1] - second[1]), first[2] - second[2]);
}

void lab_add(struct lab_sums *sums, const uint8_t rgb[3])
{
    const double colour[3] = {rgb[0], rgb[1], rgb[2]};
    double lab[3];
    lab_of(colour, lab);
    sums->count++;
    for (int i = 0; i < 3; i++) {
        sums->sum[i] += lab[i];
        sums->squares += lab[i] * lab[i];
    }
}

double lab_deviation(const struct lab_sums *sums)
{
    double variance = sums->squares;
    for (int i = 0; i < 3 && sums->count > 0; i++)
        variance -= sums->sum[i] * sums->sum[i] / sums->count;
    return sums->count > 0 && variance > 0 ? sqrt(variance / sums->count) : 0;
}
