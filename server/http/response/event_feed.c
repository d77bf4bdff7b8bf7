/* Events are replaced under a lock and never changed. A client that misses some gets the newest of
 * each kind, so nothing queues up for slow readers. */
#include "server/http/response/event_feed.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json_writer.h"

enum { ERRORS_MAX = 50 };

struct event_feed {
    pthread_mutex_t lock; /* of `events` */
    struct event *events[EVENT_KINDS];
    unsigned number;  /* atomic */
    unsigned clients; /* atomic */
};

struct event_feed *event_feed_new(void)
{
    struct event_feed *feed = calloc(1, sizeof *feed);
    if (feed)
        pthread_mutex_init(&feed->lock, NULL);
    return feed;
}

void event_feed_free(struct event_feed *feed)
{
    if (!feed)
        return;
    for (enum event_kind kind = 0; kind < EVENT_KINDS; kind++)
        event_release(feed->events[kind]);
    pthread_mutex_destroy(&feed->lock);
    free(feed);
}

void event_release(const struct event *event)
{
    struct event *owned = (struct event *)(uintptr_t)event;
    if (owned && __atomic_sub_fetch(&owned->references, 1, __ATOMIC_ACQ_REL) == 0)
        free(owned);
}

/* The event with that text; null if there is none or memory is out. */
static struct event *make_event(const struct buffer *text)
{
    struct event *event =
        text->failed || text->length == 0 ? NULL : malloc(sizeof *event + text->length);
    if (!event)
        return NULL;
    event->references = 1;
    event->length = text->length;
    memcpy(event->text, text->data, text->length);
    return event;
}

/* Replaces the event of the kind by one with that text, which it frees; by none if it is empty. */
static void replace(struct event_feed *feed, enum event_kind kind, struct buffer *text)
{
    struct event *next = make_event(text);
    buffer_free(text);
    pthread_mutex_lock(&feed->lock);
    struct event *old = feed->events[kind];
    const unsigned number = feed->number + 1;
    if (next)
        next->number = number;
    feed->events[kind] = next;
    __atomic_store_n(&feed->number, number, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&feed->lock);
    event_release(old);
}

/* The document ends with a line break; an empty line behind it ends the event. */
static void finish(struct json_writer *json)
{
    json_finish_object(json);
    buffer_byte(json->out, '\n');
}

void event_feed_set_worlds(struct event_feed *feed, const struct catalog *catalog,
                           unsigned generation)
{
    struct buffer text = {0}, none = {0};
    struct json_writer json;
    buffer_text(&text, "event: worlds\ndata: ");
    json_begin_object(&json, &text, false);
    json_member_integer(&json, "generation", generation);
    json_member_object(&json, "worlds");
    for (size_t i = 0; i < catalog_world_count(catalog); i++) {
        const struct catalog_world *world = catalog_world_at(catalog, i);
        json_member_string(&json, world->identity.name, world->identity.fingerprint);
    }
    json_object_close(&json);
    finish(&json);
    replace(feed, EVENT_ERRORS, &none);
    replace(feed, EVENT_WORLDS, &text);
}

static void write_line(struct json_writer *json, const char *line, size_t length)
{
    struct buffer text = {0};
    buffer_append(&text, line, length);
    json_write_string(json, buffer_string(&text));
    json->out->failed = json->out->failed || text.failed;
    buffer_free(&text);
}

void event_feed_set_errors(struct event_feed *feed, const char *lines)
{
    struct buffer text = {0};
    struct json_writer json;
    buffer_text(&text, "event: errors\ndata: ");
    json_begin_object(&json, &text, false);
    json_member_array(&json, "errors");
    for (unsigned count = 0; *lines && count < ERRORS_MAX; count++) {
        const size_t length = strcspn(lines, "\n");
        write_line(&json, lines, length);
        lines += length + (lines[length] == '\n');
    }
    json_array_close(&json);
    finish(&json);
    replace(feed, EVENT_ERRORS, &text);
}

unsigned event_feed_number(const struct event_feed *feed)
{
    return __atomic_load_n(&feed->number, __ATOMIC_ACQUIRE);
}

const struct event *event_feed_take(struct event_feed *feed, enum event_kind kind, unsigned seen)
{
    pthread_mutex_lock(&feed->lock);
    struct event *event = feed->events[kind];
    if (event && event->number <= seen)
        event = NULL;
    if (event)
        __atomic_add_fetch(&event->references, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&feed->lock);
    return event;
}

bool event_feed_enter(struct event_feed *feed, unsigned most)
{
    if (__atomic_add_fetch(&feed->clients, 1, __ATOMIC_RELAXED) <= most)
        return true;
    event_feed_leave(feed);
    return false;
}

void event_feed_leave(struct event_feed *feed)
{
    __atomic_sub_fetch(&feed->clients, 1, __ATOMIC_RELAXED);
}
