/* Styles and painters as the files of this folder see them: the parameters of steps, the table of
 * kinds of steps, and the loops that paint rows. */
#ifndef TERRANE_TILE_STYLE_PRIVATE_H
#define TERRANE_TILE_STYLE_PRIVATE_H

#include "core/base/arena.h"
#include "core/base/buffer.h"
#include "core/base/simd.h"
#include "core/tile/style.h"

enum {
    STYLE_STOPS_MAX = 32,
    STYLE_LIGHTS_MAX = 8,
    STYLE_LAYERS_MAX = 16 + WORLD_MATERIALS_MAX, /* that one style reads */
};

struct step;
struct step_row;
struct style_reader;

/* The needs of a step besides samples, as flags. */
enum step_needs {
    NEEDS_SLOPES = 1,     /* samples around the picture: an apron */
    NEEDS_PALETTE = 2,    /* the biomes' colours */
    NEEDS_OBJECTS = 4,    /* the objects; a style has one such step at most */
    NEEDS_RANGE = 8,      /* the range of its layer */
    NEEDS_MATERIALS = 16, /* the materials: its layer is the first of them, the others follow */
};

enum { STEP_KEYS_MAX = 16 };

/* Writes the members of a step in a legend. */
typedef void legend_writer(const struct painter *painter, const struct step *step,
                           struct json_writer *json);

/* A kind of paint step: a row of the table in step_kinds.c. */
struct step_kind {
    const char *name;
    const char *keys[STEP_KEYS_MAX]; /* the members of its JSON object; the rest is null */
    /* Reads members into reader->step, besides "layer" and those of style_read_visibility(); null
     * if there are no others. */
    bool (*read)(const struct style_reader *reader);
    const char *layer; /* the layer that it reads; null: the one its JSON names, or materials */
    unsigned needs;
    /* Blends the step into a row of colours; null for kinds that make whole pictures, and */
    void (*paint)(const struct step_row *row, const struct step *step);
    /* writes a row of pixels in `format`. */
    void (*store)(const struct step_row *row, uint8_t *pixels);
    enum image_format format;
    enum image_content content; /* of whole pictures, and of every style with a step that draws */
    const char *encoding;       /* TileJSON's name of the numbers in whole pictures, or null */
    legend_writer *describe;    /* of legends; null if the step has no members there */
};

/* The kind of that name, or null. */
const struct step_kind *step_kind_find(const char *name);
/* The names of all kinds, for messages; returns their number. */
enum { STEP_KINDS_MAX = 32 };
uint32_t step_kind_names(const char *names[STEP_KINDS_MAX]);

/* Piecewise linear; two stops at one value are an edge. */
struct ramp {
    uint32_t count;
    float value[STYLE_STOPS_MAX], red[STYLE_STOPS_MAX], green[STYLE_STOPS_MAX],
        blue[STYLE_STOPS_MAX];
};

/* The part of a step that shows: 0 where the layer is at most `low`, 1 from `high` on. */
struct mask {
    const char *layer; /* null: everywhere */
    float low, high;
    unsigned index; /* painter: which of its layers */
};

/* Moves stops together to a range of values that is narrower than they are, on each side of 0 by
 * itself: those above 0 so that the last one is at `high`, those below so that the first one is at
 * `low`. They begin at 0, or at the end of the range that is nearest to it. Stops are never moved
 * apart. */
void ramp_fit(struct ramp *ramp, float low, float high);

/* A function through points with rising `at`. */
struct curve {
    uint32_t count; /* at least 1 */
    float at[STYLE_STOPS_MAX], value[STYLE_STOPS_MAX];
};

struct colour {
    float red, green, blue;
};

struct shade {
    uint32_t light_count;
    float east[STYLE_LIGHTS_MAX], south[STYLE_LIGHTS_MAX], up[STYLE_LIGHTS_MAX]; /* × weight */
    float level;               /* the light on level ground */
    float strength;            /* 0 … 4 */
    float highlight;           /* share of the surplus of light that turns white, 0 … 1 */
    float water;               /* factor of the strength below 0 m */
    struct colour shadow;      /* the colour of darkness */
    struct curve exaggeration; /* of heights, by metres a pixel; linear between the points */
    struct curve contrast;     /* of light, by the layer's value; linear between */
};

/* Lines every so many metres; every `index`-th is drawn once more, in another width. */
struct contour {
    struct curve intervals; /* metres between lines, by metres a pixel; from each point to the next
                             */
    float index;            /* 0: none */
    float width, index_width; /* pixels */
    struct colour colour, index_colour;
    struct colour water_colour, water_index_colour; /* below 0 m */
};

struct object_paint {
    float from;   /* radius in pixels from which a kind shows */
    float shadow; /* darkness of shadows, 0 … 1 */
    float opacity;
};

