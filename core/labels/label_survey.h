/* The survey of a cell (label_cells.h): the classes of its samples, and what is found among them.
 */
#ifndef TERRANE_LABELS_LABEL_SURVEY_H
#define TERRANE_LABELS_LABEL_SURVEY_H

#include "core/labels/label.h"

enum {
    LABEL_CELL_PIXELS = 384, /* across a cell of rank z at zoom z */
    LABEL_CELL_SIDE = 12,    /* samples */
    LABEL_CELL_RANK_MIN = LABEL_ZOOM_MIN,
    LABEL_CELL_RANK_MAX = 16,
    LABEL_CELL_RANK_DRY = 17, /* the same in worlds without streams */
    LABEL_CAPE_RANK_MIN = 6,  /* of cells with capes */
    LABEL_CAPE_RANK_MAX = 13,
    LABEL_PASS_RANK_MIN = 8, /* and with passes */
    LABEL_PASS_RANK_MAX = 13,
};
enum {
    SURVEY_AROUND = 2, /* samples around the cell */
    SURVEY_SIDE = LABEL_CELL_SIDE + 2 * SURVEY_AROUND,
    SURVEY_COUNT = SURVEY_SIDE * SURVEY_SIDE,
};

/* The level of detail of samples that are so many metres apart, in metres: theirs, or up to four
 * times as coarse. Few levels of detail are looked at, as each makes its own streams; those of
 * summits (label.h) are among them. */
double survey_detail(double metres);

enum survey_class {
    SURVEY_OTHER,
    SURVEY_WATER,
    SURVEY_RANGE,
    SURVEY_PLATEAU,
    SURVEY_PLAIN,
    SURVEY_DESERT,
    SURVEY_FOREST,
    SURVEY_CLASSES
};

struct survey {
    int rank;
    bool is_dry; /* in a world without streams */
    float heights[SURVEY_COUNT], biomes[SURVEY_COUNT];
    uint8_t classes[SURVEY_COUNT];   /* enum survey_class */
    unsigned counts[SURVEY_CLASSES]; /* of samples in the cell */
};

/* A feature: where, in samples from the north-west of the survey, and how large. */
struct survey_feature {
    enum name_kind kind;
    int column, row;
    unsigned samples;
    float axis[2];   /* of a cape and of a pass: survey_cape.h, survey_pass.h */
    double length;   /* in samples */
    float least;     /* of a pass: metres, the height of its valleys */
    float beyond[2]; /* of a cape or pass that is walked to: metres from the sample to it */
    bool walked;
};
enum { SURVEY_FEATURES = 6 };

/* True if cells of a rank may have capes; passes. */
static inline bool survey_has_capes(int rank)
{
    return rank >= LABEL_CAPE_RANK_MIN && rank <= LABEL_CAPE_RANK_MAX;
}

static inline bool survey_has_passes(int rank)
{
    return rank >= LABEL_PASS_RANK_MIN && rank <= LABEL_PASS_RANK_MAX;
}

/* Classifies the samples of a survey; returns the number of features found in it. */
unsigned survey_find(struct survey *survey, const struct world *world,
                     struct survey_feature features[SURVEY_FEATURES]);

/* True if samples of the feature's class, or of an island's land, connect its place with the sample
 * of such a column and row, or with one beside it if `near`. */
bool survey_holds(const struct survey *survey, const struct survey_feature *feature, int column,
                  int row, bool near);

#endif
