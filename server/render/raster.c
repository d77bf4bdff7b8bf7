/* A rectangle of the raster is a grid of its own, sampled or painted like any other. Only the order
 * of bytes differs: painters write 16 bits as PNG has them, and rasters have the machine's. */
#include "server/render/raster.h"

#include <string.h>

static const struct {
    uint8_t bytes, bands;
} pixels_of[] = {
    [RASTER_FLOAT32] = {4, 1}, [RASTER_GREY16] = {2, 1}, [RASTER_GREY8] = {1, 1},
    [RASTER_INDEX8] = {1, 1},  [RASTER_RGB8] = {3, 3},
};

unsigned raster_pixel_bytes(enum raster_pixel pixel)
{
    return pixels_of[pixel].bytes;
}

unsigned raster_pixel_bands(enum raster_pixel pixel)
{
    return pixels_of[pixel].bands;
}

enum raster_pixel raster_shape(const struct raster *raster, struct image *shape)
{
    static const enum raster_pixel kinds[] = {
        [IMAGE_GREY8] = RASTER_GREY8,
        [IMAGE_PALETTE8] = RASTER_INDEX8,
        [IMAGE_RGB8] = RASTER_RGB8,
        [IMAGE_GREY16] = RASTER_GREY16,
    };
    *shape = (struct image){.format = IMAGE_GREY16,
                            .content = IMAGE_DATA,
                            .width = raster->grid.columns,
                            .height = raster->grid.rows};
    if (raster->painter)
        painter_shape(raster->painter, &raster->grid, shape);
    else if (!raster->is_scaled)
        return RASTER_FLOAT32;
    return kinds[shape->format];
}

static struct sample_grid grid_of(const struct raster *raster, const struct raster_window *window)
{
    struct sample_grid grid = raster->grid;
    grid.x += (int64_t)window->column * grid.step;
    grid.y += (int64_t)window->row * grid.step;
    grid.columns = window->columns;
    grid.rows = window->rows;
    return grid;
}

static bool paint(const struct raster *raster, struct canvas *canvas,
                  const struct sample_grid *grid, uint8_t *pixels, struct error *error)
{
    struct image image;
    if (!painter_paint(raster->painter, canvas, grid, &image, error))
        return false;
    const size_t length = image.stride * image.height;
    memcpy(pixels, image.pixels, length);
    if (image.format != IMAGE_GREY16)
        return true;
    for (size_t i = 0; i < length; i += 2) { /* high byte first */
        const uint16_t number = (uint16_t)(pixels[i] << 8 | pixels[i + 1]);
        memcpy(pixels + i, &number, sizeof number);
    }
    return true;
}

/* In place: number i is written where sample i / 2 was, which has been read. */
static void scale(const struct raster *raster, void *pixels, size_t count)
{
    const double width = raster->high - raster->low;
    uint8_t *bytes = pixels;
    for (size_t i = 0; i < count; i++) {
        float sample;
        memcpy(&sample, bytes + i * sizeof sample, sizeof sample);
        double value = ((double)sample - raster->low) / width * 65535.0 + 0.5;
        value = value > 0.0 ? value : 0.0;
        const uint16_t number = (uint16_t)(value < 65535.0 ? value : 65535.0);
        memcpy(bytes + i * sizeof number, &number, sizeof number);
    }
}

bool raster_read(const struct raster *raster, struct canvas *canvas,
                 const struct raster_window *window, void *pixels, struct error *error)
{
    const struct sample_grid grid = grid_of(raster, window);
    float *samples = pixels;
    if (raster->painter)
        return paint(raster, canvas, &grid, pixels, error);
    const struct sample_request request = {&raster->layer, &samples, 1};
    if (!sampler_grid(canvas_sampler(canvas), world_program(raster->world), &grid, &request, error))
        return false;
    if (raster->is_scaled)
        scale(raster, pixels, (size_t)grid.columns * grid.rows);
    return true;
}
