/* Chooses the levels that a field crosses: all multiples of an interval between its lowest and its
 * highest sample. Levels are numbered by their multiple, not by position, so tiles side by side
 * agree on their values. */
#include <math.h>

#include "core/base/number.h"
#include "core/terrain/contour.h"

enum { ZOOM_MAX = 20 };

double contour_interval_of_zoom(int zoom)
{
    static const double intervals[ZOOM_MAX + 1] = {
        1000, 1000, 1000, 1000, 1000, 1000, 500, 500, 500, 200, 100, /* 0 … 10 */
        50,   20,   20,   10,   5,    2,    1,   0.5, 0.5, 0.2,      /* 11 … 20 */
    };
    if (zoom < 0)
        return intervals[0];
    return intervals[zoom < ZOOM_MAX ? zoom : ZOOM_MAX];
}

/* Numbers are formatted by number.h, as printf follows the locale. */
static bool fail_interval(double interval, double low, double high, struct error *error)
{
    char given[NUMBER_TEXT], least[NUMBER_TEXT], most[NUMBER_TEXT];
    number_format_double(interval, given);
    number_format_float((float)low, least);
    number_format_float((float)high, most);
    return error_set(error, ERROR_LIMIT,
                     "a contour interval of %s is too small for heights from %s to %s: at most %d "
                     "levels are allowed, each a different float",
                     given, least, most, CONTOUR_LEVELS_MAX);
}

double contour_level_value(const struct contour_levels *levels, uint32_t index)
{
    double number = (double)(levels->first + index);
    /* 1 ÷ 0.1 is 10 exactly, and 3 ÷ 10 is the double that 0.3 means; 3 × 0.1 is not. */
    double inverse = 1 / levels->interval;
    if (inverse > 1 && inverse < 0x1p53 && floor(inverse) == inverse)
        return number / inverse;
    return number * levels->interval;
}

bool contour_list_levels(const struct contour_field *field, double interval,
                         struct contour_levels *levels, struct error *error)
{
    *levels = (struct contour_levels){.interval = interval};
    if (!(interval > 0) || interval > (double)INT64_MAX)
        return error_set(error, ERROR_VALUE,
                         "a contour interval must be a number above 0 and below 9e18");
    float low = field->samples[0], high = field->samples[0];
    for (size_t i = 1; i < (size_t)field->columns * field->rows; i++) {
        low = field->samples[i] < low ? field->samples[i] : low;
        high = field->samples[i] > high ? field->samples[i] : high;
    }
    /* A level must have samples below it and at or above it. */
    double first = floor((double)low / interval) + 1, last = floor((double)high / interval);
    if (!(last - first < CONTOUR_LEVELS_MAX) || fabs(first) > 0x1p53 || fabs(last) > 0x1p53)
        return fail_interval(interval, (double)low, (double)high, error);
    levels->first = (int64_t)first;
    levels->count = last >= first ? (uint32_t)(last - first) + 1 : 0;
    for (uint32_t i = 0; i < levels->count; i++) {
        levels->values[i] = (float)contour_level_value(levels, i);
        if (i > 0 && !(levels->values[i - 1] < levels->values[i]))
            return fail_interval(interval, (double)low, (double)high, error);
    }
    return true;
}
