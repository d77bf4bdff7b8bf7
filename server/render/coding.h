/* Content codings (RFC 9110, section 8.4.1): the compression of responses. */
#ifndef TERRANE_SERVER_RENDER_CODING_H
#define TERRANE_SERVER_RENDER_CODING_H

#include "core/base/buffer.h"
#include "core/base/error.h"

/* The numbers are part of recipes: they stay. */
enum coding {
    CODING_IDENTITY = 0, /* not compressed */
    CODING_GZIP = 1,
    CODING_ZSTD = 2,
};
enum { CODINGS = CODING_ZSTD + 1 }; /* their number */

/* Sets of codings besides identity, a bit for each. */
enum {
    CODINGS_NONE = 0,
    CODINGS_ZSTD = 1 << CODING_ZSTD,
    CODINGS_ALL = 1 << CODING_GZIP | 1 << CODING_ZSTD,
};

enum coding_effort {
    CODING_SAMPLES, /* fast, for binary samples, which compress little at any level */
    CODING_SERVE,   /* fast, as a client waits */
    CODING_EXPORT,  /* slow and small, for files */
};

/* The name in Content-Encoding: "gzip", "zstd"; null for identity. */
const char *coding_name(enum coding coding);

/* The scratch memory of one thread. */
struct coder;
struct coder *coder_new(void);        /* null when memory is out */
void coder_free(struct coder *coder); /* null is allowed */

struct coding_order {
    enum coding coding; /* not identity */
    enum coding_effort effort;
};

/* Appends the compressed bytes; false with ERROR_MEMORY, and `out` unchanged. */
bool coder_append(struct coder *coder, struct coding_order order, const struct buffer *bytes,
                  struct buffer *out, struct error *error);

#endif
