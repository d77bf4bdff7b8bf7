#include "server/http/arguments.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/encode/terminal.h"
#include "core/tile/mercator.h"

#define COORDINATE_RANGE "-1099511627776 … 1099511627776 metres"

bool argument_whole(const struct request *request, const char *name, int64_t max, int64_t *value,
                    struct problem *problem)
{
    const struct request_argument *argument = request_find(request, name);
    if (!argument ||
        number_parse_integer(argument->value.text, argument->value.length, 0, max, value))
        return true;
    char allowed[64];
    snprintf(allowed, sizeof allowed, "0 … %lld", (long long)max);
    return problem_parameter(problem, name, allowed,
                             "%s must be a whole number from 0 to %lld, not \"%s\"", name,
                             (long long)max, argument->value.text);
}

/* A decimal number with |value| <= limit. */
static bool argument_number(const struct request *request, const char *name, double limit,
                            double *value, struct problem *problem)
{
    const struct request_argument *argument = request_find(request, name);
    double number;
    if (!argument)
        return true;
    if (number_parse(argument->value.text, argument->value.length, &number) &&
        fabs(number) <= limit) {
        *value = number + 0.0;
        return true;
    }
    char text[NUMBER_TEXT], allowed[2 * NUMBER_TEXT + 8];
    number_format_double(limit, text);
    snprintf(allowed, sizeof allowed, "-%s … %s", text, text);
    return problem_parameter(problem, name, allowed,
                             "%s must be a decimal number from -%s to %s, not \"%s\"", name, text,
                             text, argument->value.text);
}

#define MOMENT_MAX 0x1p40

bool argument_moment(const struct request *request, const char *name, int64_t *value,
                     struct problem *problem)
{
    double number = place_metres(*value);
    if (!argument_number(request, name, MOMENT_MAX, &number, problem))
        return false;
    *value = place_from_metres(number);
    return true;
}

bool argument_switch(const struct request *request, const char *name, bool *value,
                     struct problem *problem)
{
    const struct request_argument *argument = request_find(request, name);
    if (!argument)
        return true;
    const char *text = argument->value.text;
    *value = strcmp(text, "1") == 0;
    if (*value || strcmp(text, "0") == 0)
        return true;
    return problem_parameter(problem, name, "0, 1", "%s must be 1 or 0, not \"%s\"", name, text);
}

bool argument_format(const struct request *request, bool *as_text, struct problem *problem)
{
    const struct request_argument *argument = request_find(request, "format");
    if (!argument)
        return true;
    *as_text = strcmp(argument->value.text, "text") == 0;
    if (*as_text || strcmp(argument->value.text, "json") == 0)
        return true;
    return problem_parameter(problem, "format", "json, text",
                             "format must be json or text, not \"%s\"", argument->value.text);
}

bool argument_positive(const struct request *request, const char *name, double max, double *value,
                       struct problem *problem)
{
    const struct request_argument *argument = request_find(request, name);
    double number;
    if (!argument)
        return true;
    if (number_parse(argument->value.text, argument->value.length, &number) && number > 0.0 &&
        number <= max) {
        *value = number;
        return true;
    }
    char text[NUMBER_TEXT], allowed[NUMBER_TEXT + 24];
    number_format_double(max, text);
    snprintf(allowed, sizeof allowed, "above 0, to %s", text);
    return problem_parameter(problem, name, allowed,
                             "%s must be a decimal number above 0 and at most %s, not \"%s\"", name,
                             text, argument->value.text);
}

bool argument_columns(const struct request *request, uint32_t *columns, struct problem *problem)
{
    const struct request_argument *argument = request_find(request, "cols");
    int64_t number;
    if (!argument)
        return true;
    if (number_parse_integer(argument->value.text, argument->value.length, TERMINAL_COLUMNS_MIN,
                             TERMINAL_COLUMNS_MAX, &number)) {
        *columns = (uint32_t)number;
        return true;
    }
    char allowed[32];
    snprintf(allowed, sizeof allowed, "%d … %d", TERMINAL_COLUMNS_MIN, TERMINAL_COLUMNS_MAX);
    return problem_parameter(problem, "cols", allowed,
                             "cols must be a whole number from %d to %d, not \"%s\"",
                             TERMINAL_COLUMNS_MIN, TERMINAL_COLUMNS_MAX, argument->value.text);
}

bool argument_size(const struct request *request, uint32_t *size, struct problem *problem)
{
    const struct request_argument *argument = request_find(request, "size");
    if (!argument)
        return true;
    const char *text = argument->value.text;
    if (strcmp(text, "256") != 0 && strcmp(text, "512") != 0)
        return problem_parameter(problem, "size", "256, 512", "size must be 256 or 512, not \"%s\"",
                                 text);
    *size = text[0] == '2' ? 256 : 512;
    return true;
}

static bool metres(const struct request *request, const char *name, int64_t *value,
                   struct problem *problem)
{
    const struct request_argument *argument = request_find(request, name);
    struct error error;
    if (!argument)
        return problem_parameter(problem, name, COORDINATE_RANGE, "%s is missing", name);
    if (place_parse(argument->value.text, argument->value.length, value, &error))
        return true;
    return problem_parameter(problem, name, COORDINATE_RANGE, "%s: %s", name, error.message);
}

static bool degrees(const struct request *request, const char *name, double limit, double *value,
                    struct problem *problem)
{
    if (!request_find(request, name))
        return problem_parameter(problem, name, "", "%s is missing", name);
    return argument_number(request, name, limit, value, problem);
}

bool argument_place(const struct request *request, struct place *place, struct problem *problem)
{
    bool in_metres = request_find(request, "x") || request_find(request, "y");
    bool in_degrees = request_find(request, "lon") || request_find(request, "lat");
    double longitude = 0, latitude = 0;
    if (in_metres == in_degrees) {
        problem_parameter(problem, in_metres ? "lon" : "x", "",
                          "a place is x and y in metres, or lon and lat in degrees, not %s",
                          in_metres ? "both" : "nothing");
        snprintf(problem->example, sizeof problem->example, "/at?x=0&y=0");
        return false;
    }
    if (in_metres)
        return metres(request, "x", &place->x, problem) && metres(request, "y", &place->y, problem);
    if (!degrees(request, "lon", MERCATOR_LONGITUDE_MAX, &longitude, problem) ||
        !degrees(request, "lat", MERCATOR_LATITUDE_MAX, &latitude, problem))
        return false;
    *place = mercator_place(longitude, latitude);
    return true;
}

const char *argument_text(const void *request, const char *name)
{
    const struct request_argument *argument = request_find(request, name);
    return argument ? argument->value.text : NULL;
}

bool argument_problem(const struct question_parameter *parameters, const char *example,
                      const struct error *error, struct problem *problem)
{
    while (parameters->name && strcmp(parameters->name, error->path) != 0)
        parameters++;
    if (error->code == ERROR_UNKNOWN || error->code == ERROR_MEMORY)
        problem_from_error(problem, PROBLEM_PARAMETER, error);
    else
        problem_parameter(problem, error->path, parameters->name ? parameters->allowed : "",
                          "%s: %s", error->path, error->message);
    problem->list = error->code == ERROR_UNKNOWN ? "/worlds/{world}" : NULL;
    snprintf(problem->parameter, sizeof problem->parameter, "%.63s", error->path);
    snprintf(problem->example, sizeof problem->example, "%s", example);
    return false;
}
