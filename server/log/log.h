/* The daemon's messages: lines on standard error, as text or as JSON.
 *
 * Each kind of message may have LOG_PER_SECOND lines in a second; the next line of the kind says
 * how many were left out. May be called from any thread; a line is one write(), so that lines never
 * mix. A line that cannot be written at once (a full pipe, a stopped terminal) is lost: no thread
 * ever waits for the log. */
#ifndef TERRANE_SERVER_LOG_LOG_H
#define TERRANE_SERVER_LOG_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum { LOG_PER_SECOND = 10 };

enum log_level { LOG_ERROR, LOG_WARNING, LOG_INFO, LOG_DEBUG };

/* Kinds of messages, each with its own rate limit. */
enum log_kind {
    LOG_SERVER,  /* starting, stopping, settings */
    LOG_ACCEPT,  /* new connections: limits and descriptors */
    LOG_LIBRARY, /* messages of libmicrohttpd */
    LOG_CACHE,   /* failing cache tiers, which also limit themselves */
    LOG_ACCESS,  /* a failing access log, which also limits itself */
    LOG_RELOAD,  /* the result of a reload: not limited, as an operator has requested it */
    LOG_KINDS
};

/* False if the text is no level ("warning") or format ("text", "json"). */
bool log_level_parse(const char *text, enum log_level *level);
bool log_format_parse(const char *text, bool *json);

/* From now on, only messages of `level` and more severe ones are written. The initial state is text
 * and LOG_INFO. */
void log_set(enum log_level level, bool json);
bool log_is_wanted(enum log_level level);

/* One message, without a line break at its end; cut at about a thousand bytes. */
void log_write(enum log_kind kind, enum log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The rate limit of one kind; all-zero at the start. */
struct log_rate {
    int64_t second;
    unsigned written, left_out;
};

/* True if a line may be written at `now` (milliseconds of any clock that never goes back). If so,
 * *left_out is the number of lines suppressed since the last one. Pure. */
bool log_rate_allows(struct log_rate *rate, int64_t now, unsigned *left_out);

#endif
