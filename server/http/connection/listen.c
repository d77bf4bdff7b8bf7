/* A TCP address has a socket for each event loop (SO_REUSEPORT), so the kernel distributes the
 * connections and no loop wakes another. Unix sockets cannot share an address; all loops wait on
 * the one socket. Options are set on the listening socket, as accepted sockets inherit them:
 *
 * - TCP_NODELAY, since a response is written in few large pieces;
 * - TCP_NOTSENT_LOWAT, which limits the memory that a client can occupy by not reading.
 *
 * The variables of a service manager are read by hand, as libsystemd would be a dependency for
 * thirty lines. Its sockets outlive this process: they are never shut down, and the file of a unix
 * socket among them is never removed (`inherited`). */
#include "server/http/connection/listen.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/number.h"

enum {
    INHERITED_FIRST = 3, /* the first descriptor of sd_listen_fds(3) */
    BACKLOG = 1024,
    /* The part of a response that the kernel accepts before it can send it. */
    UNSENT_BYTES_MAX = 256 * 1024,
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

/* Connections inherit them. */
static void set_tcp_options(int fd)
{
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &(int){UNSENT_BYTES_MAX}, sizeof(int));
}

/* The first socket gets SO_REUSEPORT only after listen(), so that it fails if another program uses
 * the port; the other sockets join it. */
static int open_tcp(const struct listen_address *address, bool first)
{
    int fd = socket(address->socket.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    set_tcp_options(fd);
    if (enable(fd, SO_REUSEADDR) && (first || enable(fd, SO_REUSEPORT)) &&
        bind(fd, &address->socket.any, address->length) == 0 && listen(fd, BACKLOG) == 0 &&
        (!first || enable(fd, SO_REUSEPORT)))
        return fd;
    return close_failed(fd);
}

static void take_bound_port(struct listen_address *address, int fd)
{
    struct listen_address bound = {0};
    socklen_t length = sizeof bound.socket;
    if (getsockname(fd, &bound.socket.any, &length) == 0)
        listen_address_set_port(address, listen_address_port(&bound));
}

static bool open_sockets(struct listen_endpoint *endpoint, unsigned loops)
{
    bool local = endpoint->address.socket.any.sa_family == AF_UNIX;
    unsigned wanted = local ? 1 : loops;
    while (endpoint->socket_count < wanted) {
        bool first = endpoint->socket_count == 0;
        const struct listen_address *address = &endpoint->address;
        int fd = local ? local_socket_listen(&address->socket.local, address->mode, BACKLOG,
                                             &endpoint->socket_file)
                       : open_tcp(address, first);
        if (fd < 0)
            return false;
        endpoint->sockets[endpoint->socket_count++] = fd;
        endpoint->owns_socket_file = local;
        if (first)
            take_bound_port(&endpoint->address, fd);
    }
    return true;
}

static bool open_endpoint(struct listen_endpoint *endpoint, const struct listen_options *options,
                          struct error *error)
{
    char text[LISTEN_ADDRESS_TEXT];
    endpoint->users = options->loops;
    endpoint->sockets = malloc(options->loops * sizeof *endpoint->sockets);
    if (!endpoint->sockets)
        return error_memory(error);
    if (open_sockets(endpoint, options->loops))
        return true;
    const int reason = errno;
    listen_address_write(&endpoint->address, text);
    if (reason == EEXIST)
        return error_set(error, ERROR_IO,
                         "cannot listen on %s: it is in use by %s; name another path, or remove "
                         "that",
                         text, file_kind(endpoint->address.socket.local.sun_path));
    if (reason != EADDRINUSE)
        return error_set(error, ERROR_IO, "cannot listen on %s: %s", text, strerror(reason));
    if (listen_address_port(&endpoint->address))
        return error_set(error, ERROR_IO, "cannot listen on %s: port %u is in use", text,
                         (unsigned)listen_address_port(&endpoint->address));
    return error_set(error, ERROR_IO, "cannot listen on %s: it is in use", text);
}

static bool open_configured(const struct listen_options *options, struct listen_endpoint *endpoints,
                            unsigned *count, struct error *error)
{
    if (options->count > LISTEN_ENDPOINTS_MAX)
        return error_set(error, ERROR_LIMIT, "there may be at most %d addresses to listen on",
                         LISTEN_ENDPOINTS_MAX);
    for (size_t i = 0; i < options->count; i++) {
        struct listen_endpoint *endpoint = &endpoints[*count];
        *endpoint = (struct listen_endpoint){0};
        if (!listen_address_parse(&endpoint->address, options->addresses[i], error))
            return false;
        if (i == 0 && options->port >= 0)
            listen_address_set_port(&endpoint->address, (uint16_t)options->port);
        ++*count;
        if (!open_endpoint(endpoint, options, error))
            return false;
    }
    return true;
}

static int64_t environment_integer(const char *name)
{
    int64_t value = 0;
    const char *text = getenv(name);
    return text && number_parse_integer(text, strlen(text), 0, INT32_MAX, &value) ? value : 0;
}

bool listen_is_inherited(void)
{
    return environment_integer("LISTEN_FDS") > 0 && environment_integer("LISTEN_PID") == getpid();
}

/* True if the `index`-th of the names, which colons separate, is "https". */
static bool is_named_https(unsigned index)
{
    const char *names = getenv("LISTEN_FDNAMES");
    while (names && index-- > 0) {
        names = strchr(names, ':');
        names = names ? names + 1 : NULL;
    }
    return names && strcspn(names, ":") == 5 && strncmp(names, "https", 5) == 0;
}

static bool adopt_socket(struct listen_endpoint *endpoint, int fd, struct error *error)
{
    int listens = 0, flags = fcntl(fd, F_GETFL);
    socklen_t length = sizeof listens;
    struct listen_address *address = &endpoint->address;
    address->length = sizeof address->socket;
    if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) != 0 || !listens ||
        getsockname(fd, &address->socket.any, &address->length) != 0)
        return error_set(error, ERROR_IO,
                         "descriptor %d of LISTEN_FDS is not a listening stream socket", fd);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) != 0)
        return error_set(error, ERROR_IO, "descriptor %d of LISTEN_FDS cannot be used: %s", fd,
                         strerror(errno));
    if (address->socket.any.sa_family != AF_UNIX)
        set_tcp_options(fd);
    return true;
}

