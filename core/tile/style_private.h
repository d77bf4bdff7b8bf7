/* Styles and painters as the files of this folder see them. */
#ifndef TERRANE_TILE_STYLE_PRIVATE_H
#define TERRANE_TILE_STYLE_PRIVATE_H

#include "core/base/arena.h"
#include "core/base/buffer.h"
#include "core/tile/style.h"

enum {
    STYLE_STOPS_MAX = 32,
    STYLE_LIGHTS_MAX = 8,
    STYLE_LAYERS_MAX = 16, /* that one style reads */
};

enum step_kind {
    STEP_RAMP,      /* a colour by a layer's value */
    STEP_BIOMES,    /* the biomes' colours */
    STEP_SHADE,     /* light on the slopes of a layer */
    STEP_OBJECTS,   /* trees and the like */
    STEP_GREY,      /* a layer as grey, by its range */
    STEP_TERRARIUM, /* heights in three bytes */
};

/* Piecewise linear; two stops at one value are an edge. */
struct ramp {
    uint32_t count;
    float value[STYLE_STOPS_MAX], red[STYLE_STOPS_MAX], green[STYLE_STOPS_MAX],
        blue[STYLE_STOPS_MAX];
};

/* How much of a step shows: 0 where the layer is at most `low`, 1 from `high` on. */
struct mask {
    const char *layer; /* null: everywhere */
    float low, high;
    unsigned index; /* painter: which of its layers */
};

struct shade {
    uint32_t light_count;
    float east[STYLE_LIGHTS_MAX], south[STYLE_LIGHTS_MAX], up[STYLE_LIGHTS_MAX]; /* × weight */
    float level;                 /* the light on level ground */
    float strength;              /* 0 … 1 */
    float highlight;             /* how much of the surplus of light turns white, 0 … 1 */
    float water;                 /* strength below 0 m, in proportion */
    uint32_t exaggeration_count; /* vertical exaggeration by metres a pixel, piecewise linear */
    float spacing[STYLE_STOPS_MAX], exaggeration[STYLE_STOPS_MAX];
};

struct object_paint {
    float from;   /* pixels of radius at which a kind begins to show */
    float shadow; /* how dark shadows are, 0 … 1 */
    float opacity;
};

struct step {
    enum step_kind kind;
    const char *path;  /* JSON path, for messages */
    const char *layer; /* null for biomes and objects */
    unsigned index;    /* painter: which of its layers */
    float opacity;
    bool optional; /* left out in worlds that lack its layer */
    struct mask mask;
    struct ramp ramp;
    struct shade shade;
    struct object_paint objects;
};

struct style {
    struct arena arena;
    const char *name, *title, *spelling; /* spelling: canonical JSON, for the fingerprint */
    struct step steps[STYLE_STEPS_MAX];
    uint32_t step_count;
};

struct painter {
    struct arena arena;
    struct world *world;
    const char *name, *title;
    struct step *steps;
    uint32_t step_count;
    unsigned layers[STYLE_LAYERS_MAX]; /* of the world */
    uint32_t layer_count;
    uint32_t apron; /* 1 if slopes are needed */
    float grey_low, grey_scale;
    uint8_t palette[256 * 3]; /* biomes */
    uint32_t palette_count;
    char fingerprint[STYLE_FINGERPRINT_TEXT];
};

/* style_steps.c: the steps of "paint" into the style. */
bool style_read_steps(struct style *style, const struct json *paint, const char *path,
                      struct error *error);

/* paint_rows.c: one row of pixels in three planes of floats, 0 … 255. */
struct paint_row {
    float *red, *green, *blue;
    uint32_t count;
};
/* weight[i] = the mask × opacity; values is null without a mask. */
void paint_weigh(uint32_t count, const struct mask *mask, const float *values, float opacity,
                 float *weight);
void paint_ramp(const struct paint_row *row, const struct ramp *ramp, const float *values,
                const float *weight);
void paint_palette(const struct paint_row *row, const uint8_t *palette, const float *values,
                   const float *weight);
/* `values` points at the row's first sample inside its apron; `stride` leads to the row below. */
void paint_shade(const struct paint_row *row, const struct shade *shade, const float *values,
                 size_t stride, float slope_scale);
void paint_store_rgb(const struct paint_row *row, uint8_t *pixels);
void paint_store_grey(uint32_t count, const float *values, float low, float scale, uint8_t *pixels);
void paint_store_indices(uint32_t count, const float *values, uint8_t *pixels);
void paint_store_terrarium(uint32_t count, const float *values, uint8_t *pixels);

#endif
