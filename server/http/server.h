/* The HTTP daemon: one event loop with its own listening socket for each core, and render threads
 * behind a bounded queue. */
#ifndef TERRANE_SERVER_HTTP_SERVER_H
#define TERRANE_SERVER_HTTP_SERVER_H

#include "core/base/error.h"
#include "server/http/connection/listen_address.h"
#include "server/settings/settings.h"
#include "server/worlds/catalog.h"

struct http_options {
    const struct settings *settings;
    int port; /* replaces the port of the first address; -1 for none. 0 takes a free one */
    struct catalog *catalog; /* the server owns it from the call on, in failure too */
};

struct http_server;

/* Reloads so far. */
struct reloads {
    uint64_t done, failed;
};

/* How a server ends. */
struct shutdown_options {
    unsigned grace_period; /* seconds in which it only says that it is about to end */
    unsigned seconds;      /* then, for what has begun */
};

/* All functions are for one thread, the one that minds the server, but for http_server_reloads().
 *
 * Listens and answers from its own threads. Null on failure ("… port 8080 is in use"). */
struct http_server *http_server_start(const struct http_options *options, struct error *error);
/* The address of its i-th place, as in "http://127.0.0.1:8080"; false beyond the last one. */
bool http_server_address(const struct http_server *server, unsigned i,
                         char text[LISTEN_ADDRESS_TEXT]);
/* The access log, if there is one, is soon opened anew by its name. From any thread. */
void http_server_reopen_log(struct http_server *server);

/* Puts new worlds, styles and settings in the place of the old ones for every request that begins
 * from now on; those that have begun end with the old ones. What a reload cannot change of the
 * options is passed over. False with all as it was. */
bool http_server_reload(struct http_server *server, const struct http_options *options,
                        struct error *error);
/* Counts a reload that failed before it came to http_server_reload(). */
void http_server_reload_failed(struct http_server *server);
/* From any thread. */
struct reloads http_server_reloads(const struct http_server *server);
/* What is served now; until the next reload. */
const struct catalog *http_server_catalog(const struct http_server *server);
unsigned http_server_generation(const struct http_server *server);

/* A descriptor that can be read when there is something for http_server_poll() to do. */
int http_server_event(const struct http_server *server);
/* Frees what reloads have left behind. False once a drain has come to its end. */
bool http_server_poll(struct http_server *server);
/* Begins to end, and returns at once: see drain.h. Called again it can only make haste. */
void http_server_drain(struct http_server *server, const struct shutdown_options *options);
bool http_server_draining(const struct http_server *server);
/* Waits for the end of the drain, which it begins without patience if nobody has; frees. */
void http_server_stop(struct http_server *server);

#endif
