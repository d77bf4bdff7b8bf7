/* libterrane: parse a world file of Terrane, and sample the world anywhere, inside another program.
 *
 * Positions are int64_t in units of 2⁻¹⁶ m (TERRANE_METRE units are a metre): +x is east, +y is
 * south, up to ±2⁴⁰ m. Samples are floats in the layer's unit, metres for heights; those of the
 * layer "biome" are biome indices. A sample depends only on the world, the place, z, t and the
 * spacing. It has the same bits on every machine, in a grid of any size and as a single point.
 *
 * Ownership: the caller owns what a function named new, parse, reseed or retain returns, and gives
 * it back with free or release. Texts belong to their world. Arguments must not be null unless
 * stated otherwise; pointers to errors may always be null.
 *
 * Threads: a world never changes, so any number of threads may read, retain and release it. A
 * sampler is the scratch memory of one thread at a time; it serves any world, and allocates
 * nothing after its first calls of a size. For worlds with coarse() it keeps nodes from call to
 * call, in 4 MB; for worlds with drainage() streams, which it allocates as it comes to them, in
 * the memory of terrane_sampler_set_memory() or in a cache that samplers share
 * (terrane_sampler_set_cache()). The library has no global state and no locks, and reads neither
 * the clock nor the environment nor any file.
 *
 * Failure: a function returns null or false and fills the error; running out of memory is a failure
 * like any other. After a failed call the content of its outputs is undefined. */
#ifndef TERRANE_H
#define TERRANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TERRANE_VERSION "0.1.0"
#define TERRANE_API __attribute__((visibility("default")))
#define TERRANE_METRE ((int64_t)65536)

/* TERRANE_VERSION of the loaded library, which may be newer than that of the header. */
TERRANE_API const char *terrane_version(void);

enum terrane_code {
    TERRANE_OK = 0,
    TERRANE_SYNTAX,  /* text that does not parse */
    TERRANE_VALUE,   /* not an allowed value */
    TERRANE_UNKNOWN, /* a name that is not defined */
    TERRANE_LIMIT,   /* too large, too deep, too expensive, too far out */
    TERRANE_MEMORY,  /* an allocation failed */
    TERRANE_WORK,    /* it would take more work than terrane_sampler_set_limit() allows */
};

/* Filled by a function that fails, not touched by one that succeeds. Contains no pointers. */
struct terrane_error {
    enum terrane_code code;
    uint32_t line, column; /* in the file, or column in the formula of `path`; from 1, 0 if none */
    char file[160];        /* as given to terrane_world_parse(), or "" */
    char path[128];        /* JSON path such as "layers.height.formula", or "" */
    char message[320];     /* what is wrong, and what is allowed */
};

/* Writes "file:L:C: path: message", or without a line in the file "file: path: column C: message",
 * as one line without a newline, cut to `size` and terminated. Returns the whole line's length,
 * like snprintf. */
TERRANE_API size_t terrane_error_text(const struct terrane_error *error, char *out, size_t size);

/* Worlds. */
struct terrane_world;

/* The world in `text` (JSON, need not be terminated). `file` is a name for messages, or null. */
TERRANE_API struct terrane_world *terrane_world_parse(const char *text, size_t length,
                                                      const char *file,
                                                      struct terrane_error *error);
/* The world with the same formulas and another seed: terminated text; decimal digits mean the
 * number. */
TERRANE_API struct terrane_world *terrane_world_reseed(const struct terrane_world *world,
                                                       const char *seed,
                                                       struct terrane_error *error);
/* Adds a reference to the world and returns it. */
TERRANE_API struct terrane_world *terrane_world_retain(struct terrane_world *world);
TERRANE_API void terrane_world_release(struct terrane_world *world); /* null is allowed */

/* "g1-" and 32 hex digits: a hash of everything that can change a sample. */
TERRANE_API const char *terrane_world_fingerprint(const struct terrane_world *world);

/* Layers are numbered from 0 in the file's order; the layer "biome" is the last one, if the world
 * has biomes. Name and unit ("" if none) are null for a number without a layer. */
TERRANE_API unsigned terrane_layer_count(const struct terrane_world *world);
TERRANE_API const char *terrane_layer_name(const struct terrane_world *world, unsigned layer);
TERRANE_API const char *terrane_layer_unit(const struct terrane_world *world, unsigned layer);
TERRANE_API int terrane_layer_find(const struct terrane_world *world, const char *name); /* or −1 */

