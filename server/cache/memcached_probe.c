/* A connection that opens is not enough: a server that hangs, or that is no memcached, accepts
 * connections too. So each probe stores a new number under a key of its own and reads it back. */
#include "server/cache/memcached_probe.h"

#include <inttypes.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "server/base/clock.h"

enum { VALUE_LIFETIME_SECONDS = 60 };

void memcached_probe_init(struct memcached_probe *probe)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    *probe = (struct memcached_probe){.count = 0};
    snprintf(probe->key, sizeof probe->key, "terrane:probe:%lld%09ld-%p", (long long)now.tv_sec,
             now.tv_nsec, (void *)probe);
}

/* A numeric address needs no name server, and is right even where the machine has no network. */
static struct addrinfo *resolve(const struct server_address *server)
{
    char port[8];
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST}, *found;
    snprintf(port, sizeof port, "%u", (unsigned)server->port);
    if (getaddrinfo(server->host, port, &hints, &found) == 0)
        return found;
    hints.ai_flags = AI_ADDRCONFIG;
    return getaddrinfo(server->host, port, &hints, &found) == 0 ? found : NULL;
}

/* A miss is a success too: a server without room may have stored nothing. */
static bool exchange_value(struct memcached_probe *probe, int connection, struct wait_limit limit)
{
    char text[32];
    struct buffer received = {0};
    const size_t length = (size_t)snprintf(text, sizeof text, "%" PRIu64, ++probe->count);
    const struct memcached_request set = {.verb = MEMCACHED_SET,
                                          .key = probe->key,
                                          .value = (const uint8_t *)text,
                                          .length = length,
                                          .seconds = VALUE_LIFETIME_SECONDS};
    const struct memcached_request get = {
        .verb = MEMCACHED_GET, .key = probe->key, .out = &received};
    enum memcached_outcome outcome = memcached_run(connection, &set, limit);
    if (outcome == MEMCACHED_DONE)
        outcome = memcached_run(connection, &get, limit);
    const bool works =
        outcome == MEMCACHED_MISS || (outcome == MEMCACHED_DONE && received.length == length &&
                                      memcmp(received.data, text, length) == 0);
    buffer_free(&received);
    return works;
}

static int probe_address(struct memcached_probe *probe, const struct memcached_address *address,
                         struct wait_limit limit)
{
    const int connection = memcached_connect(address, limit);
    if (connection < 0 || exchange_value(probe, connection, limit))
        return connection;
    close(connection);
    return -1;
}

int memcached_probe_run(struct memcached_probe *probe, const struct server_address *server,
                        unsigned timeout, int cancel, struct memcached_address *address)
{
    struct addrinfo *found = resolve(server);
    int connection = -1;
    for (const struct addrinfo *one = found; one && connection < 0; one = one->ai_next) {
        address->length = one->ai_addrlen;
        memcpy(&address->socket, one->ai_addr, one->ai_addrlen);
        const struct wait_limit limit = {clock_milliseconds() + timeout, cancel};
        connection = probe_address(probe, address, limit);
    }
    if (found)
        freeaddrinfo(found);
    return connection;
}
