/* The lock guards the time of the next line and the count; the line itself is written without
 * it. */
#include "server/log/limiter.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "server/base/clock.h"
#include "server/log/log.h"

enum { INTERVAL_MS = 10000, LINE_TEXT = 512 };

/* True if a line may be written now. *suppressed is the number of lines suppressed since the last
 * one. */
static bool take_permission(struct log_limiter *limiter, uint64_t *suppressed)
{
    const int64_t now = clock_milliseconds();
    pthread_mutex_lock(&limiter->lock);
    const bool allowed = now >= limiter->next;
    *suppressed = limiter->suppressed;
    limiter->suppressed = allowed ? 0 : *suppressed + 1;
    if (allowed)
        limiter->next = now + INTERVAL_MS;
    pthread_mutex_unlock(&limiter->lock);
    return allowed;
}

void log_limited(struct log_limiter *limiter, const char *format, ...)
{
    char text[LINE_TEXT];
    uint64_t suppressed;
    if (!take_permission(limiter, &suppressed))
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
