/* The parameters of a request's query, read by the table of server/queries/parameters.h. */
#ifndef TERRANE_SERVER_HTTP_REQUEST_PARAMETERS_H
#define TERRANE_SERVER_HTTP_REQUEST_PARAMETERS_H

#include "core/worldfile/world.h"
#include "server/http/request/problem.h"
#include "server/http/request/target.h"
#include "server/queries/parameters.h"

/* Reads the parameters of `set`; texts among the values belong to the target. False with 400 that
 * names the parameter and says what is allowed. */
bool request_parameters_read(parameter_set set, const struct http_target *target,
                             struct parameter_values *values, struct problem *problem);

/* The problem of an error whose path is a parameter of the set: 404 for an unknown name, with the
 * path of the world that lists the names; else 400. Returns false. */
bool problem_from_parameter(parameter_set set, const struct error *error, struct problem *problem);

/* Checks that every parameter of the target is in the set and is given once. False with 400. */
bool request_parameters_check(parameter_set set, const struct http_target *target,
                              struct problem *problem);

/* The layer of that name; false with 404 and a suggestion. */
bool request_layer_find(const char *name, const struct world *world, unsigned *layer,
                        struct problem *problem);

#endif
