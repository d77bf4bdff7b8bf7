/* From libmicrohttpd's callbacks to the route's handler: what becomes of each request. */
#ifndef TERRANE_SERVER_HTTP_DISPATCH_H
#define TERRANE_SERVER_HTTP_DISPATCH_H

#include "server/http/connection/event_loop.h"

extern const struct event_loop_handlers dispatch_handlers;

#endif
