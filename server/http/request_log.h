/* What is counted and logged of exchanges and loops. All on the loop's own thread, from what it has
 * at hand: the clock is the loop's, which is read once for each wake-up. So a time ends when the
 * answer is handed over, whatever the client then takes to read it, and what is answered in the
 * wake-up that brought it took no time at all. */
#ifndef TERRANE_SERVER_HTTP_REQUEST_LOG_H
#define TERRANE_SERVER_HTTP_REQUEST_LOG_H

#include "server/http/http_request.h"

/* The answer, whose status the exchange has, is with the library. */
void request_log_response(struct http_request *request);
/* The exchange is over, answered or not: the time for its line in the access log. */
void request_log_end(struct http_request *request);
/* At the end of a wake-up: how much the loop has to do. */
void request_log_loop(struct event_loop *loop);

#endif
