/* /metrics: the counters of all threads, the caches and the process, in the text format of
 * Prometheus or of OpenMetrics.
 *
 * Every thread counts for itself; the page sums the counts when it is asked for, so counting costs
 * no lock. A table of families gives each metric its name, type, help text and the function that
 * writes its samples. The two formats differ in a counter's name in its head lines and in the last
 * line. Rows of routes and statuses with a count of zero are left out. */
#include "server/http/routes/metrics_page.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/process.h"
#include "server/base/version.h"
#include "server/cache/tiers.h"
#include "server/http/jobs/server_state.h"
#include "server/http/routes/router.h"
#include "server/log/access_log.h"
#include "server/log/metrics.h"

struct page {
    const struct http_server *server;
    const struct generation *generation;
    enum metrics_format format;
    struct buffer *out;
    struct metrics_counts *counts; /* the sum */
    struct memory_statistics memory;
    struct store_statistics tiers[TIERS_MAX]; /* behind the memory */
    struct process_figures process;
};

struct family {
    const char *name; /* behind "terrane_" */
    const char *type;
    const char *help;
    void (*write)(const struct page *page, const char *name);
};

/* Labels are "a=\"b\",c=\"d\"" or "". No value needs escaping: all are from tables. */
static void sample(const struct page *page, const char *name, const char *labels, uint64_t value)
{
    const bool any = labels[0];
    buffer_format(page->out, "terrane_%s%s%s%s %" PRIu64 "\n", name, any ? "{" : "", labels,
                  any ? "}" : "", value);
}

static void sample_seconds(const struct page *page, const char *name, const char *labels,
                           uint64_t microseconds)
{
    const bool any = labels[0];
    buffer_format(page->out, "terrane_%s%s%s%s %" PRIu64 ".%06u\n", name, any ? "{" : "", labels,
                  any ? "}" : "", microseconds / 1000000, (unsigned)(microseconds % 1000000));
}

/* A gauge that not every system can tell: negative if it is unknown. */
static void sample_if_known(const struct page *page, const char *name, int64_t value)
{
    if (value >= 0)
        sample(page, name, "", (uint64_t)value);
}

static uint64_t histogram_count(const struct metrics_histogram *histogram)
{
    uint64_t count = 0;
    for (size_t i = 0; i < METRICS_BUCKETS; i++)
        count += histogram->buckets[i];
    return count;
}

/* `label` is a name and value that all lines of the histogram have. */
static void histogram(const struct page *page, const char *name, const char *label,
                      const struct metrics_histogram *histogram)
{
    char line[64], labels[160];
    uint64_t count = 0;
    snprintf(line, sizeof line, "%s_bucket", name);
    for (size_t i = 0; i < METRICS_BUCKETS; i++) {
        count += histogram->buckets[i];
        snprintf(labels, sizeof labels, "%s,le=\"%s\"", label, metrics_bucket_name(i));
        sample(page, line, labels, count);
    }
    snprintf(line, sizeof line, "%s_sum", name);
    sample_seconds(page, line, label, histogram->microseconds);
    snprintf(line, sizeof line, "%s_count", name);
    sample(page, line, label, count);
}

enum { ROUTE_LABEL_SIZE = 96 };

/* route="/tiles/{z}/{x}/{y}": one label for a route, with or without a world in front. */
static void route_label(size_t index, char out[ROUTE_LABEL_SIZE])
{
    const struct route *route = router_route_at(index);
    snprintf(out, ROUTE_LABEL_SIZE, "route=\"%s%s\"", route ? "/" : "none",
             route ? route->pattern : "");
}

static void write_requests(const struct page *page, const char *name)
{
    for (size_t i = 0; i <= router_count(); i++)
        for (size_t row = 0; row < METRICS_STATUSES; row++) {
            char route[ROUTE_LABEL_SIZE], labels[ROUTE_LABEL_SIZE + 24], status[8];
            if (page->counts->routes[i].statuses[row] == 0)
                continue;
            route_label(i, route);
            metrics_status_name(row, status);
            snprintf(labels, sizeof labels, "%s,status=\"%s\"", route, status);
            sample(page, name, labels, page->counts->routes[i].statuses[row]);
        }
}

static void write_request_seconds(const struct page *page, const char *name)
{
    for (size_t i = 0; i <= router_count(); i++) {
        char route[ROUTE_LABEL_SIZE];
        route_label(i, route);
        if (histogram_count(&page->counts->routes[i].seconds) > 0)
            histogram(page, name, route, &page->counts->routes[i].seconds);
    }
}

static void write_renders(const struct page *page, const char *name)
{
    for (int kind = METRICS_NOTHING + 1; kind < METRICS_KINDS; kind++) {
        char label[32];
        snprintf(label, sizeof label, "kind=\"%s\"", metrics_kind_name((enum metrics_kind)kind));
        sample(page, name, label, histogram_count(&page->counts->renders[kind]));
    }
}

