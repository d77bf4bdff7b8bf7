/* What the disk tier's writing thread has to do: bounded, the oldest first. */
#ifndef TERRANE_SERVER_CACHE_DISK_QUEUE_H
#define TERRANE_SERVER_CACHE_DISK_QUEUE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum disk_task_kind {
    DISK_TASK_PUT,
    DISK_TASK_TOUCH,  /* the record was used when `use` was the newest tile */
    DISK_TASK_DELETE, /* it could not be opened */
};

struct disk_task {
    struct disk_task *next;
    enum disk_task_kind kind;
    int64_t hash; /* of the key */
    int64_t use;
    size_t length;
    uint8_t record[];
};

enum {
    DISK_QUEUE_BYTES = 4 << 20,
    DISK_BATCH_DELAY_MS = 100, /* after the first task, so that many share a transaction */
};

struct disk_queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct disk_task *first, *last;
    size_t bytes; /* of memory, about */
    bool urgent;  /* do not wait for more */
    bool ending;
};

bool disk_queue_init(struct disk_queue *queue);
void disk_queue_destroy(struct disk_queue *queue);

/* Adds a copy; the record may be null with length 0. False if it does not fit or memory is out. */
bool disk_queue_add(struct disk_queue *queue, enum disk_task_kind kind, int64_t hash, int64_t use,
                    const uint8_t *record, size_t length);
/* Lets the writing thread come at once. */
void disk_queue_wake(struct disk_queue *queue);
/* The same, and from now on disk_queue_take() waits no more. */
void disk_queue_close(struct disk_queue *queue);

/* Waits for tasks (or to be hurried) and then a little for more; takes those that come to about so
 * many bytes, to be freed one by one. Null may mean that there is nothing. `*ended`: and there
 * never will be. */
struct disk_task *disk_queue_take(struct disk_queue *queue, size_t bytes, bool *ended);

#endif
