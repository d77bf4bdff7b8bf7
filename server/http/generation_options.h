/* From the options of the server to a generation: what a reload may change. */
#ifndef TERRANE_SERVER_HTTP_GENERATION_OPTIONS_H
#define TERRANE_SERVER_HTTP_GENERATION_OPTIONS_H

#include "server/http/connection/generation.h"
#include "server/http/server.h"

/* Checks and copies what a generation holds of the options, for `loops` event loops. Takes the
 * catalogue, in failure too. Null with the error. */
struct generation *generation_from_options(const struct http_options *options, unsigned loops,
                                           struct error *error);

#endif
