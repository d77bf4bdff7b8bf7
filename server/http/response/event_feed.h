/* What GET /events tells: the worlds that are served, and the errors of the last reload if it
 * failed. The thread that reloads replaces these events; event loops take the newest ones.
 *
 * An event is text in the form of server-sent events (HTML Living Standard, section 9.2), counted
 * by reference, so that all clients share one copy. */
#ifndef TERRANE_SERVER_HTTP_RESPONSE_EVENT_FEED_H
#define TERRANE_SERVER_HTTP_RESPONSE_EVENT_FEED_H

#include <stdbool.h>
#include <stddef.h>

#include "server/worlds/catalog.h"

enum event_kind { EVENT_WORLDS, EVENT_ERRORS, EVENT_KINDS };

struct event {
    unsigned references; /* atomic */
    unsigned number;     /* a later event has a greater one */
    size_t length;
    char text[];
};

struct event_feed;

/* Null when memory is out. */
struct event_feed *event_feed_new(void);
void event_feed_free(struct event_feed *feed); /* null is allowed */

/* The thread that reloads: the worlds of the catalogue are served as that generation, without
 * errors. Without memory there is no event until the next reload. */
void event_feed_set_worlds(struct event_feed *feed, const struct catalog *catalog,
                           unsigned generation);
/* The same: a reload has failed with these errors, one a line. The first ERRORS_MAX are told. */
void event_feed_set_errors(struct event_feed *feed, const char *lines);

/* From any thread: the number of the newest event. */
unsigned event_feed_number(const struct event_feed *feed);
/* From any thread: the present event of the kind, if its number is greater than `seen`; else null.
 * To be released. */
const struct event *event_feed_take(struct event_feed *feed, enum event_kind kind, unsigned seen);
void event_release(const struct event *event); /* null is allowed */

/* Counts clients that are listening, over all loops; false if there are `most` already. */
bool event_feed_enter(struct event_feed *feed, unsigned most);
void event_feed_leave(struct event_feed *feed);

#endif
