/* Requests that libmicrohttpd 0.9.75 answers wrongly or not at all: they are refused past it, by
 * writing to the socket. Both functions are handlers of the event loop. */
#ifndef TERRANE_SERVER_HTTP_DISPATCH_BYPASS_H
#define TERRANE_SERVER_HTTP_DISPATCH_BYPASS_H

#include "server/http/connection/event_loop.h"

/* A line of the library's log, and the format that it was made with: passes it on to ours, and
 * refuses the request that the library complains about. */
void dispatch_bypass_library_log(struct event_loop *loop, const char *text, const char *format);
/* Ends chunked bodies that the library can do nothing with. */
void dispatch_bypass_end_stuck_uploads(struct event_loop *loop);

#endif
