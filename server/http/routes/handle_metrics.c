/* /metrics: the counters of all threads, the caches and the process, in the text format of
 * Prometheus or of OpenMetrics.
 *
 * Every thread counts for itself; the page sums the counts when it is requested, so counting costs
 * no lock. A table of families gives each metric its name, type, help text and the function that
 * writes its samples. The two formats differ in a counter's name in its head lines and in the last
 * line. Rows of routes and statuses with a count of zero are left out. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/process.h"
#include "server/base/version.h"
#include "server/cache/tiers.h"
#include "server/http/jobs/server_state.h"
#include "server/http/response/response.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/router.h"
#include "server/log/access_log.h"
#include "server/log/metrics.h"
#include "server/worlds/previews.h"

struct page {
    const struct http_server *server;
    const struct catalog *catalog;
    bool openmetrics;
    struct buffer *out;
    struct metrics_counts *counts; /* the sum of all threads */
    struct memory_statistics memory;
    struct store_statistics tiers[TIERS_MAX]; /* behind the memory */
    struct process_figures process;
    int64_t connections, active, waiting, worlds, reseeded, ready, started;
    int64_t previews, previews_bytes, previews_dropped, network;
};

/* Either a function that writes the samples, or the offset in struct page of the one sample's
 * value, an int64_t that is negative if it is unknown. */
struct family {
    const char *name; /* behind "terrane_" */
    const char *type;
    const char *help;
    void (*write)(const struct page *page, const char *name);
    size_t value;
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
    tier_sample(page, name, "memory", "hit", page->counts->counters[MEMORY_HIT]);
    tier_sample(page, name, "memory", "miss", page->counts->counters[MEMORY_MISS]);
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
    static const char *const lanes[PRIORITY_LAST] = {
        [PRIORITY_SHORT] = "lane=\"questions\"", [PRIORITY_RENDER] = "lane=\"tiles\""};
    for (int priority = 0; priority < PRIORITY_LAST; priority++)
        sample(page, name, lanes[priority],
               workers_queue_length(page->server->workers, (enum priority)priority));
}

static void write_reloads(const struct page *page, const char *name)
{
    sample(page, name, "result=\"done\"", metrics_reloads(page->server->metrics, true));
    sample(page, name, "result=\"failed\"", metrics_reloads(page->server->metrics, false));
}

static void write_access_log_lost(const struct page *page, const char *name)
{
    const struct access_log *log = page->server->access_log;
    sample(page, name, "",
           page->counts->counters[LOG_LINE_LOST] + (log ? access_log_lost(log) : 0));
}

static void write_build(const struct page *page, const char *name)
{
    char labels[128];
    snprintf(labels, sizeof labels, "version=\"%s\",libmicrohttpd=\"%s\"", TERRANE_VERSION,
             MHD_get_version());
    sample(page, name, labels, 1);
}

static void write_version(const struct page *page, const char *name,
                          const struct catalog_world *world, const char *version)
{
    char labels[WORLD_NAME_MAX + WORLD_FINGERPRINT_TEXT + 64];
    snprintf(labels, sizeof labels, "world=\"%s\",fingerprint=\"%s\",version=\"%s\"",
             world->identity.name, world->identity.fingerprint, version);
    sample(page, name, labels, 1);
}

static void write_versions(const struct page *page, const char *name)
{
    for (size_t i = 0; i < catalog_world_count(page->catalog); i++)
        write_version(page, name, catalog_world_at(page->catalog, i), "present");
    for (size_t i = 0; i < catalog_former_count(page->catalog); i++)
        write_version(page, name, catalog_former_at(page->catalog, i), "former");
}

static void write_cpu(const struct page *page, const char *name)
{
    if (page->process.cpu >= 0)
        sample_seconds(page, name, "", (uint64_t)page->process.cpu);
}

#define VALUE(member) offsetof(struct page, member)

