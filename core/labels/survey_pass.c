#include "core/labels/survey_pass.h"

enum { REACH = 2 }; /* samples from a pass to its ridge and into its valleys */
enum { AXES = 4 };
static const int8_t axes[AXES][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 1}};

/* The lower or the higher of the heights on both sides of a sample, in a direction. */
static float lower_side(const struct survey *survey, int at, int away)
{
    const float a = survey->heights[at - away], b = survey->heights[at + away];
    return a < b ? a : b;
}

static float higher_side(const struct survey *survey, int at, int away)
{
    const float a = survey->heights[at - away], b = survey->heights[at + away];
    return a > b ? a : b;
}

/* Looks at one axis of a sample. */
static void look_along(const struct survey *survey, int at, unsigned axis,
                       struct survey_feature *pass, float *best)
{
    const int8_t *const ridge = axes[axis], *const valley = axes[(axis + 2) % AXES];
    const float height = survey->heights[at];
    const float valleys = higher_side(survey, at, REACH * (valley[1] * SURVEY_SIDE + valley[0]));
    const float rise = lower_side(survey, at, REACH * (ridge[1] * SURVEY_SIDE + ridge[0])) - height;
    const float score = rise < height - valleys ? rise : height - valleys;
    if (!(score > *best))
        return;
    *best = score;
    pass->column = at % SURVEY_SIDE;
    pass->row = at / SURVEY_SIDE;
    pass->axis[0] = ridge[0];
    pass->axis[1] = ridge[1];
    pass->least = valleys > 0.0f ? valleys : 0.0f;
}

bool survey_find_pass(const struct survey *survey, float least, struct survey_feature *pass)
{
    float best = least;
    *pass = (struct survey_feature){.kind = NAME_PASS};
    for (int row = SURVEY_AROUND; row < SURVEY_SIDE - SURVEY_AROUND; row++)
        for (int column = SURVEY_AROUND; column < SURVEY_SIDE - SURVEY_AROUND; column++)
            for (unsigned axis = 0; axis < AXES; axis++)
                look_along(survey, row * SURVEY_SIDE + column, axis, pass, &best);
    pass->samples = best > least;
    return best > least;
}
