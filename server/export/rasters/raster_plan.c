/* Bands of files without overviews have about as many pixels each, so that the memory of a thread
 * does not grow with the width. A block of an overview is reduced from the up to four
 * blocks below it, each of which fills a quarter of it. */
#include "server/export/rasters/raster_plan.h"

#include <string.h>

enum { BAND_PIXELS = 1 << 18, SIDE_STEP = 16 };

static uint32_t parts_of(uint32_t whole, uint32_t part)
{
    return whole / part + (whole % part > 0);
}

static uint32_t multiple_of(uint32_t pixels, uint32_t step)
{
    return parts_of(pixels, step) * step;
}

static struct raster_level level_of(const struct tiff_layout *layout, uint32_t columns,
                                    uint32_t rows, uint64_t first)
{
    return (struct raster_level){columns, rows, parts_of(columns, layout->width),
                                 parts_of(rows, layout->height), first};
}

void raster_plan_tiles(struct raster_plan *plan, const struct raster *raster, uint16_t compression)
{
    struct image shape;
    *plan = (struct raster_plan){.raster = raster};
    plan->layout = (struct tiff_layout){.pixel = raster_shape(raster, &shape),
                                        .compression = compression,
                                        .width = RASTER_TILE,
                                        .height = RASTER_TILE};
    plan->layout.is_coded = plan->layout.pixel == RASTER_RGB8 && shape.content == IMAGE_DATA;
    uint32_t columns = raster->grid.columns, rows = raster->grid.rows;
    const struct raster_level *level;
    uint64_t first = 0;
    do {
        plan->levels[plan->level_count] = level_of(&plan->layout, columns, rows, first);
        level = &plan->levels[plan->level_count++];
        first += raster_level_count(level);
        columns = parts_of(columns, 2);
        rows = parts_of(rows, 2);
    } while (level->across > 1 || level->down > 1);
}

void raster_plan_bands(struct raster_plan *plan, const struct raster *raster, bool is_encoded)
{
    struct image shape;
    const uint32_t columns = raster->grid.columns, step = is_encoded ? 1 : SIDE_STEP;
    const uint32_t most = BAND_PIXELS / columns / step * step, height = most > step ? most : step;
    const uint32_t all = multiple_of(raster->grid.rows, step);
    *plan = (struct raster_plan){.raster = raster, .level_count = 1};
    plan->layout = (struct tiff_layout){.pixel = raster_shape(raster, &shape),
                                        .compression = COMPRESSION_ZSTD,
                                        .width = multiple_of(columns, step),
                                        .height = height < all ? height : all,
                                        .is_fast = true};
    plan->levels[0] = level_of(&plan->layout, columns, raster->grid.rows, 0);
}

uint64_t raster_level_count(const struct raster_level *level)
{
    return (uint64_t)level->across * level->down;
}

