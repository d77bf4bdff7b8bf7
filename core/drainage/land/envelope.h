/* The land between streams. Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_LAND_ENVELOPE_H
#define TERRANE_DRAINAGE_LAND_ENVELOPE_H

#include "core/drainage/land/leaf.h"
#include "core/drainage/land/samples.h"

enum { ENVELOPE_LANES = 16 };

/* A rectangle, in metres from the middle of a leaf. */
struct envelope_box {
    float x, y;           /* its middle */
    float half_x, half_y; /* half its sides */
};

/* Scratch memory of culling. */
struct envelope_cull {
    float *rows;       /* of candidates, by number in a list */
    float *low;        /* the least that each gives; then with what it is rounded over */
    uint32_t *numbers; /* the list: of candidates of a leaf */
    uint32_t *runs;    /* of 16 in the list that are looked at: their first ones */
    uint32_t *kept;
    uint32_t count; /* in the list */
    uint32_t run_count;
    size_t stride; /* of a row: count in whole lanes */
    size_t row_capacity, low_capacity, run_capacity, number_capacity, kept_capacity;
};
/* Makes room for lists of up to `count`. False when memory is out. */
bool envelope_cull_reserve(struct envelope_cull *cull, size_t count);
void envelope_cull_free(struct envelope_cull *cull);
size_t envelope_cull_bytes(const struct envelope_cull *cull);
/* Writes the rows that bounds need for the candidates whose numbers are in the list. */
void envelope_cull_begin(struct envelope_cull *cull, const struct candidate *candidates);
/* Makes lanes behind the last candidate ones that are above all heights. The other rows must be
 * finite there. */
void envelope_cull_pad(struct envelope_cull *cull);
/* Writes the candidate with that number in a list whose rows are whole. */
void envelope_candidate(const struct envelope_cull *cull, uint32_t number,
                        struct candidate *candidate);
/* Writes to `kept` which of the runs that are looked at may be the lowest, the second lowest or
 * near enough to round a ridge anywhere in a box: their places in the list. Returns how many they
 * are. The rows must be written. */
uint32_t envelope_cull(struct envelope_cull *cull, const struct leaf_view *view,
                       struct envelope_box box);
/* From now on looks at all runs of the list; or, for boxes within the last one, at those of which
 * it kept any. */
void envelope_cull_all(struct envelope_cull *cull);
void envelope_cull_narrow(struct envelope_cull *cull, uint32_t kept);

/* Samples in one cell of a leaf, in metres from the leaf's middle, padded to whole lanes. */
struct envelope_samples {
    unsigned cell;
    const float *x, *y;
    size_t count; /* a multiple of ENVELOPE_LANES */
};

/* Writes the outputs that are not null: as many as samples. */
void envelope_sample(const struct leaf *leaf, const struct envelope_samples *samples,
                     struct envelope_cull *cull, float *const outputs[DRAINAGE_OUTPUTS]);
/* The same for the only sample of a cell, for which a list of candidates would take longer: it
 * becomes number `at` of the outputs. Returns the candidate that is lowest. */
uint32_t envelope_sample_one(const struct leaf *leaf, unsigned cell, const float place[2],
                             size_t at, float *const outputs[DRAINAGE_OUTPUTS]);

#endif
