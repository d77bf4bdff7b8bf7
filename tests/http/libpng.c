/* Decodes PNG from standard input by libpng into rows of red, green, blue on standard output,
 * behind a line "WIDTH HEIGHT". */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_stdio(&image, stdin)) {
        fprintf(stderr, "%s\n", image.message);
        return 1;
    }
    image.format = PNG_FORMAT_RGB;
    png_byte *pixels = malloc(PNG_IMAGE_SIZE(image));
    if (!pixels || !png_image_finish_read(&image, NULL, pixels, 0, NULL)) {
        fprintf(stderr, "%s\n", image.message);
        free(pixels);
        return 1;
    }
    /* A warning is the reader's way of putting up with something. */
    int status = image.warning_or_error ? 1 : 0;
    if (status)
        fprintf(stderr, "%s\n", image.message);
    printf("%u %u\n", (unsigned)image.width, (unsigned)image.height);
    fwrite(pixels, 1, PNG_IMAGE_SIZE(image), stdout);
    free(pixels);
    return status;
}
