#include "server/cache/report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "server/clock.h"
#include "server/log.h"

enum { REPORT_EVERY_MS = 10000, REPORT_TEXT = 512 };

/* Whether it may be said now, and how many were not since the last. */
static bool may_speak(struct report *report, uint64_t *suppressed)
{
    const int64_t now = clock_milliseconds();
    pthread_mutex_lock(&report->lock);
    const bool may = now >= report->next;
    *suppressed = report->suppressed;
    report->suppressed = may ? 0 : *suppressed + 1;
    if (may)
        report->next = now + REPORT_EVERY_MS;
    pthread_mutex_unlock(&report->lock);
    return may;
}

void report_line(struct report *report, const char *format, ...)
{
    char text[REPORT_TEXT];
    uint64_t suppressed;
    if (!may_speak(report, &suppressed))
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (suppressed > 0)
        log_write(LOG_CACHE, LOG_WARNING, "%s (and %" PRIu64 " like it)", text, suppressed);
    else
        log_write(LOG_CACHE, LOG_WARNING, "%s", text);
}
