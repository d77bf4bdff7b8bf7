/* Pictures and samples of any rectangle, in bands of rows that several threads make: the memory
 * they take does not grow with their height, but for WebP, which must be whole before it can be
 * encoded. The bytes do not depend on the number of threads. */
#ifndef TERRANE_SERVER_RENDER_PICTURE_H
#define TERRANE_SERVER_RENDER_PICTURE_H

#include "core/drainage/store/cache_share.h"
#include "core/tile/style.h"
#include "core/worldfile/world.h"
#include "server/render/format_row.h"

struct picture {
    const struct world *world;
    const struct painter *painter;
    const struct format *format;
    struct sample_grid grid; /* of the whole; rows may be many */
    unsigned threads; /* that make bands, 1 … IN_ORDER_THREADS_MAX: the caller is one of them */
    struct drainage_cache *network; /* streams and land, which the threads share; may be null */
};

/* The receiver of a picture. Its functions are called by any of the threads, but by one at a time.
 */
struct picture_output {
    bool (*write)(void *context, const void *bytes, size_t length, struct error *error);
    void (*progress)(void *context, uint64_t done, uint64_t total); /* in rows; or null */
    void *context;
};

/* True if the format can hold a rectangle of that shape; else false with an error that says what is
 * possible. */
bool picture_check(const struct format *format, const struct sample_grid *grid,
                   struct error *error);

/* Writes a picture that picture_check() has accepted. */
bool picture_write(const struct picture *picture, const struct picture_output *output,
                   struct error *error);

#endif
