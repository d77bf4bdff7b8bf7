/* A bounded queue of records from one producer thread to one consumer thread: no lock, no system
 * call, and the producer never waits. A record is contiguous. */
#ifndef TERRANE_SERVER_LOG_LOG_RING_H
#define TERRANE_SERVER_LOG_LOG_RING_H

#include <stddef.h>

struct log_ring;

/* `size` is a power of two of at least 1024 bytes; a record may have a quarter of it. Null when
 * memory is out. */
struct log_ring *log_ring_new(size_t size);
void log_ring_free(struct log_ring *ring); /* null is allowed */

/* Room for a record, aligned to 8 bytes, to be filled before log_ring_put(); null if the ring is
 * too full. A reservation that is not put has no effect. */
void *log_ring_reserve(struct log_ring *ring, size_t length);
void log_ring_put(struct log_ring *ring);

/* The oldest record, which stays until log_ring_drop(); null if there is none. */
const void *log_ring_take(struct log_ring *ring);
void log_ring_drop(struct log_ring *ring);

#endif
