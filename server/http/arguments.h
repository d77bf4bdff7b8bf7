/* Parameters of the query as values. Each function leaves its result alone if the parameter is not
 * there, and returns false with a 400 that says what is allowed if it is malformed. */
#ifndef TERRANE_SERVER_HTTP_ARGUMENTS_H
#define TERRANE_SERVER_HTTP_ARGUMENTS_H

#include "core/base/place.h"
#include "server/http/problem.h"
#include "server/http/request.h"
#include "server/question.h"

/* A whole number in 0 … max. */
bool argument_whole(const struct request *request, const char *name, int64_t max, int64_t *value,
                    struct problem *problem);
/* A height in metres or a time in seconds, as 2⁻¹⁶ of them. */
bool argument_moment(const struct request *request, const char *name, int64_t *value,
                     struct problem *problem);
/* "1" or "0". */
bool argument_switch(const struct request *request, const char *name, bool *value,
                     struct problem *problem);
/* format=: "text" or "json". */
bool argument_format(const struct request *request, bool *as_text, struct problem *problem);
/* A decimal number above 0 and up to max. */
bool argument_positive(const struct request *request, const char *name, double max, double *value,
                       struct problem *problem);
/* cols=, the width of a text: TERMINAL_COLUMNS_MIN … TERMINAL_COLUMNS_MAX. */
bool argument_columns(const struct request *request, uint32_t *columns, struct problem *problem);
/* 256 or 512. */
bool argument_size(const struct request *request, uint32_t *size, struct problem *problem);

/* x= and y= in metres, or lon= and lat= in degrees: see core/tile/mercator.h.
 * One of the pairs must be there. */
bool argument_place(const struct request *request, struct place *place, struct problem *problem);

/* The text of a struct request's parameter, or null: for a struct question_source. */
const char *argument_text(const void *request, const char *name);
/* The problem of an error that a question's read() gave. */
bool argument_problem(const struct question_parameter *parameters, const char *example,
                      const struct error *error, struct problem *problem);

#endif
