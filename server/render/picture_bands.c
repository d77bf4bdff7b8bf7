/* The bands of a picture: made by several threads, written in their order. They are the same for
 * any number of threads. */
#include <stdlib.h>

#include "core/sampling/sampler.h"
#include "server/base/in_order.h"
#include "server/render/picture_task.h"

/* Pixels of a band, about: enough rows to share work between them, few enough to stay in the cache.
 */
enum { BAND_PIXELS = 1 << 18 };

static uint32_t band_rows(const struct sample_grid *whole)
{
    const uint32_t rows = BAND_PIXELS / whole->columns;
    return rows < 1 ? 1 : rows;
}

uint32_t picture_band_count(const struct sample_grid *whole)
{
    const uint32_t most = band_rows(whole);
    return whole->rows / most + (whole->rows % most > 0);
}

void picture_band_place(const struct sample_grid *whole, uint32_t number, struct picture_band *band)
{
    const uint32_t most = band_rows(whole);
    band->row = number * most;
    band->grid = *whole;
    band->grid.rows = most < whole->rows - band->row ? most : whole->rows - band->row;
    band->grid.y += (int64_t)band->row * whole->step;
}

static void end_bands(void *memory)
{
    struct picture_band *band = memory;
    free(band->samples);
    buffer_free(&band->bytes);
    canvas_free(band->canvas);
    free(band);
}

static void *begin_bands(void *context)
{
    const struct picture_task *task = context;
    struct picture_band *band = calloc(1, sizeof *band);
    if (band)
        band->canvas = canvas_new();
    if (band && band->canvas) {
        sampler_set_cache(canvas_sampler(band->canvas), task->picture->network);
        return band;
    }
    free(band);
    return NULL;
}

static bool make_band(void *context, const struct in_order_piece *piece, struct error *error)
{
    const struct picture_task *task = context;
    struct picture_band *band = piece->memory;
    picture_band_place(&task->picture->grid, (uint32_t)piece->number, band);
    return picture_format_of(task->picture)->make(task->picture, band, error);
}

static bool write_band(void *context, const struct in_order_piece *piece, struct error *error)
{
    struct picture_task *task = context;
    const struct picture *picture = task->picture;
    const struct picture_band *band = piece->memory;
    if (!picture_format_of(picture)->write(task, band, error))
        return false;
    if (task->output->progress)
        task->output->progress(task->output->context, band->row + band->grid.rows,
                               picture->grid.rows);
    return true;
}

bool picture_run(struct picture_task *task, struct error *error)
{
    const struct picture *picture = task->picture;
    const struct in_order work = {
        .count = picture_band_count(&picture->grid),
        .threads = picture->threads,
        .context = task,
        .begin = begin_bands,
        .end = end_bands,
        .make = make_band,
        .use = write_band,
    };
    return in_order_run(&work, error);
}
