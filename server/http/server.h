/* The HTTP daemon: one event loop with its own listening socket for each core, and render threads
 * behind a bounded queue. */
#ifndef TERRANE_SERVER_HTTP_SERVER_H
#define TERRANE_SERVER_HTTP_SERVER_H

#include "core/base/error.h"
#include "server/base/listen_address.h"
#include "server/settings/settings.h"
#include "server/worlds/catalog.h"

struct http_options {
    const struct settings *settings;
    int port;     /* replaces the port of the first address; -1 for none. 0 takes a free one */
    int previews; /* how many are kept; -1 for PREVIEWS_DEFAULT if nobody else can reach the server
                   */
    struct catalog *catalog; /* the server owns it from the call on, in failure too */
};

struct http_server;

/* The numbers of reloads. */
struct reloads {
    uint64_t done, failed;
};

/* The time limits of a drain: see connection/drain.h. */
struct shutdown_options {
    unsigned grace_period; /* seconds in which the server still accepts, but is not ready */
    unsigned seconds;      /* after that, for requests that have begun */
};

/* All functions must be called from one thread, unless they say otherwise.
 *
 * Starts the server, which listens and answers from threads of its own. Null with the error ("port
 * 8080 is in use"). */
struct http_server *http_server_start(const struct http_options *options, struct error *error);
/* The address of the i-th listening endpoint, such as "http://127.0.0.1:8080"; false beyond the
 * last one. */
bool http_server_address(const struct http_server *server, unsigned i,
                         char text[LISTEN_ADDRESS_TEXT]);
/* True if a listening endpoint has an address that is not loopback. */
bool http_server_is_public(const struct http_server *server);
/* Has the access log, if there is one, opened again by its name soon. From any thread. */
void http_server_reopen_log(struct http_server *server);

/* Replaces worlds, styles and settings for every request that begins from now on; requests that
 * have begun end with the old ones. Settings that need a restart are ignored. False with the error,
 * and nothing changed. */
bool http_server_reload(struct http_server *server, const struct http_options *options,
                        struct error *error);
/* Counts a reload that failed before it came to http_server_reload(). */
void http_server_reload_failed(struct http_server *server);
/* Tells the clients of GET /events of the end of a reload: of the worlds that are served now, or,
 * if it has failed, of its errors, one a line. */
void http_server_announce_worlds(struct http_server *server);
void http_server_announce_errors(struct http_server *server, const char *lines);
/* From any thread. */
struct reloads http_server_reloads(const struct http_server *server);
/* The catalog that is served now; valid until the next reload. */
const struct catalog *http_server_catalog(const struct http_server *server);
unsigned http_server_generation(const struct http_server *server);

/* A descriptor that is readable when http_server_poll() has something to do. */
int http_server_event(const struct http_server *server);
/* Frees generations that are no longer used. False once a drain has ended. */
bool http_server_poll(struct http_server *server);
/* Begins a drain, and returns at once. Called again it can only shorten the drain. */
void http_server_drain(struct http_server *server, const struct shutdown_options *options);
bool http_server_draining(const struct http_server *server);
/* Waits for the end of the drain, which it begins with 0 seconds if none has begun, and frees. Null
 * is allowed. */
void http_server_stop(struct http_server *server);

#endif