uint64_t raster_plan_count(const struct raster_plan *plan)
{
    const struct raster_level *last = &plan->levels[plan->level_count - 1];
    return last->first + raster_level_count(last);
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

struct raster_block raster_plan_at(const struct raster_plan *plan, uint64_t index)
{
    struct raster_block block = {.level = plan->level_count - 1};
    while (plan->levels[block.level].first > index)
        block.level--;
    const struct raster_level *level = &plan->levels[block.level];
    const struct tiff_layout *layout = &plan->layout;
    block.column = (uint32_t)((index - level->first) % level->across);
    block.row = (uint32_t)((index - level->first) / level->across);
    block.window.column = block.column * layout->width;
    block.window.row = block.row * layout->height;
    block.window.columns = least(level->columns - block.window.column, layout->width);
    block.window.rows = least(level->rows - block.window.row, layout->height);
    return block;
}

void raster_spread(const struct tiff_layout *layout, uint32_t columns, uint32_t rows, void *pixels)
{
    const size_t size = raster_pixel_bytes(layout->pixel);
    const size_t row = columns * size, wide = layout->width * size;
    uint8_t *bytes = pixels;
    for (uint32_t y = rows; y-- > 0;) /* from the last, as rows move towards the end */
        memmove(bytes + y * wide, bytes + y * row, row);
}

void raster_pad(const struct tiff_layout *layout, uint32_t columns, uint32_t rows, void *pixels)
{
    const size_t size = raster_pixel_bytes(layout->pixel);
    const size_t row = columns * size, wide = layout->width * size;
    uint8_t *bytes = pixels;
    for (uint32_t y = 0; y < rows; y++)
        for (size_t at = row; at < wide; at += size)
            memcpy(bytes + y * wide + at, bytes + y * wide + row - size, size);
    for (uint32_t y = rows; y < layout->height; y++)
        memcpy(bytes + y * wide, bytes + (y - 1) * wide, wide);
}

/* Two rows of `count` pixels, and the row that half of the pixels make. */
typedef void reduce_rows(const void *upper, const void *lower, uint32_t count, unsigned bands,
                         void *out);

static void mean_floats(const void *upper, const void *lower, uint32_t count, unsigned bands,
                        void *out)
{
    const float *a = upper, *b = lower;
    float *to = out;
    (void)bands;
    for (uint32_t i = 0; i < count; i++)
        to[i] = (float)(((double)a[2 * i] + (double)a[2 * i + 1] +
                         ((double)b[2 * i] + (double)b[2 * i + 1])) /
                        4.0);
}

static void mean_shorts(const void *upper, const void *lower, uint32_t count, unsigned bands,
                        void *out)
{
    const uint16_t *a = upper, *b = lower;
    uint16_t *to = out;
    (void)bands;
    for (uint32_t i = 0; i < count; i++)
        to[i] = (uint16_t)((a[2 * i] + a[2 * i + 1] + b[2 * i] + b[2 * i + 1] + 2) / 4);
}

static void mean_bytes(const void *upper, const void *lower, uint32_t count, unsigned bands,
                       void *out)
{
    const uint8_t *a = upper, *b = lower;
    uint8_t *to = out;
    for (uint32_t i = 0; i < count; i++, a += 2 * bands, b += 2 * bands)
        for (unsigned band = 0; band < bands; band++)
            *to++ = (uint8_t)((a[band] + a[band + bands] + b[band] + b[band + bands] + 2) / 4);
}

static void mode_bytes(const void *upper, const void *lower, uint32_t count, unsigned bands,
                       void *out)
{
    const uint8_t *a = upper, *b = lower;
    uint8_t *to = out;
    (void)bands;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t nw = a[2 * i], ne = a[2 * i + 1], sw = b[2 * i], se = b[2 * i + 1];
        if (nw == ne || nw == sw || nw == se)
            to[i] = nw;
        else if (ne == sw || ne == se)
            to[i] = ne;
        else
            to[i] = sw == se ? sw : nw;
    }
}

static void first_pixels(const void *upper, const void *lower, uint32_t count, unsigned bands,
                         void *out)
{
    const uint8_t *a = upper;
    uint8_t *to = out;
    (void)lower;
    for (uint32_t i = 0; i < count; i++, a += 2 * bands, to += bands)
        memcpy(to, a, bands);
}

void raster_reduce(const struct tiff_layout *layout, const void *below, unsigned column,
                   unsigned row, void *pixels)
{
    static reduce_rows *const reduce[] = {
        [RASTER_FLOAT32] = mean_floats, [RASTER_GREY16] = mean_shorts, [RASTER_GREY8] = mean_bytes,
        [RASTER_INDEX8] = mode_bytes,   [RASTER_RGB8] = mean_bytes,
    };
    reduce_rows *const rows = layout->is_coded ? first_pixels : reduce[layout->pixel];
    const unsigned bands = raster_pixel_bands(layout->pixel);
    const size_t size = raster_pixel_bytes(layout->pixel), wide = layout->width * size;
    const uint8_t *from = below;
    uint8_t *to = pixels;
    to += (size_t)(row * (layout->height / 2)) * wide + column * (wide / 2);
    for (uint32_t y = 0; y < layout->height / 2; y++, from += 2 * wide, to += wide)
        rows(from, from + wide, layout->width / 2, bands, to);
}
