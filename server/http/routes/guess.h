/* The path that was meant by one that no route has: with a slash too many, without its extension,
 * misspelt, below the prefix of a proxy, or without "tiles", as other tile servers have it. */
#ifndef TERRANE_SERVER_HTTP_ROUTES_GUESS_H
#define TERRANE_SERVER_HTTP_ROUTES_GUESS_H

#include "server/http/jobs/http_request.h"

enum guess {
    GUESS_NONE,
    GUESS_PATH,
    GUESS_PREFIX, /* what stood in front of the path was left out, if only a slash */
};

/* Appends a target whose path a route has, with the parameters of the request; nothing for
 * GUESS_NONE. */
enum guess guess_path(const struct http_request *request, struct buffer *out);

/* Appends the target of the request with that extension, which has no dot, in place of its own or
 * behind the path. */
void guess_extension(const struct http_request *request, const char *extension, struct buffer *out);

/* Makes the target, which it frees, the example of the problem if there is room. */
void guess_set_example(struct problem *problem, struct buffer *target);

#endif
