/* Messages on standard error. A line is formatted in memory and written by one write() of at most
 * PIPE_BUF bytes, which pipes take whole, after poll() has said that it would not block. The lock
 * is held over both, so that another thread cannot fill the pipe in between. Level and format are
 * atomics, so that a suppressed message costs no lock. */
#include "server/log/log.h"

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/buffer.h"
#include "server/base/clock.h"
#include "server/log/log_text.h"

enum { MESSAGE_MAX = 1024, LINE_TIME = sizeof "2026-01-01T00:00:00.000Z" };

static const char *const level_names[] = {
    [LOG_ERROR] = "error",
    [LOG_WARNING] = "warning",
    [LOG_INFO] = "info",
    [LOG_DEBUG] = "debug",
};

static const char *const kind_names[LOG_KINDS] = {
    [LOG_SERVER] = "server", [LOG_ACCEPT] = "accept", [LOG_LIBRARY] = "library",
    [LOG_CACHE] = "cache",   [LOG_ACCESS] = "access", [LOG_RELOAD] = "reload",
};

static struct {
    pthread_mutex_t lock; /* of the rates, and while a line is written */
    enum log_level level; /* atomic, like the next */
    bool json;
    struct log_rate rates[LOG_KINDS];
} logger = {.lock = PTHREAD_MUTEX_INITIALIZER, .level = LOG_INFO};

bool log_level_parse(const char *text, enum log_level *level)
{
    for (unsigned i = 0; i < sizeof level_names / sizeof *level_names; i++) {
        if (strcmp(text, level_names[i]) != 0)
            continue;
        *level = (enum log_level)i;
        return true;
    }
    return false;
}

bool log_format_parse(const char *text, bool *json)
{
    *json = strcmp(text, "json") == 0;
    return *json || strcmp(text, "text") == 0;
}

void log_set(enum log_level level, bool json)
{
    __atomic_store_n(&logger.level, level, __ATOMIC_RELAXED);
    __atomic_store_n(&logger.json, json, __ATOMIC_RELAXED);
}

bool log_is_wanted(enum log_level level)
{
    return level <= __atomic_load_n(&logger.level, __ATOMIC_RELAXED);
}

bool log_rate_allows(struct log_rate *rate, int64_t now, unsigned *left_out)
{
    if (now / 1000 != rate->second) {
        rate->second = now / 1000;
        rate->written = 0;
    }
    if (rate->written >= LOG_PER_SECOND) {
        rate->left_out++;
        return false;
    }
    rate->written++;
    *left_out = rate->left_out;
    rate->left_out = 0;
    return true;
}

static void write_time(char out[LINE_TIME])
{
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    size_t length = strftime(out, LINE_TIME, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(out + length, LINE_TIME - length, ".%03uZ", (unsigned)(now.tv_nsec / 1000000) % 1000);
}

/* Replaces control characters: a line break in a message would look like a second message. */
static void flatten(char *message)
{
    size_t length = strlen(message);
    while (length > 0 && message[length - 1] == '\n')
        message[--length] = '\0';
    for (char *at = message; *at; at++)
        if ((unsigned char)*at < ' ' || *at == 127)
            *at = ' ';
}

struct line {
    enum log_kind kind;
    enum log_level level;
    const char *message;
    size_t length; /* bytes of the message to write */
    unsigned left_out;
};

static void append_text(struct buffer *out, const char *time, const struct line *line)
{
    buffer_format(out, "%s %s %s: %.*s", time, level_names[line->level], kind_names[line->kind],
                  (int)line->length, line->message);
    if (line->left_out)
        buffer_format(out, " (%u lines like it left out)", line->left_out);
}

static void append_json(struct buffer *out, const char *time, const struct line *line)
{
    buffer_format(out, "{\"time\":\"%s\",\"level\":\"%s\",\"kind\":\"%s\",\"message\":", time,
                  level_names[line->level], kind_names[line->kind]);
    log_text_json(line->message, line->length, out);
    if (line->left_out)
        buffer_format(out, ",\"left_out\":%u", line->left_out);
    buffer_byte(out, '}');
}

/* Writes the line if that does not block. A pipe that is ready for writing takes PIPE_BUF bytes. */
static void write_whole(const struct buffer *line)
{
    struct pollfd ready = {.fd = STDERR_FILENO, .events = POLLOUT};
    pthread_mutex_lock(&logger.lock);
    if (poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT)) {
        ssize_t written = write(STDERR_FILENO, line->data, line->length);
        (void)written;
    }
    pthread_mutex_unlock(&logger.lock);
}

static void write_line(struct line line)
{
    char time[LINE_TIME];
    struct buffer out = {0};
    const bool json = __atomic_load_n(&logger.json, __ATOMIC_RELAXED);
    write_time(time);
    do {
        buffer_clear(&out);
        (json ? append_json : append_text)(&out, time, &line);
        buffer_byte(&out, '\n');
        line.length /= 2; /* in case the line is too long */
    } while (out.length > PIPE_BUF);
    if (!out.failed)
        write_whole(&out);
    buffer_free(&out);
}

void log_write(enum log_kind kind, enum log_level level, const char *format, ...)
{
    char message[MESSAGE_MAX];
    unsigned left_out = 0;
    va_list arguments;
    if (!log_is_wanted(level))
        return;
    pthread_mutex_lock(&logger.lock);
    bool allowed =
        kind == LOG_RELOAD || log_rate_allows(&logger.rates[kind], clock_milliseconds(), &left_out);
    pthread_mutex_unlock(&logger.lock);
    if (!allowed)
        return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    flatten(message);
    write_line((struct line){kind, level, message, strlen(message), left_out});
}
