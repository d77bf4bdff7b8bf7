/* Fails each allocation of the daemon's data structures and writers: once, and then also all later
 * ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/base/clock.h"
#include "server/cache/memcached_connection.h"
#include "server/cache/memory.h"
#include "server/cache/single_flight.h"
#include "server/http/connection/peer.h"
#include "server/http/openapi/document.h"
#include "server/http/routes/router.h"
#include "server/http/server.h"
#include "server/http/server_settings.h"
#include "server/log/access_line.h"
#include "server/log/metrics.h"
#include "server/settings/settings.h"
#include "server/worlds/catalog.h"
#include "tests/faults/allocation_faults.h"
#include "tests/faults/fault_cases.h"
#include "tests/unit/temporary_folder.h"

static bool write_file(const char *path, const struct buffer *content)
{
    FILE *file = fopen(path, "w");
    return file && fwrite(content->data, 1, content->length, file) == content->length &&
           fclose(file) == 0;
}

/* Most worlds would only repeat the allocations of the others, in thousands of formulas: a small
 * file takes their place. */
static int replace_worlds(void **state)
{
    static const char *const replaced[] = {"archipelago", "canyons",   "caves",  "dunes", "fire",
                                           "fog",         "highlands", "marble", "terra"};
    struct buffer small = {0};
    bool done = file_read("config/worlds/wood.json", 1 << 20, &small, NULL);
    for (size_t i = 0; i < sizeof replaced / sizeof *replaced && done; i++)
        done = write_file(temporary_path("%s.json", replaced[i]), &small);
    buffer_free(&small);
    return done ? fixture_set_up(state) : -1;
}

static bool case_catalog(struct error *error)
{
    static const char *const styles[] = {"config/styles/flow.json"};
    const char *const worlds[] = {temporary_folder()};
    const struct catalog_options options = {.world_directories = worlds,
                                            .world_directory_count = 1,
                                            .style_directories = styles,
                                            .style_directory_count = 1,
                                            .default_world = "perlin"};
    struct catalog *catalog = catalog_load(&options, error);
    const struct catalog_world *found =
        catalog ? catalog_acquire(catalog, "perlin", "another", error) : NULL;
    faults_clear();
    if (catalog && !found) {
        const struct catalog_world *again = catalog_acquire(catalog, "perlin", "another", NULL);
        assert_non_null(again);
        catalog_release(again);
    }
    catalog_release(found);
    catalog_free(catalog);
    return found != NULL;
}

static struct cache_key key_of(uint8_t number)
{
    struct cache_key key = {.bytes = {number}};
    cache_key_seal(&key);
    return key;
}

static void destroy(struct cache_value *value)
{
    value->size = 0;
}

/* A put that fails keeps nothing, and says nothing: the cache only ever helps. */
static bool case_cache(struct error *error)
{
    struct cache_value values[4] = {0};
    struct memory_cache *cache = memory_cache_new(1 << 20);
    bool done = cache != NULL;
    for (uint8_t i = 0; i < 4 && cache; i++) {
        struct cache_key key = key_of(i);
        cache_value_init(&values[i], 100, destroy);
        memory_cache_put(cache, &key, &values[i]);
        struct cache_value *found = memory_cache_get(cache, &key);
        assert_true(!found || found == &values[i]);
        done = done && found;
        cache_value_release(found);
        cache_value_release(&values[i]);
        assert_int_equal(values[i].size, found ? 100 : 0);
    }
    faults_clear();
    if (cache && !done) {
        struct cache_key key = key_of(9);
        struct cache_value value;
        cache_value_init(&value, 100, destroy);
        memory_cache_put(cache, &key, &value);
        assert_ptr_equal(memory_cache_get(cache, &key), &value);
        cache_value_release(&value);
        cache_value_release(&value);
        memory_cache_free(cache);
        assert_int_equal(value.size, 0);
        return error_memory(error);
    }
    memory_cache_free(cache);
    return done || error_memory(error);
}

/* A reply that is larger than the buffer's first allocation. */
static bool case_memcached(struct error *error)
{
    static const char line[] = "VALUE key 0 20000\r\n";
    struct buffer out = {0};
    const struct memcached_request request = {.verb = MEMCACHED_GET, .key = "key", .out = &out};
    char reply[sizeof line - 1 + 20000 + 7];
    int ends[2];
    memset(reply, 'x', sizeof reply);
    memcpy(reply, line, sizeof line - 1);
    memcpy(reply + sizeof reply - 7, "\r\nEND\r\n", 7);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    assert_int_equal(send(ends[1], reply, sizeof reply, 0), sizeof reply);
    const enum memcached_outcome outcome =
        memcached_run(ends[0], &request, wait_limit_at(clock_milliseconds() + 10000));
    const bool done = outcome == MEMCACHED_DONE;
    assert_true(done || faults_triggered());
    assert_int_equal(out.length, done ? 20000 : 0);
    buffer_free(&out);
    close(ends[0]);
    close(ends[1]);
    return done || error_memory(error);
}