static void write_render_seconds(const struct page *page, const char *name)
{
    for (int kind = METRICS_NOTHING + 1; kind < METRICS_KINDS; kind++) {
        char label[32];
        snprintf(label, sizeof label, "kind=\"%s\"", metrics_kind_name((enum metrics_kind)kind));
        histogram(page, name, label, &page->counts->renders[kind]);
    }
}

static void tier_sample(const struct page *page, const char *name, const char *tier,
                        const char *result, uint64_t value)
{
    char labels[64];
    if (result)
        snprintf(labels, sizeof labels, "tier=\"%s\",result=\"%s\"", tier, result);
    else
        snprintf(labels, sizeof labels, "tier=\"%s\"", tier);
    sample(page, name, labels, value);
}

static const char *tier_name(const struct page *page, size_t index)
{
    return tiers_at(page->server->tiers, index)->methods->name;
}

static void write_cache_requests(const struct page *page, const char *name)
{
    for (int found = 0; found < METRICS_FOUNDS; found++)
        tier_sample(page, name, "memory", metrics_found_name((enum metrics_found)found),
                    page->counts->memory[found]);
    for (size_t i = 0; i < tiers_count(page->server->tiers); i++) {
        tier_sample(page, name, tier_name(page, i), "hit", page->tiers[i].hits);
        tier_sample(page, name, tier_name(page, i), "miss", page->tiers[i].misses);
        tier_sample(page, name, tier_name(page, i), "failed", page->tiers[i].failures);
    }
}

static void write_cache_bytes(const struct page *page, const char *name)
{
    tier_sample(page, name, "memory", NULL, page->memory.bytes);
    for (size_t i = 0; i < tiers_count(page->server->tiers); i++)
        tier_sample(page, name, tier_name(page, i), NULL, page->tiers[i].bytes);
}

static void write_cache_evictions(const struct page *page, const char *name)
{
    tier_sample(page, name, "memory", NULL, page->memory.evictions);
    for (size_t i = 0; i < tiers_count(page->server->tiers); i++)
        tier_sample(page, name, tier_name(page, i), NULL, page->tiers[i].evictions);
}

static void write_cache_writes(const struct page *page, const char *name)
{
    for (size_t i = 0; i < tiers_count(page->server->tiers); i++) {
        tier_sample(page, name, tier_name(page, i), "done", page->tiers[i].writes);
        tier_sample(page, name, tier_name(page, i), "failed", page->tiers[i].write_failures);
    }
}

static void write_cache_damaged(const struct page *page, const char *name)
{
    for (size_t i = 0; i < tiers_count(page->server->tiers); i++)
        tier_sample(page, name, tier_name(page, i), NULL, page->tiers[i].damaged);
}

static void write_queue_length(const struct page *page, const char *name)
{
    static const char *const lanes[PRIORITY_COUNT] = {
        [PRIORITY_SHORT] = "lane=\"questions\"", [PRIORITY_RENDER] = "lane=\"tiles\""};
    for (int priority = 0; priority < PRIORITY_COUNT; priority++)
        sample(page, name, lanes[priority],
               workers_queue_length(page->server->workers, (enum priority)priority));
}

static void write_shed(const struct page *page, const char *name)
{
    for (int reason = SHED_NOT + 1; reason < METRICS_SHEDS; reason++) {
        char label[40];
        snprintf(label, sizeof label, "reason=\"%s\"",
                 metrics_shed_name((enum metrics_shed)reason));
        sample(page, name, label, page->counts->sheds[reason]);
    }
}

static void write_connections(const struct page *page, const char *name)
{
    sample(page, name, "",
           __atomic_load_n(&page->server->group.connections_open, __ATOMIC_RELAXED));
}

static void write_active(const struct page *page, const char *name)
{
    sample(page, name, "", page->counts->active);
}

static void write_suspended(const struct page *page, const char *name)
{
    sample(page, name, "", page->counts->suspended);
}

static void write_reloads(const struct page *page, const char *name)
{
    sample(page, name, "result=\"done\"", metrics_reloads(page->server->metrics, true));
    sample(page, name, "result=\"failed\"", metrics_reloads(page->server->metrics, false));
}

static void write_access_log_lost(const struct page *page, const char *name)
{
    const struct access_log *log = page->server->access_log;
    sample(page, name, "", page->counts->unlogged + (log ? access_log_lost(log) : 0));
}

static void write_worlds(const struct page *page, const char *name)
{
    sample(page, name, "", catalog_world_count(page->generation->catalog));
}

static void write_ready(const struct page *page, const char *name)
{
    sample(page, name, "", !drain_has_begun(&page->server->group.drain));
}

