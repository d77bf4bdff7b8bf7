/* The shared tier against a memcached. */
#define _GNU_SOURCE /* RUSAGE_THREAD */
#include "server/cache/shared.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "server/cache/memcached_connection.h"
#include "tests/unit/server/cache/shared_store.h"

static pid_t start_memcached(uint16_t *port)
{
    static uint16_t next = 20000;
    if (*port == 0)
        *port = next++;
    char number[16];
    snprintf(number, sizeof number, "%u", *port);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* when a test fails, too */
        execlp("memcached", "memcached", "-u", "root", "-l", host, "-p", number, "-U", "0", "-m",
               "64", "-t", "2", (char *)NULL);
        _exit(127);
    }
    assert_true(pid > 0);
    return pid;
}

static void end_process(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void keys_are_short_texts(void **state)
{
    (void)state;
    struct cache_key key = key_of(1);
    char text[SHARED_KEY_TEXT];
    key.hash = (struct hash128){0xfedcba9876543210, 0x1f};
    shared_key(build, &key, text);
    assert_string_equal(text, "terrane1:01234567:fedcba9876543210000000000000001f");
}

static void stored_records_are_returned(void **state)
{
    (void)state;
    uint16_t port = 0;
    pid_t memcached = start_memcached(&port);
    struct store *store = open_store(port, LONG_TIMEOUT);
    struct buffer out = {0};
    assert_true(is_used_again(store));
    const uint64_t failures = store_statistics(store).failures; /* until it was used */
    assert_int_equal(get(store, 1, &out), STORE_MISS);
    put(store, 1, (const uint8_t *)"one\r\nEND\r\n\0x", 12);
    put(store, 2, (const uint8_t *)"", 0);
    assert_int_equal(get(store, 1, &out), STORE_HIT);
    assert_int_equal(out.length, 12);
    assert_memory_equal(out.data, "one\r\nEND\r\n\0x", 12);
    assert_int_equal(get(store, 2, &out), STORE_HIT);
    assert_int_equal(out.length, 0);
    put(store, 1, (const uint8_t *)"other", 5);
    assert_int_equal(get(store, 1, &out), STORE_HIT);
    assert_int_equal(out.length, 5);
    struct cache_key key = key_of(1);
    store->methods->invalidate(store, &key);
    assert_int_equal(get(store, 1, &out), STORE_MISS);
    struct store_statistics statistics = store_statistics(store);
    assert_int_equal(statistics.hits, 3);
    assert_int_equal(statistics.misses, 2);
    assert_int_equal(statistics.failures, failures);
    assert_int_equal(statistics.writes, 3);
    assert_int_equal(statistics.damaged, 1);
    buffer_free(&out);
    store->methods->free(store);
    end_process(memcached);
}

/* The largest that is sent is kept; one byte more is not sent, and keeps what is there. */
static void the_size_limit_is_memcacheds(void **state)
{
    (void)state;
    uint16_t port = 0;
    pid_t memcached = start_memcached(&port);
    struct store *store = open_store(port, LONG_TIMEOUT);
    struct buffer out = {0};
    uint8_t *record = malloc(MEMCACHED_VALUE_MAX + 1);
    assert_non_null(record);
    for (size_t i = 0; i <= MEMCACHED_VALUE_MAX; i++)
        record[i] = (uint8_t)(i * i >> 7);
    assert_true(is_used_again(store));
    put(store, 1, record, MEMCACHED_VALUE_MAX);
    assert_int_equal(get(store, 1, &out), STORE_HIT);
    assert_int_equal(out.length, MEMCACHED_VALUE_MAX);
    assert_memory_equal(out.data, record, MEMCACHED_VALUE_MAX);
    put(store, 1, record, MEMCACHED_VALUE_MAX + 1);
    assert_int_equal(get(store, 1, &out), STORE_HIT);
    assert_int_equal(out.length, MEMCACHED_VALUE_MAX);
    assert_int_equal(store_statistics(store).writes, 1);
    free(record);
    buffer_free(&out);
    store->methods->free(store);
    end_process(memcached);
}

static void a_restart_fails_nothing(void **state)
{
    (void)state;
    uint16_t port = 0;
    pid_t memcached = start_memcached(&port);
    struct store *store = open_store(port, LONG_TIMEOUT);
    struct buffer out = {0};
    assert_true(is_used_again(store));
    put(store, 1, (const uint8_t *)"one", 3);
    assert_int_equal(get(store, 1, &out), STORE_HIT);
    end_process(memcached);
    memcached = start_memcached(&port);
    for (int i = 0; i < 6000; i++) { /* until it listens */
        int probe = socket(AF_INET, SOCK_STREAM, 0);
        struct sockaddr_in address = {
            .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = inet_addr(host)};
        int result = connect(probe, (struct sockaddr *)&address, sizeof address);
        close(probe);
        if (result == 0)
            break;
        pause_milliseconds(10);
    }
    assert_int_equal(get(store, 1, &out), STORE_MISS); /* over a new connection */
    assert_true(is_used(store));
    buffer_free(&out);
    store->methods->free(store);
    end_process(memcached);
}

/* The processor's time of so many gets with that result. */
static int64_t cost_of_gets(struct store *store, enum store_result found)
{
    struct buffer out = {0};
    int64_t start = processor_microseconds();
    for (int i = 0; i < 1000; i++)
        assert_int_equal(get(store, 1, &out), found);
    start = processor_microseconds() - start;
    buffer_free(&out);
    return start;
}

/* A request that the breaker skips costs less than one that is answered. */
static void a_killed_server_gets_no_requests_until_it_is_back(void **state)
{
    (void)state;
    uint16_t port = 0;
    pid_t memcached = start_memcached(&port);
    struct store *store = open_store(port, LONG_TIMEOUT);
    struct buffer out = {0};
    assert_true(is_used_again(store));
    put(store, 1, (const uint8_t *)"one", 3);
    const int64_t asked = cost_of_gets(store, STORE_HIT);
    end_process(memcached);
    assert_int_equal(get(store, 1, &out), STORE_FAILED);
    assert_true(cost_of_gets(store, STORE_FAILED) < asked);
    memcached = start_memcached(&port);
    assert_true(is_used_again(store));
    assert_int_equal(get(store, 1, &out), STORE_MISS);
    buffer_free(&out);
    store->methods->free(store);
    end_process(memcached);
}

static void a_stopped_server_costs_one_timeout(void **state)
{
    (void)state;
    uint16_t port = 0;
    pid_t memcached = start_memcached(&port);
    struct store *store = open_store(port, TIMEOUT);
    struct buffer out = {0};
    assert_true(is_used_again(store));
    put(store, 1, (const uint8_t *)"one", 3);
    kill(memcached, SIGSTOP);
    assert_int_equal(waitpid(memcached, NULL, WUNTRACED), memcached); /* it has stopped */
    int64_t start = clock_milliseconds();
    assert_int_equal(get(store, 1, &out), STORE_FAILED);
    assert_in_range(clock_milliseconds() - start, TIMEOUT - 1, 20 * TIMEOUT);
    start = clock_milliseconds();
    while (clock_milliseconds() - start < 1000) {
        const struct watch watch = watch_start();
        assert_int_equal(get(store, 1, &out), STORE_FAILED);
        assert_false(has_waited(watch, TIMEOUT / 2)); /* no request was a probe */
    }
    kill(memcached, SIGCONT);
    for (int i = 0; i < 100 && get(store, 1, &out) != STORE_HIT; i++)
        assert_true(is_used_again(store));
    assert_int_equal(get(store, 1, &out), STORE_HIT);
    buffer_free(&out);
    store->methods->free(store);
    end_process(memcached);
}

static void an_unknown_name_is_no_error(void **state)
{
    (void)state;
    const char *urls[] = {"memcached://no-such-host.invalid:1"};
    const struct shared_options options = {urls, 1, TIMEOUT, build, clock_milliseconds};
    struct store *store = shared_open(&options, NULL);
    struct buffer out = {0};
    assert_non_null(store);
    const struct watch watch = watch_start();
    assert_int_equal(get(store, 1, &out), STORE_FAILED);
    put(store, 1, (const uint8_t *)"one", 3);
    assert_false(has_waited(watch, TIMEOUT));
    assert_int_equal(store_statistics(store).write_failures, 1);
    buffer_free(&out);
    store->methods->free(store);
}

struct worker {
    pthread_t thread;
    struct store *store;
    uint8_t number;
    bool good;
};

static void *work(void *argument)
{
    struct worker *worker = argument;
    struct buffer out = {0};
    uint8_t record[5000];
    memset(record, worker->number, sizeof record);
    worker->good = true;
    for (int i = 0; i < 500; i++) {
        put(worker->store, worker->number, record, sizeof record - (size_t)(i & 3));
        if (get(worker->store, worker->number, &out) == STORE_HIT)
            worker->good =
                worker->good && out.length > 4990 && memcmp(out.data, record, out.length) == 0;
    }
    buffer_free(&out);
    return NULL;
}

static void threads_share_a_store(void **state)
{
    (void)state;
    uint16_t port = 0;
    pid_t memcached = start_memcached(&port);
    struct store *store = open_store(port, LONG_TIMEOUT);
    struct worker workers[8];
    assert_true(is_used_again(store));
    for (uint8_t i = 0; i < 8; i++) {
        workers[i] = (struct worker){.store = store, .number = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_true(workers[i].good);
    }
    assert_true(store_statistics(store).hits > 0);
    store->methods->free(store);
    end_process(memcached);
}

int test_shared(void)
{
    signal(SIGPIPE, SIG_IGN);
    choose_host();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_short_texts),
        cmocka_unit_test(stored_records_are_returned),
        cmocka_unit_test(the_size_limit_is_memcacheds),
        cmocka_unit_test(a_restart_fails_nothing),
        cmocka_unit_test(a_killed_server_gets_no_requests_until_it_is_back),
        cmocka_unit_test(a_stopped_server_costs_one_timeout),
        cmocka_unit_test(an_unknown_name_is_no_error),
        cmocka_unit_test(threads_share_a_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
