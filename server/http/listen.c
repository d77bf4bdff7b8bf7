#include "server/http/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/http/listen_handed.h"
#include "server/http/listen_inherited.h"

enum {
    BACKLOG = 1024,
    /* Of an answer, the kernel holds so much that it has not sent yet: what a client that does not
     * read can cost. */
    UNSENT_MAX = 256 * 1024,
};

static bool enable(int fd, int option)
{
    return setsockopt(fd, SOL_SOCKET, option, &(int){1}, sizeof(int)) == 0;
}

static int close_failed(int fd)
{
    int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

void listen_set_options(int fd)
{
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &(int){UNSENT_MAX}, sizeof(int));
}

/* The first socket is bound and listens before it may share its port, so that it fails if anybody
 * else is there; the others join it. */
static int open_tcp(const struct address *address, bool first)
{
    int fd = socket(address->socket.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    listen_set_options(fd);
    if (enable(fd, SO_REUSEADDR) && (first || enable(fd, SO_REUSEPORT)) &&
        bind(fd, &address->socket.any, address->length) == 0 && listen(fd, BACKLOG) == 0 &&
        (!first || enable(fd, SO_REUSEPORT)))
        return fd;
    return close_failed(fd);
}

/* Whether it is a socket file that nobody answers on. */
static bool is_stale(const struct address *address)
{
    struct stat status;
    if (lstat(address->socket.local.sun_path, &status) != 0 || !S_ISSOCK(status.st_mode))
        return false;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    bool refused =
        fd >= 0 && connect(fd, &address->socket.any, address->length) != 0 && errno == ECONNREFUSED;
    if (fd >= 0)
        close(fd);
    return refused;
}

/* Until it listens nobody can connect, so that the mode is right in time. */
static int open_local(const struct address *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    bool bound = bind(fd, &address->socket.any, address->length) == 0;
    if (!bound && errno == EADDRINUSE) {
        if (is_stale(address))
            unlink(address->socket.local.sun_path);
        bound = bind(fd, &address->socket.any, address->length) == 0;
    }
    if (bound && chmod(address->socket.local.sun_path, address->mode) == 0 &&
        listen(fd, BACKLOG) == 0)
        return fd;
    return close_failed(fd);
}

static void take_bound_port(struct address *address, int fd)
{
    struct address bound = {0};
    socklen_t length = sizeof bound.socket;
    if (getsockname(fd, &bound.socket.any, &length) == 0)
        address_set_port(address, address_port(&bound));
}

static bool open_sockets(struct listen_place *place, unsigned loops)
{
    bool local = place->address.socket.any.sa_family == AF_UNIX;
    unsigned wanted = local ? 1 : loops;
    while (place->socket_count < wanted) {
        bool first = place->socket_count == 0;
        int fd = local ? open_local(&place->address) : open_tcp(&place->address, first);
        if (fd < 0)
            return false;
        place->sockets[place->socket_count++] = fd;
        place->made_file = local;
        if (first)
            take_bound_port(&place->address, fd);
    }
    return true;
}

static bool open_place(struct listen_place *place, const struct listen_options *options,
                       struct error *error)
{
    char text[ADDRESS_TEXT];
    place->users = options->loops;
    place->sockets = malloc(options->loops * sizeof *place->sockets);
    if (!place->sockets)
        return error_memory(error);
    if (!listen_take_handed(place, options, error))
        return false;
    if (place->socket_count > 0 || open_sockets(place, options->loops))
        return true;
    bool taken = errno == EADDRINUSE;
    const char *reason = strerror(errno);
    address_write(&place->address, text);
    if (!taken)
        return error_set(error, ERROR_IO, "cannot listen on %s: %s", text, reason);
    if (address_port(&place->address))
        return error_set(error, ERROR_IO, "cannot listen on %s: port %u is in use", text,
                         (unsigned)address_port(&place->address));
    return error_set(error, ERROR_IO, "cannot listen on %s: it is in use", text);
}

static bool open_own(const struct listen_options *options, struct listen_place *places,
                     unsigned *count, struct error *error)
{
    if (options->count > LISTEN_PLACES_MAX)
        return error_set(error, ERROR_LIMIT, "there may be at most %d addresses to listen on",
                         LISTEN_PLACES_MAX);
    for (size_t i = 0; i < options->count; i++) {
        struct listen_place *place = &places[*count];
        *place = (struct listen_place){0};
        if (!address_parse(&place->address, options->addresses[i], error))
            return false;
        if (i == 0 && options->port >= 0)
            address_set_port(&place->address, (uint16_t)options->port);
        ++*count;
        if (!open_place(place, options, error))
            return false;
    }
    return true;
}

unsigned listen_open(const struct listen_options *options,
                     struct listen_place places[LISTEN_PLACES_MAX], struct error *error)
{
    unsigned count = 0;
    bool done = listen_is_inherited() ? listen_inherit(places, options->loops, &count, error)
                                      : open_own(options, places, &count, error);
    if (done)
        return count;
    listen_close(places, count);
    return 0;
}

int listen_socket(const struct listen_place *place, unsigned loop)
{
    return place->sockets[place->socket_count > 1 ? loop : 0];
}

static void close_socket(struct listen_place *place, unsigned index)
{
    if (place->sockets[index] < 0)
        return;
    /* Such a place has one socket, closed by one loop; others are left alone. */
    if (place->made_file) {
        unlink(place->address.socket.local.sun_path);
    }
    close(place->sockets[index]);
    place->sockets[index] = -1;
}

void listen_leave(struct listen_place *place, unsigned loop)
{
    bool last = __atomic_sub_fetch(&place->users, 1, __ATOMIC_ACQ_REL) == 0;
    if (place->socket_count > 1)
        close_socket(place, loop);
    else if (last)
        close_socket(place, 0);
}

void listen_own(struct listen_place *places, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (!places[i].handed)
            continue;
        places[i].handed = places[i].inherited = false;
        places[i].made_file = places[i].address.socket.any.sa_family == AF_UNIX;
    }
}

void listen_share(struct listen_place *places, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        places[i].inherited = true;
        places[i].made_file = false;
    }
}

unsigned listen_list(const struct listen_place *places, unsigned count, int *sockets, unsigned most)
{
    unsigned listed = 0;
    for (unsigned i = 0; i < count; i++) {
        if (places[i].socket_count > most - listed)
            return 0;
        for (unsigned k = 0; k < places[i].socket_count; k++)
            sockets[listed++] = places[i].sockets[k];
    }
    return listed;
}

void listen_close(struct listen_place *places, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 0; k < places[i].socket_count; k++)
            close_socket(&places[i], k);
        free(places[i].sockets);
        places[i] = (struct listen_place){0};
    }
}
