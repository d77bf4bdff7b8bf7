/* Listening sockets: those of --listen, or those that a service manager passes to the process.
 *
 * A TCP address of --listen has a socket for each event loop, over which the kernel spreads
 * connections. A unix socket and an inherited socket is a single one that all loops share. */
#ifndef TERRANE_SERVER_HTTP_CONNECTION_LISTEN_H
#define TERRANE_SERVER_HTTP_CONNECTION_LISTEN_H

#include "server/base/listen_address.h"
#include "server/base/local_socket.h"

enum { LISTEN_ENDPOINTS_MAX = 32 };

struct listen_endpoint {
    struct listen_address address; /* with the port that was taken */
    int *sockets;                  /* one, or as many as there are loops; owned; -1 when closed */
    unsigned socket_count;
    bool inherited;        /* from the service manager, which keeps it open */
    bool owns_socket_file; /* the file of a unix socket is removed at the end */
    struct file_identity socket_file;
    unsigned users; /* atomic: loops that have not closed it yet */
};

/* The sockets that listen_open() opens: the texts of --listen, with `port` (-1 for none) in place
 * of the first one's. Sockets of a service manager for this process replace
 * them; one that is named "https" there uses TLS. */
struct listen_options {
    const char *const *addresses;
    size_t count;
    int port;
    unsigned loops;
};

/* Returns the number of endpoints; 0, with all closed again, on failure. A port or socket file that
 * a process listens on already is an error, another terrane's included, and so is any other file in
 * place of a socket; a socket file without a listener is replaced. */
unsigned listen_open(const struct listen_options *options,
                     struct listen_endpoint endpoints[LISTEN_ENDPOINTS_MAX], struct error *error);
/* The socket that the loop watches. */
int listen_socket(const struct listen_endpoint *endpoint, unsigned loop);
/* A loop stops listening: closes its own socket, or the shared one after the last loop. */
void listen_release(struct listen_endpoint *endpoint, unsigned loop);
/* True if a service manager has passed sockets to this process, by the protocol of
 * sd_listen_fds(3): LISTEN_PID is this process, descriptors 3, 4 … are LISTEN_FDS sockets, and
 * LISTEN_FDNAMES names them. */
bool listen_is_inherited(void);
/* Closes all open sockets and frees the memory. */
void listen_close(struct listen_endpoint *endpoints, unsigned count);

#endif
