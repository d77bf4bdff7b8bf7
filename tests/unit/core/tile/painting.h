/* Pixels of styles on worlds made from formulas, for tests. Include cmocka.h first; a group of
 * tests is run with open_canvas() and close_canvas(). */
#ifndef TERRANE_TESTS_PAINTING_H
#define TERRANE_TESTS_PAINTING_H

#include "core/tile/style.h"
#include "tests/unit/core/world_of.h"

static struct canvas *canvas;

static inline struct style *style_of(const char *text)
{
    struct error error = {0};
    struct style *style = style_parse("test", text, strlen(text), "test.json", &error);
    if (!style)
        fail_msg("%s: %s: %s", text, error.path, error.message);
    return style;
}

/* A painter of a new world, to which it has the only reference. */
static inline struct painter *painter_of(const char *style_text, struct world *world)
{
    struct error error = {0};
    struct style *style = style_of(style_text);
    struct painter *painter = painter_new(style, world, &error);
    style_free(style);
    world_release(world);
    if (!painter)
        fail_msg("%s: %s", error.path, error.message);
    return painter;
}

/* One row of pixels a metre apart from x on, at y = 0. */
static inline struct image paint_row(const struct painter *painter, int x, uint32_t columns)
{
    struct error error = {0};
    struct image image;
    const struct sample_grid grid = {
        .x = x * PLACE_METRE, .step = PLACE_METRE, .columns = columns, .rows = 1, .spacing = 1.0};
    if (!painter_paint(painter, canvas, &grid, &image, &error))
        fail_msg("%s", error.message);
    assert_int_equal(image.width, columns);
    assert_int_equal(image.height, 1);
    return image;
}

static inline uint32_t pixel(const struct image *image, uint32_t column)
{
    const uint8_t *at = image->pixels + 3 * column;
    return (uint32_t)at[0] << 16 | (uint32_t)at[1] << 8 | at[2];
}

static inline uint32_t colour_of(const char *style, const char *formula)
{
    struct painter *painter = painter_of(style, world_of(formula));
    struct image image = paint_row(painter, 7, 1);
    assert_int_equal(image.format, IMAGE_RGB8);
    uint32_t colour = pixel(&image, 0);
    painter_free(painter);
    return colour;
}

static inline void assert_colour(const char *style, const char *formula, uint32_t expected)
{
    uint32_t colour = colour_of(style, formula);
    if (colour != expected)
        fail_msg("%s with height %s is %06x, not %06x", style, formula, colour, expected);
}

static inline int open_canvas(void **unused)
{
    (void)unused;
    canvas = canvas_new();
    return canvas ? 0 : -1;
}

static inline int close_canvas(void **unused)
{
    (void)unused;
    canvas_free(canvas);
    canvas_free(NULL);
    painter_free(NULL);
    return 0;
}

#endif
