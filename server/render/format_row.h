/* A row of the table of formats (format.h). */
#ifndef TERRANE_SERVER_RENDER_FORMAT_ROW_H
#define TERRANE_SERVER_RENDER_FORMAT_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "server/render/coding.h"

/* The media type of NumPy's files, which is not registered. */
#define FORMAT_NPY_TYPE "application/x-npy"

struct tile_task;
struct tile_order;
struct picture;
struct picture_band;
struct picture_task;

/* The writer of rectangles in a format with an effort, in bands of rows. */
struct picture_format {
    /* Samples or paints a band, beside other threads that make others; null if only tiles have the
     * format. */
    bool (*make)(const struct picture *picture, struct picture_band *band, struct error *error);
    /* Writes what stands in front of the bands; null for nothing. */
    void (*write_header)(const struct picture *picture, struct buffer *out);
    /* Writes a band, from north to south, one thread at a time. */
    bool (*write)(struct picture_task *task, const struct picture_band *band, struct error *error);
    bool (*end)(struct picture_task *task, struct error *error); /* null if nothing is left to do */
    uint32_t side_max;                                           /* pixels a side */
    /* Nanoseconds to encode a pixel, see price.h: with its band, and of all when the bands are
     * made; 0 for a format whose end() is short. */
    double band_time, end_time;
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
    bool globe;          /* meshes on a globe: with normals if asked for, in the central square */
    bool supports_16bit; /* it holds 16-bit grey pictures, or the samples themselves */
    void (*write_samples)(const float *samples, size_t count, struct buffer *out); /* or null */
    bool (*encode)(const struct tile_task *task); /* see tile_task.h */
    uint64_t (*price)(const struct tile_order *order);
    double sample_time;                /* nanoseconds to encode a sample: see price.h */
    double coding_times[CODINGS];      /* and to compress it, by coding */
    struct picture_format pictures[2]; /* by enum tile_effort; equal if effort changes nothing */
};

#endif
