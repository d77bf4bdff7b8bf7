/* The warp of a drainage network may fold and stretch the plane: that is found by a bound, and by
 * the determinant of its derivative at random places, from differences over half a metre. */
#include "core/price/inspect_warp.h"

#include "core/price/corners.h"
#include "core/sampling/sampler_nested.h"

enum {
    BATCH = 64, /* places at once; each is three samples */
    APART = PLACE_METRE / 2,
    REACH_BITS = 21, /* places are within ± 2²⁰ m */
};

/* By how much the warp multiplies an area; negative where it folds the plane. The derivative is 1
 * and the moves' differences. */
static double determinant(const float *x, const float *y)
{
    const double apart = place_metres(APART);
    const double xx = 1.0 + (double)(x[1] - x[0]) / apart, xy = (double)(x[2] - x[0]) / apart;
    const double yy = 1.0 + (double)(y[2] - y[0]) / apart, yx = (double)(y[1] - y[0]) / apart;
    return xx * yy - xy * yx;
}

bool inspect_warp(const struct program *program, struct sampler *sampler, struct inspect_warp *warp)
{
    const struct program_drainage *drainage = &program->drainage;
    struct place places[BATCH * CORNERS];
    float moves[2][BATCH * CORNERS] = {{0}};
    int32_t operations[2];
    float *outputs[2];
    struct sampler_operations wanted = {operations, outputs, 0};
    double area = 0.0;
    *warp = (struct inspect_warp){
        .places = warp->places, .steepness = drainage->warp_steepness, .stretch = 1.0};
    for (int axis = 0; axis < 2; axis++) {
        if (drainage->spacing_log2 == 0 || drainage->warp[axis] < 0)
            continue;
        operations[wanted.count] = drainage->warp[axis];
        outputs[wanted.count++] = moves[axis];
    }
    const struct sample_points points = {places, BATCH * CORNERS, 0.0, 0, 0};
    for (uint64_t i = 0; i < warp->places && warp->steepness >= 1.0; i += BATCH) {
        for (uint64_t k = 0; k < BATCH; k++)
            corners_write(hash_mix(i + k), REACH_BITS, APART, places + k * CORNERS);
        if (!sampler_nested_points(sampler, program, &points, &wanted))
            return false;
        for (size_t k = 0; k < BATCH; k++) {
            const double times = determinant(moves[0] + k * CORNERS, moves[1] + k * CORNERS);
            warp->folded += times <= 0.0;
            area += __builtin_fabs(times);
        }
        warp->stretch = __builtin_sqrt(area / (double)(i + BATCH));
    }
    return true;
}
