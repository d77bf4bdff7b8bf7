/* Makes the items of an export (tiles of a map, blocks of a raster) on several threads, and puts
 * them into spools in their order: the spools are the same for any number of threads. */
#ifndef TERRANE_SERVER_EXPORT_SPOOL_SPOOL_RUN_H
#define TERRANE_SERVER_EXPORT_SPOOL_SPOOL_RUN_H

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "server/base/progress.h"
#include "server/export/spool/spool.h"

enum { EXPORT_OUTPUTS_MAX = 16, SPOOL_RUN_TOGETHER_MAX = 16 };

/* An item for one of the spools. */
struct spool_item {
    uint64_t number;
    unsigned output;
};

/* How items are made. The functions are called by any thread, with the `job` of the run. */
struct spool_run_maker {
    void *(*begin)(const void *job); /* the memory of one thread; null when memory is out */
    void (*end)(void *memory);
    /* Appends the bytes of an item. Errors name it. */
    bool (*make)(const void *job, void *memory, struct spool_item item, struct buffer *out,
                 struct error *error);
};

struct spool_run {
    uint64_t first, end; /* items; the spools have a beginning of them, equally long */
    struct spool *const *spools;
    unsigned spool_count;
    unsigned threads;  /* 1 … IN_ORDER_THREADS_MAX */
    unsigned together; /* items that a thread takes at once, 1 … SPOOL_RUN_TOGETHER_MAX */
    unsigned waiting;  /* as often as that, for each thread, items wait in memory at most */
    const struct spool_run_maker *maker;
    const void *job;
    struct progress *progress; /* may be null */
    uint64_t total;            /* of items, for the progress: those of several runs */
};

/* True when all items are there, and on the disk. False with an error, or without one if the
 * progress has ended the run: what is there can be continued. */
bool spool_run(const struct spool_run *run, struct error *error);

/* What an export would be, from a few of its items. */
struct export_estimate {
    double bytes; /* of all outputs */
    /* Bytes without items that another one was equal to: spools have these at least. */
    double unique;
    double once;    /* bytes where equal items stand once, if all equal ones are as those made */
    double seconds; /* on the threads of the run, if each has a core */
};

/* Makes some items, a few side by side at places spread evenly over the run, for a second or two.
 * Uses no spool. */
bool spool_run_estimate(const struct spool_run *run, struct export_estimate *estimate,
                        struct error *error);

#endif