struct step {
    const struct step_kind *kind;
    const char *path;    /* JSON path, for messages */
    const char *layer;   /* null where the kind has one of its own */
    const char *surface; /* of water; null: 0 m everywhere, as in worlds that lack the layer */
    bool over_water;     /* of heights: where water is higher than the ground, they are its own */
    unsigned index;      /* painter: which of its layers */
    unsigned surface_index;
    float opacity;
    float
        until; /* metres a pixel from which it does not show, fading from half of that; 0: never */
    bool optional; /* left out in worlds that lack its layer */
    struct mask mask;
    struct ramp ramp; /* of ramps, water (by depth) and slopes (by degrees) */
    bool fit;         /* a ramp whose stops are moved to the layer's usual range */
    struct shade shade;
    struct contour contour;
    struct object_paint objects;
};

struct style {
    struct arena arena;
    const char *name, *title, *canonical; /* spelling: canonical JSON, for the fingerprint */
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
    float grey_low, grey_high;
    uint8_t palette[256 * 3]; /* biomes */
    uint32_t palette_count;
    struct colour materials[WORLD_MATERIALS_MAX]; /* 0 … 255 */
    uint32_t material_count;
    char fingerprint[STYLE_FINGERPRINT_TEXT];
};

/* NaN, as slopes of heights near the end of a float's range can be, becomes `low`. */
TERRANE_INLINE float clamp_to(float v, float low, float high)
{
    v = v > low ? v : low;
    return v < high ? v : high;
}

/* painter.c: the share of a step that shows at so many metres a pixel, 0 … 1. */
float step_zoom_fade(const struct step *step, float spacing);
/* Lists those of the painter's layers that are read by steps which show at so many metres a pixel:
 * their numbers in its list, rising. Returns how many they are, which may be none. */
uint32_t painter_shown_layers(const struct painter *painter, float spacing,
                              uint32_t shown[STYLE_LAYERS_MAX]);

/* canvas.c: makes *memory at least `size` bytes long; its content is lost. False when memory is
 * out. */
bool paint_reserve(void **memory, size_t *capacity, size_t size);

/* One row of pixels in three planes of floats, 0 … 255. The memory of a plane ends with a whole
 * group of LANES, so that steps may write a few pixels beyond the row. */
struct paint_row {
    float *red, *green, *blue;
    uint32_t count;
};

/* One row of a layer's samples, without the apron of at least one around it. */
struct ground_row {
    const float *samples;
    size_t stride; /* to the row below */
    float spacing; /* metres between samples */
};

/* One row of the picture, and the data that a step paints it from. */
struct step_row {
    const struct painter *painter;
    struct paint_row colours;         /* of steps that paint */
    uint32_t number;                  /* of the row in its band */
    struct ground_row ground;         /* the step's layer */
    struct ground_row surface;        /* the step's `surface`; without samples if it has none */
    size_t layer_samples;             /* from a layer's sample to that of the next layer */
    float *weight;                    /* how much of the step shows in each pixel, 0 … 1 */
    float *values;                    /* a row for the step's own use */
    const struct object_scene *scene; /* with NEEDS_OBJECTS */
};

/* legend.c. */
legend_writer legend_ramp, legend_water, legend_slope, legend_shade, legend_contour, legend_objects,
    legend_grey;

/* paint_rows.c: weight[i] = the mask × opacity; values is null without a mask. False, without any
 * weight, if all of them are 0. */
bool paint_weights(uint32_t count, const struct mask *mask, const float *values, float opacity,
                   float *weight);
void paint_ramp(const struct paint_row *row, const struct ramp *ramp, const float *values,
                const float *weight);
void paint_palette(const struct paint_row *row, const uint8_t *palette, const float *values,
                   const float *weight);

/* paint_materials.c: the mean of the materials' colours by their weights. */
void paint_materials(const struct step_row *row, const struct step *step);

/* paint_light.c: lightens and darkens by the light on the ground. */
void paint_shade(const struct step_row *row, const struct step *step);

/* paint_ground.c. */
void paint_contour(const struct step_row *row, const struct step *step);
/* The slope in degrees, 0 … 90. */
void ground_slope(uint32_t count, const struct ground_row *ground, float *degrees);
/* The depth of water over the ground, and weight[i] ×= how much of the pixel is under water. The
 * surface's row has the ground's shape; without `samples` it is 0 everywhere. */
void ground_depth(uint32_t count, const struct ground_row *ground, const struct ground_row *surface,
                  float *depth, float *weight);
/* The heights of the ground, or of the surface of water over it: as above. */
void ground_or_water(uint32_t count, const struct ground_row *ground,
                     const struct ground_row *surface, float *heights);

/* paint_store.c: rows of finished pixels. */
void paint_store_rgb(const struct paint_row *row, uint8_t *pixels);
void paint_store_indices(uint32_t count, const float *values, uint8_t *pixels);
/* From the range of the painter: its low end and below is 0, its high end and above the greatest
 * number. The high byte of 16 bits comes first. */
void paint_store_grey(const struct step_row *row, uint8_t *pixels);
void paint_store_grey16(const struct step_row *row, uint8_t *pixels);
void paint_store_terrarium(const struct step_row *row, uint8_t *pixels);
void paint_store_mapbox(const struct step_row *row, uint8_t *pixels);
void paint_store_normal(const struct step_row *row, uint8_t *pixels);

#endif
