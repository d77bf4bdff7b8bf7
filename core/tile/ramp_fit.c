/* Moves the stops of a ramp to the range of a layer, so that one style shows land of any height.
 *
 * The sides of 0 are moved each by itself, because 0 is the sea level: what was water stays water.
 * Of two stops at 0, which make the edge of the shore, the upper one belongs to the land. */
#include "core/tile/style_private.h"

/* The factor that makes `stops` as long as `room`, but no longer than they are. */
static float shrink(float stops, float room)
{
    return room > 0.0f && room < stops ? room / stops : 1.0f;
}

void ramp_fit(struct ramp *ramp, float low, float high)
{
    const float ground = low > 0.0f ? low : 0.0f, surface = high < 0.0f ? high : 0.0f;
    const float up = shrink(ramp->value[ramp->count - 1], high - ground);
    const float down = shrink(-ramp->value[0], surface - low);
    for (uint32_t i = 0; i < ramp->count; i++) {
        const float value = ramp->value[i];
        const bool is_upper = value > 0.0f || i + 1 == ramp->count || ramp->value[i + 1] > 0.0f;
        ramp->value[i] = value >= 0.0f && is_upper ? ground + value * up : surface + value * down;
    }
}
