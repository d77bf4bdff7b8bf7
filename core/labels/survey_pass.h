/* Passes of a survey: where a ridge is lowest, and the ground falls on both sides of it. */
#ifndef TERRANE_LABELS_SURVEY_PASS_H
#define TERRANE_LABELS_SURVEY_PASS_H

#include "core/labels/label_survey.h"

/* Finds the pass that is deepest below its ridge and highest above its valleys, by the lesser of
 * both; false if the cell has none of so many metres. Its axis is along the ridge. */
bool survey_find_pass(const struct survey *survey, float least, struct survey_feature *pass);

#endif
