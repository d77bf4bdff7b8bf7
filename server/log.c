#include "server/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/buffer.h"
#include "server/clock.h"
#include "server/json_writer.h"

enum { MESSAGE_MAX = 1024, LINE_TIME = sizeof "2026-01-01T00:00:00.000Z" };

static const char *const level_names[] = {
    [LOG_ERROR] = "error",
    [LOG_WARNING] = "warning",
    [LOG_INFO] = "info",
    [LOG_DEBUG] = "debug",
};

static const char *const kind_names[LOG_KINDS] = {
    [LOG_SERVER] = "server",
    [LOG_ACCEPT] = "accept",
    [LOG_LIBRARY] = "library",
    [LOG_RELOAD] = "reload",
};

static struct {
    pthread_mutex_t lock; /* of the rates */
    enum log_level level;
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
    logger.level = level;
    logger.json = json;
}

bool log_is_wanted(enum log_level level)
{
    return level <= logger.level;
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

/* A line break within a message would look like another message. */
static void flatten(char *message)
{
    size_t length = strlen(message);
    while (length > 0 && message[length - 1] == '\n')
        message[--length] = '\0';
    for (char *at = message; *at; at++)
        if ((unsigned char)*at < ' ')
            *at = ' ';
}

static void append_text(struct buffer *line, const char *time, enum log_kind kind,
                        enum log_level level, const char *message)
{
    buffer_format(line, "%s %s %s: %s", time, level_names[level], kind_names[kind], message);
}

static void append_json(struct buffer *line, const char *time, enum log_kind kind,
                        enum log_level level, const char *message, unsigned left_out)
{
    struct json_writer json;
    json_begin(&json, line, false);
    json_object_open(&json);
    json_member_string(&json, "time", time);
    json_member_string(&json, "level", level_names[level]);
    json_member_string(&json, "kind", kind_names[kind]);
    json_member_string(&json, "message", message);
    if (left_out)
        json_member_integer(&json, "left_out", left_out);
    json_object_close(&json);
}

static void write_line(enum log_kind kind, enum log_level level, const char *message,
                       unsigned left_out)
{
    char time[LINE_TIME];
    struct buffer line = {0};
    write_time(time);
    if (logger.json)
        append_json(&line, time, kind, level, message, left_out);
    else
        append_text(&line, time, kind, level, message);
    if (left_out && !logger.json)
        buffer_format(&line, " (%u lines like it left out)", left_out);
    buffer_byte(&line, '\n');
    ssize_t written = line.failed ? 0 : write(STDERR_FILENO, line.data, line.length);
    (void)written;
    buffer_free(&line);
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
    write_line(kind, level, message, left_out);
}
