/* Problems as responses: application/problem+json (RFC 9457). */
#ifndef TERRANE_SERVER_HTTP_RESPONSE_PROBLEM_RESPONSE_H
#define TERRANE_SERVER_HTTP_RESPONSE_PROBLEM_RESPONSE_H

#include "server/http/jobs/http_request.h"

/* Sets the response of the request, with the headers that the problem asks for. */
enum handler_result response_problem(struct http_request *request, const struct problem *problem);
/* Appends the whole response as bytes, status line included, for where the library cannot be used.
 * Returns the length of its body. */
size_t response_write_problem(const struct problem *problem, struct buffer *out);

#endif
