#include "server/http/connection/listen_handed.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

/* Where a socket listens; false if it does not. */
static bool address_of(int socket, struct listen_address *address)
{
    *address = (struct listen_address){.length = sizeof address->socket};
    return getsockname(socket, &address->socket.any, &address->length) == 0;
}

static bool same_host(const struct listen_address *a, const struct listen_address *b)
{
    if (a->socket.any.sa_family != b->socket.any.sa_family)
        return false;
    switch (a->socket.any.sa_family) {
    case AF_INET:
        return a->socket.v4.sin_addr.s_addr == b->socket.v4.sin_addr.s_addr;
    case AF_INET6:
        return memcmp(&a->socket.v6.sin6_addr, &b->socket.v6.sin6_addr,
                      sizeof a->socket.v6.sin6_addr) == 0;
    case AF_UNIX:
        return strncmp(a->socket.local.sun_path, b->socket.local.sun_path,
                       sizeof a->socket.local.sun_path) == 0;
    default:
        return false;
    }
}

/* Whether the socket is where `wanted` says, which takes its port if it has none. */
static bool is_at(int socket, struct listen_address *wanted)
{
    struct listen_address found;
    if (!address_of(socket, &found) || !same_host(&found, wanted))
        return false;
    if (listen_address_port(wanted) == 0)
        listen_address_set_port(wanted, listen_address_port(&found));
    return listen_address_port(&found) == listen_address_port(wanted);
}

unsigned listen_handed_loops(const int *handed, unsigned count)
{
    unsigned most = 0;
    for (unsigned i = 0; i < count; i++) {
        struct listen_address address;
        unsigned here = 0;
        for (unsigned k = 0; address_of(handed[i], &address) && k < count; k++)
            here += is_at(handed[k], &address);
        most = here > most ? here : most;
    }
    return most;
}

static bool add_copy(struct listen_endpoint *endpoint, int socket, struct error *error)
{
    int copy = fcntl(socket, F_DUPFD_CLOEXEC, 0);
    if (copy < 0)
        return error_set(error, ERROR_IO, "cannot take a listening socket over: %s",
                         strerror(errno));
    endpoint->sockets[endpoint->socket_count++] = copy;
    return true;
}

bool listen_take_handed(struct listen_endpoint *endpoint, const struct listen_options *options,
                        struct error *error)
{
    const bool local = endpoint->address.socket.any.sa_family == AF_UNIX;
    const unsigned wanted = local ? 1 : options->loops;
    for (unsigned i = 0; i < options->handed_count && endpoint->socket_count < wanted; i++)
        if (is_at(options->handed[i], &endpoint->address) &&
            !add_copy(endpoint, options->handed[i], error))
            return false;
    const unsigned found = endpoint->socket_count;
    endpoint->handed = endpoint->inherited = found > 0;
    while (found > 0 && endpoint->socket_count < wanted)
        if (!add_copy(endpoint, endpoint->sockets[endpoint->socket_count % found], error))
            return false;
    return true;
}
