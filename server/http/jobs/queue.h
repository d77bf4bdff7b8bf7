/* A bounded queue between threads, without a lock: a thread that the system stops in the middle of
 * an operation (render threads have a low priority) does not block the others.
 *
 * After Dmitry Vyukov's bounded multi-producer, multi-consumer queue. Items are pointers, never
 * null. */
#ifndef TERRANE_SERVER_HTTP_JOBS_QUEUE_H
#define TERRANE_SERVER_HTTP_JOBS_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

struct queue;

struct queue *queue_new(size_t limit); /* null when memory is out */
void queue_free(struct queue *queue);  /* null is allowed */
/* False if `limit` items wait, or if twice as many have not been popped yet, those included that
 * were taken back. `*cell_index`, written atomically, is for queue_take_back(); or null. */
bool queue_push(struct queue *queue, void *item, size_t *cell_index);
/* The oldest item, or null in its place if it was taken back. False if there is none, or if the
 * oldest is still being pushed. */
bool queue_pop(struct queue *queue, void **item);
/* Pops the oldest if it was taken back; else false. */
bool queue_pop_taken_back(struct queue *queue);
/* Takes an item back, which is in the queue at most once; false if it was popped or taken back
 * before. `cell_index` is that of its last push. */
bool queue_take_back(struct queue *queue, size_t cell_index, void *item);

#endif
