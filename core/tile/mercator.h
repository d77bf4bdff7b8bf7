/* From degrees to places: Web Mercator, whose square map is the world's central square of 2²⁵ m.
 *
 * With λ and φ in degrees: x = λ/180 · 2²⁴ m, y = −ln(tan(45° + φ/2)) / π · 2²⁴ m. Computed with
 * + − × ÷ sqrt alone, so that the same degrees are the same place on every machine, which libm's
 * logarithm does not promise. */
#ifndef TERRANE_TILE_MERCATOR_H
#define TERRANE_TILE_MERCATOR_H

#include "core/base/place.h"

#define MERCATOR_LONGITUDE_MAX 180.0
#define MERCATOR_LATITUDE_MAX 85.0511287798066 /* where the map is square */

/* Metres east and south of the centre, good to 1e-7 m. Within ± the two limits; 85.0511287798066
 * itself is 1e-8 m outside the square. */
double mercator_east(double longitude);
double mercator_south(double latitude);
/* The place nearest to it. */
struct place mercator_place(double longitude, double latitude);

/* The inverse: degrees from metres within ±2²⁴, good to 1e-9. */
double mercator_longitude(double east);
double mercator_latitude(double south);

/* The sine and cosine of those, for the directions of places on a globe. */
struct mercator_angle {
    double sine, cosine;
};
struct mercator_angle mercator_longitude_angle(double east);
struct mercator_angle mercator_latitude_angle(double south);

#endif
