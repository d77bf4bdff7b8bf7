/* Web Mercator by series of + − × ÷ and sqrt, which IEEE 754 rounds exactly: the results are the
 * same on every machine and with every libm. Arguments are first reduced by half-angle formulas, so
 * that a few terms of a series are enough. */
#include "core/tile/mercator.h"

#include <math.h>

#include "core/terrain/angle.h"

#define PI 3.14159265358979323846
#define HALF_WORLD 0x1p24 /* metres from the centre to the edge of the square */

/* Taylor's series, for |angle| <= 0.79: nine terms leave less than 1e-17 of the tangent. */
static double tangent(double angle)
{
    double square = angle * angle;
    double sine = 0, cosine = 0;
    for (int i = 16; i > 0; i -= 2) {
        sine = (1 + sine) * -square / (i * (i + 1));
        cosine = (1 + cosine) * -square / (i * (i - 1));
    }
    return angle * (1 + sine) / (1 + cosine);
}

/* The series z + z³/3 + z⁵/5 …, for |value| <= 0.92. atanh(z) = 2 atanh(z / (1 + √(1 − z²))), three
 * times, takes z below 0.2, where twelve terms are enough. */
static double inverse_tanh(double value)
{
    enum { HALVINGS = 3, TERMS = 12 };
    for (int i = 0; i < HALVINGS; i++)
        value /= 1 + sqrt((1 - value) * (1 + value));
    double square = value * value;
    double sum = 0;
    for (int i = 2 * TERMS - 1; i > 0; i -= 2)
        sum = sum * square + 1.0 / i;
    return value * sum * (1 << HALVINGS);
}

double mercator_east(double longitude)
{
    return longitude / 180 * HALF_WORLD;
}

/* ln(tan(45° + φ/2)) = 2 atanh(tan(φ/2)). */
double mercator_south(double latitude)
{
    return -2 * inverse_tanh(tangent(latitude * (PI / 360))) / PI * HALF_WORLD;
}

/* Rounds to the nearest 2⁻¹⁶ m, ties to even: adding 1.5 · 2⁵² leaves a double no bits below 1. */
static int64_t nearest(double metres)
{
    return (int64_t)(metres * (double)PLACE_METRE + 0x1.8p52 - 0x1.8p52);
}

struct place mercator_place(double longitude, double latitude)
{
    return (struct place){nearest(mercator_east(longitude)), nearest(mercator_south(latitude))};
}

double mercator_longitude(double east)
{
    return east / HALF_WORLD * 180;
}

/* tanh, for |value| <= π/2: by the series of sinh and cosh for an eighth of it, and tanh 2a =
 * 2 tanh a / (1 + tanh² a) three times. */
static double hyperbolic_tangent(double value)
{
    enum { DOUBLINGS = 3 };
    double part = value / (1 << DOUBLINGS), square = part * part;
    double sine = 0, cosine = 0;
    for (int i = 12; i > 0; i -= 2) {
        sine = (1 + sine) * square / (i * (i + 1));
        cosine = (1 + cosine) * square / (i * (i - 1));
    }
    double result = part * (1 + sine) / (1 + cosine);
    for (int i = 0; i < DOUBLINGS; i++)
        result = 2 * result / (1 + result * result);
    return result;
}

/* tan(φ/2) = tanh(t/2) with t = −π·y / 2²⁴. */
static double half_latitude_tangent(double south)
{
    return hyperbolic_tangent(-south / HALF_WORLD * (PI / 2));
}

double mercator_latitude(double south)
{
    return 2 * angle_of_tangent(half_latitude_tangent(south));
}

/* The angle whose half has that tangent. */
static struct mercator_angle twice(double half_tangent)
{
    const double square = half_tangent * half_tangent;
    return (struct mercator_angle){2 * half_tangent / (1 + square), (1 - square) / (1 + square)};
}

/* From the tangent of a quarter: that of the half is infinite at 180°. */
struct mercator_angle mercator_longitude_angle(double east)
{
    const struct mercator_angle half = twice(tangent(east / HALF_WORLD * (PI / 4)));
    return (struct mercator_angle){2 * half.sine * half.cosine,
                                   (half.cosine - half.sine) * (half.cosine + half.sine)};
}

struct mercator_angle mercator_latitude_angle(double south)
{
    return twice(half_latitude_tangent(south));
}
