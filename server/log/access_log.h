/* The access log: lines of requests, written by a thread of its own.
 *
 * Each event loop puts its records into a ring of its own and never waits: where the ring is full,
 * because the disk or whoever reads a pipe cannot keep up, the record is lost and counted. The
 * thread looks into the rings about fifty times a second. Lines of one loop are in order; those of
 * different loops may differ from it by that much. */
#ifndef TERRANE_SERVER_LOG_ACCESS_LOG_H
#define TERRANE_SERVER_LOG_ACCESS_LOG_H

#include "core/base/error.h"
#include "server/log/access_line.h"

struct access_log;

/* `path` is a file, which is appended to, or "-" for standard output; `writers` is the number of
 * loops. Null on failure. */
struct access_log *access_log_start(const char *path, enum access_format format, size_t writers,
                                    struct error *error);
/* Writes what is there, for at most about a second if nobody takes it, and frees. No loop may put
 * any more. Null is allowed. */
void access_log_stop(struct access_log *log);

/* Keeps a copy of the record, whose `at` is by clock_microseconds(), with ACCESS_TEXT_MAX bytes of
 * each text. Only one thread for each `writer`. False: there was no room. */
bool access_log_put(struct access_log *log, size_t writer, const struct access_record *record);
/* From any thread, at once: the file is soon opened anew by its name, after a log rotator has moved
 * it. If that fails, the old one stays. Null is allowed. */
void access_log_reopen(struct access_log *log);
/* Lines that were taken from the rings and could not be written, since the start. */
uint64_t access_log_lost(const struct access_log *log);

#endif
