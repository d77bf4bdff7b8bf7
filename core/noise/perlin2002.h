/* The lattice of Ken Perlin's published improved noise: his permutation of 0 … 255 and his twelve
 * gradients, the edges of a cube. K. Perlin, "Improving Noise" (SIGGRAPH 2002) and its reference
 * implementation. Internal to this folder. */
#ifndef TERRANE_NOISE_PERLIN2002_H
#define TERRANE_NOISE_PERLIN2002_H

#include <stdint.h>

extern const uint8_t perlin2002_permutation[256];
extern const signed char perlin2002_gradients[16][3];

/* The gradient at a lattice point, whose coordinates count modulo 256. */
static inline const signed char *perlin2002_gradient(uint32_t x, uint32_t y, uint32_t z)
{
    const uint8_t *p = perlin2002_permutation;
    uint32_t line = p[x & 255] + y;
    uint32_t plane = p[line & 255] + z;
    return perlin2002_gradients[p[plane & 255] & 15];
}

#endif
