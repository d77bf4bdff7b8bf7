#include "core/tile/mercator.h"

#include <math.h>

#define PI 3.14159265358979323846
#define HALF_WORLD 0x1p24 /* metres from the centre to the edge of the square */

/* Taylor's series, for |angle| <= 0.75: nine terms leave less than 1e-17 of the tangent. */
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
static double area_tangent(double value)
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
    return -2 * area_tangent(tangent(latitude * (PI / 360))) / PI * HALF_WORLD;
}

/* To the nearest 2⁻¹⁶ m, ties to even: doubles of this size have no more digits. */
static int64_t nearest(double metres)
{
    return (int64_t)(metres * (double)PLACE_METRE + 0x1.8p52 - 0x1.8p52);
}

struct place mercator_place(double longitude, double latitude)
{
    return (struct place){nearest(mercator_east(longitude)), nearest(mercator_south(latitude))};
}
