/* The table of formats of tiles. A new format is a row in format.c and an encoder in
 * tile_encoders.c; one that rectangles can have too also has a function in picture.c. */
#ifndef TERRANE_SERVER_RENDER_FORMAT_H
#define TERRANE_SERVER_RENDER_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "server/render/coding.h"
#include "server/render/names.h"

struct tile_task;
struct tile_order;
struct picture;
struct picture_band;
struct picture_task;

/* The writer of rectangles in a format, in bands of rows. */
struct picture_format {
    /* Samples or paints a band, beside other threads that make others; null if only tiles have the
     * format. */
    bool (*make)(const struct picture *picture, struct picture_band *band, struct error *error);
    /* Writes a band, from north to south, one thread at a time. */
    bool (*write)(struct picture_task *task, const struct picture_band *band, struct error *error);
    bool (*end)(struct picture_task *task, struct error *error); /* null if nothing is left to do */
    uint32_t side_max;                                           /* pixels a side */
};

struct format {
    const char *name; /* the extension */
    unsigned id;      /* part of recipes: unique, and never changed */
    unsigned version; /* of the encoded bytes: part of recipes, increased whenever they change */
    const char *content_type;
    uint32_t sizes;      /* samples a side that may be chosen, a set: each is a power of two */
    uint32_t size;       /* the default of these */
    unsigned codings;    /* content codings that it is offered in: a set of coding.h */
    const char *alias;   /* another extension of the same files; or null */
    bool columns;        /* it has a width in characters */
    bool interval;       /* it has contours at an interval, and no style */
    bool unit;           /* it names the unit of the layer */
    bool supports_16bit; /* it holds 16-bit grey pictures, or the samples themselves */
    void (*write_samples)(const float *samples, size_t count, struct buffer *out); /* or null */
    bool (*encode)(const struct tile_task *task); /* see tile_task.h */
    uint64_t (*cost)(const struct tile_order *order);
    double sample_time;           /* nanoseconds to encode a sample: see cost.h */
    double coding_times[CODINGS]; /* and to compress it, by coding */
    struct picture_format picture;
};

/* Null if there is no format of this name or alias. */
const struct format *format_find(const char *name, size_t length);
/* In the table's order; null behind the last. */
const struct format *format_at(size_t index);

typedef bool format_filter(const struct format *format);
format_filter format_supports_16bit, format_supports_rectangles, format_supports_16bit_rectangles,
    format_has_columns, format_has_interval;

/* "png, webp …": the formats that the filter, unless it is null, is true of. Returns the text. */
const char *format_names(format_filter *filter, char text[FORMAT_NAMES_TEXT]);

bool format_allows_size(const struct format *format, uint32_t size);
/* "256, 512": the sizes that are allowed. Returns the text. */
const char *format_size_names(const struct format *format, char text[FORMAT_NAMES_TEXT]);

#endif
