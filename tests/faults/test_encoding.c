/* Tiles, chunks and pictures in all formats: every allocation fails once, and from there on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <webp/decode.h>

#include <cmocka.h>

#include "core/encode/png.h"
#include "core/encode/png_stream.h"
#include "core/encode/terminal.h"
#include "core/encode/webp.h"
#include "server/render/chunk_format.h"
#include "server/render/chunk_maker.h"
#include "server/render/format.h"
#include "server/render/picture.h"
#include "tests/faults/allocation_faults.h"
#include "tests/faults/fault_cases.h"

static bool encode(enum png_effort effort, struct error *error)
{
    static uint8_t pixels[SIDE * SIDE];
    static const uint8_t palette[6] = {1, 2, 3};
    const struct image image = {IMAGE_PALETTE8, IMAGE_AREAS, SIDE, SIDE, pixels, SIDE, palette, 2};
    struct buffer file = {0};
    struct png_encoder *encoder = png_encoder_new();
    bool done = encoder ? png_encode(encoder, &image, effort, &file, error) : error_memory(error);
    faults_clear();
    assert_int_equal(file.length > 0, done);
    buffer_clear(&file);
    if (encoder && !done)
        assert_true(png_encode(encoder, &image, effort, &file, NULL) && file.length > 0);
    png_encoder_free(encoder);
    buffer_free(&file);
    return done;
}

static bool case_serve(struct error *error)
{
    return encode(PNG_SERVE, error);
}

static bool case_export(struct error *error)
{
    return encode(PNG_EXPORT, error);
}

static bool encode_webp(enum image_content content, enum webp_effort effort, struct error *error)
{
    static uint8_t pixels[SIDE * SIDE];
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * i / 7);
    const struct image image = {IMAGE_GREY8, content, SIDE, SIDE, pixels, SIDE, NULL, 0};
    struct buffer file = {0};
    bool done = webp_encode(&image, effort, &file, error);
    assert_int_equal(file.length > 0, done);
    /* libwebp does without what it only tries in order to save bytes: the pixels are right then. */
    if (done && faults_triggered()) {
        faults_clear();
        int width, height;
        uint8_t *decoded = WebPDecodeRGB(file.data, file.length, &width, &height);
        assert_non_null(decoded);
        for (size_t i = 0; i < sizeof pixels * 3; i++)
            assert_int_equal(decoded[i], pixels[i / 3]);
        WebPFree(decoded);
        done = error_memory(error);
    }
    buffer_free(&file);
    return done;
}

static bool case_lossy(struct error *error)
{
    return encode_webp(IMAGE_PICTURE, WEBP_EXPORT, error);
}

/* Colours that are converted as they are read. */
static bool case_served_picture(struct error *error)
{
    static uint8_t pixels[SIDE * SIDE * 3];
    const struct image image = {IMAGE_RGB8, IMAGE_PICTURE, SIDE, SIDE, pixels, SIDE * 3, NULL, 0};
    struct buffer file = {0};
    const bool done = webp_encode(&image, WEBP_SERVE, &file, error);
    assert_int_equal(file.length > 0, done);
    buffer_free(&file);
    return done;
}

static bool case_lossless(struct error *error)
{
    return encode_webp(IMAGE_DATA, WEBP_EXPORT, error);
}

static bool case_text(struct error *error)
{
    static float samples[SIDE * SIDE];
    const struct terminal_heights heights = {samples, SIDE, SIDE, 1, true};
    struct buffer text = {0};
    bool done = terminal_write_heights(&heights, TERMINAL_COLUMNS, &text, error);
    assert_int_equal(text.length > 0, done);
    buffer_free(&text);
    return done;
}

static bool take(void *context, const uint8_t *bytes, size_t length)
{
    (void)bytes;
    *(size_t *)context += length;
    return true;
}

static bool case_stream(struct error *error)
{
    static uint8_t pixels[SIDE * SIDE];
    const struct image image = {IMAGE_GREY8, IMAGE_SMOOTH, SIDE, SIDE, pixels, SIDE, NULL, 0};
    size_t length = 0;
    struct png_stream *stream = png_stream_new(&image, take, &length, error);
    bool done = stream && png_stream_rows(stream, &image, error) && png_stream_end(stream, error);
    png_stream_free(stream);
    return done;
}

