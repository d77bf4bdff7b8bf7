/* Capes of a survey: land with water on most sides and land behind it. */
#ifndef TERRANE_LABELS_SURVEY_CAPE_H
#define TERRANE_LABELS_SURVEY_CAPE_H

#include "core/labels/label_survey.h"

/* Finds the cape that reaches farthest into the water, of equals the first; false if the cell has
 * none. Its axis is the direction into the water, not a unit. */
bool survey_find_cape(const struct survey *survey, struct survey_feature *cape);

#endif