TERRANE_API unsigned terrane_biome_count(const struct terrane_world *world);
TERRANE_API const char *terrane_biome_name(const struct terrane_world *world, unsigned biome);

/* Materials of the ground, in the file's order. The weight of each is sampled as a layer with the
 * number terrane_layer_count() + material, which no name finds. Weights sampled together, all of
 * them, are made shares by terrane_share_materials(). The name is null for a number without a
 * material. */
TERRANE_API unsigned terrane_material_count(const struct terrane_world *world);
TERRANE_API const char *terrane_material_name(const struct terrane_world *world, unsigned material);
/* "m1-" and 16 hex digits: a hash of all names and weights, which the world's fingerprint leaves
 * out; "" if there are no materials. */
TERRANE_API const char *terrane_materials_fingerprint(const struct terrane_world *world);
/* Turns samples of weights into shares, in place: whole numbers from 0 to 255 whose sum is 255 in
 * each sample. weights[k] are `count` samples of material k, of all materials of the world. Each
 * share is its weight's part, negative ones being 0, rounded down; what is missing then goes, one
 * each, to the largest remainders, of equal ones to the first. Without any weight the first
 * material has all. */
TERRANE_API void terrane_share_materials(const struct terrane_world *world, float *const *weights,
                                         size_t count);

/* Sampling. */
struct terrane_sampler;

TERRANE_API struct terrane_sampler *terrane_sampler_new(void); /* null when memory is out */
TERRANE_API void terrane_sampler_free(struct terrane_sampler *sampler); /* null is allowed */
/* The memory in bytes for streams and land of drainage networks, and for what is known of labels,
 * that the sampler keeps from call to call: a cache of its own, which begins empty. 8 MB unless it
 * is set; none before a world with drainage() is sampled, or labels are found; up to 4 MB more are
 * scratch memory. It changes no sample: the less there is, the more often streams are made
 * again. A call that needs more takes it until the next call. False when memory is out: then it is
 * 8 MB. */
TERRANE_API bool terrane_sampler_set_memory(struct terrane_sampler *sampler, size_t bytes);
/* The same, shared by several samplers, each of which may be used by another thread at the same
 * time: what one of them has made, all find. It has no lock, and nobody waits for another. A
 * sampler keeps a reference until it is freed or has another cache; null gives it one of its own.
 */
struct terrane_cache;
TERRANE_API struct terrane_cache *terrane_cache_new(size_t bytes);   /* null when memory is out */
TERRANE_API void terrane_cache_release(struct terrane_cache *cache); /* null is allowed */
/* The bytes that it holds now. */
TERRANE_API size_t terrane_cache_bytes(const struct terrane_cache *cache);
TERRANE_API void terrane_sampler_set_cache(struct terrane_sampler *sampler,
                                           struct terrane_cache *cache);
/* Limits the work of all calls from now on together, in nanoseconds of a core of 2026 as estimated
 * for each kind of work: a count, not a clock. So a sampler that is new stops at the same place on
 * every machine. 0, as at first: no limit. A call that would go beyond fails with TERRANE_WORK, and
 * so do all later ones until the limit is set again. Worlds of strangers may be made to take hours
 * for a small grid: those are what it is for. */
TERRANE_API void terrane_sampler_set_limit(struct terrane_sampler *sampler, uint64_t nanoseconds);
/* The work since then. Streams and nodes that are kept from calls before it count for little. */
TERRANE_API uint64_t terrane_sampler_work(const struct terrane_sampler *sampler);

/* The layers to sample: samples of layers[i] go to outputs[i], which has room for all of them.
 * Layers sampled together share their common operations. */
struct terrane_request {
    const unsigned *layers;
    float *const *outputs;
    unsigned count; /* 1 … 257 */
};

struct terrane_grid {
    int64_t x, y;           /* the north-west sample */
    int64_t step;           /* between neighbours, east and south: 1 … 2⁵⁷ */
    uint32_t columns, rows; /* at least 1 */
    double spacing;         /* level of detail: metres between samples; 0 is full detail */
    double z, t; /* z (metres) and t (seconds) of the formulas, rounded to 2⁻¹⁶; within ±2⁴⁰ */
};

