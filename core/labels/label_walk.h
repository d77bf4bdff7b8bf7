/* Walks from the sample of a survey to the very place of what it has found there: the tip of a
 * cape, the lowest place of a ridge. Each step looks at 5 × 5 samples of height, until they are
 * LABEL_WALK_FINER times nearer than those of the survey: a quarter of a pixel of the rank. From
 * step to step samples are twice as near for a cape, which may lie far beyond, and four times for a
 * pass, which lies between them. */
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
