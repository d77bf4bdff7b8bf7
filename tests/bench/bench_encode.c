/* Size and time of each filter and compressor of PNG and each setting of WebP on real tiles: the
 * figures behind the choices in core/encode/png.c and webp.c. Prints a table, or with --json one
 * JSON document.
 *
 * For each kind of picture some tiles of the world `terra` are painted once; then each filter and
 * compressor packs all of them, round after round. Milliseconds of processor time are the median
 * round's, by tile; bytes are the mean tile's. The rows "png_encode" and "webp_encode" are the
 * whole encoders as the server uses them.
 *
 * Lossy rows have the decibels (PSNR) of all their pictures in brightness and in both colours of
 * BT.601, as libwebp decodes them. */
#include "core/base/number.h"
#include "core/encode/deflate.h"
#include "core/encode/filter.h"
#include "core/encode/png.h"
#include "core/encode/webp.h"
#include "core/tile/address.h"
#include "core/tile/style.h"

#include <libdeflate.h>
#include <math.h>
#include <png.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <webp/decode.h>
#include <webp/encode.h>

enum { TILE = 256, TILES = 12, ROUNDS = 9 };

/* From the whole world to a metre a pixel, land and coast and sea. */
static const struct tile_address tile_addresses[TILES] = {
    {0, 0, 0},        {2, 1, 2},        {4, 7, 7},        {6, 30, 33},
    {8, 128, 127},    {8, 117, 140},    {10, 500, 520},   {11, 1030, 1013},
    {12, 2100, 2000}, {13, 4100, 4080}, {14, 8200, 8180}, {16, 32700, 32800},
};

struct tiles {
    struct image images[TILES];
    uint8_t palette[768];
};

struct bench {
    struct deflater *deflater;
    struct png_encoder *encoder;
    struct buffer rows, out;
    bool json;
    unsigned results;
};

struct method {
    const char *name;
    bool (*pack)(struct bench *bench, const struct image *image, enum filter filter, int level);
    int level;
    bool chooses; /* its filter itself */
};

static _Noreturn void stop(const char *what, const char *why)
{
    fprintf(stderr, "bench_encode: %s: %s\n", what, why);
    exit(1);
}

static size_t row_bytes(const struct image *image)
{
    return image->width * (image->format == IMAGE_RGB8     ? 3u
                           : image->format == IMAGE_GREY16 ? 2u
                                                           : 1u);
}

static bool filter_image(struct bench *bench, const struct image *image, enum filter filter)
{
    static const uint8_t zeros[TILE * 3];
    size_t length = row_bytes(image);
    buffer_clear(&bench->rows);
    uint8_t *out = buffer_reserve(&bench->rows, (length + 1) * image->height);
    if (!out)
        return false;
    struct filter_rows rows = {.row = zeros, .length = length, .step = length / image->width};
    for (uint32_t y = 0; y < image->height; y++) {
        rows.above = rows.row;
        rows.row = image->pixels + y * image->stride;
        filter_row(filter, &rows, out + y * (length + 1));
    }
    bench->rows.length = (length + 1) * image->height;
    buffer_clear(&bench->out);
    return true;
}

static bool pack_igzip(struct bench *bench, const struct image *image, enum filter filter,
                       int level)
{
    return filter_image(bench, image, filter) &&
           deflate_fast(bench->deflater, level, bench->rows.data, bench->rows.length, &bench->out);
}

static bool pack_libdeflate(struct bench *bench, const struct image *image, enum filter filter,
                            int level)
{
    return filter_image(bench, image, filter) &&
           deflate_small(bench->deflater, level, bench->rows.data, bench->rows.length, &bench->out);
}

static void write_bytes(png_structp png, png_bytep bytes, size_t length)
{
    buffer_append(png_get_io_ptr(png), bytes, length);
}

static void flush_nothing(png_structp png)
{
    (void)png;
}

