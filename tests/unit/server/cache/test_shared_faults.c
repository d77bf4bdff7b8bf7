/* The shared tier against a server that answers as it should not. */
#define _GNU_SOURCE /* RUSAGE_THREAD */
#include "server/cache/shared.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "server/cache/breaker.h"
#include "server/cache/memcached_connection.h"
#include "tests/unit/server/cache/shared_store.h"

/* A server that works for probes and answers every other get as it is told to. */
struct fake {
    pthread_t thread;
    int listener;
    uint16_t port;
    const char *answer; /* %s is the key */
    size_t length;      /* of an answer without %s */
    bool hangs;
    bool deaf;        /* reads no large value */
    long delay;       /* milliseconds before each answer */
    unsigned gets;    /* atomic */
    unsigned clients; /* atomic: their threads */
    bool ending;      /* atomic */
};

struct fake_client {
    struct fake *fake;
    FILE *in, *out;
};

/* The value of a set command, which is kept if it is the probe's. */
static bool fake_set(struct fake_client *client, const char *line, char *value, size_t *kept)
{
    static const char pattern[] = "set %250s %*u %*u %zu";
    char key[251], end[2];
    size_t length;
    if (sscanf(line, pattern, key, &length) != 2)
        return false;
    while (length > 4000 && client->fake->deaf &&
           !__atomic_load_n(&client->fake->ending, __ATOMIC_ACQUIRE))
        pause_milliseconds(1);
    if (length > 4000)
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
    pause_milliseconds(fake->delay);
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
    __atomic_store_n(&fake->ending, true, __ATOMIC_RELEASE);
    shutdown(fake->listener, SHUT_RDWR);
    pthread_join(fake->thread, NULL);
    while (__atomic_load_n(&fake->clients, __ATOMIC_ACQUIRE) > 0)
        pause_milliseconds(1);
    close(fake->listener);
}

static void malformed_replies_are_failures(void **state)
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
        struct store *store = open_store(fake.port, cases[i].hangs ? TIMEOUT : LONG_TIMEOUT);
        assert_true(is_used_again(store));
        int64_t start = clock_milliseconds();
        assert_int_equal(get(store, 1, &out), STORE_FAILED);
        assert_int_equal(out.length, 0);
        assert_true(clock_milliseconds() - start < 20 * TIMEOUT);
        for (int k = 0; k < 6000 && __atomic_load_n(&fake.gets, __ATOMIC_RELAXED) == 0; k++)
            pause_milliseconds(10);
        assert_true(__atomic_load_n(&fake.gets, __ATOMIC_RELAXED) >= 1);
        assert_false(is_used(store));
        assert_int_equal(get(store, 1, &out), STORE_FAILED);
        buffer_free(&out);
        store->methods->free(store);
        fake_stop(&fake);
    }
}

