/* Angles in degrees, by exact operations only: arc tangents of libm differ between machines. */
#ifndef TERRANE_TERRAIN_ANGLE_H
#define TERRANE_TERRAIN_ANGLE_H

/* The arc tangent, -90 … 90, good to 1e-11. */
double angle_of_tangent(double tangent);

/* A direction as degrees clockwise from north, 0 … 360; 0 for the null vector. */
double angle_bearing(double east, double north);

#endif
