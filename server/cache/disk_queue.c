/* A linked list under a lock. The bound is in bytes: records differ in size by a factor of a
 * thousand.
 *
 * A transaction costs the disk about as much for one record as for a hundred. So after the first
 * task the taker waits DISK_BATCH_DELAY_MS for more, unless enough bytes wait for a transaction
 * already, the store is closed, or a reader has found damage (`urgent`). The wait uses the
 * monotonic clock: setting the system's time must not lengthen it. */
#include "server/cache/disk_queue.h"

#include <stdlib.h>
#include <string.h>

#include "server/base/clock.h"
#include "server/base/wait.h"

enum { BATCH_BYTES = 1 << 20 }; /* enough for a transaction */

bool disk_queue_init(struct disk_queue *queue)
{
    *queue = (struct disk_queue){0};
    return pthread_mutex_init(&queue->lock, NULL) == 0 &&
           pthread_cond_init(&queue->changed, NULL) == 0;
}

void disk_queue_destroy(struct disk_queue *queue)
{
    for (struct disk_task *next; queue->first; queue->first = next) {
        next = queue->first->next;
        free(queue->first);
    }
    pthread_cond_destroy(&queue->changed);
    pthread_mutex_destroy(&queue->lock);
}

static size_t task_memory(const struct disk_task *task)
{
    return sizeof *task + task->length + 16; /* the allocator's */
}

bool disk_queue_add(struct disk_queue *queue, const struct disk_task *task_to_copy,
                    const uint8_t *record)
{
    struct disk_task *task = malloc(sizeof *task + task_to_copy->length);
    if (!task)
        return false;
    *task = *task_to_copy;
    task->next = NULL;
    if (task->length > 0)
        memcpy(task->record, record, task->length);
    pthread_mutex_lock(&queue->lock);
    const bool fits = queue->bytes + task_memory(task) <= DISK_QUEUE_BYTES;
    if (fits) {
        if (queue->last)
            queue->last->next = task;
        else
            queue->first = task;
        queue->last = task;
        queue->bytes += task_memory(task);
        pthread_cond_signal(&queue->changed);
    }
    pthread_mutex_unlock(&queue->lock);
    if (!fits)
        free(task);
    return fits;
}

static void end_wait(struct disk_queue *queue, bool *reason)
{
    pthread_mutex_lock(&queue->lock);
    *reason = true;
    pthread_cond_signal(&queue->changed);
    pthread_mutex_unlock(&queue->lock);
}

void disk_queue_wake(struct disk_queue *queue)
{
    end_wait(queue, &queue->urgent);
}

void disk_queue_close(struct disk_queue *queue)
{
    end_wait(queue, &queue->ending);
}

bool disk_queue_is_closed(struct disk_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    const bool closed = queue->ending;
    pthread_mutex_unlock(&queue->lock);
    return closed;
}

/* With the lock held. */
static void wait_for_batch(struct disk_queue *queue, size_t enough)
{
    while (!queue->first && !queue->urgent && !queue->ending)
        pthread_cond_wait(&queue->changed, &queue->lock);
    const int64_t end = clock_milliseconds() + DISK_BATCH_DELAY_MS;
    while (!queue->urgent && !queue->ending && queue->bytes < enough && clock_milliseconds() < end)
        wait_for_signal(&queue->changed, &queue->lock, end);
}

struct disk_task *disk_queue_take(struct disk_queue *queue, size_t bytes, bool *ended)
{
    pthread_mutex_lock(&queue->lock);
    wait_for_batch(queue, bytes < BATCH_BYTES ? bytes : BATCH_BYTES);
    struct disk_task *first = queue->first, *last = NULL;
    size_t taken = 0;
    for (struct disk_task *task = first; task && (!last || taken + task_memory(task) <= bytes);
         task = task->next) {
        taken += task_memory(task);
        last = task;
    }
    if (last) {
        queue->first = last->next;
        last->next = NULL;
    }
    if (!queue->first)
        queue->last = NULL;
    queue->bytes -= taken;
    queue->urgent = false;
    *ended = queue->ending && !queue->first;
    pthread_mutex_unlock(&queue->lock);
    return first;
}
