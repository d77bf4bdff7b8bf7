/* What the daemon says while it runs: lines on standard error, as text or as JSON.
 *
 * Each kind of message may have LOG_PER_SECOND lines in a second; the next line of the kind says
 * how many were left out. May be called from any thread; a line is one write(), so lines never mix.
 * A line that cannot be written is lost, and so is one for which a pipe or terminal has no room at
 * the moment: nobody waits for a log. */
#ifndef TERRANE_SERVER_LOG_LOG_H
#define TERRANE_SERVER_LOG_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum { LOG_PER_SECOND = 10 };

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

/* What is limited together; one row of the table in log.c for each. */
enum log_kind {
    LOG_SERVER,  /* starting, stopping, settings */
    LOG_ACCEPT,  /* new connections: limits and descriptors */
    LOG_LIBRARY, /* what libmicrohttpd says */
    LOG_CACHE,   /* tiers behind the memory that fail, at a rate of their own */
    LOG_ACCESS,  /* an access log that fails, likewise */
    LOG_RELOAD,  /* what comes of a reload: no line is left out, as an operator asked for them */
    LOG_KINDS
};

/* Whether text names a level ("warning") or format ("text", "json"); which one. */
bool log_level_parse(const char *text, enum log_level *level);
bool log_format_parse(const char *text, bool *json);

/* Lines above `level` are left out from now on. Before the first call: text, up to LOG_INFO. */
void log_set(enum log_level level, bool json);
bool log_is_wanted(enum log_level level);

/* One message, without a line break at its end; cut at about a thousand bytes. */
void log_write(enum log_kind kind, enum log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* How many lines of one kind there were; all-zero is the start. */
struct log_rate {
    int64_t second;
    unsigned written, left_out;
};

/* Whether a line may be written at `now` (milliseconds of any clock that never goes back). If so,
 * *left_out is how many were not since the last one that was. Pure. */
bool log_rate_allows(struct log_rate *rate, int64_t now, unsigned *left_out);

#endif
