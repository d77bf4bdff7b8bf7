/* Reads the members of a paint step's JSON object, each checked. Readers return false with an error
 * that names the JSON path and the allowed values. */
#ifndef TERRANE_TILE_STYLE_READER_H
#define TERRANE_TILE_STYLE_READER_H

#include "core/tile/style_private.h"

/* A step being read. */
struct style_reader {
    struct style *style;
    const struct json *value; /* the step's parameters */
    struct step *step;
    struct diagnostics *diagnostics; /* take errors; or null */
    struct error *error;
};

struct style_limits {
    double low, high, initial; /* `initial` is the value if the member is left out */
};

/* False, with an error about the step's member `key`, or about the step if that is "". */
bool style_fail(const struct style_reader *reader, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* True if reading can go on behind a part that was read (`done`), or whose error diagnostics took.
 */
bool style_take(const struct style_reader *reader, bool done);

/* A number. */
bool style_read_number(const struct style_reader *reader, const char *key,
                       struct style_limits limits, float *number);
/* True or false; false if left out. */
bool style_read_flag(const struct style_reader *reader, const char *key, bool *flag);
/* "#rrggbb"; untouched if left out. */
bool style_read_colour(const struct style_reader *reader, const char *key, struct colour *colour);
/* The step's "layer". */
bool style_read_layer(const struct style_reader *reader);
/* A name in member `key`; null if left out. */
bool style_read_name(const struct style_reader *reader, const char *key, const char **name);
/* "opacity", "mask", "until" and "optional". */
bool style_read_visibility(const struct style_reader *reader);
/* "stops": the step's ramp, its values within the limits. */
bool style_read_stops(const struct style_reader *reader, struct style_limits limits);

/* Pairs [at, value] in member `key`, the first number rising from 0 or `at_low` on. If it is left
 * out, `initial` everywhere. `what` names the two numbers: "metres a pixel, factor". */
struct style_pairs {
    const char *key, *what;
    double at_low, value_low, value_high, initial;
};
bool style_read_pairs(const struct style_reader *reader, const struct style_pairs *pairs,
                      struct curve *curve);

/* style_light.c and style_ground.c: the parameters of these steps. */
bool style_read_shade(const struct style_reader *reader);
bool style_read_water(const struct style_reader *reader);
bool style_read_heights(const struct style_reader *reader);
bool style_read_contour(const struct style_reader *reader);

#endif
