#include "server/cache/memcached_probe.h"

#include <inttypes.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { VALUE_LIFETIME_SECONDS = 60 /* how long its value is kept */ };

void memcached_probe_init(struct memcached_probe *probe, uint16_t port, unsigned timeout)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *probe = (struct memcached_probe){.port = port, .timeout = timeout};
    snprintf(probe->key, sizeof probe->key, "terrane:probe:%lld%09ld-%p", (long long)now.tv_sec,
             now.tv_nsec, (void *)probe);
}

static struct addrinfo *resolve(const char *host, int flags)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags};
    struct addrinfo *found = NULL;
    return getaddrinfo(host, NULL, &hints, &found) == 0 ? found : NULL;
}

struct addrinfo *memcached_parse_address(const char *host)
{
    return resolve(host, AI_NUMERICHOST);
}

struct addrinfo *memcached_resolve_name(const char *host)
{
    return resolve(host, AI_ADDRCONFIG);
}

/* A server that is full may have kept nothing, and works all the same. */
static bool probe_connection(struct memcached_probe *probe, struct memcached_connection *connection)
{
    char text[32];
    struct buffer received = {0};
    size_t length = (size_t)snprintf(text, sizeof text, "%" PRIu64, ++probe->count);
    const struct memcached_request set = {.verb = MEMCACHED_SET,
                                          .key = probe->key,
                                          .value = (const uint8_t *)text,
                                          .length = length,
                                          .seconds = VALUE_LIFETIME_SECONDS};
    const struct memcached_request get = {
        .verb = MEMCACHED_GET, .key = probe->key, .out = &received};
    enum memcached_outcome result = memcached_connection_run(connection, &set) == MEMCACHED_DONE
                                        ? memcached_connection_run(connection, &get)
                                        : MEMCACHED_FAILED;
    bool works =
        result == MEMCACHED_MISS || (result == MEMCACHED_DONE && received.length == length &&
                                     memcmp(received.data, text, length) == 0);
    buffer_free(&received);
    return works;
}

struct memcached_connection *memcached_probe_run(struct memcached_probe *probe,
                                                 const struct addrinfo *addresses,
                                                 char text[MEMCACHED_ADDRESS_TEXT])
{
    for (; addresses; addresses = addresses->ai_next) {
        if (getnameinfo(addresses->ai_addr, addresses->ai_addrlen, text, MEMCACHED_ADDRESS_TEXT,
                        NULL, 0, NI_NUMERICHOST) != 0)
            continue;
        struct memcached_connection *connection =
            memcached_connection_open(text, probe->port, probe->timeout);
        if (connection && probe_connection(probe, connection))
            return connection;
        memcached_connection_close(connection);
    }
    return NULL;
}