/* Fills columns × rows samples a layer: rows from north to south, each from west to east. */
TERRANE_API bool terrane_sample_grid(struct terrane_sampler *sampler,
                                     const struct terrane_world *world,
                                     const struct terrane_grid *grid,
                                     const struct terrane_request *request,
                                     struct terrane_error *error);

struct terrane_volume {
    struct terrane_grid grid; /* of the first slice */
    double z_step;            /* metres between slices: slice i has z + i × z_step */
    uint32_t slices;          /* at least 1 */
};

/* Fills slices × rows × columns samples a layer: one grid after the other, from the first z on. */
TERRANE_API bool terrane_sample_volume(struct terrane_sampler *sampler,
                                       const struct terrane_world *world,
                                       const struct terrane_volume *volume,
                                       const struct terrane_request *request,
                                       struct terrane_error *error);

struct terrane_place {
    int64_t x, y;
};

struct terrane_points {
    const struct terrane_place *places;
    size_t count; /* 0 is allowed */
    double spacing;
    double z, t; /* all three as in a grid */
};

/* Fills `count` samples a layer. */
TERRANE_API bool terrane_sample_points(struct terrane_sampler *sampler,
                                       const struct terrane_world *world,
                                       const struct terrane_points *points,
                                       const struct terrane_request *request,
                                       struct terrane_error *error);

/* Labels: the names on a map of a rectangle at a zoom, as /labels of the server has them. What is
 * named depends on the world alone, and what shows on the zoom: rectangles side by side have each
 * label once, in any order. All is of z = t = 0. */
enum {
    TERRANE_LABEL_ZOOM_MAX = 20,
    TERRANE_LABEL_SIDE_MAX = 8192, /* pixels of the zoom, of a rectangle */
    TERRANE_LABEL_NAME = 128,      /* bytes of a name, terminated */
    TERRANE_LABEL_KIND = 16,       /* of a kind */
};
struct terrane_label {
    uint64_t id;   /* of what is named; of a river that of its stream. Below 2⁵³ of all others */
    int64_t x, y;  /* where the name is written */
    double size;   /* m²: the area, of a river the land upstream; of a lake the square of its
                      length; 0 of peaks and hills */
    double angle;  /* of the text: degrees clockwise from level, −90 … 90 */
    double length; /* metres of what the text follows; 0 of a text that is written level */
    float height;  /* of a peak or hill, metres above the sea; else 0 */
    int32_t rank;  /* the least zoom at which it may show */
    char kind[TERRANE_LABEL_KIND]; /* "sea", "range", "river" … */
    char name[TERRANE_LABEL_NAME]; /* UTF-8 in NFC */
};

/* A rectangle of the map, half-open: it includes its north and west edges. Within ±2⁴⁰ m. */
struct terrane_label_view {
    int64_t west, north, east, south; /* west < east, north < south */
    int32_t zoom; /* 0 … 20: pixels are 1 m wide at 17, and twice as wide a zoom before; none has
                     labels below 3 */
};

/* A list of labels. It serves any world, and one thread at a time. What is found out on the way is
 * kept in the memory of the sampler. */
struct terrane_labels;
TERRANE_API struct terrane_labels *terrane_labels_new(void);         /* null when memory is out */
TERRANE_API void terrane_labels_free(struct terrane_labels *labels); /* null is allowed */

/* Makes the list that of the labels in a view, the best first: those that hide others where both
 * would overlap. Fails with TERRANE_VALUE for a view that is none, with TERRANE_LIMIT for one that
 * is too large, and as terrane_sample_grid(); the list is empty then. */
TERRANE_API bool terrane_labels_find(struct terrane_labels *labels, struct terrane_sampler *sampler,
                                     const struct terrane_world *world,
                                     const struct terrane_label_view *view,
                                     struct terrane_error *error);
TERRANE_API size_t terrane_label_count(const struct terrane_labels *labels);
/* Copies a label of the list. False if it has no such index; *label is untouched then. */
TERRANE_API bool terrane_label_get(const struct terrane_labels *labels, size_t index,
                                   struct terrane_label *label);

/* A digest of samples, to compare two machines: MurmurHash3 x64 128 with
 * seed 0 over the floats' bytes in little-endian order, as 32 lower-case hex digits, terminated. */
enum { TERRANE_DIGEST_TEXT = 33 };
TERRANE_API void terrane_digest(const float *samples, size_t count, char out[TERRANE_DIGEST_TEXT]);

#ifdef __cplusplus
}
#endif

#endif