static bool case_flight(struct error *error)
{
    struct single_flight_table *table = single_flight_table_new();
    struct single_flight_waiter waiter, other;
    struct cache_key key = key_of(1);
    if (!table)
        return error_memory(error);
    enum single_flight_role role = single_flight_join(table, &key, &waiter, NULL);
    faults_clear();
    bool done = role == SINGLE_FLIGHT_LEADER;
    assert_true(done || role == SINGLE_FLIGHT_NO_MEMORY);
    assert_int_equal(single_flight_join(table, &key, &other, NULL),
                     done ? SINGLE_FLIGHT_FOLLOWER : SINGLE_FLIGHT_LEADER);
    struct single_flight_waiter *first = single_flight_end(table, &key, false);
    assert_ptr_equal(first, done ? &waiter : &other);
    assert_ptr_equal(first->next, done ? &other : NULL);
    single_flight_table_free(table);
    return done || error_memory(error);
}

static bool case_openapi(struct error *error)
{
    struct buffer out = {0};
    const struct route_table routes = router_table();
    bool done = openapi_write(&routes, "/t3", false, &out, error);
    assert_true(!done || out.length > 1000);
    buffer_free(&out);
    return done;
}

static bool case_schema(struct error *error)
{
    struct buffer out = {0};
    settings_schema(&out);
    const bool done = !out.failed || error_memory(error);
    assert_true(!done || out.length > 1000);
    buffer_free(&out);
    return done;
}

static bool print_settings(const struct options *options, bool json, struct error *error)
{
    struct buffer out = {0};
    settings_print(options, json, &out);
    const bool done = !out.failed || error_memory(error);
    assert_true(!done || strstr(buffer_string(&out), "flag --allowed-hosts"));
    buffer_free(&out);
    return done;
}

/* More text than a buffer has room for at first, in a value in the middle and at the end. */
static bool case_settings(struct error *error)
{
    static const char host[] = "a.name.that.is.as.long.as.the.names.of.some.machines.are.example";
    struct options options = {.command = FOR_SERVE}, copy = {0};
    bool done = true;
    for (int i = 0; i < 8 && done; i++)
        done = options_add(&options, OPTION_ALLOWED_HOSTS, host, ORIGIN_FLAG, error);
    done = done && options_copy(&copy, &options, ORIGIN_FLAG, error) &&
           print_settings(&copy, true, error) && print_settings(&copy, false, error);
    options_free(&options);
    options_free(&copy);
    return done;
}

static bool case_generation(struct error *error)
{
    static const char *const hosts[] = {"maps.example", "tiles.example"},
                             *proxies[] = {"10.0.0.0/8"};
    struct settings settings;
    settings_resolve(&(struct options){0}, &settings);
    settings.public_url = "https://maps.example/t/";
    settings.allowed_hosts = (setting_list){hosts, 2};
    settings.trusted_proxies = (setting_list){proxies, 1};
    struct generation *made = generation_from_settings(NULL, &settings, 4, error);
    const bool done = made != NULL;
    generation_free(made);
    return done;
}

static bool case_peers(struct error *error)
{
    const struct ip_address peer = {{1}};
    struct peer_counts *counts = peer_counts_new(8);
    assert_true(!counts || peer_counts_add(counts, &peer, 1));
    const bool done = counts && peer_counts_grow(counts, 1000);
    assert_false(counts && peer_counts_add(counts, &peer, 1)); /* it still has its connection */
    peer_counts_free(counts);
    return done || error_memory(error);
}

/* Lines of the access log: a buffer that could not grow has failed, and nothing is torn. */
static bool case_lines(struct error *error)
{
    const struct access_record record = {
        .status = 200, .route = "at", .texts = {[ACCESS_TARGET] = {"/at?x=1&y=\"2\xFF", 13}}};
    struct buffer out = {0};
    for (int i = 0; i < 20; i++)
        access_line_write(&record, i % 2 ? ACCESS_JSON : ACCESS_COMBINED, &out);
    const bool done = !out.failed;
    assert_true(!done || out.data[out.length - 1] == '\n');
    buffer_free(&out);
    return done || error_memory(error);
}

static bool case_counts(struct error *error)
{
    struct metrics *metrics = metrics_new(2, 30);
    struct metrics_counts *sum = NULL;
    if (metrics) {
        metrics_count_request(metrics_thread(metrics, 1), 30, 200, 5);
        sum = metrics_sum(metrics);
        assert_true(!sum || sum->routes[30].seconds.buckets[0] == 1);
    }
    const bool done = sum != NULL;
    free(sum);
    metrics_free(metrics);
    return done || error_memory(error);
}

FAULT_CASE(catalog)
FAULT_CASE(cache)
FAULT_CASE(memcached)
FAULT_CASE(flight)
FAULT_CASE(openapi)
FAULT_CASE(schema)
FAULT_CASE(settings)
FAULT_CASE(generation)
FAULT_CASE(peers)
FAULT_CASE(lines)
FAULT_CASE(counts)

int test_serving(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(catalog_fails_cleanly),   cmocka_unit_test(cache_fails_cleanly),
        cmocka_unit_test(memcached_fails_cleanly), cmocka_unit_test(flight_fails_cleanly),
        cmocka_unit_test(openapi_fails_cleanly),   cmocka_unit_test(schema_fails_cleanly),
        cmocka_unit_test(settings_fails_cleanly),  cmocka_unit_test(generation_fails_cleanly),
        cmocka_unit_test(peers_fails_cleanly),     cmocka_unit_test(lines_fails_cleanly),
        cmocka_unit_test(counts_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, replace_worlds, fixture_tear_down);
}
