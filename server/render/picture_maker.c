/* A picture whose bands are made one after another, with other work between them: as a server does
 * that makes each in a job of its own. The bands are those of picture_write(), and so are the
 * bytes. */
#include <stdlib.h>

#include "core/base/place.h"
#include "core/price/sampling.h"
#include "server/render/picture_task.h"
#include "server/render/price_private.h"

struct picture_maker {
    struct picture_task task;
    struct picture_band band; /* but for the canvas, which is the caller's */
    uint32_t step;            /* the next one */
};

struct picture_maker *picture_maker_new(const struct picture *picture,
                                        const struct picture_output *output)
{
    struct picture_maker *maker = calloc(1, sizeof *maker);
    if (maker)
        maker->task = (struct picture_task){.picture = picture, .output = output};
    return maker;
}

void picture_maker_free(struct picture_maker *maker)
{
    if (!maker)
        return;
    picture_release(&maker->task);
    free(maker->band.samples);
    buffer_free(&maker->band.bytes);
    free(maker);
}

/* Encoding the whole is a step of its own where it takes long. */
static bool has_last_step(const struct picture *picture)
{
    return picture_format_of(picture)->end_time > 0.0;
}

uint32_t picture_steps(const struct picture *picture)
{
    return picture_band_count(&picture->grid) + has_last_step(picture);
}

/* Samples of a band, and painting it if the format holds pictures. */
static struct sampling_price band_price(const struct picture *picture,
                                        const struct sample_grid *grid)
{
    const double metres = place_metres(grid->step);
    const unsigned layer = painter_layer(picture->painter);
    const struct sampling_where where = sampling_where_grid(grid);
    const struct sampling sampling = {
        .step = metres, .spacing = metres, .across = grid->columns, .where = &where};
    return picture->format->write_samples
               ? price_sampling(world_program(picture->world), &layer, 1, sampling)
               : painter_price(picture->painter, metres, &where);
}

uint64_t picture_step_price(const struct picture *picture, uint32_t step)
{
    const struct picture_format *format = picture_format_of(picture);
    const struct sample_grid *whole = &picture->grid;
    struct picture_band band = {.row = 0};
    if (step >= picture_band_count(whole))
        return price_nanoseconds((double)whole->columns * whole->rows * format->end_time);
    picture_band_place(whole, step, &band);
    return price_nanoseconds(
        price_grid_time(band_price(picture, &band.grid), whole->columns, band.grid.rows) +
        (double)whole->columns * band.grid.rows * format->band_time);
}

bool picture_maker_step(struct picture_maker *maker, struct canvas *canvas, struct error *error)
{
    struct picture_task *task = &maker->task;
    const struct picture *picture = task->picture;
    const struct picture_format *format = picture_format_of(picture);
    const uint32_t bands = picture_band_count(&picture->grid), step = maker->step++;
    bool done = true;
    if (step < bands) {
        picture_band_place(&picture->grid, step, &maker->band);
        maker->band.canvas = canvas;
        done =
            format->make(picture, &maker->band, error) && format->write(task, &maker->band, error);
    }
    if (done && maker->step == picture_steps(picture))
        done = picture_end(task, error);
    if (task->output_error.code != ERROR_NONE)
        *error = task->output_error;
    return done;
}
