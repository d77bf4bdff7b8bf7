/* Writes pictures as text for a terminal, and the geometry that both kinds of text share.
 *
 * A character is twice as high as wide, so an upper half block (U+2580) shows two square pixels:
 * the foreground above, the background below. A pixel is the mean over its exact area of the image,
 * computed in whole numbers (see terminal_private.h); the mean is of squared channels, which is
 * close to the mean of light, so that fine patterns keep their brightness. */
#include "core/encode/terminal.h"

#include "core/encode/terminal_private.h"

#include <math.h>
#include <string.h>

bool terminal_count_lines(uint32_t width, uint32_t height, uint32_t columns, uint32_t *lines,
                          struct error *error)
{
    if (columns < TERMINAL_COLUMNS_MIN || columns > TERMINAL_COLUMNS_MAX)
        return error_set(error, ERROR_LIMIT, "%u columns of text: allowed are %d to %d",
                         (unsigned)columns, TERMINAL_COLUMNS_MIN, TERMINAL_COLUMNS_MAX);
    if (width == 0 || height == 0)
        return error_set(error, ERROR_LIMIT, "%u x %u pixels as text: at least 1 x 1 are needed",
                         (unsigned)width, (unsigned)height);
    uint64_t count = ((uint64_t)columns * height + width) / (2 * (uint64_t)width);
    if (count > TERMINAL_LINES_MAX)
        return error_set(error, ERROR_LIMIT,
                         "%u x %u pixels as text of %u columns: more than the %d lines allowed",
                         (unsigned)width, (unsigned)height, (unsigned)columns, TERMINAL_LINES_MAX);
    *lines = count > 0 ? (uint32_t)count : 1;
    return true;
}

struct terminal_span terminal_find_span(uint32_t cell, uint32_t count, uint32_t length)
{
    struct terminal_span span = {.start = (uint64_t)cell * length, .sample = count};
    span.end = span.start + length;
    span.first = (uint32_t)(span.start / count);
    span.last = (uint32_t)((span.end - 1) / count);
    return span;
}

uint32_t terminal_overlap(const struct terminal_span *span, uint32_t sample)
{
    uint64_t start = (uint64_t)sample * span->sample, end = start + span->sample;
    start = start > span->start ? start : span->start;
    end = end < span->end ? end : span->end;
    return (uint32_t)(end - start);
}

struct colour {
    uint8_t channels[3]; /* red, green, blue */
};

static struct colour read_pixel(const struct image *image, uint32_t x, uint32_t y)
{
    const uint8_t *row = image->pixels + y * image->stride;
    struct colour colour = {{0}};
    if (image->format == IMAGE_GREY8)
        memset(colour.channels, row[x], 3);
    else if (image->format == IMAGE_RGB8)
        memcpy(colour.channels, row + (size_t)3 * x, 3);
    else if (row[x] < image->palette_count)
        memcpy(colour.channels, image->palette + (size_t)3 * row[x], 3);
    return colour;
}

static struct colour mean_colour(const struct image *image, const struct terminal_span *across,
                                 const struct terminal_span *down)
{
    double sums[3] = {0}, area = (double)image->width * (double)image->height;
    for (uint32_t y = down->first; y <= down->last; y++) {
        uint64_t row[3] = {0};
        for (uint32_t x = across->first; x <= across->last; x++) {
            const struct colour colour = read_pixel(image, x, y);
            const uint64_t weight = terminal_overlap(across, x);
            for (int c = 0; c < 3; c++)
                row[c] += weight * colour.channels[c] * colour.channels[c];
        }
        for (int c = 0; c < 3; c++)
            sums[c] += (double)row[c] * terminal_overlap(down, y);
    }
    struct colour mean;
    for (int c = 0; c < 3; c++)
        mean.channels[c] = (uint8_t)(sqrt(sums[c] / area) + 0.5);
    return mean;
}

/* The colours that the terminal currently draws with. */
struct current_colours {
    struct colour upper, lower;
    bool set; /* false at the start of a line, where the terminal has its own colours */
};

/* Sets the colours that differ, in one sequence: "\e[38;2;R;G;Bm" for the foreground, 48 for the
 * background. */
static void set_colours(struct current_colours *pen, struct colour upper, struct colour lower,
                        struct buffer *out)
{
    const struct colour *wanted[2] = {&upper, &lower}, *current[2] = {&pen->upper, &pen->lower};
    bool begun = false;
    for (int i = 0; i < 2; i++) {
        const uint8_t *rgb = wanted[i]->channels;
        if (pen->set && memcmp(rgb, current[i]->channels, 3) == 0)
            continue;
        buffer_format(out, "%s%d;2;%d;%d;%d", begun ? ";" : "\x1b[", i ? 48 : 38, rgb[0], rgb[1],
                      rgb[2]);
        begun = true;
    }
    if (begun)
        buffer_byte(out, 'm');
    *pen = (struct current_colours){upper, lower, true};
}

static void write_line(const struct image *image, uint32_t columns, uint32_t lines, uint32_t line,
                       struct buffer *out)
{
    const struct terminal_span above = terminal_find_span(2 * line, 2 * lines, image->height),
                               below = terminal_find_span(2 * line + 1, 2 * lines, image->height);
    struct current_colours pen = {.set = false};
    for (uint32_t column = 0; column < columns; column++) {
        const struct terminal_span across = terminal_find_span(column, columns, image->width);
        set_colours(&pen, mean_colour(image, &across, &above), mean_colour(image, &across, &below),
                    out);
        buffer_text(out, "\xe2\x96\x80"); /* U+2580, the upper half */
    }
    buffer_text(out, "\x1b[0m\n");
}

bool terminal_write_picture(const struct image *image, uint32_t columns, struct buffer *out,
                            struct error *error)
{
    uint32_t lines;
    if (image->format == IMAGE_GREY16)
        return error_set(error, ERROR_VALUE,
                         "a terminal has 8 bits a channel: 16-bit grey is for PNG alone");
    if (!terminal_count_lines(image->width, image->height, columns, &lines, error))
        return false;
    size_t before = out->length;
    for (uint32_t line = 0; line < lines; line++)
        write_line(image, columns, lines, line, out);
    if (!out->failed)
        return true;
    out->length = before;
    return error_memory(error);
}
