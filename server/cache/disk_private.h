/* What disk.c (the store, reading) and disk_writer.c share. */
#ifndef TERRANE_SERVER_CACHE_DISK_PRIVATE_H
#define TERRANE_SERVER_CACHE_DISK_PRIVATE_H

#include <pthread.h>
#include <sys/types.h>

#include "server/cache/disk.h"
#include "server/cache/disk_file.h"
#include "server/cache/disk_queue.h"
#include "server/log/limiter.h"

struct disk_reader {
    pthread_mutex_t lock;
    struct disk_file file;
    int64_t closed_until; /* milliseconds: after a failure */
};

struct disk_store {
    struct store store; /* first member */
    char *path;
    struct disk_queue queue;
    struct log_limiter failure_report, recovery_report; /* of what fails, and that it works again */
    pthread_t writer;
    bool writer_started;

    /* The writing thread's alone. */
    struct disk_file file;
    dev_t device; /* the file's that is open */
    ino_t inode;
    int64_t file_checked_at; /* milliseconds: when it was last seen to be the one at `path` */
    int64_t page_budget;     /* pages that may hold something */
    int wal_pages;           /* beyond which the log is taken into the file */
    size_t batch_bytes;      /* bytes of a transaction, about */
    bool failing;

    /* Atomic. */
    bool ready;                     /* the writer has opened it, so that readers may */
    bool damaged;                   /* somebody has seen it */
    int64_t paused_until;           /* milliseconds: writes fail, so nothing is taken */
    int64_t newest, oldest;         /* use: of the last tile, and of the entry that goes next */
    struct store_statistics counts; /* each member */

    unsigned reader_count;
    unsigned next_reader; /* atomic: whom to wait for if all are busy */
    struct disk_reader readers[];
};

/* Opens the writer's connection; a damaged file is put away and begun anew. */
enum disk_result disk_writer_open(struct disk_store *disk);
/* What the writing thread runs until the queue ends. */
void *disk_writer_main(void *disk);

#define disk_count(disk, member, amount)                                                           \
    __atomic_fetch_add(&(disk)->counts.member, (amount), __ATOMIC_RELAXED)

#endif
