/* A world: a seed and named formulas, compiled into one immutable program.
 *
 * Every sample is a function of (world, place, time, level of detail) alone. A world never changes
 * after world_parse(), so any number of threads may read it; its reference count is atomic.
 * config/worlds/README.md describes the language. */
#ifndef TERRANE_WORLDFILE_WORLD_H
#define TERRANE_WORLDFILE_WORLD_H

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/drainage/drainage.h"
#include "core/names/names.h"
#include "core/price/sampling_price.h"
#include "core/worldfile/diagnostics.h"

enum {
    WORLD_BYTES_MAX = 1 << 20, /* of a world file */
    WORLD_LAYERS_MAX = 256,    /* layers of a world */
    WORLD_BIOMES_MAX = 256,    /* biomes of a world */
    WORLD_OBJECTS_MAX = 64,    /* kinds of objects of a world */
    WORLD_MATERIALS_MAX = 16,  /* materials of a world */
    WORLD_STYLES_MAX = 64,     /* styles of a world's own */
    /* Layers, "biome" and materials: what may be sampled together. */
    WORLD_SAMPLED_MAX = WORLD_LAYERS_MAX + 1 + WORLD_MATERIALS_MAX,
    WORLD_FINGERPRINT_TEXT = 36,     /* "g1-" + 32 hex digits + zero */
    MATERIALS_FINGERPRINT_TEXT = 20, /* "m1-" + 16 hex digits + zero */
    NAMES_FINGERPRINT_TEXT = 20,     /* "n1-" + 16 hex digits + zero */
    WORLD_SEED_MAX = 256,            /* bytes of a seed's text */
    WORLD_ZOOM_MAX = 20,             /* of a view: that of tiles */
    WORLD_NAME_MAX = 63, /* bytes of a layer's, biome's, object's, world's or style's name */
};

/* The keys of a world file's object. */
enum { WORLD_KEYS = 16 };
extern const char *const world_keys[WORLD_KEYS];

/* The limit of a world: the noise evaluations (octaves) that one sample of its most
 * expensive layer needs at full detail. 0 for the default of 400. */
struct world_limits {
    unsigned octaves;
};

struct world_layer {
    const char *name;
    const char *formula;         /* its text in the file */
    const char *unit;            /* "" if none */
    float range_low, range_high; /* the samples that grey images and 16-bit formats can show */
    bool has_range;              /* the file gives the range; without it −1 … 1 */
    /* The range of the file, or else bounds that the samples seldom reach, by the formula: wide
     * where nothing is known of them. The same for every seed. */
    float usual_low, usual_high;
    unsigned octaves; /* noise evaluations for a sample at full detail */
};

struct world_biome {
    const char *name;
    const char *title; /* the name if the file gives none */
    const char *when;  /* null for the last one without a condition */
    uint32_t colour;   /* 0xRRGGBB */
};

/* A material of the ground: materials.h makes shares of the weights. */
struct world_material {
    const char *name;
    const char *title;  /* the name if the file gives none */
    const char *weight; /* the text of the formula in the file */
    uint32_t colour;    /* 0xRRGGBB */
};

/* A kind of object: trees, rocks … terrain/objects.h decides where they stand. */
struct world_object {
    const char *name;
    const char *path;     /* in the file, for messages: "objects.oak" */
    const char *title;    /* the name if the file gives none */
    const char *density;  /* the text of the formula in the file */
    int64_t spacing;      /* a cell's side, 2⁻¹⁶ m: 0.5 … 65536 m */
    int64_t min_distance; /* 2⁻¹⁶ m: 0 … 4 × spacing */
    float max_slope;  /* degrees, 1 … 90: it stands on no steeper ground; 90 allows any ground */
    float radius;     /* metres, for drawing: 0 … spacing; 0 draws nothing */
    uint32_t colour;  /* 0xRRGGBB */
    unsigned octaves; /* noise evaluations for a candidate */
};

/* Where a map of the world begins: the centre, the zoom of its tiles, the style and the time. The
 * centre is a place, or one that first_view_find() (core/terrain/first_view.h) finds for each seed:
 * near a place, where a condition holds. */
struct world_view {
    int64_t x, y;      /* 2⁻¹⁶ m: the centre, or the place that it should be near */
    const char *where; /* the condition (world_condition.h), a valid one; null: x, y is the centre
                        */
    int zoom;          /* 0 … WORLD_ZOOM_MAX */
    const char *style; /* null if the file names none; it may be one that the world lacks */
    int64_t t;         /* 2⁻¹⁶ s */
};

struct world;

/* The world in `text`, with one reference for the caller; null with file, JSON path and column on
 * failure. `file` is for messages only. `limits` may be null. */
struct world *world_parse(const char *text, size_t length, const char *file,
                          const struct world_limits *limits, struct error *error);
/* world_parse() of the diagnostics' text that reads on after an error. Null if there are any;
 * otherwise `root` is that of the world's document. */
struct world *world_diagnose(struct diagnostics *diagnostics, const struct world_limits *limits);
/* The world with the same formulas and another seed: text, or a whole number 0 … 2⁶⁴−1 written in
 * decimal. It keeps `world`, or the world that that was reseeded from, as long as it lives. */
struct world *world_reseed(const struct world *world, const char *seed, size_t length,
                           struct error *error);
struct world *world_retain(struct world *world);
void world_release(struct world *world); /* null is allowed */

/* Measures how far samples lie apart in displaced scopes (core/price/spread.h), and keeps prices
 * that all others need (core/price/sampling.h). Of a world that nobody else reads yet; `base` is
 * the world with other seed that it was made from, and was measured, or null. False when memory is
 * out. */
