/* Conditions: formulas over what is known of a place, for searches.
 *
 * A condition is written in the language of formulas (config/worlds/README.md) over the world's
 * layers, the names of its biomes and materials, `material`, the index of the material with the
 * largest weight, and `slope`, the slope of the ground in degrees, even if a layer has one of these
 * names. It holds where its value is not 0. Commas join conditions that must all hold: "biome ==
 * forest, slope < 10" is "(biome == forest) && (slope < 10)". A name that is compared with `biome`
 * or `material` by == or != is a biome's or a material's; else a layer of that name comes first.
 * Functions of places cannot be called, noises among them: what a condition reads is sampled
 * before, so that it costs the layers that it names, and an operation is a pass over a row of
 * samples. As in all formulas, 0 stands for what is infinite or not a number.
 *
 * A condition is immutable; any number of threads may use it. It knows the layers of its world by
 * their numbers, so it is one of every world with the same formulas and another seed, too. */
#ifndef TERRANE_LANGUAGE_CONDITION_H
#define TERRANE_LANGUAGE_CONDITION_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/error.h"

enum {
    CONDITION_BYTES_MAX = 1024,     /* of the text */
    CONDITION_LAYERS_MAX = 32,      /* different ones, materials among them */
    CONDITION_OPERATIONS_MAX = 256, /* that it compiles to */
    CONDITION_NAMES_MAX = 529,      /* of layers, biomes and materials */
};

struct condition;

/* The names that a condition may use (world_condition.h has those of a world); the caller's, while
 * the condition is made. Layers have the numbers of the list, materials those that follow. */
struct condition_list {
    const char *const *names;
    unsigned count;
};
struct condition_names {
    struct condition_list layers, biomes, materials; /* at most CONDITION_NAMES_MAX together */
};

/* What a condition must know of a place. */
struct condition_needs {
    unsigned layers[CONDITION_LAYERS_MAX]; /* indexes for the sampler */
    unsigned layer_count;
    unsigned first_count; /* layers that CONDITION_FIRST reads: these stand first */
    unsigned operations;  /* passes over a row of samples */
    bool slope;           /* it names the slope */
};

/* The condition of `text`; null with the column of an error: the syntax, a name that is unknown, a
 * function of places, or one of the limits above. */
struct condition *condition_new(const struct condition_names *names, const char *text,
                                struct error *error);
void condition_free(struct condition *condition); /* null is allowed */
const struct condition_needs *condition_needs(const struct condition *condition);

/* Samples of places: a row for each layer, in the order of condition_needs(), and the slopes. Rows
 * that a part does not read may be null. */
struct condition_rows {
    const float *layers[CONDITION_LAYERS_MAX];
    const float *slopes; /* degrees */
};

/* The parts: that which joins all conditions that do not name the slope, and the whole. The first
 * part holds wherever the whole does. */
enum condition_part { CONDITION_FIRST, CONDITION_WHOLE };

/* Writes 0 where the part does not hold and another number where it does, `count` of them. */
void condition_run(const struct condition *condition, enum condition_part part,
                   const struct condition_rows *rows, size_t count, float *out);

#endif
