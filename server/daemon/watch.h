/* Watching the files of worlds and styles, for `serve --watch`: when have they changed, and are
 * they complete? For the main thread. */
#ifndef TERRANE_SERVER_DAEMON_WATCH_H
#define TERRANE_SERVER_DAEMON_WATCH_H

#include <stdint.h>

#include "core/base/error.h"
#include "server/settings/settings.h"

struct watch;

/* Begins to watch; what the files hold now counts as known. Null with the error if the system
 * refuses. */
struct watch *watch_start(const struct settings *settings, struct error *error);
void watch_stop(struct watch *watch); /* null is allowed, here and below */

/* The folders and files of other settings, after a reload. Copied. */
void watch_set_paths(struct watch *watch, const struct settings *settings);

/* A descriptor that is readable when watch_has_changed() is to be called; -1 without a watch. */
int watch_event(const struct watch *watch);
/* Milliseconds after which it is to be called in any case, by clock_milliseconds(); -1 for never.
 */
int watch_timeout(const struct watch *watch, int64_t now);
/* True once after each change, when the files have rested for a moment. */
bool watch_has_changed(struct watch *watch, int64_t now);

#endif
