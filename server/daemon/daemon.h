/* The parts of the daemon, `terrane serve`: starting (serve.c), the main loop (main_loop.c) and
 * reloading (reload.c). All functions are for the main thread. */
#ifndef TERRANE_SERVER_DAEMON_DAEMON_H
#define TERRANE_SERVER_DAEMON_DAEMON_H

#include "core/base/buffer.h"
#include "server/daemon/admin.h"
#include "server/http/server.h"
#include "server/settings/options.h"

struct daemon {
    struct http_server *server;
    struct admin *admin;           /* null without --admin */
    int signals;                   /* a signalfd */
    const struct options *started; /* what the server was started with */
    struct options present;        /* what it runs with since the last reload; owned */
};

/* Serves until the drain has ended: reloads on SIGHUP, drains on SIGTERM and SIGINT, at once on a
 * second one, and runs the commands of the admin socket. */
void daemon_main_loop(struct daemon *daemon);

/* Reads the settings, worlds and styles again: the flags of `started`, and the present content of
 * the environment and the files. If everything is valid, the server continues with it and `present`
 * is replaced; otherwise everything stays as it is. Either way `report` gets lines for the operator:
 * what has changed and what needs a restart to change, or all errors. */
bool daemon_reload(struct daemon *daemon, struct buffer *report);

/* What the options say of a server with this catalog; points into them. */
struct http_options serve_options(const struct options *options, struct catalog *catalog);

/* Sets the level and format of log messages from the options. */
void daemon_set_log(const struct options *options);

#endif