/* libpng as most programs use it. */
static bool pack_libpng(struct bench *bench, const struct image *image, enum filter filter,
                        int level)
{
    static const int types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_PALETTE, PNG_COLOR_TYPE_RGB,
                                PNG_COLOR_TYPE_GRAY};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info || setjmp(png_jmpbuf(png)))
        stop("libpng", "it failed");
    buffer_clear(&bench->out);
    png_set_write_fn(png, &bench->out, write_bytes, flush_nothing);
    png_set_compression_level(png, level);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE << filter);
    png_set_IHDR(png, info, image->width, image->height, image->format == IMAGE_GREY16 ? 16 : 8,
                 types[image->format], PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_BASE,
                 PNG_FILTER_TYPE_BASE);
    if (image->format == IMAGE_PALETTE8)
        png_set_PLTE(png, info, (png_const_colorp)(const void *)image->palette,
                     (int)image->palette_count);
    png_write_info(png, info);
    for (uint32_t y = 0; y < image->height; y++)
        png_write_row(png, image->pixels + y * image->stride);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return !bench->out.failed;
}

static bool pack_whole(struct bench *bench, const struct image *image, enum filter filter,
                       int level)
{
    (void)filter;
    buffer_clear(&bench->out);
    return png_encode(bench->encoder, image, level ? PNG_EXPORT : PNG_SERVE, &bench->out, NULL);
}

static int write_webp(const uint8_t *bytes, size_t length, const WebPPicture *picture)
{
    buffer_append(picture->custom_ptr, bytes, length);
    return 1;
}

/* The image in red, green and blue; the next call overwrites it. */
static const uint8_t *expand(const struct image *image)
{
    static uint8_t colours[TILE * TILE * 3];
    for (size_t i = 0; i < (size_t)TILE * TILE; i++) {
        const uint8_t *pixel = image->pixels + i * (image->format == IMAGE_RGB8 ? 3 : 1);
        for (size_t c = 0; c < 3; c++)
            colours[3 * i + c] = image->format == IMAGE_RGB8    ? pixel[c]
                                 : image->format == IMAGE_GREY8 ? *pixel
                                                                : image->palette[3 * *pixel + c];
    }
    return colours;
}

/* libwebp as most programs use it: a method of 0 … 6 and the quality that webp.c takes too. */
static bool pack_libwebp(struct bench *bench, const struct image *image, const WebPConfig *config)
{
    WebPPicture picture;
    if (!WebPPictureInit(&picture))
        stop("libwebp", "another version than at compilation");
    buffer_clear(&bench->out);
    picture.use_argb = config->lossless;
    picture.width = picture.height = TILE;
    picture.writer = write_webp;
    picture.custom_ptr = &bench->out;
    bool done =
        WebPPictureImportRGB(&picture, expand(image), TILE * 3) && WebPEncode(config, &picture);
    WebPPictureFree(&picture);
    return done && !bench->out.failed;
}

static bool pack_webp_lossy(struct bench *bench, const struct image *image, enum filter filter,
                            int level)
{
    (void)filter;
    WebPConfig config;
    if (!WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, 85.0f))
        return false;
    config.method = level;
    return pack_libwebp(bench, image, &config);
}

/* Method 0 at a quality. */
static bool pack_webp_quality(struct bench *bench, const struct image *image, enum filter filter,
                              int level)
{
    (void)filter;
    WebPConfig config;
    if (!WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, (float)level))
        return false;
    config.method = 0;
    return pack_libwebp(bench, image, &config);
}

static bool pack_webp_lossless(struct bench *bench, const struct image *image, enum filter filter,
                               int level)
{
    (void)filter;
    WebPConfig config;
    if (!WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, level == 0 ? 0.0f : 50.0f))
        return false;
    config.lossless = 1;
    config.method = level;
    return pack_libwebp(bench, image, &config);
}

static bool pack_whole_webp(struct bench *bench, const struct image *image, enum filter filter,
                            int level)
{
    (void)filter;
    buffer_clear(&bench->out);
    return webp_encode(image, level ? WEBP_EXPORT : WEBP_SERVE, &bench->out, NULL);
}

