/* The formats that tiles come in: one row for each. */
#ifndef TERRANE_SERVER_RENDER_FORMAT_H
#define TERRANE_SERVER_RENDER_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The numbers are part of recipes: they stay. */
enum format_id {
    FORMAT_PNG = 1,
    FORMAT_WEBP = 2,
    FORMAT_R32F = 3,
    FORMAT_R16 = 4,
    FORMAT_JSON = 5,
    FORMAT_MVT = 6,
    FORMAT_TXT = 7,
    FORMAT_ANSI = 8,
};

/* What a format's size is chosen from. */
enum format_sizes {
    FORMAT_FIXED,  /* 256 samples a side, and none of the caller's business */
    FORMAT_PIXELS, /* 256 or 512 */
    FORMAT_FEW,    /* 1, 2, 4 … 64 */
};

struct format {
    const char *name; /* the extension */
    const char *content_type;
    enum format_id id;
    unsigned version; /* of its bytes */
    enum format_sizes sizes;
    unsigned codings; /* in which it is offered: a set of coding.h */
    bool columns;     /* it has a width in characters */
    bool interval;    /* it has contours */
};

/* Null if there is none of this name. */
const struct format *format_find(const char *name, size_t length);
/* In the order of their numbers; null behind the last. */
const struct format *format_at(size_t index);
/* "png, webp …". */
const char *format_names(void);

/* Whether it can be made of 16-bit grey pictures: it holds them, or the samples themselves. */
bool format_is_deep(const struct format *format);
/* "png, r32f …": those that can. */
const char *format_deep_names(void);

/* The size where nobody says one. */
uint32_t format_size(const struct format *format);
bool format_allows_size(const struct format *format, uint32_t size);
/* "256, 512": what is allowed, for messages. */
const char *format_size_names(const struct format *format);

#endif
