#include "server/queries/query_params.h"

#include <string.h>

#include "core/tile/mercator.h"

const char *input_text(const struct question_source *source, const char *name)
{
    return source->text(source->context, name);
}

bool input_missing(const struct question_source *source, const char *name)
{
    error_set(source->error, ERROR_VALUE, "is missing");
    return error_in_path(source->error, "%s", name);
}

bool input_whole(const struct question_source *source, const char *name, int64_t low, int64_t high,
                 int64_t *value)
{
    const char *text = input_text(source, name);
    if (!text || number_parse_integer(text, strlen(text), low, high, value))
        return true;
    error_set(source->error, ERROR_VALUE, "must be a whole number from %lld to %lld, not \"%s\"",
              (long long)low, (long long)high, text);
    return error_in_path(source->error, "%s", name);
}

bool input_number(const struct question_source *source, const char *name, double low, double high,
                  double *value)
{
    const char *text = input_text(source, name);
    char least[NUMBER_TEXT], most[NUMBER_TEXT];
    double number;
    if (!text)
        return true;
    if (number_parse(text, strlen(text), &number) && number >= low && number <= high) {
        *value = number + 0.0;
        return true;
    }
    number_format_double(low, least);
    number_format_double(high, most);
    error_set(source->error, ERROR_VALUE, "must be a decimal number from %s to %s, not \"%s\"",
              least, most, text);
    return error_in_path(source->error, "%s", name);
}

static bool input_metres(const struct question_source *source, const char *name, int64_t *value)
{
    const char *text = input_text(source, name);
    if (!text)
        return input_missing(source, name);
    return place_parse(text, strlen(text), value, source->error) ||
           error_in_path(source->error, "%s", name);
}

static bool input_degrees(const struct question_source *source, const char *name, double limit,
                          double *value)
{
    return input_text(source, name) ? input_number(source, name, -limit, limit, value)
                                    : input_missing(source, name);
}

bool input_place(const struct question_source *source, struct place *place)
{
    bool in_metres = input_text(source, "x") || input_text(source, "y");
    bool in_degrees = input_text(source, "lon") || input_text(source, "lat");
    double longitude = 0, latitude = 0;
    if (in_metres && in_degrees) {
        error_set(source->error, ERROR_VALUE,
                  "a place is x and y in metres, or lon and lat in degrees, not both");
        return error_in_path(source->error, "lon");
    }
    if (!in_degrees)
        return input_metres(source, "x", &place->x) && input_metres(source, "y", &place->y);
    if (!input_degrees(source, "lon", MERCATOR_LONGITUDE_MAX, &longitude) ||
        !input_degrees(source, "lat", MERCATOR_LATITUDE_MAX, &latitude))
        return false;
    *place = mercator_place(longitude, latitude);
    return true;
}

/* Numbers parted by commas: their starts and lengths. Whether there are exactly `count`. */
static bool split(const char *text, size_t length, unsigned count, const char **starts,
                  size_t *lengths)
{
    const char *end = text + length;
    for (unsigned i = 0; i < count; i++) {
        const char *comma = memchr(text, ',', (size_t)(end - text));
        if ((comma == NULL) != (i + 1 == count))
            return false;
        starts[i] = text;
        lengths[i] = (size_t)((comma ? comma : end) - text);
        text = comma ? comma + 1 : end;
    }
    return true;
}

bool input_bbox(const struct question_source *source, struct area *area)
{
    const char *text = input_text(source, "bbox"), *starts[4] = {0};
    int64_t *edges[4] = {&area->low.x, &area->low.y, &area->high.x, &area->high.y};
    size_t lengths[4] = {0};
    bool done = true;
    if (!text)
        return input_missing(source, "bbox");
    if (!split(text, strlen(text), 4, starts, lengths))
        done = error_set(source->error, ERROR_SYNTAX, "must be x0,y0,x1,y1 in metres, not \"%s\"",
                         text);
    for (int i = 0; i < 4 && done; i++)
        done = place_parse(starts[i], lengths[i], edges[i], source->error);
    if (done && (area->low.x >= area->high.x || area->low.y >= area->high.y))
        done = error_set(source->error, ERROR_VALUE,
                         "x0 must be less than x1 and y0 less than y1 (y grows to the south)");
    return done || error_in_path(source->error, "bbox");
}

bool input_point(const struct question_source *source, const struct input_part *part,
                 struct place *place, double *height)
{
    struct error *error = source->error;
    const char *starts[3] = {0};
    size_t lengths[3] = {0};
    bool done = true;
    if (!split(part->text, part->length, height ? 3 : 2, starts, lengths))
        done = error_set(error, ERROR_SYNTAX, "must be %s in metres, not \"%.*s\"",
                         height ? "x,y,height" : "x,y", (int)part->length, part->text);
    done = done && place_parse(starts[0], lengths[0], &place->x, error) &&
           place_parse(starts[1], lengths[1], &place->y, error);
    if (done && height &&
        !(number_parse(starts[2], lengths[2], height) && *height >= -1e6 && *height <= 1e6))
        done = error_set(error, ERROR_VALUE,
                         "the height must be a decimal number from -1000000 to 1000000, not "
                         "\"%.*s\"",
                         (int)lengths[2], starts[2]);
    return done || error_in_path(error, "%s", part->name);
}

bool input_check_cost(uint64_t samples, unsigned cost, struct error *error)
{
    uint64_t most = QUESTION_COST_MAX / (cost ? cost : 1);
    if (samples <= most)
        return true;
    return error_set(error, ERROR_LIMIT,
                     "%llu samples of %u octaves each are too much for one answer: at most %llu "
                     "samples here; ask for fewer",
                     (unsigned long long)samples, cost, (unsigned long long)most);
}
