/* GET /metrics: what is counted (server/log/metrics.h), what the caches' tiers count themselves,
 * and what the process is and needs, for Prometheus. */
#ifndef TERRANE_SERVER_HTTP_ROUTES_METRICS_PAGE_H
#define TERRANE_SERVER_HTTP_ROUTES_METRICS_PAGE_H

#include "core/base/buffer.h"
#include "server/http/jobs/http_request.h"

enum metrics_format {
    METRICS_PROMETHEUS,  /* text format 0.0.4 */
    METRICS_OPENMETRICS, /* OpenMetrics 1.0.0 */
};

const char *metrics_page_content_type(enum metrics_format format);
/* From any thread. Routes and statuses appear once they have been answered; all else is always
 * there. Out of memory is the buffer's failure. */
void metrics_page_write(const struct http_request *request, enum metrics_format format,
                        struct buffer *out);

#endif
