/* Pictures and samples of any rectangle, in bands of rows that several threads make: the memory
 * they take does not grow with their height, but for WebP and for PNG with the effort of tiles,
 * which must be whole before they can be encoded. The bytes do not depend on the number of threads.
 */
#ifndef TERRANE_SERVER_RENDER_PICTURE_H
#define TERRANE_SERVER_RENDER_PICTURE_H

#include "core/drainage/store/cache_share.h"
#include "core/tile/style.h"
#include "core/worldfile/world.h"
#include "server/render/format_row.h"
#include "server/render/tile_maker.h"

struct picture {
    const struct world *world;
    const struct painter *painter;
    const struct format *format;
    enum tile_effort effort; /* of pictures; samples are the same with any */
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

/* How the picture is written. */
const struct picture_format *picture_format_of(const struct picture *picture);

/* True if the format can hold the grid with that effort; else false with an error that says what is
 * possible. Of the picture, format, effort and grid are looked at. */
bool picture_check(const struct picture *picture, struct error *error);

/* Writes a picture that picture_check() has accepted. */
bool picture_write(const struct picture *picture, const struct picture_output *output,
                   struct error *error);

/* The same bytes, for a caller that has other work between the bands: one step after another, on
 * any thread, with the canvas of that thread. `picture` and `output` stay the caller's, and must
 * outlive the maker. */
struct picture_maker;
/* Null when memory is out. */
struct picture_maker *picture_maker_new(const struct picture *picture,
                                        const struct picture_output *output);
void picture_maker_free(struct picture_maker *maker); /* null is allowed */
/* The steps of a picture: its bands, and one more if the format encodes the whole. */
uint32_t picture_steps(const struct picture *picture);
/* Nanoseconds of a step (server/render/price.h). */
uint64_t picture_step_price(const struct picture *picture, uint32_t step);
/* Takes the next step; false with an error, after which only picture_maker_free() is allowed. */
bool picture_maker_step(struct picture_maker *maker, struct canvas *canvas, struct error *error);

#endif
