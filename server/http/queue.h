/* A bounded queue between threads without a lock: a thread that is stopped in the middle of it
 * (render threads run at idle priority) never keeps another from it.
 *
 * Dmitry Vyukov's bounded multi-producer, multi-consumer queue: every cell has a turn number that
 * says whose it is. Items are pointers, never null. */
#ifndef TERRANE_SERVER_HTTP_QUEUE_H
#define TERRANE_SERVER_HTTP_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

struct queue;

struct queue *queue_new(size_t limit); /* null when memory is out */
void queue_free(struct queue *queue);  /* null is allowed */
/* False if `limit` items are waiting. */
bool queue_push(struct queue *queue, void *item);
/* The oldest item; null if there is none, or if the oldest is just being pushed. */
void *queue_pop(struct queue *queue);
/* How many are waiting, at about this moment. */
size_t queue_length(const struct queue *queue);

#endif
