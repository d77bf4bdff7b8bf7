/* A bounded queue between threads without a lock: a thread that is stopped in the middle of it
 * (render threads run at idle priority) never keeps another from it.
 *
 * Dmitry Vyukov's bounded multi-producer, multi-consumer queue: every cell has a turn number that
 * says whose it is. Items are pointers, never null. */
#ifndef TERRANE_SERVER_HTTP_JOBS_QUEUE_H
#define TERRANE_SERVER_HTTP_JOBS_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

struct queue;

struct queue *queue_new(size_t limit); /* null when memory is out */
void queue_free(struct queue *queue);  /* null is allowed */
/* False if `limit` items are waiting, or twice as many are not popped yet, those that were taken
 * back included. `*place`, written atomically, is where it waits; null if nobody wants to know. */
bool queue_push(struct queue *queue, void *item, size_t *cell_index);
/* The oldest item, or null in its place if it was taken back: every push is popped once. False if
 * there is none, or if the oldest is just being pushed. */
bool queue_pop(struct queue *queue, void **item);
/* Takes an item back; false if it was popped or taken back before. It may have been pushed to one
 * place at a time only, and this is the last one. */
bool queue_take_back(struct queue *queue, size_t cell_index, void *item);
/* How many are waiting, at about this moment. */
size_t queue_length(const struct queue *queue);

#endif
