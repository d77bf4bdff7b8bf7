/* The variables are read by hand, as libsystemd would be a dependency for thirty lines. A socket of
 * the service manager outlives this process: it is never shut down, and the file of a unix socket
 * is never removed (`inherited`). */
#include "server/http/connection/socket_activation.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/number.h"

enum { FIRST_DESCRIPTOR = 3 };

static int64_t environment_integer(const char *name)
{
    int64_t value = 0;
    const char *text = getenv(name);
    return text && number_parse_integer(text, strlen(text), 0, INT32_MAX, &value) ? value : 0;
}

bool socket_activation_requested(void)
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
        listen_set_options(fd);
    return true;
}

bool socket_activation_take(struct listen_endpoint *endpoints, unsigned loops, unsigned *count,
                            struct error *error)
{
    int64_t wanted = environment_integer("LISTEN_FDS");
    if (wanted > LISTEN_ENDPOINTS_MAX)
        return error_set(error, ERROR_LIMIT, "LISTEN_FDS has more sockets than %d",
                         LISTEN_ENDPOINTS_MAX);
    for (*count = 0; *count < wanted;) {
        struct listen_endpoint *endpoint = &endpoints[*count];
        int fd = FIRST_DESCRIPTOR + (int)*count;
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
