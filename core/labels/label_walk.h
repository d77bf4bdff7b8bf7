/* Walks from the sample of a survey to the very place of what it has found there: the tip of a
 * cape, the lowest place of a ridge. Each step looks at 9 × 9 samples, until they are
 * LABEL_WALK_FINER times nearer than those of the survey: a quarter of a pixel of the rank. From
 * step to step samples are four times as near. They are samples of height, but of a cape of the
 * layer "coast" where there is one (shore.h): it has the same shore and needs no streams. */
#ifndef TERRANE_LABELS_LABEL_WALK_H
#define TERRANE_LABELS_LABEL_WALK_H

#include "core/labels/label_survey.h"

enum { LABEL_WALK_FINER = 128 };

/* True of kinds whose features are walked to. */
static inline bool label_is_walked_to(enum name_kind kind)
{
    return kind == NAME_CAPE || kind == NAME_PASS;
}

/* Sets `beyond` of a cape or pass whose sample, of those that are so many metres apart, is at
 * `from`; and `samples` to 0 if there is none. Errors are those of sampler_points(). */
bool label_walk(const struct label_source *source, struct place from, double metres,
                struct survey_feature *feature, struct error *error);

#endif
