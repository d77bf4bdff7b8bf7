/* Weights become whole numbers first, relative to the largest one, so that the division of the
 * shares, its remainders and their order are integer arithmetic. */
#include "core/worldfile/materials.h"

#include <stdint.h>

#include "core/worldfile/world.h"

/* The largest weight as a whole number: products with MATERIALS_WHOLE fit into 32 bits. */
#define UNIT 0x1p24f

static float largest(float *const *weights, unsigned count, size_t at)
{
    float most = 0.0f;
    for (unsigned k = 0; k < count; k++)
        most = weights[k][at] > most ? weights[k][at] : most;
    return most;
}

/* Gives one more to the `missing` materials with the largest remainders. */
static void give_missing(uint32_t *remainders, unsigned count, uint32_t missing, uint32_t *shares)
{
    for (; missing > 0; missing--) {
        unsigned chosen = 0;
        for (unsigned k = 1; k < count; k++)
            chosen = remainders[k] > remainders[chosen] ? k : chosen;
        shares[chosen]++;
        remainders[chosen] = 0;
    }
}

static void share(float *const *weights, unsigned count, size_t at,
                  uint32_t shares[WORLD_MATERIALS_MAX])
{
    const float most = largest(weights, count, at);
    uint32_t parts[WORLD_MATERIALS_MAX], remainders[WORLD_MATERIALS_MAX];
    uint32_t sum = 0, missing = MATERIALS_WHOLE;
    for (unsigned k = 0; k < count; k++) {
        const float weight = weights[k][at];
        parts[k] = weight > 0.0f ? (uint32_t)(weight / most * UNIT) : k == 0 && !(most > 0.0f);
        sum += parts[k];
    }
    for (unsigned k = 0; k < count; k++) {
        const uint32_t product = parts[k] * MATERIALS_WHOLE;
        shares[k] = product / sum;
        remainders[k] = product % sum;
        missing -= shares[k];
    }
    give_missing(remainders, count, missing, shares);
}

void materials_share(float *const *weights, unsigned count, size_t samples)
{
    for (size_t i = 0; i < samples; i++) {
        uint32_t shares[WORLD_MATERIALS_MAX];
        share(weights, count, i, shares);
        for (unsigned k = 0; k < count; k++)
            weights[k][i] = (float)shares[k];
    }
}
