/* A store of one memcached server of the test's own, and what the tests do with it. Needs
 * _GNU_SOURCE for RUSAGE_THREAD. */
#ifndef TERRANE_TESTS_SHARED_STORE_H
#define TERRANE_TESTS_SHARED_STORE_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/base/clock.h"
#include "server/cache/shared.h"

/* Milliseconds: TIMEOUT for servers that hang, LONG_TIMEOUT for servers that must answer however
 * busy the machine is. */
enum { TIMEOUT = 100, LONG_TIMEOUT = 10000 };
static const struct hash128 build = {0x0123456789abcdef, 7};

static inline struct cache_key key_of(uint8_t number)
{
    struct cache_key key = {.bytes = {number}};
    cache_key_seal(&key);
    return key;
}

static inline void pause_milliseconds(long milliseconds)
{
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

/* An address of this machine's at which no other process listens. */
static char host[INET_ADDRSTRLEN];

static inline void choose_host(void)
{
    const unsigned pid = (unsigned)getpid();
    snprintf(host, sizeof host, "127.%u.%u.%u", 128 + (pid >> 16 & 63), pid >> 8 & 255, pid & 255);
}

/* `clock` is clock_milliseconds() or the test's. */
static inline struct store *open_store_by(uint16_t port, unsigned timeout, int64_t (*clock)(void))
{
    char url[64];
    const char *urls[] = {url};
    struct error error = {0};
    const struct shared_options options = {urls, 1, timeout, build, clock};
    snprintf(url, sizeof url, "memcached://%s:%u", host, port);
    struct store *store = shared_open(&options, &error);
    assert_string_equal(error.message, "");
    assert_non_null(store);
    return store;
}

static inline struct store *open_store(uint16_t port, unsigned timeout)
{
    return open_store_by(port, timeout, clock_milliseconds);
}

static inline enum store_result get(struct store *store, uint8_t number, struct buffer *out)
{
    struct cache_key key = key_of(number);
    buffer_clear(out);
    return store->methods->get(store, &key, out);
}

static inline void put(struct store *store, uint8_t number, const uint8_t *record, size_t length)
{
    struct cache_key key = key_of(number);
    store->methods->put(store, &key, record, length);
}

/* Measures this thread since the start: the milliseconds that it waited, without those in which
 * other threads had the processor, and its own processor time. */
struct watch {
    int64_t start;
    long waits;
};

static inline long count_waits(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
}

static inline struct watch watch_start(void)
{
    return (struct watch){clock_milliseconds(), count_waits()};
}

static inline bool has_waited(struct watch watch, int64_t milliseconds)
{
    return clock_milliseconds() - watch.start >= milliseconds && count_waits() > watch.waits;
}

static inline int64_t processor_microseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

/* True if a request for the key would be sent to the store's server. Else a failure is counted. */
static inline bool is_used(struct store *store)
{
    const struct cache_key key = key_of(1);
    return !store->methods->is_unavailable(store, &key);
}

/* Until the server is used; false after a minute. */
static inline bool is_used_again(struct store *store)
{
    for (int i = 0; i < 6000; i++) {
        if (is_used(store))
            return true;
        pause_milliseconds(10);
    }
    return false;
}

/* A socket with that port, or one of its own. */
static inline int listen_anywhere(uint16_t *port)
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

#endif
