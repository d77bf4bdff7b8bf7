/* The tier on a disk: an SQLite database of records (record.h) with a bounded size.
 *
 * Reads go through a few connections of their own and wait neither for a write nor for the file to
 * be opened. One thread writes, many records to a transaction, out of a bounded queue; what does
 * not fit into the queue, or cannot be written, is lost and counted: it is only a cache. The file
 * is in WAL mode, so beside FILE stand FILE-wal and FILE-shm; synchronous is NORMAL, so a crash of
 * the machine may cost the last seconds but tears nothing. Several processes may have the same file
 * open.
 *
 * The least recently used records go when the file reaches its size. "Recently" is counted in
 * records written, not in time; a read notes its use only if the record has aged by an eighth of
 * all, so that most reads write nothing.
 *
 * What is wrong with a record is found by its key and checksum by whoever opens it. What SQLite
 * finds wrong with the file has it renamed to FILE.damaged-N, of which the newest two are kept, and
 * a new one begun, at the start and while running. A file of another version of the tables is begun
 * anew at the start; while running it is another daemon's, and left to it. When writes fail (a full
 * disk), what waits is lost and the tier tries again a second later; reads go on as long as they
 * can. It says so on standard error at a bounded rate. A file that vanished or was replaced is
 * noticed within a second or two of writing.
 *
 * SQLite maps FILE-shm into memory: who cuts that short while the daemon runs ends the daemon. */
#ifndef TERRANE_SERVER_CACHE_DISK_H
#define TERRANE_SERVER_CACHE_DISK_H

#include "server/cache/store.h"

#define DISK_SIZE_MIN ((uint64_t)16 << 20)

struct disk_options {
    const char *path;
    uint64_t size;    /* bytes on the disk, the log included; at least DISK_SIZE_MIN */
    unsigned readers; /* connections: how many may read at once; at least 1 */
};

/* The store, "disk". Null if the file cannot be there at all (no folder, no permission, another
 * program's database); a disk that only fails is waited for. */
struct store *disk_open(const struct disk_options *options, struct error *error);

#endif
