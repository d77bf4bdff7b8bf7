/* Reads the members of the steps "water", "contour", "terrarium" and "mapbox". */
#include "core/tile/style_reader.h"

bool style_read_water(const struct style_reader *reader)
{
    return style_read_name(reader, "surface", &reader->step->surface) &&
           style_read_stops(reader, (struct style_limits){0, 1e9, 0});
}

bool style_read_heights(const struct style_reader *reader)
{
    reader->step->over_water = json_member(reader->value, "surface") != NULL;
    return style_read_name(reader, "surface", &reader->step->surface);
}

/* "interval" is one number for all zooms; "intervals" depend on the metres a pixel. */
static bool read_intervals(const struct style_reader *reader)
{
    static const struct style_pairs pairs = {
        "intervals", "metres a pixel, metres between lines", 0.0, 0.001, 1e6, 0.0};
    struct curve *intervals = &reader->step->contour.intervals;
    const bool one = json_member(reader->value, "interval");
    if (one == (json_member(reader->value, "intervals") != NULL))
        return style_fail(reader, "",
                          "needs \"interval\", metres between lines, or \"intervals\", a list of "
                          "[metres a pixel, metres between lines]");
    return style_read_pairs(reader, &pairs, intervals) &&
           (!one || style_read_number(reader, "interval", (struct style_limits){0.001, 1e6, 1},
                                      &intervals->value[0]));
}

/* "index": every so many lines there is an index line. */
static bool read_index(const struct style_reader *reader)
{
    float *index = &reader->step->contour.index;
    if (!style_read_number(reader, "index", (struct style_limits){0, 1000, 5}, index))
        return false;
    return *index == (float)(int)*index ||
           style_fail(reader, "index", "must be a whole number from 0 to 1000");
}

/* Unless the step says otherwise, index lines are 1.5 times as wide, and all lines have one colour.
 */
static bool read_lines(const struct style_reader *reader)
{
    struct contour *contour = &reader->step->contour;
    if (!style_read_number(reader, "width", (struct style_limits){0, 50, 1}, &contour->width))
        return false;
    const struct style_limits index_width_limits = {0, 50, 1.5 * (double)contour->width};
    if (!style_read_number(reader, "index_width", index_width_limits, &contour->index_width) ||
        !style_read_colour(reader, "color", &contour->colour))
        return false;
    contour->index_colour = contour->water_colour = contour->colour;
    if (!style_read_colour(reader, "index_color", &contour->index_colour))
        return false;
    contour->water_index_colour = contour->index_colour;
    return style_read_colour(reader, "water_color", &contour->water_colour) &&
           style_read_colour(reader, "water_color", &contour->water_index_colour);
}

bool style_read_contour(const struct style_reader *reader)
{
    return read_intervals(reader) && read_index(reader) && read_lines(reader);
}
