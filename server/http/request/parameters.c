#include "server/http/request/parameters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/encode/terminal.h"
#include "core/tile/mercator.h"

#define COORDINATE_RANGE "-1099511627776 … 1099511627776 metres"

bool parameter_integer(const struct http_target *target, const char *name, int64_t max,
                       int64_t *value, struct problem *problem)
{
    const struct target_parameter *parameter = target_find(target, name);
    if (!parameter ||
        number_parse_integer(parameter->value.text, parameter->value.length, 0, max, value))
        return true;
    char allowed[64];
    snprintf(allowed, sizeof allowed, "0 … %lld", (long long)max);
    return problem_parameter(problem, name, allowed,
                             "%s must be a whole number from 0 to %lld, not \"%s\"", name,
                             (long long)max, parameter->value.text);
}

/* A decimal number with |value| <= limit. */
static bool parameter_number(const struct http_target *target, const char *name, double limit,
                             double *value, struct problem *problem)
{
    const struct target_parameter *parameter = target_find(target, name);
    double number;
    if (!parameter)
        return true;
    if (number_parse(parameter->value.text, parameter->value.length, &number) &&
        fabs(number) <= limit) {
        *value = number + 0.0;
        return true;
    }
    char text[NUMBER_TEXT], allowed[2 * NUMBER_TEXT + 8];
    number_format_double(limit, text);
    snprintf(allowed, sizeof allowed, "-%s … %s", text, text);
    return problem_parameter(problem, name, allowed,
                             "%s must be a decimal number from -%s to %s, not \"%s\"", name, text,
                             text, parameter->value.text);
}

#define FIXED_POINT_MAX 0x1p40

bool parameter_fixed_point(const struct http_target *target, const char *name, int64_t *value,
                           struct problem *problem)
{
    double number = place_metres(*value);
    if (!parameter_number(target, name, FIXED_POINT_MAX, &number, problem))
        return false;
    *value = place_from_metres(number);
    return true;
}

bool parameter_bool(const struct http_target *target, const char *name, bool *value,
                    struct problem *problem)
{
    const struct target_parameter *parameter = target_find(target, name);
    if (!parameter)
        return true;
    const char *text = parameter->value.text;
    *value = strcmp(text, "1") == 0;
    if (*value || strcmp(text, "0") == 0)
        return true;
    return problem_parameter(problem, name, "0, 1", "%s must be 1 or 0, not \"%s\"", name, text);
}

bool parameter_format(const struct http_target *target, bool *as_text, struct problem *problem)
{
    const struct target_parameter *parameter = target_find(target, "format");
    if (!parameter)
        return true;
    *as_text = strcmp(parameter->value.text, "text") == 0;
    if (*as_text || strcmp(parameter->value.text, "json") == 0)
        return true;
    return problem_parameter(problem, "format", "json, text",
                             "format must be json or text, not \"%s\"", parameter->value.text);
}

bool parameter_positive(const struct http_target *target, const char *name, double max,
                        double *value, struct problem *problem)
{
    const struct target_parameter *parameter = target_find(target, name);
    double number;
    if (!parameter)
        return true;
    if (number_parse(parameter->value.text, parameter->value.length, &number) && number > 0.0 &&
        number <= max) {
        *value = number;
        return true;
    }
    char text[NUMBER_TEXT], allowed[NUMBER_TEXT + 24];
    number_format_double(max, text);
    snprintf(allowed, sizeof allowed, "above 0, to %s", text);
    return problem_parameter(problem, name, allowed,
                             "%s must be a decimal number above 0 and at most %s, not \"%s\"", name,
                             text, parameter->value.text);
}