/* The same server when it answers well: so the cases above fail for what they say. */
static void correct_replies_are_accepted(void **state)
{
    (void)state;
    static const struct {
        const char *answer;
        enum store_result found;
    } cases[] = {
        {"VALUE %s 0 3\r\nabc\r\nEND\r\n", STORE_HIT},
        {"END\r\n", STORE_MISS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fake fake = {.answer = cases[i].answer};
        struct buffer out = {0};
        fake_start(&fake);
        struct store *store = open_store(fake.port, LONG_TIMEOUT);
        assert_true(is_used_again(store));
        assert_int_equal(get(store, 1, &out), cases[i].found);
        assert_int_equal(out.length, cases[i].found == STORE_HIT ? 3 : 0);
        assert_true(is_used(store));
        buffer_free(&out);
        store->methods->free(store);
        fake_stop(&fake);
    }
}

/* It stands still when it is told to: then what is left alone stays so. */
static int64_t stopped_at; /* atomic */

static int64_t stoppable_clock(void)
{
    const int64_t stopped = __atomic_load_n(&stopped_at, __ATOMIC_RELAXED);
    return stopped ? stopped : clock_milliseconds();
}

static void *ask_once(void *store)
{
    struct buffer out = {0};
    const enum store_result found = get(store, 1, &out);
    buffer_free(&out);
    return found == STORE_FAILED ? store : NULL;
}

/* It answers probes, but no request. */
static void one_request_at_a_time_waits_for_a_server_on_trial(void **state)
{
    (void)state;
    enum { ASKERS = 8 };
    pthread_t askers[ASKERS];
    struct fake fake = {.answer = "", .hangs = true};
    struct buffer out = {0};
    fake_start(&fake);
    struct store *store = open_store_by(fake.port, TIMEOUT, stoppable_clock);
    assert_true(is_used_again(store));
    assert_int_equal(get(store, 1, &out), STORE_FAILED);
    assert_false(is_used(store));
    assert_true(is_used_again(store));
    const unsigned before = __atomic_load_n(&fake.gets, __ATOMIC_RELAXED);
    __atomic_store_n(&stopped_at, clock_milliseconds(), __ATOMIC_RELAXED);
    for (int i = 0; i < ASKERS; i++)
        assert_int_equal(pthread_create(&askers[i], NULL, ask_once, store), 0);
    for (int i = 0; i < ASKERS; i++) {
        void *failed;
        pthread_join(askers[i], &failed);
        assert_non_null(failed);
    }
    assert_int_equal(__atomic_load_n(&fake.gets, __ATOMIC_RELAXED) - before, 1);
    __atomic_store_n(&stopped_at, 0, __ATOMIC_RELAXED);
    buffer_free(&out);
    store->methods->free(store);
    fake_stop(&fake);
}

/* Each reply comes in time, and is right; together they cost as much as a server that hangs. */
static void a_slow_server_is_not_used(void **state)
{
    (void)state;
    enum { SLOW_TIMEOUT = 2000 };
    pthread_t askers[BREAKER_SLOW_MAX];
    struct fake fake = {.answer = "END\r\n", .hangs = true, .delay = SLOW_TIMEOUT * 11 / 20};
    fake_start(&fake);
    struct store *store = open_store(fake.port, SLOW_TIMEOUT);
    assert_true(is_used_again(store));
    for (int i = 0; i < BREAKER_SLOW_MAX; i++)
        assert_int_equal(pthread_create(&askers[i], NULL, ask_once, store), 0);
    for (int i = 0; i < BREAKER_SLOW_MAX; i++)
        pthread_join(askers[i], NULL);
    assert_false(is_used(store));
    store->methods->free(store);
    fake_stop(&fake);
}

static void *put_until_it_fails(void *argument)
{
    struct store *store = argument;
    uint8_t *record = calloc(1, MEMCACHED_VALUE_MAX);
    assert_non_null(record);
    while (store_statistics(store).write_failures == 0)
        put(store, 1, record, MEMCACHED_VALUE_MAX);
    free(record);
    return store;
}

/* A get that is not answered and a put that is not read. */
static void cancelled_exchanges_end_at_once(void **state)
{
    (void)state;
    enum { LONGEST_TIMEOUT = 100000 };
    void *(*const exchanges[])(void *) = {ask_once, put_until_it_fails};
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        void *failed;
        struct fake fake = {.answer = "", .hangs = true, .deaf = true};
        fake_start(&fake);
        struct store *store = open_store(fake.port, LONGEST_TIMEOUT);
        assert_true(is_used_again(store));
        const int64_t start = clock_milliseconds();
        assert_int_equal(pthread_create(&thread, NULL, exchanges[i], store), 0);
        while (__atomic_load_n(&fake.gets, __ATOMIC_RELAXED) == 0 &&
               store_statistics(store).writes == 0)
            pause_milliseconds(1);
        store->methods->cancel(store);
        pthread_join(thread, &failed);
        assert_non_null(failed);
        assert_true(clock_milliseconds() - start < LONGEST_TIMEOUT);
        store->methods->free(store);
        fake_stop(&fake);
    }
}

int test_shared_faults(void)
{
    signal(SIGPIPE, SIG_IGN);
    choose_host();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(malformed_replies_are_failures),
        cmocka_unit_test(correct_replies_are_accepted),
        cmocka_unit_test(one_request_at_a_time_waits_for_a_server_on_trial),
        cmocka_unit_test(a_slow_server_is_not_used),
        cmocka_unit_test(cancelled_exchanges_end_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
