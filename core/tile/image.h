/* A picture in memory: the result of painting and the input of encoders. */
#ifndef TERRANE_TILE_IMAGE_H
#define TERRANE_TILE_IMAGE_H

#include <stddef.h>
#include <stdint.h>

enum image_format {
    IMAGE_GREY8,    /* 1 byte a pixel */
    IMAGE_PALETTE8, /* 1 byte a pixel, an index into `palette` */
    IMAGE_RGB8,     /* 3 bytes a pixel: red, green, blue */
    IMAGE_GREY16,   /* 2 bytes a pixel, high byte first */
    IMAGE_RGBA8,    /* 4 bytes a pixel, four numbers: for png.h alone */
};

/* The kind of pixels, by which an encoder chooses its filter and level. */
enum image_content {
    IMAGE_PICTURE, /* shaded colours */
    IMAGE_AREAS,   /* few flat colours */
    IMAGE_DATA,    /* numbers in colour channels or 16 bits: terrarium, normal, grey16 */
    IMAGE_SMOOTH,  /* grey gradients */
    IMAGE_DRAWING, /* lines and plain colours, shaded or not */
};

struct image {
    enum image_format format;
    enum image_content content;
    uint32_t width, height;
    uint8_t *pixels;        /* row-major, north to south; not owned */
    size_t stride;          /* bytes from a row to the next */
    const uint8_t *palette; /* IMAGE_PALETTE8: red, green, blue of each colour */
    uint32_t palette_count; /* 1 … 256 */
};

#endif
