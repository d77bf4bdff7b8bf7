/* Everything is computed in whole numbers of 2⁻¹⁶ m: so all pixels have the same size, and their
 * centres are exact. */
#include "server/render/area.h"

#include <string.h>

bool area_parse_bbox(const char *text, int64_t box[4], struct error *error)
{
    const char *rest = text;
    for (int i = 0; i < 4; i++) {
        size_t length = i < 3 ? strcspn(rest, ",") : strlen(rest);
        if (i < 3 && !rest[length])
            return error_set(error, ERROR_SYNTAX, "must be X0,Y0,X1,Y1 in metres, not \"%s\"",
                             text);
        if (!place_parse(rest, length, &box[i], error))
            return false;
        rest += length + (i < 3);
    }
    if (box[0] >= box[2] || box[1] >= box[3])
        return error_set(error, ERROR_VALUE,
                         "X0 must be less than X1 and Y0 less than Y1 (y grows to the south)");
    return true;
}

bool area_parse_step(const char *text, int64_t *step, struct error *error)
{
    double metres;
    char nearest[NUMBER_TEXT];
    if (!place_parse(text, strlen(text), step, error))
        return false;
    if (*step <= 0)
        return error_set(error, ERROR_LIMIT, "must be above 0, not %s", text);
    place_format(*step, nearest);
    if (number_parse(text, strlen(text), &metres) && metres == place_metres(*step))
        return true;
    return error_set(error, ERROR_VALUE,
                     "must be a whole number of 2^-16 m, so that samples fit: %s is not, but %s is",
                     text, nearest);
}

bool area_parse_range(const char *text, double *low, double *high, struct error *error)
{
    const size_t length = strcspn(text, ",");
    if (text[length] && number_parse(text, length, low) &&
        number_parse(text + length + 1, strlen(text + length + 1), high) && *low < *high &&
        *high - *low < 1e12)
        return true;
    return error_set(error, ERROR_VALUE,
                     "must be LOW,HIGH such as -200,1800, LOW below HIGH, not \"%s\"", text);
}

static bool set_grid(const int64_t box[4], int64_t step, const int64_t pixels[2],
                     struct sample_grid *grid, struct error *error)
{
    if (pixels[0] > INT32_MAX || pixels[1] > INT32_MAX)
        return error_set(error, ERROR_LIMIT, "the picture would be more than 2147483647 pixels %s",
                         pixels[0] > INT32_MAX ? "wide" : "high");
    *grid = (struct sample_grid){
        .x = box[0] + step / 2,
        .y = box[1] + step / 2,
        .step = step,
        .columns = pixels[0] < 1 ? 1 : (uint32_t)pixels[0],
        .rows = pixels[1] < 1 ? 1 : (uint32_t)pixels[1],
        .spacing = (double)step / (double)PLACE_METRE,
    };
    return true;
}

bool area_of_width(const int64_t box[4], int64_t width, struct sample_grid *grid,
                   struct error *error)
{
    const int64_t step = (box[2] - box[0] + width / 2) / width;
    if (step < 1)
        return error_set(error, ERROR_LIMIT,
                         "a pixel would be smaller than 2^-16 m: use a width "
                         "of less pixels");
    const int64_t pixels[] = {width, (box[3] - box[1] + step / 2) / step};
    return set_grid(box, step, pixels, grid, error);
}

bool area_of_step(const int64_t box[4], int64_t step, struct sample_grid *grid, struct error *error)
{
    const int64_t pixels[] = {(box[2] - box[0] + step - 1) / step,
                              (box[3] - box[1] + step - 1) / step};
    return set_grid(box, step, pixels, grid, error);
}