static bool take_inherited(struct listen_endpoint *endpoints, unsigned loops, unsigned *count,
                           struct error *error)
{
    int64_t wanted = environment_integer("LISTEN_FDS");
    if (wanted > LISTEN_ENDPOINTS_MAX)
        return error_set(error, ERROR_LIMIT, "LISTEN_FDS has more sockets than %d",
                         LISTEN_ENDPOINTS_MAX);
    for (*count = 0; *count < wanted;) {
        struct listen_endpoint *endpoint = &endpoints[*count];
        int fd = INHERITED_FIRST + (int)*count;
        *endpoint = (struct listen_endpoint){.inherited = true, .users = loops};
        if (!adopt_socket(endpoint, fd, error))
            return false;
        endpoint->address.secure = is_named_https(*count);
        endpoint->sockets = malloc(sizeof *endpoint->sockets);
        if (!endpoint->sockets)
            return error_memory(error);
        endpoint->sockets[0] = fd;
        endpoint->socket_count = 1;
        ++*count;
    }
    return true;
}

unsigned listen_open(const struct listen_options *options,
                     struct listen_endpoint endpoints[LISTEN_ENDPOINTS_MAX], struct error *error)
{
    unsigned count = 0;
    bool done = listen_is_inherited() ? take_inherited(endpoints, options->loops, &count, error)
                                      : open_configured(options, endpoints, &count, error);
    if (done)
        return count;
    listen_close(endpoints, count);
    return 0;
}

int listen_socket(const struct listen_endpoint *endpoint, unsigned loop)
{
    return endpoint->sockets[endpoint->socket_count > 1 ? loop : 0];
}

static void close_socket(struct listen_endpoint *endpoint, unsigned index)
{
    if (endpoint->sockets[index] < 0)
        return;
    /* Such an endpoint has one socket, which one loop closes. */
    if (endpoint->owns_socket_file)
        local_socket_remove(endpoint->address.socket.local.sun_path, &endpoint->socket_file);
    close(endpoint->sockets[index]);
    endpoint->sockets[index] = -1;
}

void listen_release(struct listen_endpoint *endpoint, unsigned loop)
{
    bool last = __atomic_sub_fetch(&endpoint->users, 1, __ATOMIC_ACQ_REL) == 0;
    if (endpoint->socket_count > 1)
        close_socket(endpoint, loop);
    else if (last)
        close_socket(endpoint, 0);
}

void listen_close(struct listen_endpoint *endpoints, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 0; k < endpoints[i].socket_count; k++)
            close_socket(&endpoints[i], k);
        free(endpoints[i].sockets);
        endpoints[i] = (struct listen_endpoint){0};
    }
}
