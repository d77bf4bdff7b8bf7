#include "server/cache/shared_ring.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <libmemcached/memcached.h>

#include "core/base/number.h"

static const char scheme[] = "memcached://";

struct shared_ring {
    memcached_st names; /* never connected */
    size_t count;
};

static bool is_name(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && !strchr("-._", text[i]))
            return false;
    return length > 0;
}

/* An IPv6 address, with an interface behind it perhaps; the rest is seen when it is used. */
static bool is_bracketed(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && !strchr(":.%-_", text[i]))
            return false;
    return memchr(text, ':', length) != NULL;
}

/* "host", "host:port", "[address]" or "[address]:port" in so many bytes. */
static bool parse_address(const char *text, size_t length, struct shared_address *address)
{
    const char *end = text + length, *close = memchr(text, ']', length);
    bool bracketed = length > 0 && *text == '[' && close;
    const char *colon = bracketed ? close + 1 : memchr(text, ':', length);
    if (!colon)
        colon = end;
    const char *host = bracketed ? text + 1 : text;
    size_t host_length = (size_t)((bracketed ? close : colon) - host);
    if (host_length >= SHARED_HOST_TEXT ||
        !(bracketed ? is_bracketed(host, host_length) : is_name(host, host_length)))
        return false;
    int64_t port = SHARED_PORT_DEFAULT;
    if (colon < end && (*colon != ':' || !number_parse_integer(colon + 1, (size_t)(end - colon - 1),
                                                               1, 65535, &port)))
        return false;
    memcpy(address->host, host, host_length);
    address->host[host_length] = 0;
    address->port = (uint16_t)port;
    return true;
}

static bool is_listed(const struct shared_addresses *addresses, const struct shared_address *other)
{
    for (size_t i = 0; i < addresses->count; i++)
        if (addresses->list[i].port == other->port &&
            strcmp(addresses->list[i].host, other->host) == 0)
            return true;
    return false;
}

static bool add_address(struct shared_addresses *addresses, const char *text, size_t length,
                        struct error *error)
{
    struct shared_address address;
    if (!parse_address(text, length, &address))
        return error_set(error, ERROR_VALUE,
                         "\"%.*s\" must be HOST:PORT such as 10.0.0.5:11211, cache-1:11211 or "
                         "[::1]:11211",
                         (int)(length < 200 ? length : 200), text);
    if (is_listed(addresses, &address))
        return error_set(error, ERROR_VALUE, "%s:%u is named twice", address.host, address.port);
    if (addresses->count == SHARED_SERVERS_MAX)
        return error_set(error, ERROR_LIMIT, "more than %d servers", SHARED_SERVERS_MAX);
    addresses->list[addresses->count++] = address;
    return true;
}

bool shared_addresses_add(struct shared_addresses *addresses, const char *url, struct error *error)
{
    if (strncmp(url, scheme, sizeof scheme - 1) != 0)
        return error_set(error, ERROR_VALUE,
                         "must be memcached://HOST:PORT[,HOST:PORT...], not \"%.200s\"", url);
    const char *part = url + sizeof scheme - 1;
    for (;;) {
        size_t length = strcspn(part, ",");
        if (!add_address(addresses, part, length, error))
            return false;
        if (part[length] == 0)
            return true;
        part += length + 1;
    }
}

struct shared_ring *shared_ring_new(const struct shared_addresses *addresses)
{
    struct shared_ring *ring = calloc(1, sizeof *ring);
    if (!ring || !memcached_create(&ring->names)) {
        free(ring);
        return NULL;
    }
    bool done = memcached_success(
        memcached_behavior_set(&ring->names, MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED, 1));
    for (size_t i = 0; i < addresses->count && done; i++)
        done = memcached_success(
            memcached_server_add(&ring->names, addresses->list[i].host, addresses->list[i].port));
    ring->count = addresses->count;
    if (done)
        return ring;
    shared_ring_free(ring);
    return NULL;
}

void shared_ring_free(struct shared_ring *ring)
{
    if (ring)
        memcached_free(&ring->names);
    free(ring);
}

size_t shared_ring_find(const struct shared_ring *ring, const char *key, size_t length)
{
    size_t index = memcached_generate_hash(&ring->names, key, length);
    return index < ring->count ? index : 0;
}
