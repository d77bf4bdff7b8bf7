/* The streams that shape the land in 4 × 4 cells: a leaf. Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_LAND_LEAF_H
#define TERRANE_DRAINAGE_LAND_LEAF_H

#include "core/drainage/network/shape.h"
#include "core/drainage/store/cache.h"

/* A segment as kernels take it, in metres from the middle of the leaf. */
struct candidate {
    float x, y;    /* its upstream end */
    float ux, uy;  /* from there to the other */
    float inverse; /* 1 / length²; 0 if it has no length */
    float bed;     /* at the upstream end */
    float bed_change;
    float slope; /* of the land beside it, at the valley's floor */
    float slope_change;
    float floor;   /* twice half the width of the valley's floor */
    float flat;    /* squared distance up to which the floor is flat, m² */
    float hollow;  /* how its sides flatten with the distance, 1/m */
    float cross;   /* slope of the valley's floor towards the stream */
    float depth;   /* of the river's channel, metres */
    float channel; /* 2 / half its width², 1/m² */
    float lake;    /* the level of the lake that it ends in, or far below the ground */
    float flow;
    float flow_change;
    float order;
    float before; /* how many parts of its stream come just before it: up to PARTS_BEFORE */
};

/* So many parts of a stream may be as low as those before them, whose distance samples have. */
enum { PARTS_BEFORE = 3 };

/* The fields of candidates, in this order: in rows, by number of the candidate. */
enum candidate_row {
    ROW_X,
    ROW_Y,
    ROW_UX,
    ROW_UY,
    ROW_INVERSE,
    ROW_BED,
    ROW_BED_CHANGE,
    ROW_SLOPE,
    ROW_SLOPE_CHANGE,
    ROW_FLOOR,
    ROW_FLAT,
    ROW_HOLLOW,
    ROW_CROSS,
    ROW_DEPTH,
    CULL_ROWS, /* bounds are computed from those above */
    ROW_CHANNEL = CULL_ROWS,
    ROW_LAKE,
    ROW_FLOW,
    ROW_FLOW_CHANGE,
    ROW_ORDER,
    ROW_BEFORE,
    CANDIDATE_ROWS
};
_Static_assert(sizeof(struct candidate) == CANDIDATE_ROWS * sizeof(float), "a row for each field");

/* How all candidates of a leaf are seen. */
struct leaf_view {
    float pixel;          /* metres between samples */
    float flat;           /* squared distance up to which all floors are flat, m² */
    float rounding;       /* ridges are rounded over this height for a slope of 1, metres */
    float inverse_radius; /* 1 / radius² of a segment's land */
};

struct leaf {
    struct cached cached;
    struct leaf_view view;
    uint32_t count, words; /* of candidates; of a set of them, 32 to a word */
    uint16_t cells;        /* whose sets are known: a bit for each */
    bool channels;         /* true if any candidate has one */
    /* The candidates, then LEAF_CELLS sets: those that matter in each cell, row by row. Those that
     * are in none are the parts of streams just before some that are. */
    struct candidate candidates[];
};

static inline const uint32_t *leaf_set(const struct leaf *leaf, unsigned cell)
{
    return (const uint32_t *)(const void *)(leaf->candidates + leaf->count) +
           (size_t)cell * leaf->words;
}

/* Half the width of a river in metres. It and the depth (candidates.c) are those of rivers that
 * drain `flow` m² in a humid climate, 50 m and 2 m for 1000 km² (L. B. Leopold and T. Maddock,
 * 1953: powers of the discharge, about 1/2 and 0.3 to 0.4). */
static inline float channel_half_width(float flow)
{
    return SHAPE_RIVER_HALF * __builtin_sqrtf(flow);
}

#endif
