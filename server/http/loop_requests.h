/* The requests of one event loop: memory for them, and the lists that they are in until the body
 * has come. All on the loop's thread. */
#ifndef TERRANE_SERVER_HTTP_LOOP_REQUESTS_H
#define TERRANE_SERVER_HTTP_LOOP_REQUESTS_H

#include "server/http/jobs/http_request.h"

/* Before the loop starts. False when memory is out. */
bool loop_requests_init(struct event_loop *loop);
/* Called when the loop has no request left. A loop that was never initialised is allowed. */
void loop_requests_free(struct event_loop *loop);

/* A new request in the list of those whose headers come; null when memory is out. */
struct http_request *loop_requests_add(struct event_loop *loop);
/* The headers have come, and a chunked body follows. */
void loop_requests_add_upload(struct http_request *request);
/* The headers, or the chunked body, have come or will not: takes the request off its list. */
void loop_requests_unlink(struct http_request *request);
/* The request has ended. */
void loop_requests_remove(struct http_request *request);

#endif
