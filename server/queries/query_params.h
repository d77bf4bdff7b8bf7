/* Reading the parameters of questions. Each function returns false with the source's error, its
 * path set to the parameter and a message that reads on from its name: "samples: must be …". */
#ifndef TERRANE_SERVER_QUERIES_QUERY_PARAMS_H
#define TERRANE_SERVER_QUERIES_QUERY_PARAMS_H

#include "server/queries/query.h"

#define ALLOWED_COORDINATE "-1099511627776 … 1099511627776 metres"
#define ALLOWED_DEGREES_EAST "-180 … 180 degrees"
#define ALLOWED_DEGREES_NORTH "-85.0511287798066 … 85.0511287798066 degrees"

const char *input_text(const struct question_source *source, const char *name);
/* A whole number from `low` to `high`; *value stays if it is not given. */
bool input_whole(const struct question_source *source, const char *name, int64_t low, int64_t high,
                 int64_t *value);
/* A decimal number from `low` to `high`, likewise. */
bool input_number(const struct question_source *source, const char *name, double low, double high,
                  double *value);
/* x and y in metres, or lon and lat in degrees: one pair must be given. */
bool input_place(const struct question_source *source, struct place *place);
/* bbox=x0,y0,x1,y1: west, north, east, south in metres; must be given. */
bool input_bbox(const struct question_source *source, struct area *area);
/* A part of a parameter's text, and the parameter's name. */
struct input_part {
    const char *name, *text;
    size_t length;
};
/* "x,y" or, unless `height` is null, "x,y,height". */
bool input_point(const struct question_source *source, const struct input_part *part,
                 struct place *place, double *height);
/* Fails for a parameter that must be given and is not. */
bool input_missing(const struct question_source *source, const char *name);

/* Whether so many samples at such a cost each may be taken; ERROR_LIMIT if not. */
bool input_check_cost(uint64_t samples, unsigned cost, struct error *error);

#endif
