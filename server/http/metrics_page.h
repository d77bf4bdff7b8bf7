/* GET /metrics: what is counted (server/metrics.h), what the caches' tiers count themselves, and
 * what the process is and needs, for Prometheus. */
#ifndef TERRANE_SERVER_HTTP_METRICS_PAGE_H
#define TERRANE_SERVER_HTTP_METRICS_PAGE_H

#include "core/base/buffer.h"
#include "server/http/context.h"

enum metrics_form {
    METRICS_PROMETHEUS,  /* text format 0.0.4 */
    METRICS_OPENMETRICS, /* OpenMetrics 1.0.0 */
};

const char *metrics_content_type(enum metrics_form form);
/* From any thread. Routes and statuses appear once they have been answered; all else is always
 * there. Out of memory is the buffer's failure. */
void metrics_page_write(const struct exchange *exchange, enum metrics_form form,
                        struct buffer *out);

#endif
