/* A monotone cubic spline: between points whose values rise it rises, so that a curve drawn through
 * heights has no ripples. F. N. Fritsch and R. E. Carlson, "Monotone Piecewise Cubic
 * Interpolation", 1980. */
#include "core/program/program.h"

/* The slopes at the points: the mean of the two secants, 0 at an extremum, and scaled down where
 * the cubic would overshoot (Fritsch and Carlson's circle of radius 3). */
static void spline_slopes(const double *points, uint32_t count, double *slopes)
{
    double secants[SPLINE_POINTS_MAX];
    for (uint32_t i = 0; i + 1 < count; i++)
        secants[i] = (points[2 * i + 3] - points[2 * i + 1]) / (points[2 * i + 2] - points[2 * i]);
    for (uint32_t i = 1; i + 1 < count; i++)
        slopes[i] = secants[i - 1] * secants[i] <= 0.0 ? 0.0 : (secants[i - 1] + secants[i]) / 2.0;
    slopes[0] = secants[0];
    slopes[count - 1] = secants[count - 2];
    for (uint32_t i = 0; i + 1 < count; i++) {
        if (secants[i] == 0.0) {
            slopes[i] = slopes[i + 1] = 0.0;
            continue;
        }
        double a = slopes[i] / secants[i], b = slopes[i + 1] / secants[i];
        double square = a * a + b * b;
        if (square > 9.0) {
            double t = 3.0 / __builtin_sqrt(square);
            slopes[i] = t * a * secants[i];
            slopes[i + 1] = t * b * secants[i];
        }
    }
}

/* Hermite form to power form: the coefficients of each segment around its left point. */
void spline_prepare(struct spline *spline, const double *points, uint32_t count)
{
    double slopes[SPLINE_POINTS_MAX] = {0};
    *spline = (struct spline){.count = count};
    if (count > 1)
        spline_slopes(points, count, slopes);
    for (uint32_t i = 0; i < count; i++) {
        spline->x[i] = (float)points[2 * i];
        spline->c0[i] = (float)points[2 * i + 1];
        if (i + 1 == count)
            break; /* flat from here on */
        double width = points[2 * i + 2] - points[2 * i];
        double secant = (points[2 * i + 3] - points[2 * i + 1]) / width;
        spline->c1[i] = (float)slopes[i];
        spline->c2[i] = (float)((3.0 * secant - 2.0 * slopes[i] - slopes[i + 1]) / width);
        spline->c3[i] = (float)((slopes[i] + slopes[i + 1] - 2.0 * secant) / (width * width));
    }
}