bool world_prepare_prices(struct world *world, const struct world *base);
/* The price of all layers and materials at a place that is far from others, at full detail. */
struct sampling_price world_place_price(const struct world *world);
/* What is sampled: its values are the layers. Lives as long as the world. */
const struct program *world_program(const struct world *world);
/* The work of making the world from its text, in steps of some 22 ns (core/program/work.h): more
 * than reseeding it costs. The seed makes no difference. */
uint64_t world_work(const struct world *world);
/* The memory of the world's program and tables in bytes: all but that of its JSON document, which
 * is some ten times the text. Of a reseeded world, all that it takes besides the world that it
 * keeps. */
size_t world_bytes(const struct world *world);

const char *world_title(const struct world *world);
const char *world_description(const struct world *world); /* "" if none */
const char *world_attribution(const struct world *world); /* "" if none */
/* Of a file without one: the origin, at a zoom at which tiles are as wide as the longest waves of
 * the height. The same for every seed. */
const struct world_view *world_view(const struct world *world);
unsigned world_generator(const struct world *world);
/* The text of the seed, from the file or from world_reseed(). */
const char *world_seed(const struct world *world);
/* "g1-…", a hash of generator, seed and everything else that can change a sample; not of titles,
 * ranges, colours, white space or the order of layers. */
const char *world_fingerprint(const struct world *world);
/* The fingerprint that world_reseed() with this seed would give, in some microseconds. False when
 * memory is out. */
bool world_fingerprint_reseeded(const struct world *world, const char *seed,
                                char fingerprint[WORLD_FINGERPRINT_TEXT]);

/* Layers in the file's order; then, if the world has biomes, one more named "biome" whose samples
 * are biome indices. */
unsigned world_layer_count(const struct world *world);
/* A layer, or the weight of a material by world_material_layer(): one named "materials.NAME", whose
 * range is that of its shares. */
const struct world_layer *world_layer(const struct world *world, unsigned index);
/* The layer's index, or -1. */
int world_find_layer(const struct world *world, const char *name);
unsigned world_height_layer(const struct world *world);
int world_biome_layer(const struct world *world); /* -1 if the world has no biomes */

unsigned world_biome_count(const struct world *world);
const struct world_biome *world_biome(const struct world *world, unsigned index);

/* Materials in the file's order. */
unsigned world_material_count(const struct world *world);
const struct world_material *world_material(const struct world *world, unsigned index);
/* The weight of a material as a layer for the sampler. The numbers of materials follow those that
 * world_layer_count() counts, without a gap. */
unsigned world_material_layer(const struct world *world, unsigned material);
/* "m1-…", a hash of the names and weights of the materials and of their order; not of titles,
 * colours, and what the layers in the weights mean, which the world's fingerprint has. "" if there
 * are none. */
const char *world_materials_fingerprint(const struct world *world);

/* What features are named with (core/names): the tongues and fixed names of the file, or
 * names_default. Without a tongue and a place nothing has a name. The names depend on the seed
 * (world_seed_number()), too. Lives as long as the world. */
const struct names *world_names(const struct world *world);
/* "n1-…", a hash of all that names are made of but the seed, in the program and in the file; no
 * part of the world's fingerprint, as names are no samples. "" where nothing has a name. */
const char *world_names_fingerprint(const struct world *world);
static inline bool world_has_names(const struct world *world) /* fixed ones at least */
{
    return world_names_fingerprint(world)[0] != '\0';
}

/* Kinds of objects in the file's order. */
unsigned world_object_count(const struct world *world);
const struct world_object *world_object(const struct world *world, unsigned index);
/* The kind's index, or -1. */
int world_find_object(const struct world *world, const char *name);
/* The kind's density as a layer for the sampler: an index behind those of the materials. It depends
 * on neither z nor t. */
unsigned world_density_layer(const struct world *world, unsigned object);
/* An upper bound of the kind's density: a candidate whose chance is not below it is never accepted.
 */
float world_density_high(const struct world *world, unsigned object);

/* The early reject: the product of the cheap factors of a density, sampled first. A candidate whose
 * chance is not below high × (sample + WORLD_EARLY_REJECT_SLACK) is not below the density either,
 * so the density need not be sampled. */
#define WORLD_EARLY_REJECT_SLACK 0.001f
struct world_early_reject {
    unsigned layer; /* for the sampler, as above */
    float high;     /* an upper bound of the product of the other factors */
};
/* False if the density has no cheap factors. */
bool world_density_early_reject(const struct world *world, unsigned object,
                                struct world_early_reject *early_reject);
/* True if the world has a drainage network. */
bool world_has_drainage(const struct world *world);
/* An output of the network, as drainage() in a formula has it, as a layer for the sampler: an index
 * behind those that world_layer_count() counts. */
unsigned world_drainage_layer(const struct world *world, enum drainage_output output);
/* The seed as 64 bits: the number that decimal digits write, a hash of any other text. */
uint64_t world_seed_number(const struct world *world);

/* True if the layer's samples depend on t, the time in seconds. */
bool world_layer_uses_time(const struct world *world, unsigned index);

/* Writes the world's program for people, one operation a line (program_print.h): that of all that
 * may be sampled, or if `layer` is not -1, what this layer needs. Of a layer that drainage() is
 * used in, without the fields of the network, which are sampled at its nodes. */
void world_print_program(const struct world *world, int layer, struct buffer *out);

/* The member "styles" of the file, an object of name → style, or null. Lives as long as the
 * world. Its contents are for tile/style.h. */
const struct json *world_styles(const struct world *world);

#endif
