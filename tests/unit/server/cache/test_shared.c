/* The shared tier against a memcached, and against a server that answers as it should not. */
#define _GNU_SOURCE /* RUSAGE_THREAD */
#include "server/cache/shared.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/cache/link.h"
#include "server/clock.h"

/* Milliseconds: for servers that hang, and for those that shall answer however busy the machine is.
 */
enum { TIMEOUT = 100, PATIENCE = 10000 };
static const struct hash128 build = {0x0123456789abcdef, 7};

static struct cache_key key_of(uint8_t number)
{
    struct cache_key key = {.bytes = {number}};
    cache_key_seal(&key);
    return key;
}

static void pause_milliseconds(long milliseconds)
{
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

/* An address of this machine's at which no other process listens. */
static char host[INET_ADDRSTRLEN];

static void choose_host(void)
{
    const unsigned pid = (unsigned)getpid();
    snprintf(host, sizeof host, "127.%u.%u.%u", 128 + (pid >> 16 & 63), pid >> 8 & 255, pid & 255);
}

static struct store *open_store(uint16_t port, unsigned timeout)
{
    char url[64];
    const char *urls[] = {url};
    struct error error = {0};
    const struct shared_options options = {urls, 1, timeout, build, clock_milliseconds};
    snprintf(url, sizeof url, "memcached://%s:%u", host, port);
    struct store *store = shared_open(&options, &error);
    assert_string_equal(error.message, "");
    assert_non_null(store);
    return store;
}

static enum store_found get(struct store *store, uint8_t number, struct buffer *out)
{
    struct cache_key key = key_of(number);
    buffer_clear(out);
    return store->methods->get(store, &key, out);
}

static void put(struct store *store, uint8_t number, const uint8_t *record, size_t length)
{
    struct cache_key key = key_of(number);
    store->methods->put(store, &key, record, length);
}

/* What this thread has done since the start: whether it stood still for so many milliseconds
 * because it waited, not because others had the processor; and its own time on it. */
struct watch {
    int64_t start;
    long waits;
};

static long count_waits(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

static struct watch watch_start(void)
{
    return (struct watch){clock_milliseconds(), count_waits()};
}

static bool has_waited(struct watch watch, int64_t milliseconds)
{
    return clock_milliseconds() - watch.start >= milliseconds && count_waits() > watch.waits;
}

static int64_t processor_microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

/* Until the server is used; false after a minute. */
static bool is_used_again(struct store *store)
{
    for (int i = 0; i < 6000; i++) {
        if (shared_breaker(store, 0) == BREAKER_CLOSED)
            return true;
        pause_milliseconds(10);
    }
    return false;
}

/* A socket with that port, or one of its own. */
static int listen_anywhere(uint16_t *port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(*port), .sin_addr.s_addr = inet_addr(host)};
    socklen_t size = sizeof address;
    int one = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(listener, 64), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    *port = ntohs(address.sin_port);
    return listener;
}

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

static void records_come_back(void **state)
{
    (void)state;
    uint16_t port = 0;
    pid_t memcached = start_memcached(&port);
    struct store *store = open_store(port, PATIENCE);
    struct buffer out = {0};
    assert_true(is_used_again(store));
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
    store->methods->spoiled(store, &key);
    assert_int_equal(get(store, 1, &out), STORE_MISS);
    struct store_statistics statistics = store->methods->statistics(store);
    assert_int_equal(statistics.hits, 3);
    assert_int_equal(statistics.misses, 2);
    assert_int_equal(statistics.failures, 0);
    assert_int_equal(statistics.writes, 3);
    assert_int_equal(statistics.damaged, 1);
    buffer_free(&out);
    store->methods->free(store);
    end_process(memcached);
}

/* The largest that is sent is kept; one byte more is not sent, and keeps what is there. */
static void the_limit_is_memcacheds(void **state)
{
    (void)state;
    uint16_t port = 0;
    pid_t memcached = start_memcached(&port);
    struct store *store = open_store(port, PATIENCE);
    struct buffer out = {0};
    uint8_t *record = malloc(LINK_VALUE_MAX + 1);
    assert_non_null(record);
    for (size_t i = 0; i <= LINK_VALUE_MAX; i++)
        record[i] = (uint8_t)(i * i >> 7);
    assert_true(is_used_again(store));
    put(store, 1, record, LINK_VALUE_MAX);
    assert_int_equal(get(store, 1, &out), STORE_HIT);
    assert_int_equal(out.length, LINK_VALUE_MAX);
    assert_memory_equal(out.data, record, LINK_VALUE_MAX);
    put(store, 1, record, LINK_VALUE_MAX + 1);
    assert_int_equal(get(store, 1, &out), STORE_HIT);
    assert_int_equal(out.length, LINK_VALUE_MAX);
    assert_int_equal(store->methods->statistics(store).writes, 1);
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
    struct store *store = open_store(port, PATIENCE);
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
    assert_int_equal(shared_breaker(store, 0), BREAKER_CLOSED);
    buffer_free(&out);
    store->methods->free(store);
    end_process(memcached);
}

/* The processor's time of so many gets with that result. */
static int64_t cost_of_gets(struct store *store, enum store_found found)
{
    struct buffer out = {0};
    int64_t start = processor_microseconds();
    for (int i = 0; i < 1000; i++)
        assert_int_equal(get(store, 1, &out), found);
    start = processor_microseconds() - start;
    buffer_free(&out);
    return start;
}

/* What is not asked costs less than what is asked and answers. */
static void a_killed_one_is_left_alone_and_used_again(void **state)
{
    (void)state;
    uint16_t port = 0;
    pid_t memcached = start_memcached(&port);
    struct store *store = open_store(port, PATIENCE);
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

static void a_stopped_one_costs_its_timeout_once(void **state)
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

static void a_name_nobody_knows_is_no_error(void **state)
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
    assert_int_equal(store->methods->statistics(store).write_failures, 1);
    buffer_free(&out);
    store->methods->free(store);
}

/* A server that works for probes and answers every other get as it is told to. */
struct fake {
    pthread_t thread;
    int listener;
    uint16_t port;
    const char *answer; /* %s is the key */
    size_t length;      /* of an answer without %s */
    bool hangs;
    unsigned gets;    /* atomic */
    unsigned clients; /* atomic: their threads */
};

struct fake_client {
    struct fake *fake;
    FILE *in, *out;
};

/* What a set brings: kept if it is the probe's. */
static bool fake_set(struct fake_client *client, const char *line, char *value, size_t *kept)
{
    static const char pattern[] = "set %250s %*u %*u %zu";
    char key[251], end[2];
    size_t length;
    if (sscanf(line, pattern, key, &length) != 2 || length > 4000)
        return false;
    char bytes[4000];
    if (fread(bytes, 1, length, client->in) != length || fread(end, 1, 2, client->in) != 2)
        return false;
    memcpy(value, bytes, length < 64 ? length : 64);
    *kept = length;
    return true;
}

static void fake_get(struct fake_client *client, const char *key)
{
    struct fake *fake = client->fake;
    __atomic_fetch_add(&fake->gets, 1, __ATOMIC_RELAXED);
    const char *place = fake->length ? NULL : strstr(fake->answer, "%s");
    if (place)
        fprintf(client->out, "%.*s%s%s", (int)(place - fake->answer), fake->answer, key, place + 2);
    else
        fwrite(fake->answer, 1, fake->length ? fake->length : strlen(fake->answer), client->out);
}

/* One client at a time is enough: the store has one thread here, and its watcher. */
static void *fake_serve(void *argument)
{
    struct fake_client *client = argument;
    char line[512], key[251], value[64];
    size_t kept = 0;
    bool goes_on = true;
    while (goes_on && fgets(line, sizeof line, client->in)) {
        if (strncmp(line, "set ", 4) == 0)
            goes_on = fake_set(client, line, value, &kept);
        else if (sscanf(line, "get terrane:probe:%200s", key) == 1)
            fprintf(client->out, "VALUE terrane:probe:%s 0 %zu\r\n%.*s\r\nEND\r\n", key, kept,
                    (int)kept, value);
        else if (sscanf(line, "get %250s", key) == 1)
            fake_get(client, key);
        goes_on = goes_on && strncmp(line, "quit", 4) != 0;
        fflush(client->out);
        if (strncmp(line, "get terrane1", 12) == 0 && !client->fake->hangs)
            break;
    }
    fclose(client->in);
    fclose(client->out);
    __atomic_fetch_sub(&client->fake->clients, 1, __ATOMIC_RELEASE);
    free(client);
    return NULL;
}

static void *fake_main(void *argument)
{
    struct fake *fake = argument;
    for (;;) {
        int socket = accept(fake->listener, NULL, NULL);
        if (socket < 0)
            return NULL;
        struct fake_client *client = malloc(sizeof *client);
        assert_non_null(client);
        *client = (struct fake_client){fake, fdopen(socket, "r"), fdopen(dup(socket), "w")};
        pthread_t thread;
        __atomic_fetch_add(&fake->clients, 1, __ATOMIC_RELAXED);
        assert_int_equal(pthread_create(&thread, NULL, fake_serve, client), 0);
        pthread_detach(thread);
    }
}

static void fake_start(struct fake *fake)
{
    fake->port = 0;
    fake->listener = listen_anywhere(&fake->port);
    assert_int_equal(pthread_create(&fake->thread, NULL, fake_main, fake), 0);
}

/* When the store has closed its connections. */
static void fake_stop(struct fake *fake)
{
    shutdown(fake->listener, SHUT_RDWR);
    pthread_join(fake->thread, NULL);
    while (__atomic_load_n(&fake->clients, __ATOMIC_ACQUIRE) > 0)
        pause_milliseconds(1);
    close(fake->listener);
}

static void rubbish_is_no_record(void **state)
{
    (void)state;
    static char long_key[400] = "VALUE ", longest_line[2000], noise[64];
    memset(long_key + 6, 'k', 300);
    memcpy(long_key + 306, " 0 3\r\nabc\r\nEND\r\n", 16);
    memset(longest_line, 'x', sizeof longest_line - 1);
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (char)(i * 73 + 1);
    const struct {
        const char *answer;
        size_t length;
        bool hangs;
    } cases[] = {
        {"hello\r\n", 0, false},
        {"\r\n", 0, false},
        {"", 0, false},
        {"", 0, true},
        {noise, sizeof noise, false},
        {longest_line, 0, false},
        {long_key, 0, false},
        {"ERROR\r\n", 0, false},
        {"SERVER_ERROR out of memory\r\n", 0, false},
        {"CLIENT_ERROR bad\r\n", 0, false},
        {"STORED\r\n", 0, false},
        {"OK\r\n", 0, false},
        {"17\r\n", 0, false},
        {"DELETED\r\nEND\r\n", 0, false},
        {"VERSION\r\n", 0, false},
        {"VERSION 1.6.18\r\n", 0, false},
        {"VERSIONS\r\nEND\r\n", 0, false},
        {"VALUE\r\n", 0, false},
        {"VALUE %s 0 100\r\nhalf of it", 0, false},
        {"VALUE %s 0 100\r\nhalf of it", 0, true},
        {"VALUE %s 0 3\r\nabc\r\n", 0, false},
        {"VALUE %s 0 3\r\nabc\r\nVALUE %s 0 3\r\nabc\r\nEND\r\n", 0, false},
        {"VALUE another-key 0 3\r\nabc\r\nEND\r\n", 0, false},
        {"VALUE %s 0 2000000\r\nabc\r\nEND\r\n", 0, true},
        {"VALUE %s 0 4294967295\r\nabc\r\nEND\r\n", 0, false},
        {"VALUE %s 0 9223372036854775807\r\nabc\r\nEND\r\n", 0, false},
        {"VALUE %s 0 18446744073709551613\r\nabc\r\nEND\r\n", 0, false},
        {"VALUE %s 0 18446744073709551614\r\nabc\r\nEND\r\n", 0, false},
        {"VALUE %s 0 18446744073709551615\r\nabc\r\nEND\r\n", 0, false},
        {"VALUE %s 0 99999999999999999999999\r\nabc\r\nEND\r\n", 0, false},
        {"VALUE %s 0 -1\r\nabc\r\nEND\r\n", 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fake fake = {
            .answer = cases[i].answer, .length = cases[i].length, .hangs = cases[i].hangs};
        struct buffer out = {0};
        fake_start(&fake);
        struct store *store = open_store(fake.port, cases[i].hangs ? TIMEOUT : PATIENCE);
        assert_true(is_used_again(store));
        int64_t start = clock_milliseconds();
        assert_int_equal(get(store, 1, &out), STORE_FAILED);
        assert_int_equal(out.length, 0);
        assert_true(clock_milliseconds() - start < 20 * TIMEOUT);
        for (int k = 0; k < 6000 && __atomic_load_n(&fake.gets, __ATOMIC_RELAXED) == 0; k++)
            pause_milliseconds(10);
        assert_true(__atomic_load_n(&fake.gets, __ATOMIC_RELAXED) >= 1);
        assert_int_not_equal(shared_breaker(store, 0), BREAKER_CLOSED);
        assert_int_equal(get(store, 1, &out), STORE_FAILED);
        buffer_free(&out);
        store->methods->free(store);
        fake_stop(&fake);
    }
}

/* The same server when it answers well: so the cases above fail for what they say. */
static void the_fake_can_be_right(void **state)
{
    (void)state;
    static const struct {
        const char *answer;
        enum store_found found;
    } cases[] = {
        {"VALUE %s 0 3\r\nabc\r\nEND\r\n", STORE_HIT},
        {"END\r\n", STORE_MISS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fake fake = {.answer = cases[i].answer};
        struct buffer out = {0};
        fake_start(&fake);
        struct store *store = open_store(fake.port, PATIENCE);
        assert_true(is_used_again(store));
        assert_int_equal(get(store, 1, &out), cases[i].found);
        assert_int_equal(out.length, cases[i].found == STORE_HIT ? 3 : 0);
        assert_int_equal(shared_breaker(store, 0), BREAKER_CLOSED);
        buffer_free(&out);
        store->methods->free(store);
        fake_stop(&fake);
    }
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

static void many_threads_may_use_it(void **state)
{
    (void)state;
    uint16_t port = 0;
    pid_t memcached = start_memcached(&port);
    struct store *store = open_store(port, PATIENCE);
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
    assert_true(store->methods->statistics(store).hits > 0);
    store->methods->free(store);
    end_process(memcached);
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    choose_host();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_short_texts),
        cmocka_unit_test(records_come_back),
        cmocka_unit_test(the_limit_is_memcacheds),
        cmocka_unit_test(a_restart_fails_nothing),
        cmocka_unit_test(a_killed_one_is_left_alone_and_used_again),
        cmocka_unit_test(a_stopped_one_costs_its_timeout_once),
        cmocka_unit_test(a_name_nobody_knows_is_no_error),
        cmocka_unit_test(rubbish_is_no_record),
        cmocka_unit_test(the_fake_can_be_right),
        cmocka_unit_test(many_threads_may_use_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
