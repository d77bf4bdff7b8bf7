/* A single-producer, single-consumer ring. The producer fills a reserved record and publishes it by
 * a release store of `head`; the consumer's acquire load of it makes the bytes visible. `tail`
 * works the same way in the other direction. The producer keeps the last tail that it has seen and
 * loads the shared one only when the ring looks full. */
#include "server/log/log_ring.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* The word before each record: the bytes to the next record, this word included. A record that does
 * not fit before the end begins at the start instead, and SKIPS marks the unused rest. */
typedef uint64_t span;
enum { SKIPS = 1 };

/* Positions only grow; the low bits are the offset in `bytes`. The members of producer and consumer
 * are in cache lines of their own. */
struct log_ring {
    size_t size;
    uint8_t *bytes;
    struct {
        size_t head;        /* atomic: where the next record goes */
        size_t tail_seen;   /* the consumer's tail at the last look */
        size_t reserved_to; /* the end of the reservation */
    } put __attribute__((aligned(64)));
    struct {
        size_t tail; /* atomic: the oldest record */
    } take __attribute__((aligned(64)));
};

struct log_ring *log_ring_new(size_t size)
{
    struct log_ring *ring = aligned_alloc(64, (sizeof *ring + 63) & ~(size_t)63);
    uint8_t *bytes = malloc(size);
    if (!ring || !bytes) {
        free(ring);
        free(bytes);
        return NULL;
    }
    *ring = (struct log_ring){.size = size, .bytes = bytes};
    return ring;
}

void log_ring_free(struct log_ring *ring)
{
    if (!ring)
        return;
    free(ring->bytes);
    free(ring);
}

static span *span_at(const struct log_ring *ring, size_t position)
{
    return (span *)(void *)(ring->bytes + (position & (ring->size - 1)));
}

static bool has_room(struct log_ring *ring, size_t end)
{
    if (end - ring->put.tail_seen <= ring->size)
        return true;
    ring->put.tail_seen = __atomic_load_n(&ring->take.tail, __ATOMIC_ACQUIRE);
    return end - ring->put.tail_seen <= ring->size;
}

void *log_ring_reserve(struct log_ring *ring, size_t length)
{
    const size_t bytes = sizeof(span) + ((length + 7) & ~(size_t)7);
    const size_t head = ring->put.head;
    const size_t left = ring->size - (head & (ring->size - 1));
    const size_t from = bytes <= left ? head : head + left;
    if (length > ring->size / 4 || !has_room(ring, from + bytes))
        return NULL;
    if (from != head)
        *span_at(ring, head) = SKIPS;
    *span_at(ring, from) = bytes;
    ring->put.reserved_to = from + bytes;
    return span_at(ring, from) + 1;
}

void log_ring_put(struct log_ring *ring)
{
    __atomic_store_n(&ring->put.head, ring->put.reserved_to, __ATOMIC_RELEASE);
}

const void *log_ring_take(struct log_ring *ring)
{
    const size_t tail = ring->take.tail;
    if (tail == __atomic_load_n(&ring->put.head, __ATOMIC_ACQUIRE))
        return NULL;
    if (*span_at(ring, tail) != SKIPS)
        return span_at(ring, tail) + 1;
    const size_t start = tail + ring->size - (tail & (ring->size - 1));
    __atomic_store_n(&ring->take.tail, start, __ATOMIC_RELEASE);
    return span_at(ring, start) + 1;
}

void log_ring_drop(struct log_ring *ring)
{
    const size_t tail = ring->take.tail;
    __atomic_store_n(&ring->take.tail, tail + *span_at(ring, tail), __ATOMIC_RELEASE);
}
