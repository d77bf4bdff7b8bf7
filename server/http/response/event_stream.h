/* GET /events: a response without an end, which sends the events of the server's feed as they come
 * (event_feed.h), and a comment from time to time so that proxies keep the connection open.
 *
 * A stream holds a connection, counted by the limits for connections, and no thread: while nothing
 * is to be sent the connection is suspended, and its loop looks at its streams in each turn. */
#ifndef TERRANE_SERVER_HTTP_RESPONSE_EVENT_STREAM_H
#define TERRANE_SERVER_HTTP_RESPONSE_EVENT_STREAM_H

#include "server/http/jobs/http_request.h"

/* Answers with the present events, then with each new one until the client leaves or the server
 * stops; `once`: with the present ones alone; HEAD: with the headers alone. HANDLER_FAILED with 503
 * if a quarter of the connections that the server may have are streams already, or memory is out.
 */
enum handler_result event_stream_respond(struct http_request *request, bool once,
                                         struct problem *problem);

/* On the loop's thread, in each turn before the library runs: wakes the streams that have something
 * to send, or all of them if the server stops. */
void event_streams_wake(struct event_loop *loop);
/* Milliseconds, at most `max`, until event_streams_wake() has something to do. */
int64_t event_streams_timeout(const struct event_loop *loop, int64_t max);

#endif