bool parameter_columns(const struct http_target *target, uint32_t *columns, struct problem *problem)
{
    const struct target_parameter *parameter = target_find(target, "cols");
    int64_t number;
    if (!parameter)
        return true;
    if (number_parse_integer(parameter->value.text, parameter->value.length, TERMINAL_COLUMNS_MIN,
                             TERMINAL_COLUMNS_MAX, &number)) {
        *columns = (uint32_t)number;
        return true;
    }
    char allowed[32];
    snprintf(allowed, sizeof allowed, "%d … %d", TERMINAL_COLUMNS_MIN, TERMINAL_COLUMNS_MAX);
    return problem_parameter(problem, "cols", allowed,
                             "cols must be a whole number from %d to %d, not \"%s\"",
                             TERMINAL_COLUMNS_MIN, TERMINAL_COLUMNS_MAX, parameter->value.text);
}

bool parameter_size(const struct http_target *target, uint32_t *size, struct problem *problem)
{
    const struct target_parameter *parameter = target_find(target, "size");
    if (!parameter)
        return true;
    const char *text = parameter->value.text;
    if (strcmp(text, "256") != 0 && strcmp(text, "512") != 0)
        return problem_parameter(problem, "size", "256, 512", "size must be 256 or 512, not \"%s\"",
                                 text);
    *size = text[0] == '2' ? 256 : 512;
    return true;
}

static bool required_metres(const struct http_target *target, const char *name, int64_t *value,
                            struct problem *problem)
{
    const struct target_parameter *parameter = target_find(target, name);
    struct error error;
    if (!parameter)
        return problem_parameter(problem, name, COORDINATE_RANGE, "%s is missing", name);
    if (place_parse(parameter->value.text, parameter->value.length, value, &error))
        return true;
    return problem_parameter(problem, name, COORDINATE_RANGE, "%s: %s", name, error.message);
}

static bool required_degrees(const struct http_target *target, const char *name, double limit,
                             double *value, struct problem *problem)
{
    if (!target_find(target, name))
        return problem_parameter(problem, name, "", "%s is missing", name);
    return parameter_number(target, name, limit, value, problem);
}

bool parameter_place(const struct http_target *target, struct place *place, struct problem *problem)
{
    bool in_metres = target_find(target, "x") || target_find(target, "y");
    bool in_degrees = target_find(target, "lon") || target_find(target, "lat");
    double longitude = 0, latitude = 0;
    if (in_metres == in_degrees) {
        problem_parameter(problem, in_metres ? "lon" : "x", "",
                          "a place is x and y in metres, or lon and lat in degrees, not %s",
                          in_metres ? "both" : "nothing");
        snprintf(problem->example, sizeof problem->example, "/at?x=0&y=0");
        return false;
    }
    if (in_metres)
        return required_metres(target, "x", &place->x, problem) &&
               required_metres(target, "y", &place->y, problem);
    if (!required_degrees(target, "lon", MERCATOR_LONGITUDE_MAX, &longitude, problem) ||
        !required_degrees(target, "lat", MERCATOR_LATITUDE_MAX, &latitude, problem))
        return false;
    *place = mercator_place(longitude, latitude);
    return true;
}

const char *parameter_text(const void *target, const char *name)
{
    const struct target_parameter *parameter = target_find(target, name);
    return parameter ? parameter->value.text : NULL;
}

bool parameter_problem(const struct question_parameter *parameters, const char *example,
                       const struct error *error, struct problem *problem)
{
    while (parameters->name && strcmp(parameters->name, error->path) != 0)
        parameters++;
    if (error->code == ERROR_UNKNOWN || error->code == ERROR_MEMORY)
        problem_from_error(problem, PROBLEM_PARAMETER, error);
    else
        problem_parameter(problem, error->path, parameters->name ? parameters->allowed : "",
                          "%s: %s", error->path, error->message);
    problem->list_path = error->code == ERROR_UNKNOWN ? "/worlds/{world}" : NULL;
    snprintf(problem->parameter, sizeof problem->parameter, "%.63s", error->path);
    snprintf(problem->example, sizeof problem->example, "%s", example);
    return false;
}
