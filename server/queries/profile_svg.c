/* Profiles drawn as SVG. */
#include "server/queries/profile_svg.h"

#include <math.h>

#include "core/base/extremes.h"
#include "server/queries/query_output.h"

/* The drawing has a fixed size, in pixels, and coordinates are rounded to hundredths of a pixel, so
 * the same profile gives the same bytes everywhere. */
enum { WIDTH = 960, HEIGHT = 320, LEFT = 80, RIGHT = 20, TOP = 24, BOTTOM = 40 };

/* The range of heights and the length that the drawing shows, in metres. */
struct frame {
    double low, high, length;
};

static double hundredths(double value)
{
    return floor(value * 100 + 0.5) / 100;
}

/* Pixels from the left edge of the drawing. */
static double across(const struct frame *frame, double distance)
{
    return hundredths(LEFT + (WIDTH - LEFT - RIGHT) * distance / frame->length);
}

/* Pixels from the top edge: heights grow upwards, y downwards. */
static double down(const struct frame *frame, double height)
{
    return hundredths(HEIGHT - BOTTOM -
                      (HEIGHT - TOP - BOTTOM) * (height - frame->low) / (frame->high - frame->low));
}

/* A number of metres at pixel x, y; `anchor` is SVG's. */
static void write_label(struct buffer *out, const char *anchor, double x, double y, double metres)
{
    buffer_format(out, "<text text-anchor=\"%s\" x=\"", anchor);
    query_output_double(out, x, '"');
    buffer_text(out, " y=\"");
    query_output_double(out, y, '"');
    buffer_byte(out, '>');
    query_output_double(out, hundredths(metres), ' ');
    buffer_text(out, "m</text>\n");
}

static void write_level(struct buffer *out, const struct frame *frame, double height)
{
    double y = down(frame, height);
    buffer_format(out, "<path d=\"M%d ", LEFT);
    query_output_double(out, y, 'H');
    buffer_format(out, "%d\" stroke=\"#999\" fill=\"none\"/>\n", WIDTH - RIGHT);
    write_label(out, "end", LEFT - 6, y + 4, height);
}

static void write_ground(struct buffer *out, const struct frame *frame,
                         const struct profile *profile)
{
    buffer_format(out, "<path d=\"M%d %dL", LEFT, HEIGHT - BOTTOM);
    for (uint32_t i = 0; i < profile->count; i++) {
        query_output_double(out, across(frame, profile->points[i].distance), ' ');
        query_output_double(out, down(frame, (double)profile->points[i].height), ' ');
    }
    buffer_format(out, "%d %dZ\" fill=\"#b5a27a\" stroke=\"#5d4f2f\"/>\n", WIDTH - RIGHT,
                  HEIGHT - BOTTOM);
}

/* The water's surface, also where it lies below the ground, which is painted over it: so a shore is
 * where the two lines cross, between samples as well. */
static void write_water(struct buffer *out, const struct frame *frame,
                        const struct profile *profile)
{
    buffer_format(out, "<polygon points=\"%d %d ", LEFT, HEIGHT - BOTTOM);
    for (uint32_t i = 0; i < profile->count; i++) {
        const struct profile_point *point = &profile->points[i];
        const double level = double_min(double_max((double)point->water, frame->low), frame->high);
        query_output_double(out, across(frame, point->distance), ' ');
        query_output_double(out, down(frame, level), ' ');
    }
    buffer_format(out, "%d %d\" fill=\"#bcd9ee\"/>\n", WIDTH - RIGHT, HEIGHT - BOTTOM);
}

static bool has_water(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->count; i++)
        if (profile->points[i].water > profile->points[i].height)
            return true;
    return false;
}

/* An SVG 1.1 document: the ground as a filled line, the water, and what is lowest, highest and how
 * far it is. The water first, then the ground over it, then labels: SVG paints in the order
 * of the document. */
void profile_write_svg(const struct profile *profile, struct buffer *out)
{
    double lowest = (double)profile->points[profile->lowest].height;
    double highest = (double)profile->points[profile->highest].height;
    /* At least 10 m are shown, so that level ground does not look mountainous. */
    double room = highest - lowest < 10 ? 5 : (highest - lowest) / 10;
    const struct frame frame = {lowest - room, highest + room, double_max(profile->length, 1)};
    buffer_format(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                  "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
                  "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
                  WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
    if (has_water(profile))
        write_water(out, &frame, profile);
    write_ground(out, &frame, profile);
    write_level(out, &frame, lowest);
    if (highest > lowest)
        write_level(out, &frame, highest);
    write_label(out, "start", LEFT, HEIGHT - 16, 0);
    write_label(out, "end", WIDTH - RIGHT, HEIGHT - 16, profile->length);
    buffer_text(out, "</svg>\n");
}