static const struct family families[] = {
    {"requests_total", "counter", "Requests answered, by route and status.",
     .write = write_requests},
    {"request_seconds", "histogram", "Time from the request line to the response, by route.",
     .write = write_request_seconds},
    {"renders_total", "counter", "Products that render threads made, by kind.",
     .write = write_renders},
    {"render_seconds", "histogram", "Time to make a product, by kind.",
     .write = write_render_seconds},
    {"cache_requests_total", "counter", "Lookups in the tiers of the cache, by result.",
     .write = write_cache_requests},
    {"cache_bytes", "gauge", "Bytes that a tier holds.", .write = write_cache_bytes},
    {"cache_evictions_total", "counter", "Entries deleted to make room.",
     .write = write_cache_evictions},
    {"cache_writes_total", "counter", "Records written to a tier, by result.",
     .write = write_cache_writes},
    {"cache_damaged_total", "counter", "Records of a tier that could not be opened.",
     .write = write_cache_damaged},
    {"queue_length", "gauge", "Jobs that wait, by lane.", .write = write_queue_length},
    {"connections", "gauge", "Open connections.", .value = VALUE(connections)},
    {"requests_active", "gauge", "Requests in progress.", .value = VALUE(active)},
    {"requests_waiting", "gauge",
     "Requests in progress that wait: for a render thread, or to be paid.",
     .value = VALUE(waiting)},
    {"reloads_total", "counter", "Reloads of settings and worlds, by result.",
     .write = write_reloads},
    {"access_log_lost_total", "counter", "Lines that the access log could not write.",
     .write = write_access_log_lost},
    {"worlds", "gauge", "Worlds that are served.", .value = VALUE(worlds)},
    {"world_info", "gauge", "Always 1, for each world and each of its former versions.",
     .write = write_versions},
    {"worlds_reseeded_bytes", "gauge", "Memory of worlds with another seed, part of cache_memory.",
     .value = VALUE(reseeded)},
    {"previews", "gauge", "Previews that are kept.", .value = VALUE(previews)},
    {"previews_bytes", "gauge", "Memory of previews, part of cache_memory.",
     .value = VALUE(previews_bytes)},
    {"previews_dropped_total", "counter", "Previews dropped to make room.",
     .value = VALUE(previews_dropped)},
    {"network_bytes", "gauge", "Memory of rivers and land that render threads share.",
     .value = VALUE(network)},
    {"ready", "gauge", "1, or 0 while the server drains.", .value = VALUE(ready)},
    {"build_info", "gauge", "Always 1; the labels name the build.", .write = write_build},
    {"process_start_time_seconds", "gauge", "Start time of the server, since 1970.",
     .value = VALUE(started)},
    {"process_cpu_seconds_total", "counter", "Processor time, user and system.",
     .write = write_cpu},
    {"process_resident_memory_bytes", "gauge", "Memory in use.", .value = VALUE(process.resident)},
    {"process_virtual_memory_bytes", "gauge", "Address space in use.",
     .value = VALUE(process.virtual)},
    {"process_open_fds", "gauge", "Open file descriptors.", .value = VALUE(process.descriptors)},
    {"process_max_fds", "gauge", "File descriptors that may be open.",
     .value = VALUE(process.descriptors_max)},
};

/* OpenMetrics names a counter without its "_total". */
static void write_header(const struct page *page, const struct family *family)
{
    size_t length = strlen(family->name);
    if (page->openmetrics && strcmp(family->type, "counter") == 0)
        length -= strlen("_total");
    buffer_format(page->out, "# HELP terrane_%.*s %s\n# TYPE terrane_%.*s %s\n", (int)length,
                  family->name, family->help, (int)length, family->name, family->type);
}

static void write_family(const struct page *page, const struct family *family)
{
    int64_t value;
    write_header(page, family);
    if (family->write) {
        family->write(page, family->name);
        return;
    }
    memcpy(&value, (const char *)page + family->value, sizeof value);
    if (value >= 0)
        sample(page, family->name, "", (uint64_t)value);
}

static void write_counters(const struct page *page)
{
    for (int i = 0; i < METRICS_COUNTERS; i++) {
        const struct metrics_counter_row *row = &metrics_counter_table[i];
        if (row->help)
            write_header(page, &(struct family){row->family, "counter", row->help, NULL, 0});
        if (row->family)
            sample(page, row->family, row->label, page->counts->counters[i]);
    }
}

/* Routes and statuses appear once they have been answered; all else is always there. False when
 * memory is out. */
static bool write_page(const struct http_request *request, bool openmetrics, struct buffer *out)
{
    const struct http_server *server = request->server;
    struct page page = {
        .server = server,
        .openmetrics = openmetrics,
        .out = out,
        .counts = metrics_sum(server->metrics),
        .memory = memory_cache_statistics(server->cache),
        .process = process_read(),
        .connections = __atomic_load_n(&server->group.connections_open, __ATOMIC_RELAXED),
        .catalog = request->generation->catalog,
        .worlds = (int64_t)catalog_world_count(request->generation->catalog),
        .reseeded = (int64_t)memory_budget_used(&server->reseeded),
        .ready = !drain_has_begun(&server->group.drain),
        .started = metrics_started(server->metrics),
    };
    if (!page.counts)
        return false;
    const struct previews_statistics previews = previews_statistics(server->previews);
    page.previews = previews.count;
    page.previews_bytes = (int64_t)previews.bytes;
    page.previews_dropped = (int64_t)previews.dropped;
    page.network = (int64_t)workers_network_bytes(server->workers);
    page.active = (int64_t)page.counts->active;
    page.waiting = (int64_t)page.counts->suspended;
    for (size_t i = 0; i < tiers_count(server->tiers); i++) {
        struct store *tier = tiers_at(server->tiers, i);
        page.tiers[i] = store_statistics(tier);
    }
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        write_family(&page, &families[i]);
    write_counters(&page);
    if (openmetrics)
        buffer_text(out, "# EOF\n");
    free(page.counts);
    return !out->failed;
}

/* A scraper that accepts OpenMetrics names it; its quality values are ignored. */
static bool accepts_openmetrics(const struct headers *headers)
{
    for (unsigned i = 0; i < headers->accept_count; i++)
        if (strstr(headers->accepts[i], "application/openmetrics-text"))
            return true;
    return false;
}

enum handler_result handle_metrics(struct http_request *request, struct problem *problem)
{
    const bool openmetrics = accepts_openmetrics(&request->headers);
    struct buffer body = {0};
    if (!write_page(request, openmetrics, &body)) {
        buffer_free(&body);
        problem_out_of_memory(problem);
        return HANDLER_FAILED;
    }
    request->response.body_length = body.length;
    return response_set(
        request, MHD_HTTP_OK,
        response_new(&body,
                     openmetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                 : "text/plain; version=0.0.4; charset=utf-8",
                     CACHE_NO_STORE));
}
