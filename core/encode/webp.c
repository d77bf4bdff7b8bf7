/* Encodes WebP with libwebp's advanced interface. A lossy picture is converted to brightness and
 * halved colours as it is read, row by row. Everything else is copied into libwebp's ARGB picture:
 * lossless coding needs it, and so does the sharp conversion. Palettes and grey become colours, as
 * the format knows nothing else. Failed allocations inside libwebp that it does not report are
 * found by is_whole(). */
#include "core/encode/webp.h"

#include <webp/encode.h>

/* The settings that do best for their time, by tests/bench/bench_encode.c. For lossless files
 * `quality` is effort too; higher settings save at most a hundredth, for many times the time. */
struct encoder_settings {
    int lossless, method;
    float quality;
    int sharp; /* a slower halving of the colours' resolution that keeps thin lines: 0.7 dB, 3 ms */
};

static const struct encoder_settings settings_by_content[][2] = {
    [IMAGE_PICTURE] = {[WEBP_SERVE] = {0, 0, 85.0f, 0}, [WEBP_EXPORT] = {0, 6, 85.0f, 1}},
    [IMAGE_AREAS] = {[WEBP_SERVE] = {1, 0, 0.0f, 0}, [WEBP_EXPORT] = {1, 4, 25.0f, 0}},
    [IMAGE_DATA] = {[WEBP_SERVE] = {1, 0, 0.0f, 0}, [WEBP_EXPORT] = {1, 1, 50.0f, 0}},
    [IMAGE_SMOOTH] = {[WEBP_SERVE] = {1, 0, 0.0f, 0}, [WEBP_EXPORT] = {1, 3, 0.0f, 0}},
    [IMAGE_DRAWING] = {[WEBP_SERVE] = {0, 0, 85.0f, 0}, [WEBP_EXPORT] = {0, 6, 85.0f, 1}},
};

static bool check_image(const struct image *image, struct error *error)
{
    if (image->format == IMAGE_GREY16)
        return error_set(error, ERROR_VALUE,
                         "WebP has 8 bits a channel: 16-bit grey is for PNG alone");
    if (image->width == 0 || image->height == 0 || image->width > WEBP_SIDE_MAX ||
        image->height > WEBP_SIDE_MAX)
        return error_set(error, ERROR_LIMIT,
                         "a WebP of %u x %u pixels: allowed are 1 to %d pixels a side",
                         (unsigned)image->width, (unsigned)image->height, WEBP_SIDE_MAX);
    if (image->format == IMAGE_PALETTE8 &&
        (!image->palette || image->palette_count == 0 || image->palette_count > 256))
        return error_set(error, ERROR_VALUE, "a palette has 1 to 256 colours, not %u",
                         image->palette ? (unsigned)image->palette_count : 0);
    return true;
}

static uint32_t opaque(const uint8_t *colour)
{
    return 0xFF000000u | (uint32_t)colour[0] << 16 | (uint32_t)colour[1] << 8 | colour[2];
}

static bool fill_palette(const struct image *image, uint32_t *out, size_t stride,
                         struct error *error)
{
    uint32_t colours[256];
    for (uint32_t i = 0; i < image->palette_count; i++)
        colours[i] = opaque(image->palette + (size_t)3 * i);
    for (uint32_t y = 0; y < image->height; y++) {
        const uint8_t *row = image->pixels + y * image->stride;
        for (uint32_t x = 0; x < image->width; x++) {
            if (row[x] >= image->palette_count)
                return error_set(error, ERROR_VALUE,
                                 "pixel %u, %u has colour %u of a palette of %u", (unsigned)x,
                                 (unsigned)y, (unsigned)row[x], (unsigned)image->palette_count);
            out[y * stride + x] = colours[row[x]];
        }
    }
    return true;
}

static bool fill_pixels(const struct image *image, uint32_t *out, size_t stride,
                        struct error *error)
{
    if (image->format == IMAGE_PALETTE8)
        return fill_palette(image, out, stride, error);
    for (uint32_t y = 0; y < image->height; y++) {
        const uint8_t *row = image->pixels + y * image->stride;
        if (image->format == IMAGE_RGB8)
            for (uint32_t x = 0; x < image->width; x++)
                out[y * stride + x] = opaque(row + (size_t)3 * x);
        else
            for (uint32_t x = 0; x < image->width; x++)
                out[y * stride + x] = 0xFF000000u | row[x] * 0x010101u;
    }
    return true;
}

