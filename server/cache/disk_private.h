/* The struct that disk.c (the store, reading) and disk_writer.c share. */
#ifndef TERRANE_SERVER_CACHE_DISK_PRIVATE_H
#define TERRANE_SERVER_CACHE_DISK_PRIVATE_H

#include <pthread.h>

#include "server/cache/disk.h"
#include "server/cache/disk_file.h"
#include "server/cache/disk_queue.h"
#include "server/log/limiter.h"

struct disk_reader {
    pthread_mutex_t lock;
    struct disk_file file;
    int64_t closed_until; /* milliseconds: not opened before, after a failure */
};

struct disk_store {
    struct store store; /* first member */
    char *path;
    struct disk_queue queue;
    struct log_limiter failure_report, recovery_report;
    pthread_t writer;
    bool writer_started;

    /* Used by the writing thread only. */
    struct disk_file file;
    struct file_identity identity; /* of the file that was opened last */
    int64_t file_checked_at;       /* milliseconds: when the identity was compared last */
    int64_t page_budget;           /* pages in use, at most */
    int wal_pages;                 /* a longer log is copied into the file */
    size_t batch_bytes;            /* of a transaction, about */
    bool failing;

    /* Atomic. */
    bool ready;             /* readers may open the file: the writer has */
    bool damaged;           /* a connection has found damage */
    int64_t paused_until;   /* milliseconds: writes failed, so none is queued */
    int64_t newest, oldest; /* the last tile's number; the use of the next to be evicted */

    unsigned reader_count;
    unsigned next_reader; /* atomic: where the next search begins */
    struct disk_reader readers[];
};

/* Opens the writer's connection. A damaged file is put away and a new one begun. */
enum disk_result disk_writer_open(struct disk_store *disk);
/* The writing thread; returns when the queue is closed and empty. */
void *disk_writer_main(void *disk);

#endif
