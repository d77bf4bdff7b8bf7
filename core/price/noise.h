/* The price of noise for a sample, by how samples are taken; internal to core/price. */
#ifndef TERRANE_PRICE_NOISE_H
#define TERRANE_PRICE_NOISE_H

#include "core/noise/noise.h"
#include "core/price/sampling_price.h"

struct sampling_price price_noise(const struct noise *noise, bool displaced,
                                  struct sampling sampling);

#endif
