/* The tasks of the disk tier's writing thread: a bounded queue, first in, first out. */
#ifndef TERRANE_SERVER_CACHE_DISK_QUEUE_H
#define TERRANE_SERVER_CACHE_DISK_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum disk_task_kind {
    DISK_TASK_PUT,
    DISK_TASK_TOUCH,  /* set the record's last use */
    DISK_TASK_DELETE, /* the record could not be opened */
};

struct disk_task {
    struct disk_task *next;
    enum disk_task_kind kind;
    int64_t hash; /* of the key */
    int64_t use;  /* DISK_TASK_TOUCH: the newest tile's number when the record was read */
    size_t length;
    uint8_t record[];
};

enum {
    DISK_QUEUE_BYTES = 4 << 20,
    DISK_BATCH_DELAY_MS = 100, /* from the first task to the transaction, so that many share it */
};

struct disk_queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct disk_task *first, *last;
    size_t bytes; /* of memory, about */
    bool urgent;  /* the writing thread shall not wait for more tasks */
    bool ending;
};

bool disk_queue_init(struct disk_queue *queue);
void disk_queue_destroy(struct disk_queue *queue);

/* Adds a copy of the task with its record of task->length bytes, which may be null with length 0.
 * False if it does not fit or memory is out. */
bool disk_queue_add(struct disk_queue *queue, const struct disk_task *task, const uint8_t *record);
/* Ends the writing thread's wait at once. */
void disk_queue_wake(struct disk_queue *queue);
/* Ends the wait too; from now on disk_queue_take() does not wait. */
void disk_queue_close(struct disk_queue *queue);

bool disk_queue_is_closed(struct disk_queue *queue);

/* Waits for a task or disk_queue_wake(), then up to DISK_BATCH_DELAY_MS for more tasks. Returns
 * tasks of about `bytes` in all, linked by `next`, each to be freed; or null if there is none.
 * `*ended` becomes true when the queue is closed and empty. */
struct disk_task *disk_queue_take(struct disk_queue *queue, size_t bytes, bool *ended);

#endif
