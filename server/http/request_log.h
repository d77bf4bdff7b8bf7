/* The counts and the log of requests. Each request is counted and logged on its loop's thread.
 * Times are those of the loop's clock, which is read once for each turn: so a request's time ends
 * when its response is handed to the library, however long the client takes to read it, and a
 * request that is answered in the turn that brought it took no time. */
#ifndef TERRANE_SERVER_HTTP_REQUEST_LOG_H
#define TERRANE_SERVER_HTTP_REQUEST_LOG_H

#include "server/http/jobs/http_request.h"

/* The response, whose status the request has, is with the library: counts it. */
void request_log_response(struct http_request *request);
/* The request has ended, answered or not: writes its line of the access log. */
void request_log_end(struct http_request *request);

#endif
