/* Where the maps of worlds begin, for documents that say so: those of the request's world, or of
 * all worlds of the catalog. Where a rule decides it, the place is looked up, or found on a render
 * thread. */
#ifndef TERRANE_SERVER_HTTP_ROUTES_VIEWS_H
#define TERRANE_SERVER_HTTP_ROUTES_VIEWS_H

#include "core/base/place.h"
#include "server/http/jobs/http_request.h"

/* Finds the centre of the request's world, or with `all` of those of the catalog; `resume` is
 * called if that takes waiting. A world with another seed, and a preview, are charged for.
 * CONTINUE, WAITING, or FAILED with 429 or 503. */
enum handler_result views_find(struct http_request *request, bool all, http_handler *resume,
                               struct problem *problem);
/* The centre of the request's world, or of the index-th world of the catalog. */
struct place views_centre(const struct http_request *request, size_t index);

#endif
