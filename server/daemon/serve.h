/* The parts of `terrane serve`: from options to what the daemon takes, reloading, and minding it
 * until it has ended. */
#ifndef TERRANE_SERVER_DAEMON_SERVE_H
#define TERRANE_SERVER_DAEMON_SERVE_H

#include "core/base/buffer.h"
#include "server/daemon/admin.h"
#include "server/http/server.h"
#include "server/settings/options.h"

/* What the options say of a server with this catalog; points into them. */
struct http_options serve_options(const struct options *options, struct catalog *catalog);

/* Has messages logged as the options say. */
void serve_set_log(const struct options *options);

/* Reads the settings, worlds and styles again: the flags of `started`, and what the environment and
 * the files say now. If all of it is good, the server goes on with it and `present` is replaced;
 * else everything stays as it is. Either way `report` gets lines to read: what has changed and what
 * would need a restart, or all that is wrong. */
bool serve_reload(struct http_server *server, const struct options *started,
                  struct options *present, struct buffer *report);

struct minded {
    struct http_server *server;
    struct admin *admin; /* or null */
    int signals;         /* a signalfd */
    const struct options *started;
    struct options present;
};

/* Reloads on SIGHUP, ends on SIGTERM and SIGINT, sooner on a second one, and does what the admin
 * socket says. Returns when the server is ready to be stopped. */
void serve_mind(struct minded *minded);

#endif
