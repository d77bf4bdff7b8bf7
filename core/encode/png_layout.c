/* Chooses how pixels are stored in a PNG. For palette images the used colours are counted first: a
 * tile shows few of its world's biomes, and with at most 16 colours an index takes 4, 2 or 1 bits.
 * The colours are then renumbered in their old order. With more colours, palette and indices stay
 * as they are, and rows need no pass of their own. */
#include "core/encode/png_layout.h"

#include <string.h>

#include "core/encode/png.h"

enum {
    COLOUR_TYPE_GREY = 0,
    COLOUR_TYPE_RGB = 2,
    COLOUR_TYPE_PALETTE = 3,
    COLOUR_TYPE_RGBA = 6,
    PACKED_COLOURS_MAX = 16,
    BYTES_MAX = 0x7FFFFFFF - 4096, /* a chunk's length has 31 bits */
};

/* Marks the indices that occur; false if one has no colour. */
static bool mark_used_indices(const struct image *image, bool used[PNG_COLOURS_MAX],
                              struct error *error)
{
    for (uint32_t y = 0; y < image->height; y++) {
        const uint8_t *row = image->pixels + y * image->stride;
        uint64_t eight, before = 0;
        uint32_t x = 0;
        /* Eight pixels that equal the eight before them, as most do, use no new colour. */
        for (; x + sizeof eight <= image->width; x += sizeof eight) {
            memcpy(&eight, row + x, sizeof eight);
            for (uint32_t i = 0; i < sizeof eight && (x == 0 || eight != before); i++)
                used[row[x + i]] = true;
            before = eight;
        }
        for (; x < image->width; x++)
            used[row[x]] = true;
    }
    for (unsigned i = image->palette_count; i < PNG_COLOURS_MAX; i++) {
        if (used[i])
            return error_set(error, ERROR_VALUE,
                             "a pixel has the index %u, but the palette has %u colours", i,
                             (unsigned)image->palette_count);
    }
    return true;
}

static bool find_palette(struct png_layout *layout, const struct image *image, struct error *error)
{
    if (!image->palette || image->palette_count < 1 || image->palette_count > PNG_COLOURS_MAX)
        return error_set(error, ERROR_VALUE, "a palette has 1 to %d colours, not %u",
                         PNG_COLOURS_MAX, (unsigned)image->palette_count);
    bool used[PNG_COLOURS_MAX] = {false};
    if (!mark_used_indices(image, used, error))
        return false;
    for (unsigned i = 0; i < image->palette_count; i++) {
        layout->new_index[i] = (uint8_t)layout->colours;
        if (used[i])
            memcpy(layout->palette + 3 * layout->colours++, image->palette + 3 * i, 3);
    }
    if (layout->colours <= PACKED_COLOURS_MAX) {
        layout->depth = layout->colours > 4 ? 4 : layout->colours > 2 ? 2 : 1;
        return true;
    }
    /* Rows are not packed, so the indices stay as they are. */
    layout->colours = image->palette_count;
    memcpy(layout->palette, image->palette, (size_t)layout->colours * 3);
    return true;
}

bool png_layout_find(struct png_layout *layout, const struct image *image, struct error *error)
{
    if (image->width == 0 || image->height == 0 || image->width > PNG_SIDE_MAX ||
        image->height > PNG_SIDE_MAX)
        return error_set(error, ERROR_LIMIT,
                         "a PNG of %u x %u pixels: allowed are 1 to %d pixels a side",
                         (unsigned)image->width, (unsigned)image->height, PNG_SIDE_MAX);
    *layout = (struct png_layout){.colour_type = COLOUR_TYPE_GREY, .depth = 8, .step = 1};
    if (image->format == IMAGE_RGB8) {
        layout->colour_type = COLOUR_TYPE_RGB;
        layout->step = 3;
    } else if (image->format == IMAGE_RGBA8) {
        layout->colour_type = COLOUR_TYPE_RGBA;
        layout->step = 4;
    } else if (image->format == IMAGE_GREY16) {
        layout->depth = 16;
        layout->step = 2;
    } else if (image->format == IMAGE_PALETTE8) {
        layout->colour_type = COLOUR_TYPE_PALETTE;
        if (!find_palette(layout, image, error))
            return false;
    }
    size_t bytes = image->width * layout->step;
    layout->row_bytes = layout->depth < 8 ? (bytes * layout->depth + 7) / 8 : bytes;
    if ((layout->row_bytes + 1) * image->height > BYTES_MAX)
        return error_set(error, ERROR_LIMIT, "a PNG of %u x %u pixels has more than 2 GiB of data",
                         (unsigned)image->width, (unsigned)image->height);
    return true;
}

/* Packs new indices, several to a byte, the first one in the highest bits. Callers pass `depth` as
 * a constant, so that each depth has a loop of its own. */
static inline void pack_row(const struct png_layout *layout, unsigned depth, const uint8_t *pixels,
                            uint32_t width, uint8_t *out)
{
    const uint32_t pixels_per_byte = 8 / depth;
    uint32_t x = 0;
    for (; x + pixels_per_byte <= width; x += pixels_per_byte) {
        unsigned bits = 0;
        for (uint32_t i = 0; i < pixels_per_byte; i++)
            bits = bits << depth | layout->new_index[pixels[x + i]];
        *out++ = (uint8_t)bits;
    }
    if (x == width)
        return;
    unsigned bits = 0;
    for (uint32_t i = 0; i < pixels_per_byte; i++)
        bits = bits << depth | (x + i < width ? layout->new_index[pixels[x + i]] : 0u);
    *out = (uint8_t)bits;
}

const uint8_t *png_layout_row(const struct png_layout *layout, const uint8_t *pixels,
                              uint32_t width, uint8_t *packed)
{
    if (layout->depth == 1)
        pack_row(layout, 1, pixels, width, packed);
    else if (layout->depth == 2)
        pack_row(layout, 2, pixels, width, packed);
    else if (layout->depth == 4)
        pack_row(layout, 4, pixels, width, packed);
    return layout->depth < 8 ? packed : pixels;
}
