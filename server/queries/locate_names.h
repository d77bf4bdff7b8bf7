/* Searches for names, of /locate: the features around a place whose names begin with a text. */
#ifndef TERRANE_SERVER_QUERIES_LOCATE_NAMES_H
#define TERRANE_SERVER_QUERIES_LOCATE_NAMES_H

#include "server/queries/query.h"

/* True if the parameters ask for a name. */
static inline bool locate_names_is_asked(const struct query_run *run)
{
    return run->values.given & PARAMETER_BIT(NAME);
}

/* Checks the parameters; `run->search` has the place, the radius and the limit. */
bool locate_names_prepare(const struct query_run *run, struct error *error);
/* False with ERROR_LIMIT where the circle is too large at the zoom. */
bool locate_names_check(const struct query_run *run, struct error *error);
uint64_t locate_names_price(const struct query_run *run);
/* The parameter by which the price grows: zoom if it is given, else radius. */
enum parameter_id locate_names_scale(const struct query_run *run);
bool locate_names_evaluate(const struct query_run *run, struct sampler *sampler, struct buffer *out,
                           struct error *error);

#endif
