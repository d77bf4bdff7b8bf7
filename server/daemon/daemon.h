/* The parts of the daemon, `terrane serve`: starting (serve.c), the main loop (main_loop.c),
 * reloading (reload.c) and watching files (watch.h). All functions are for the main thread. */
#ifndef TERRANE_SERVER_DAEMON_DAEMON_H
#define TERRANE_SERVER_DAEMON_DAEMON_H

#include "core/base/buffer.h"
#include "server/daemon/admin.h"
#include "server/daemon/watch.h"
#include "server/http/server.h"
#include "server/settings/settings.h"

struct daemon {
    struct http_server *server;
    struct admin *admin;           /* null without --admin */
    struct watch *watch;           /* null without --watch */
    int signals;                   /* a signalfd */
    const struct options *started; /* what the server was started with */
    struct options reloaded;       /* the same after a reload, empty before; owned */
    struct settings settings;      /* what applies now; points into one of these options */
};

/* Serves until the drain has ended: reloads on SIGHUP and when watched files change, drains on
 * SIGTERM and SIGINT, at once on a second one, and runs the commands of the admin socket. */
void daemon_main_loop(struct daemon *daemon);

/* Reads the settings, worlds and styles again: the flags of `started`, and the present content of
 * the environment and the files. If everything is valid, the server continues with it and the
 * daemon's settings are replaced; otherwise everything stays as it is. Either way `report` gets
 * lines for the operator: what has changed and what needs a restart to change, or all errors. */
bool daemon_reload(struct daemon *daemon, struct buffer *report);

/* The number of --previews, or -1 if it is not given. */
int daemon_previews(const struct options *options);
/* Applies the level and format of log messages. */
void daemon_set_log(const struct settings *settings);

#endif
