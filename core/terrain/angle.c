/* Arc tangents by square roots and a short series, as the C library's atan() does not give the same
 * bits on every machine. */
#include "core/terrain/angle.h"

#include <math.h>

#define PI 3.14159265358979323846

/* For tangent ≥ 0. Tangents above 1 use the complementary angle. Then the angle is halved three
 * times by tan(a/2) = tan a / (1 + √(1 + tan² a)), after which six terms of the Taylor series have
 * an error below 1e-13. */
static double radians_of_tangent(double tangent)
{
    if (tangent > 1)
        return PI / 2 - radians_of_tangent(1 / tangent);
    double x = tangent;
    for (int i = 0; i < 3; i++)
        x = x / (1 + sqrt(1 + x * x));
    double s = x * x;
    return 8 * x *
           (1 - s * (1.0 / 3 - s * (1.0 / 5 - s * (1.0 / 7 - s * (1.0 / 9 - s * (1.0 / 11))))));
}

double angle_of_tangent(double tangent)
{
    double angle = 180 / PI * radians_of_tangent(fabs(tangent));
    return tangent < 0 ? -angle : angle;
}

double angle_bearing(double east, double north)
{
    double x = fabs(east), y = fabs(north);
    if (x == 0 && y == 0)
        return 0;
    double angle = y == 0 ? 90 : angle_of_tangent(x / y);
    if (north < 0)
        angle = 180 - angle;
    return east < 0 && angle > 0 ? 360 - angle : angle;
}
