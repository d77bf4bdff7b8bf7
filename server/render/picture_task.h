/* A picture in the making, and the functions that the rows of format.c name. For server/render
 * only.
 */
#ifndef TERRANE_SERVER_RENDER_PICTURE_TASK_H
#define TERRANE_SERVER_RENDER_PICTURE_TASK_H

#include "core/encode/png_stream.h"
#include "server/render/picture.h"

/* A band of rows that a thread makes, with the memory that it needs for one. */
struct picture_band {
    struct sample_grid grid;
    uint32_t row; /* in the picture, of its first one */
    struct canvas *canvas;
    struct image image;  /* of pictures: in the canvas */
    float *samples;      /* of numbers, */
    size_t sample_count; /* with room for so many, */
    struct buffer bytes; /* and as they are written */
};

struct picture_task {
    const struct picture *picture;
    const struct picture_output *output;
    struct error output_error; /* of a write inside libpng */
    struct png_stream *stream; /* PNG */
    struct image whole;        /* of pictures that are collected: its pixels are owned */
};

bool picture_paint(const struct picture *picture, struct picture_band *band, struct error *error);
bool picture_sample(const struct picture *picture, struct picture_band *band, struct error *error);
void picture_header_tif(const struct picture *picture, struct buffer *out);
void picture_header_npy(const struct picture *picture, struct buffer *out);
bool picture_write_png(struct picture_task *task, const struct picture_band *band,
                       struct error *error);
bool picture_end_png(struct picture_task *task, struct error *error);
bool picture_collect(struct picture_task *task, const struct picture_band *band,
                     struct error *error);
bool picture_end_whole_png(struct picture_task *task, struct error *error);
bool picture_end_webp(struct picture_task *task, struct error *error);
bool picture_write_samples(struct picture_task *task, const struct picture_band *band,
                           struct error *error);

/* picture_bands.c: makes and writes all bands. */
bool picture_run(struct picture_task *task, struct error *error);
/* Their number, and where one lies: sets its row and grid. */
uint32_t picture_band_count(const struct sample_grid *whole);
void picture_band_place(const struct sample_grid *whole, uint32_t number,
                        struct picture_band *band);

/* picture.c: what is left to write behind the bands. */
bool picture_end(struct picture_task *task, struct error *error);
/* Frees what the task owns. */
void picture_release(struct picture_task *task);

#endif
