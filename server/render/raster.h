/* Rasters: the samples of a layer, or the pixels of a style, on a grid of any size, read in
 * rectangles. Any number of threads may read one raster at once, each with a canvas of its own; a
 * pixel is the same in whatever rectangle it is read. Memory is that of the rectangle. */
#ifndef TERRANE_SERVER_RENDER_RASTER_H
#define TERRANE_SERVER_RENDER_RASTER_H

#include "core/tile/style.h"
#include "core/worldfile/world.h"

enum { RASTER_SIDE_MAX = 1000000 }; /* pixels */

enum raster_pixel {
    RASTER_FLOAT32, /* samples as they are */
    RASTER_GREY16,  /* uint16 of the machine: scaled samples, or a style of 16 bits */
    RASTER_GREY8,
    RASTER_INDEX8, /* into the painter's palette */
    RASTER_RGB8,
};

struct raster {
    const struct world *world;
    const struct painter *painter; /* pixels of a style; null: samples of `layer` */
    unsigned layer;
    /* Samples as numbers from 0 at `low` to 65535 at `high`, rounded to the nearest and clamped;
     * otherwise as float32. */
    bool is_scaled;
    double low, high;
    struct sample_grid grid; /* the whole: at most RASTER_SIDE_MAX a side */
};

/* A rectangle of a raster, in pixels. */
struct raster_window {
    uint32_t column, row, columns, rows;
};

/* The pixels' kind and colours: an image of the whole raster, without pixels. */
enum raster_pixel raster_shape(const struct raster *raster, struct image *shape);
/* Bytes of a pixel, and how many numbers it has: 3 for RGB, else 1. */
unsigned raster_pixel_bytes(enum raster_pixel pixel);
unsigned raster_pixel_bands(enum raster_pixel pixel);

/* Fills `pixels` with the rows of the window, north to south, one behind another. `pixels` is
 * aligned for floats and has room for four bytes a pixel. False when memory is out, or a place is
 * too far beyond ±2⁴⁰ m. */
bool raster_read(const struct raster *raster, struct canvas *canvas,
                 const struct raster_window *window, void *pixels, struct error *error);

#endif
