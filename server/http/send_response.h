/* Handing responses to libmicrohttpd: the one place from which they go out, but for those of
 * dispatch_bypass.h. On the loop's thread. */
#ifndef TERRANE_SERVER_HTTP_SEND_RESPONSE_H
#define TERRANE_SERVER_HTTP_SEND_RESPONSE_H

#include "server/http/jobs/http_request.h"

/* Queues the response that the request has, with the headers that depend on the request, or 503 if
 * the response has failed: MHD_NO closes the connection, if the library refuses it. */
enum MHD_Result send_response(struct http_request *request);
/* Queues the request's problem as its response. */
enum MHD_Result send_problem(struct http_request *request);

#endif