static const struct method methods[] = {
    {"libpng 6", pack_libpng, 6, false},
    {"libpng 1", pack_libpng, 1, false},
    {"igzip 0", pack_igzip, 0, false},
    {"igzip 1", pack_igzip, 1, false},
    {"igzip 2", pack_igzip, 2, false},
    {"igzip 3", pack_igzip, 3, false},
    {"libdeflate 9", pack_libdeflate, 9, false},
    {"libdeflate 10", pack_libdeflate, 10, false},
    {"libdeflate 12", pack_libdeflate, 12, false},
    {"png_encode, serve", pack_whole, 0, true},
    {"png_encode, export", pack_whole, 1, true},
    {"webp lossless 0", pack_webp_lossless, 0, true},
    {"webp lossless 1", pack_webp_lossless, 1, true},
    {"webp lossless 2", pack_webp_lossless, 2, true},
    {"webp lossless 4", pack_webp_lossless, 4, true},
    {"webp lossless 6", pack_webp_lossless, 6, true},
    {"webp lossy 0", pack_webp_lossy, 0, true},
    {"webp lossy 1", pack_webp_lossy, 1, true},
    {"webp lossy 2", pack_webp_lossy, 2, true},
    {"webp lossy 4", pack_webp_lossy, 4, true},
    {"webp lossy 6", pack_webp_lossy, 6, true},
    {"webp lossy 0, q 75", pack_webp_quality, 75, true},
    {"webp lossy 0, q 80", pack_webp_quality, 80, true},
    {"webp lossy 0, q 90", pack_webp_quality, 90, true},
    {"webp_encode, serve", pack_whole_webp, 0, true},
    {"webp_encode, export", pack_whole_webp, 1, true},
};

static const char *const filter_names[] = {"none", "sub", "up", "average", "paeth"};

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static int compare_doubles(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return left < right ? -1 : left > right;
}

struct result {
    double ms;
    size_t bytes;
    double errors[2]; /* squares, summed over all pixels: of brightness and of a colour */
};

static double decibels(double error)
{
    return 10 * log10(255.0 * 255.0 * TILE * TILE * TILES / error);
}

static void print_result(struct bench *bench, const char *style, const char *filter,
                         const struct method *method, const struct result *result)
{
    const bool lossy = result->errors[0] > 0;
    if (!bench->json) {
        printf("%-10s %-8s %-20s %8.3f ms %8zu bytes", style, filter, method->name, result->ms,
               result->bytes);
        if (lossy)
            printf(" %6.1f dB %6.1f dB", decibels(result->errors[0]), decibels(result->errors[1]));
        printf("\n");
        return;
    }
    char number[NUMBER_TEXT];
    number_format_float((float)result->ms, number);
    printf("%s\n  {\"style\":\"%s\",\"filter\":\"%s\",\"method\":\"%s\",\"ms\":%s,\"bytes\":%zu",
           bench->results++ ? "," : "", style, filter, method->name, number, result->bytes);
    if (lossy)
        printf(",\"luma_db\":%.1f,\"chroma_db\":%.1f", decibels(result->errors[0]),
               decibels(result->errors[1]));
    printf("}");
}

/* Adds how far libwebp's decoder is off, if the file that was just made is a lossy WebP. */
static void add_errors(const struct bench *bench, const struct image *image, double errors[2])
{
    const uint8_t *original = expand(image);
    if (bench->out.length < 16 || memcmp(bench->out.data + 8, "WEBPVP8 ", 8) != 0)
        return;
    uint8_t *decoded = WebPDecodeRGB(bench->out.data, bench->out.length, NULL, NULL);
    if (!decoded)
        stop("libwebp", "it cannot read its own file");
    for (size_t i = 0; i < (size_t)TILE * TILE * 3; i += 3) {
        const double red = decoded[i] - original[i], blue = decoded[i + 2] - original[i + 2];
        const double luma = 0.299 * red + 0.587 * (decoded[i + 1] - original[i + 1]) + 0.114 * blue;
        const double colours[2] = {0.564 * (blue - luma), 0.713 * (red - luma)};
        errors[0] += luma * luma;
        errors[1] += (colours[0] * colours[0] + colours[1] * colours[1]) / 2;
    }
    WebPFree(decoded);
}

static void measure(struct bench *bench, const struct tiles *tiles, const char *style,
                    enum filter filter, const struct method *method)
{
    double times[ROUNDS];
    struct result result = {.ms = 0};
    for (int round = 0; round < ROUNDS; round++) {
        double spent = 0;
        for (int i = 0; i < TILES; i++) {
            const double start = milliseconds();
            if (!method->pack(bench, &tiles->images[i], filter, method->level))
                stop(method->name, "out of memory");
            spent += milliseconds() - start;
            if (round > 0)
                continue;
            result.bytes += bench->out.length;
            add_errors(bench, &tiles->images[i], result.errors);
        }
        times[round] = spent / TILES;
    }
    qsort(times, ROUNDS, sizeof *times, compare_doubles);
    result.ms = times[ROUNDS / 2];
    result.bytes /= TILES;
    print_result(bench, style, method->chooses ? "chosen" : filter_names[filter], method, &result);
}