static bool discard(void *context, const void *bytes, size_t length, struct error *error)
{
    (void)bytes;
    (void)error;
    *(size_t *)context += length;
    return true;
}

static bool write_rectangle(const char *format, struct error *error)
{
    struct painter *painter = painter_new(fixture.style, fixture.world, error);
    const struct picture picture = {.world = fixture.world,
                                    .painter = painter,
                                    .format = format_find(format, strlen(format)),
                                    .grid = fixture.grid,
                                    .threads = 1};
    size_t length = 0;
    const struct picture_output output = {discard, NULL, &length};
    bool done = painter && picture_write(&picture, &output, error);
    painter_free(painter);
    return done;
}

static bool case_rectangle(struct error *error)
{
    return write_rectangle("png", error);
}

static bool case_whole_rectangle(struct error *error)
{
    return write_rectangle("webp", error);
}

static bool case_raw_rectangle(struct error *error)
{
    return write_rectangle("r32f", error);
}

/* All layers in the format, or one if it has no more. */
static bool make_chunk(struct chunk_maker *maker, const char *format, unsigned shape,
                       struct error *error)
{
    static const struct chunk_address address = {3, -2, 0};
    struct chunk_order order = {.world = fixture.world,
                                .format = chunk_format_find(format, shape),
                                .shape = shape,
                                .size = 4,
                                .step = 1 << 22,
                                .layers = {0, 1, 2}};
    struct buffer out = {0};
    order.layer_count = order.format->layers < 3 ? order.format->layers : 3;
    bool done = chunk_make(maker, &order, &address, &out, error) &&
                chunk_compress(maker, CODING_ZSTD, 0, &out, error) &&
                chunk_compress(maker, CODING_GZIP, 0, &out, error);
    if (!done) { /* everything can be used again */
        faults_clear();
        buffer_clear(&out);
        assert_true(chunk_make(maker, &order, &address, &out, NULL));
        assert_true(chunk_compress(maker, CODING_ZSTD, 0, &out, NULL));
        assert_true(chunk_compress(maker, CODING_GZIP, 0, &out, NULL));
    }
    assert_true(out.length > 20);
    buffer_free(&out);
    return done;
}

static bool case_chunk(struct error *error)
{
    static const char *const formats[] = {"r32f", "r16", "r16z", "png", "json",
                                          "asc",  "tif", "glb",  "npy"};
    struct canvas *canvas = canvas_new();
    struct chunk_maker *maker = canvas ? chunk_maker_new(canvas) : NULL;
    bool done = maker || error_memory(error);
    for (size_t i = 0; done && i < sizeof formats / sizeof *formats; i++)
        done = make_chunk(maker, formats[i], CHUNK_FLAT, error);
    done = done && make_chunk(maker, "r8", CHUNK_VOLUME, error);
    chunk_maker_free(maker);
    canvas_free(canvas);
    return done;
}

FAULT_CASE(serve)
FAULT_CASE(export)
FAULT_CASE(lossy)
FAULT_CASE(served_picture)
FAULT_CASE(lossless)
FAULT_CASE(text)
FAULT_CASE(stream)
FAULT_CASE(rectangle)
FAULT_CASE(whole_rectangle)
FAULT_CASE(raw_rectangle)
FAULT_CASE(chunk)

int test_encoding(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(serve_fails_cleanly),
        cmocka_unit_test(export_fails_cleanly),
        cmocka_unit_test(lossy_fails_cleanly),
        cmocka_unit_test(served_picture_fails_cleanly),
        cmocka_unit_test(lossless_fails_cleanly),
        cmocka_unit_test(text_fails_cleanly),
        cmocka_unit_test(stream_fails_cleanly),
        cmocka_unit_test(rectangle_fails_cleanly),
        cmocka_unit_test(whole_rectangle_fails_cleanly),
        cmocka_unit_test(raw_rectangle_fails_cleanly),
        cmocka_unit_test(chunk_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, fixture_set_up, fixture_tear_down);
}
