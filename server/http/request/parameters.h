/* Parameters of the query as values. Each function leaves its result alone if the parameter is not
 * there, and returns false with a 400 that says what is allowed if it is malformed. */
#ifndef TERRANE_SERVER_HTTP_REQUEST_PARAMETERS_H
#define TERRANE_SERVER_HTTP_REQUEST_PARAMETERS_H

#include "core/base/place.h"
#include "server/http/request/problem.h"
#include "server/http/request/target.h"
#include "server/queries/query.h"

/* A whole number in 0 … max. */
bool parameter_integer(const struct http_target *target, const char *name, int64_t max,
                       int64_t *value, struct problem *problem);
/* A height in metres or a time in seconds, as 2⁻¹⁶ of them. */
bool parameter_fixed_point(const struct http_target *target, const char *name, int64_t *value,
                           struct problem *problem);
/* "1" or "0". */
bool parameter_bool(const struct http_target *target, const char *name, bool *value,
                    struct problem *problem);
/* format=: "text" or "json". */
bool parameter_format(const struct http_target *target, bool *as_text, struct problem *problem);
/* A decimal number above 0 and up to max. */
bool parameter_positive(const struct http_target *target, const char *name, double max,
                        double *value, struct problem *problem);
/* cols=, the width of a text: TERMINAL_COLUMNS_MIN … TERMINAL_COLUMNS_MAX. */
bool parameter_columns(const struct http_target *target, uint32_t *columns,
                       struct problem *problem);
/* 256 or 512. */
bool parameter_size(const struct http_target *target, uint32_t *size, struct problem *problem);

/* x= and y= in metres, or lon= and lat= in degrees: see core/tile/mercator.h.
 * One of the pairs must be there. */
bool parameter_place(const struct http_target *target, struct place *place,
                     struct problem *problem);

/* The text of a struct http_target's parameter, or null: for a struct question_source. */
const char *parameter_text(const void *target, const char *name);
/* The problem of an error that a question's read() gave. */
bool parameter_problem(const struct question_parameter *parameters, const char *example,
                       const struct error *error, struct problem *problem);

#endif
