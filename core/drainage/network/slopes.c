/* See slopes.h. */
#include "core/drainage/network/slopes.h"

/* Powers of SHAPE_RELIEF_SHARE as floats, each the product of the one before. */
#define POWER_1 SHAPE_RELIEF_SHARE
#define POWER_2 (POWER_1 * SHAPE_RELIEF_SHARE)
#define POWER_3 (POWER_2 * SHAPE_RELIEF_SHARE)
#define POWER_4 (POWER_3 * SHAPE_RELIEF_SHARE)
#define POWER_5 (POWER_4 * SHAPE_RELIEF_SHARE)
#define POWER_6 (POWER_5 * SHAPE_RELIEF_SHARE)
#define POWER_7 (POWER_6 * SHAPE_RELIEF_SHARE)
#define POWER_8 (POWER_7 * SHAPE_RELIEF_SHARE)
#define POWER_9 (POWER_8 * SHAPE_RELIEF_SHARE)
#define POWER_10 (POWER_9 * SHAPE_RELIEF_SHARE)
#define POWER_11 (POWER_10 * SHAPE_RELIEF_SHARE)
#define POWER_12 (POWER_11 * SHAPE_RELIEF_SHARE)
#define POWER_13 (POWER_12 * SHAPE_RELIEF_SHARE)
#define POWER_14 (POWER_13 * SHAPE_RELIEF_SHARE)
#define POWER_15 (POWER_14 * SHAPE_RELIEF_SHARE)

float relief_share(unsigned level)
{
    static const float shares[DRAINAGE_LEVELS_MAX + 2] = {
        1.0f,    1.0f,    POWER_1,  POWER_2,  POWER_3,  POWER_4,  POWER_5,  POWER_6,  POWER_7,
        POWER_8, POWER_9, POWER_10, POWER_11, POWER_12, POWER_13, POWER_14, POWER_15,
    };
    return shares[level];
}

float bed_depth(unsigned level, float relief)
{
    if (level == 0)
        return SHAPE_TRUNK_DEPTH_SHARE * relief + SHAPE_TRUNK_DEPTH;
    return SHAPE_BRANCH_DEPTH_SHARE * relief * relief_share(level + 1) + SHAPE_BRANCH_DEPTH;
}
