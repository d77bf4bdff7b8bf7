/* A picture in the making, and the functions that the rows of format.c name. For server/render
 * only.
 */
#ifndef TERRANE_SERVER_RENDER_PICTURE_TASK_H
#define TERRANE_SERVER_RENDER_PICTURE_TASK_H

#include "core/encode/png_stream.h"
#include "server/render/picture.h"

struct picture_task {
    const struct picture *picture;
    struct canvas *canvas;
    const struct picture_output *output;
    struct error output_error; /* of a write inside libpng */
    struct png_stream *stream; /* PNG */
    struct image whole;        /* WebP: its pixels are owned */
    float *samples;            /* numbers: of a band */
    struct buffer bytes;
};

bool picture_png_band(struct picture_task *task, const struct sample_grid *band, uint32_t row,
                      struct error *error);
bool picture_png_end(struct picture_task *task, struct error *error);
bool picture_webp_band(struct picture_task *task, const struct sample_grid *band, uint32_t row,
                       struct error *error);
bool picture_webp_end(struct picture_task *task, struct error *error);
bool picture_samples_band(struct picture_task *task, const struct sample_grid *band, uint32_t row,
                          struct error *error);

#endif