static void write_build(const struct page *page, const char *name)
{
    char labels[128];
    snprintf(labels, sizeof labels, "version=\"%s\",libmicrohttpd=\"%s\"", TERRANE_VERSION,
             MHD_get_version());
    sample(page, name, labels, 1);
}

static void write_start(const struct page *page, const char *name)
{
    sample_if_known(page, name, metrics_started(page->server->metrics));
}

static void write_cpu(const struct page *page, const char *name)
{
    if (page->process.cpu >= 0)
        sample_seconds(page, name, "", (uint64_t)page->process.cpu);
}

static void write_resident(const struct page *page, const char *name)
{
    sample_if_known(page, name, page->process.resident);
}

static void write_virtual(const struct page *page, const char *name)
{
    sample_if_known(page, name, page->process.virtual);
}

static void write_descriptors(const struct page *page, const char *name)
{
    sample_if_known(page, name, page->process.descriptors);
}

static void write_descriptors_max(const struct page *page, const char *name)
{
    sample_if_known(page, name, page->process.descriptors_max);
}

static const struct family families[] = {
    {"requests_total", "counter", "Requests answered, by route and status.", write_requests},
    {"request_seconds", "histogram", "From the request line to the answer, by route.",
     write_request_seconds},
    {"renders_total", "counter", "What render threads made, by kind.", write_renders},
    {"render_seconds", "histogram", "How long making it took, by kind.", write_render_seconds},
    {"cache_requests_total", "counter", "Looks into the tiers of the cache, by result.",
     write_cache_requests},
    {"cache_bytes", "gauge", "Bytes that a tier holds.", write_cache_bytes},
    {"cache_evictions_total", "counter", "Answers that had to make room.", write_cache_evictions},
    {"cache_writes_total", "counter", "Records written to a tier, by result.", write_cache_writes},
    {"cache_damaged_total", "counter", "Records of a tier that could not be opened.",
     write_cache_damaged},
    {"queue_length", "gauge", "Renders that wait, by lane.", write_queue_length},
    {"shed_total", "counter", "Requests and connections turned away, by reason.", write_shed},
    {"connections", "gauge", "Open connections.", write_connections},
    {"requests_active", "gauge", "Requests that are being answered.", write_active},
    {"requests_waiting", "gauge", "Of those, how many wait for a render thread.", write_suspended},
    {"reloads_total", "counter", "Reloads of settings and worlds, by result.", write_reloads},
    {"access_log_lost_total", "counter", "Lines that the access log could not write.",
     write_access_log_lost},
    {"worlds", "gauge", "Worlds that are served.", write_worlds},
    {"ready", "gauge", "1, or 0 while the server drains.", write_ready},
    {"build_info", "gauge", "Always 1; what was built.", write_build},
    {"process_start_time_seconds", "gauge", "When the server started, since 1970.", write_start},
    {"process_cpu_seconds_total", "counter", "Time on processors, user and system.", write_cpu},
    {"process_resident_memory_bytes", "gauge", "Memory in use.", write_resident},
    {"process_virtual_memory_bytes", "gauge", "Address space in use.", write_virtual},
    {"process_open_fds", "gauge", "Open file descriptors.", write_descriptors},
    {"process_max_fds", "gauge", "File descriptors that may be open.", write_descriptors_max},
};

const char *metrics_page_content_type(enum metrics_format format)
{
    return format == METRICS_OPENMETRICS
               ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
               : "text/plain; version=0.0.4; charset=utf-8";
}

/* OpenMetrics names a counter without its "_total". */
static void write_family(const struct page *page, const struct family *family)
{
    size_t length = strlen(family->name);
    if (page->format == METRICS_OPENMETRICS && strcmp(family->type, "counter") == 0)
        length -= strlen("_total");
    buffer_format(page->out, "# HELP terrane_%.*s %s\n# TYPE terrane_%.*s %s\n", (int)length,
                  family->name, family->help, (int)length, family->name, family->type);
    family->write(page, family->name);
}

void metrics_page_write(const struct http_request *request, enum metrics_format format,
                        struct buffer *out)
{
    const struct http_server *server = request->server;
    struct page page = {
        .server = server, .generation = request->generation, .format = format, .out = out};
    page.counts = metrics_sum(server->metrics);
    if (!page.counts) {
        out->failed = true;
        return;
    }
    page.memory = memory_cache_statistics(server->cache);
    for (size_t i = 0; i < tiers_count(server->tiers); i++) {
        struct store *tier = tiers_at(server->tiers, i);
        page.tiers[i] = tier->methods->statistics(tier);
    }
    page.process = process_read();
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        write_family(&page, &families[i]);
    if (format == METRICS_OPENMETRICS)
        buffer_text(out, "# EOF\n");
    free(page.counts);
}
