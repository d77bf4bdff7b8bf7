/* Style files: one that fits a small world paints a picture, which is encoded. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "core/encode/png.h"
#include "core/tile/style.h"

static const char world_text[] =
    "{\"generator\":1,\"layers\":{"
    "\"height\":{\"formula\":\"900*fbm(wavelength=4096,octaves=4)\",\"range\":[-900,900]},"
    "\"woods\":\"perlin(wavelength=512)\",\"flat\":\"0\"},"
    "\"biomes\":[{\"name\":\"sea\",\"color\":\"#26c\",\"when\":\"height < 0\"},"
    "{\"name\":\"land\",\"color\":\"#3a3\"}]}";

/* Made once: a world, and the memory to paint in. */
struct paint_context {
    struct world *world;
    struct canvas *canvas;
    struct png_encoder *encoder;
};

static const struct paint_context *shared_paint_context(void)
{
    static struct paint_context paint_context;
    if (!paint_context.world) {
        paint_context.world = world_parse(world_text, strlen(world_text), "world", NULL, NULL);
        paint_context.canvas = canvas_new();
        paint_context.encoder = png_encoder_new();
        fuzz_expect(paint_context.world && paint_context.canvas && paint_context.encoder);
    }
    return &paint_context;
}

static void paint(const struct painter *painter, int64_t step)
{
    const struct sample_grid grid = {
        .step = step, .columns = 20, .rows = 5, .spacing = place_metres(step)};
    struct error error = {0};
    struct image image;
    struct buffer file = {0};
    bool painted = painter_paint(painter, shared_paint_context()->canvas, &grid, &image, &error);
    fuzz_expect(painted);
    bool encoded = png_encode(shared_paint_context()->encoder, &image, PNG_SERVE, &file, &error);
    fuzz_expect(encoded && file.length > 8 && memcmp(file.data, "\x89PNG\r\n\x1a\n", 8) == 0);
    buffer_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = {0};
    struct painter *painter = NULL;
    struct style *style = style_parse("fuzz", (const char *)data, size, "fuzz.json", &error);
    if (style)
        painter = painter_new(style, shared_paint_context()->world, &error);
    style_free(style);
    if (!painter) {
        fuzz_expect_error(&error);
        return 0;
    }
    fuzz_expect(strncmp(painter_fingerprint(painter), "s1-", 3) == 0);
    paint(painter, 1);
    paint(painter, PLACE_METRE * 64);
    painter_free(painter);
    return 0;
}
