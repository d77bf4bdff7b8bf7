/* Each cell has a sequence number that says whose turn it is: equal to a position, the cell is free
 * for the push at that position; one more, it holds the item for the pop at that position; a pop
 * then sets it to the position of the push one lap later. Pushing and popping claim a position with
 * one compare-and-swap, and publish the cell with one release store.
 *
 * Two things are added to Vyukov's queue. Items can be taken back: the item of a cell is exchanged
 * for null, and the pop of that cell yields null, as every position must be popped once. And items
 * are counted apart from the cells, so that those taken back make room although their cells are not
 * free yet; hence twice as many cells as items may wait. */
#include "server/http/jobs/queue.h"

#include <stdlib.h>

struct cell {
    size_t sequence; /* atomic: position when free for a push, position + 1 when it holds an item */
    void *item;      /* atomic: null once it is popped or taken back */
};

struct queue {
    size_t limit, mask;
    struct cell *cells;
    size_t waiting __attribute__((aligned(64))); /* atomic, like the two positions */
    size_t tail __attribute__((aligned(64)));    /* next push */
    size_t head __attribute__((aligned(64)));    /* next pop */
};

struct queue *queue_new(size_t limit)
{
    /* A pop that is interrupted half-way holds its cell, too. */
    size_t count = 2;
    while (count < limit * 2)
        count *= 2;
    struct queue *queue = aligned_alloc(64, (sizeof *queue + 63) & ~(size_t)63);
    struct cell *cells = calloc(count, sizeof *cells);
    if (!queue || !cells) {
        free(queue);
        free(cells);
        return NULL;
    }
    *queue = (struct queue){.limit = limit, .mask = count - 1, .cells = cells};
    for (size_t i = 0; i < count; i++)
        cells[i].sequence = i;
    return queue;
}

void queue_free(struct queue *queue)
{
    if (!queue)
        return;
    free(queue->cells);
    free(queue);
}

/* Claims the cell at *position once its turn is `position + ahead`; null if it is not. */
static struct cell *claim(struct queue *queue, size_t *position, size_t ahead, size_t *claimed)
{
    size_t at = __atomic_load_n(position, __ATOMIC_RELAXED);
    for (;;) {
        struct cell *cell = &queue->cells[at & queue->mask];
        size_t sequence = __atomic_load_n(&cell->sequence, __ATOMIC_ACQUIRE);
        ptrdiff_t difference = (ptrdiff_t)(sequence - (at + ahead));
        if (difference < 0)
            return NULL;
        if (difference > 0) {
            at = __atomic_load_n(position, __ATOMIC_RELAXED);
        } else if (__atomic_compare_exchange_n(position, &at, at + 1, true, __ATOMIC_RELAXED,
                                               __ATOMIC_RELAXED)) {
            *claimed = at;
            return cell;
        }
    }
}

bool queue_push(struct queue *queue, void *item, size_t *cell_index)
{
    size_t at;
    struct cell *cell = NULL;
    if (__atomic_fetch_add(&queue->waiting, 1, __ATOMIC_RELAXED) < queue->limit)
        cell = claim(queue, &queue->tail, 0, &at);
    if (!cell) {
        __atomic_fetch_sub(&queue->waiting, 1, __ATOMIC_RELAXED);
        return false;
    }
    if (cell_index)
        __atomic_store_n(cell_index, at, __ATOMIC_RELAXED);
    __atomic_store_n(&cell->item, item, __ATOMIC_RELAXED);
    __atomic_store_n(&cell->sequence, at + 1, __ATOMIC_RELEASE);
    return true;
}

bool queue_pop(struct queue *queue, void **item)
{
    size_t at;
    struct cell *cell = claim(queue, &queue->head, 1, &at);
    if (!cell)
        return false;
    *item = __atomic_exchange_n(&cell->item, NULL, __ATOMIC_ACQ_REL);
    __atomic_store_n(&cell->sequence, at + queue->mask + 1, __ATOMIC_RELEASE);
    if (*item)
        __atomic_fetch_sub(&queue->waiting, 1, __ATOMIC_RELAXED);
    return true;
}

/* Null in the cell of the next pop is there to stay until it is popped. */
bool queue_pop_taken_back(struct queue *queue)
{
    size_t at = __atomic_load_n(&queue->head, __ATOMIC_RELAXED);
    struct cell *cell = &queue->cells[at & queue->mask];
    if (__atomic_load_n(&cell->sequence, __ATOMIC_ACQUIRE) != at + 1 ||
        __atomic_load_n(&cell->item, __ATOMIC_RELAXED) ||
        !__atomic_compare_exchange_n(&queue->head, &at, at + 1, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED))
        return false;
    __atomic_store_n(&cell->sequence, at + queue->mask + 1, __ATOMIC_RELEASE);
    return true;
}

/* If the item was popped, its cell has null or another item by now. */
bool queue_take_back(struct queue *queue, size_t cell_index, void *item)
{
    struct cell *cell = &queue->cells[cell_index & queue->mask];
    if (!__atomic_compare_exchange_n(&cell->item, &item, NULL, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED))
        return false;
    __atomic_fetch_sub(&queue->waiting, 1, __ATOMIC_RELAXED);
    return true;
}