/* Gives the picture its pixels. The ARGB picture of a lossy file would cost a tenth of its time: it
 * is twice as large as the halved colours that libwebp makes of it afterwards. */
static bool import_pixels(const struct image *image, const WebPConfig *config, WebPPicture *picture,
                          struct error *error)
{
    picture->use_argb = config->lossless || config->use_sharp_yuv || image->format != IMAGE_RGB8;
    if (!picture->use_argb)
        return WebPPictureImportRGB(picture, image->pixels, (int)image->stride) ||
               error_memory(error);
    return (WebPPictureAlloc(picture) || error_memory(error)) &&
           fill_pixels(image, picture->argb, (size_t)picture->argb_stride, error);
}

static int write_bytes(const uint8_t *bytes, size_t length, const WebPPicture *picture)
{
    struct buffer *out = picture->custom_ptr;
    buffer_append(out, bytes, length);
    return !out->failed;
}

static bool encode_failed(const WebPPicture *picture, struct error *error)
{
    switch (picture->error_code) {
    case VP8_ENC_ERROR_PARTITION0_OVERFLOW:
    case VP8_ENC_ERROR_PARTITION_OVERFLOW:
    case VP8_ENC_ERROR_FILE_TOO_BIG:
        return error_set(error, ERROR_LIMIT,
                         "a WebP of %d x %d pixels: its content is more than the format can hold",
                         picture->width, picture->height);
    case VP8_ENC_OK: /* libwebp does not report some failed allocations */
    case VP8_ENC_ERROR_OUT_OF_MEMORY:
    case VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY:
    case VP8_ENC_ERROR_BAD_WRITE: /* of our own buffer */
        return error_memory(error);
    default:
        return error_set(error, ERROR_VALUE, "WebP: libwebp's error %d", (int)picture->error_code);
    }
}

/* libwebp before 1.3.2 does not check one of its allocations and ends the file early if it fails.
 * Its statistics then differ from the length of the chunk it has written: signature and size (five
 * bytes), and the two parts. A libwebp without statistics counts nothing. */
static bool is_whole(const WebPAuxStats *counted, const uint8_t *file)
{
    enum { CHUNK_LENGTH = 16, START = 5 };
    const uint8_t *bytes = file + CHUNK_LENGTH;
    uint32_t length =
        bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    return counted->lossless_size == 0 || length == START + (uint32_t)counted->lossless_hdr_size +
                                                        (uint32_t)counted->lossless_data_size;
}

static bool encode_picture(const WebPConfig *config, WebPPicture *picture, struct error *error)
{
    WebPAuxStats counted;
    const struct buffer *out = picture->custom_ptr;
    const size_t before = out->length;
    picture->stats = config->lossless ? &counted : NULL;
    if (!WebPEncode(config, picture))
        return encode_failed(picture, error);
    return !config->lossless || is_whole(&counted, out->data + before) || error_memory(error);
}

bool webp_encode(const struct image *image, enum webp_effort effort, struct buffer *out,
                 struct error *error)
{
    if (!check_image(image, error))
        return false;
    const struct encoder_settings *settings = &settings_by_content[image->content][effort];
    WebPConfig config;
    WebPPicture picture;
    if (!WebPConfigInit(&config) || !WebPPictureInit(&picture))
        return error_set(error, ERROR_VALUE,
                         "libwebp is not the version that this program was built with");
    config.lossless = settings->lossless;
    config.method = settings->method;
    config.quality = settings->quality;
    config.use_sharp_yuv = settings->sharp;
    picture.width = (int)image->width;
    picture.height = (int)image->height;
    picture.writer = write_bytes;
    picture.custom_ptr = out;
    size_t before = out->length;
    const bool done =
        import_pixels(image, &config, &picture, error) && encode_picture(&config, &picture, error);
    if (!done)
        out->length = before;
    WebPPictureFree(&picture);
    return done;
}
