#include "server/http/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 1024 };

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static bool address_parse(const char *host, uint16_t port, union address *address,
                          socklen_t *length, struct error *error)
{
    memset(address, 0, sizeof *address);
    if (inet_pton(AF_INET, host, &address->v4.sin_addr) == 1) {
        address->v4.sin_family = AF_INET;
        address->v4.sin_port = htons(port);
        *length = sizeof address->v4;
        return true;
    }
    if (inet_pton(AF_INET6, host, &address->v6.sin6_addr) == 1) {
        address->v6.sin6_family = AF_INET6;
        address->v6.sin6_port = htons(port);
        *length = sizeof address->v6;
        return true;
    }
    return error_set(error, ERROR_VALUE,
                     "\"%s\" is no address to listen on (a numeric IPv4 or IPv6 address is)", host);
}

static bool enable(int fd, int option)
{
    return setsockopt(fd, SOL_SOCKET, option, &(int){1}, sizeof(int)) == 0;
}

/* The first socket is bound and listens before it may share its port, so that it fails if anybody
 * else is there; the others join it. */
static int open_socket(const union address *address, socklen_t length, bool first)
{
    int fd = socket(address->any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    if (enable(fd, SO_REUSEADDR) && (first || enable(fd, SO_REUSEPORT)) &&
        bind(fd, &address->any, length) == 0 && listen(fd, BACKLOG) == 0 &&
        (!first || enable(fd, SO_REUSEPORT)))
        return fd;
    int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

static uint16_t bound_port(int fd)
{
    union address address;
    socklen_t length = sizeof address;
    if (getsockname(fd, &address.any, &length) != 0)
        return 0;
    return ntohs(address.any.sa_family == AF_INET ? address.v4.sin_port : address.v6.sin6_port);
}

bool listen_open(const char *host, uint16_t *port, int *sockets, unsigned count,
                 struct error *error)
{
    union address address;
    socklen_t length = 0;
    unsigned opened = 0;
    while (opened < count) {
        if (!address_parse(host, *port, &address, &length, error))
            return false;
        sockets[opened] = open_socket(&address, length, opened == 0);
        if (sockets[opened] < 0)
            break;
        if (opened++ == 0)
            *port = bound_port(sockets[0]);
    }
    if (opened == count)
        return true;
    if (errno == EADDRINUSE)
        error_set(error, ERROR_IO, "port %u of %s is in use", (unsigned)*port, host);
    else
        error_set(error, ERROR_IO, "cannot listen on %s, port %u: %s", host, (unsigned)*port,
                  strerror(errno));
    while (opened > 0)
        close(sockets[--opened]);
    return false;
}