static void read_file(const char *path, struct buffer *out)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        stop(path, "cannot be read (run this in the project's folder)");
    uint8_t *end;
    size_t got = 0;
    buffer_clear(out);
    while ((end = buffer_reserve(out, 65536)) && (got = fread(end, 1, 65536, file)) > 0)
        out->length += got;
    fclose(file);
}

static void check(bool good, const char *what, const struct error *error)
{
    char text[640];
    error_format(error, text, sizeof text);
    if (!good)
        stop(what, text);
}

/* Tiles own their pixels here: a canvas has room for one picture only. */
static void copy_image(struct tiles *tiles, int index, const struct image *image)
{
    struct image *copy = &tiles->images[index];
    *copy = *image;
    copy->stride = row_bytes(image);
    copy->pixels = malloc(copy->stride * copy->height);
    if (!copy->pixels)
        stop("tiles", "out of memory");
    for (uint32_t y = 0; y < copy->height; y++)
        memcpy(copy->pixels + y * copy->stride, image->pixels + y * image->stride, copy->stride);
    if (image->palette) {
        memcpy(tiles->palette, image->palette, (size_t)image->palette_count * 3);
        copy->palette = tiles->palette;
    }
}

static void paint_tiles(struct world *world, const char *name, struct tiles *tiles)
{
    char path[64];
    struct buffer text = {0};
    struct error error = {0};
    snprintf(path, sizeof path, "config/styles/%s.json", name);
    read_file(path, &text);
    struct style *style = style_parse(name, (const char *)text.data, text.length, path, &error);
    struct painter *painter = style ? painter_new(style, world, &error) : NULL;
    struct canvas *canvas = canvas_new();
    check(painter && canvas, path, &error);
    for (int i = 0; i < TILES; i++) {
        struct sample_grid grid;
        struct image image;
        tile_grid(&tile_addresses[i], TILE, 0, &grid);
        check(painter_paint(painter, canvas, &grid, &image, &error), path, &error);
        copy_image(tiles, i, &image);
    }
    canvas_free(canvas);
    painter_free(painter);
    style_free(style);
    buffer_free(&text);
}

static void measure_style(struct bench *bench, struct world *world, const char *style)
{
    struct tiles tiles = {0};
    paint_tiles(world, style, &tiles);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        for (int filter = FILTER_NONE; filter <= FILTER_PAETH; filter++) {
            if (methods[m].chooses && filter > FILTER_NONE)
                continue;
            measure(bench, &tiles, style, (enum filter)filter, &methods[m]);
        }
    for (int i = 0; i < TILES; i++)
        free(tiles.images[i].pixels);
}

int main(int count, char **arguments)
{
    struct bench bench = {.json = count == 2 && strcmp(arguments[1], "--json") == 0,
                          .deflater = deflater_new(),
                          .encoder = png_encoder_new()};
    if (count > 2 || (count == 2 && !bench.json))
        stop("usage", "bench_encode [--json]");
    if (!bench.deflater || !bench.encoder)
        stop("encoder", "out of memory");
    struct buffer text = {0};
    struct error error = {0};
    read_file("config/worlds/terra.json", &text);
    struct world *world =
        world_parse((const char *)text.data, text.length, "config/worlds/terra.json", NULL, &error);
    check(world, "world", &error);
    if (bench.json)
        printf("{\"bench\":\"encode\",\"tile\":%d,\"tiles\":%d,\"rounds\":%d,\"libpng\":\"%s\","
               "\"libdeflate\":\"%s\",\"libwebp\":\"%d.%d.%d\",\"results\":[",
               TILE, TILES, ROUNDS, png_get_libpng_ver(NULL), LIBDEFLATE_VERSION_STRING,
               WebPGetEncoderVersion() >> 16, WebPGetEncoderVersion() >> 8 & 255,
               WebPGetEncoderVersion() & 255);
    static const char *const styles[] = {"relief", "biome", "terrarium", "height"};
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++)
        measure_style(&bench, world, styles[i]);
    if (bench.json)
        printf("\n]}\n");
    world_release(world);
    deflater_free(bench.deflater);
    png_encoder_free(bench.encoder);
    buffer_free(&bench.rows);
    buffer_free(&bench.out);
    buffer_free(&text);
    return 0;
}
