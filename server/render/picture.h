/* Pictures and samples of any rectangle, in bands of rows: the memory they take does not grow with
 * their height, but for WebP, which must be whole before it can be encoded. */
#ifndef TERRANE_SERVER_RENDER_PICTURE_H
#define TERRANE_SERVER_RENDER_PICTURE_H

#include "core/tile/style.h"
#include "server/cli/output.h"
#include "server/render/format.h"

struct picture {
    const struct world *world;
    const struct painter *painter;
    const struct format *format;
    struct sample_grid grid; /* of the whole; rows may be many */
};

/* "png, webp …": the formats that rectangles come in. */
const char *picture_formats(void);
/* Those of them that hold 16 bits a pixel. */
const char *picture_deep_format_names(void);
/* Whether the format takes a rectangle of such a shape; false with an error that says what would be
 * taken. */
bool picture_check(const struct format *format, const struct sample_grid *grid,
                   struct error *error);

/* Writes the picture, which picture_check() has passed, to the output. Shows its progress. */
bool picture_write(const struct picture *picture, struct output *output, struct error *error);

#endif
