#include "core/labels/survey_cape.h"

enum {
    CAPE_NEAR = 3, /* of the 8 samples around a cape so many are land at most, */
    CAPE_FAR = 7,  /* and so many of the 16 around those: at least one */
};

/* The square rings of samples one and two steps away, clockwise. */
static const int8_t near_ring[8][2] = {{0, -1}, {1, -1}, {1, 0},  {1, 1},
                                       {0, 1},  {-1, 1}, {-1, 0}, {-1, -1}};
static const int8_t far_ring[16][2] = {{0, -2}, {1, -2},  {2, -2},  {2, -1}, {2, 0},  {2, 1},
                                       {2, 2},  {1, 2},   {0, 2},   {-1, 2}, {-2, 2}, {-2, 1},
                                       {-2, 0}, {-2, -1}, {-2, -2}, {-1, -2}};

/* Counts the samples of a ring on land; 0 if there are none, or if water is between them. */
static unsigned count_land(const struct survey *survey, int column, int row,
                           const int8_t (*ring)[2], unsigned samples)
{
    unsigned land = 0, shores = 0;
    bool before = false;
    for (unsigned i = 0; i <= samples; i++) {
        const int8_t *step = ring[i % samples];
        const bool is_land =
            survey->classes[(row + step[1]) * SURVEY_SIDE + column + step[0]] != SURVEY_WATER;
        shores += i > 0 && is_land != before;
        land += i > 0 && is_land;
        before = is_land;
    }
    return shores == 2 ? land : 0;
}

/* The direction from the land around to the water. */
static void point_to_water(const struct survey *survey, struct survey_feature *cape)
{
    cape->axis[0] = cape->axis[1] = 0.0f;
    for (int i = 0; i < 16; i++) {
        const int x = cape->column + far_ring[i][0], y = cape->row + far_ring[i][1];
        const float sign = survey->classes[y * SURVEY_SIDE + x] == SURVEY_WATER ? 1.0f : -1.0f;
        cape->axis[0] += sign * (float)far_ring[i][0];
        cape->axis[1] += sign * (float)far_ring[i][1];
    }
}

bool survey_find_cape(const struct survey *survey, struct survey_feature *feature)
{
    *feature = (struct survey_feature){.kind = NAME_CAPE, .samples = CAPE_NEAR + CAPE_FAR + 1};
    for (int row = SURVEY_AROUND; row < SURVEY_SIDE - SURVEY_AROUND; row++)
        for (int column = SURVEY_AROUND; column < SURVEY_SIDE - SURVEY_AROUND; column++) {
            if (survey->classes[row * SURVEY_SIDE + column] == SURVEY_WATER)
                continue;
            const unsigned near = count_land(survey, column, row, near_ring, 8);
            const unsigned far = near > 0 ? count_land(survey, column, row, far_ring, 16) : 0;
            if (near > CAPE_NEAR || far == 0 || far > CAPE_FAR || near + far >= feature->samples)
                continue;
            feature->samples = near + far;
            feature->column = column;
            feature->row = row;
        }
    if (feature->samples > CAPE_NEAR + CAPE_FAR)
        return false;
    point_to_water(survey, feature);
    return feature->axis[0] != 0.0f || feature->axis[1] != 0.0f;
}
