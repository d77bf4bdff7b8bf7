/* The tier on a disk: an SQLite database of records (record.h) with a bounded size.
 *
 * Reads go through a few connections of their own. A read waits neither for a write nor for the
 * file to be opened. One thread writes, many records in a transaction, out of a bounded queue. A
 * record that does not fit into the queue, or cannot be written, is lost and counted. The file is
 * in WAL mode, so FILE-wal and FILE-shm stand beside it; synchronous is NORMAL: a power failure may
 * cost the last seconds, but leaves a consistent file. Several processes may have the same file
 * open.
 *
 * The least recently used records are deleted when the file reaches its size. Age is counted in
 * records written, not in time. A read stores its use only if the record has aged by an eighth of
 * all records, so most reads write nothing.
 *
 * The caller of get() checks the record's key and checksum. A file that SQLite finds damaged, at
 * the start or later, is renamed to FILE.damaged, in place of an older one, and a new file is used.
 * A file that is no cache (disk_ownership.h) is never changed: it stops the start, or the tier.
 * A file of another version of the tables is deleted at the start; one that appears later belongs
 * to another daemon, and is left to it. When writes fail (a full disk), waiting records are lost
 * and the tier tries again a second later; reads continue as long as they succeed. Failures are
 * logged at a bounded rate. A file that was deleted or replaced is noticed within two seconds of
 * writing.
 *
 * SQLite maps FILE-shm into memory: truncating that file kills the process (SIGBUS). An exclusive
 * locking mode would keep the index in the heap, but for one connection: it locks out our own
 * readers, and other processes. A signal handler that maps other memory there would let two
 * processes write by different indexes. */
#ifndef TERRANE_SERVER_CACHE_DISK_H
#define TERRANE_SERVER_CACHE_DISK_H

#include "server/cache/store.h"

#define DISK_SIZE_MIN ((uint64_t)16 << 20)

struct disk_options {
    const char *path;
    uint64_t size;    /* bytes on the disk, with the log; at least DISK_SIZE_MIN */
    unsigned readers; /* connections, and so concurrent reads; at least 1 */
};

/* The store named "disk". Null with ERROR_IO if the file cannot exist or be used there (no folder,
 * no permission, somebody else's file). A disk that fails for now is no error: the tier tries
 * again. */
struct store *disk_open(const struct disk_options *options, struct error *error);

#endif
