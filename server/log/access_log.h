/* The access log: a line for each request, written by its own thread.
 *
 * Each event loop puts its records into its own ring and never waits: if the ring is full, because
 * the disk or the reader of a pipe cannot keep up, the record is lost and counted. The thread
 * empties the rings about fifty times a second. The lines of one loop are in order; those of
 * different loops may be out of order by that interval. */
#ifndef TERRANE_SERVER_LOG_ACCESS_LOG_H
#define TERRANE_SERVER_LOG_ACCESS_LOG_H

#include "core/base/error.h"
#include "server/log/access_line.h"

struct access_log;

/* `path` is a file, which is appended to, or "-" for standard output; `writers` is the number of
 * loops. Null on failure. */
struct access_log *access_log_start(const char *path, enum access_format format, size_t writers,
                                    struct error *error);
/* Writes the remaining records, for about a second at most if the file does not accept them, and
 * frees. No loop may call access_log_put() any more. Null is allowed. */
void access_log_stop(struct access_log *log);

/* Keeps a copy of the record, whose `at` is by clock_microseconds(), with ACCESS_TEXT_MAX bytes of
 * each text. Each `writer` belongs to one thread. False if the ring is full. */
bool access_log_put(struct access_log *log, size_t writer, const struct access_record *record);
/* Requests that the file is opened again by its name, after a log rotator has moved it; returns at
 * once. If opening fails, the old file stays. From any thread. Null is allowed. */
void access_log_reopen(struct access_log *log);
/* The number of lines since the start that were taken from the rings and could not be written. */
uint64_t access_log_lost(const struct access_log *log);

#endif
