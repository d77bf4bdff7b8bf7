/* Listening unix sockets: what may be at their path when they open, and what is removed at the end.
 */
#ifndef TERRANE_SERVER_BASE_LOCAL_SOCKET_H
#define TERRANE_SERVER_BASE_LOCAL_SOCKET_H

#include <sys/un.h>

#include "server/base/file.h"

/* Listens at the address and returns the descriptor, which is not blocking and closes on exec;
 * `file` identifies the new socket's file, for local_socket_remove() before the descriptor is
 * closed. The file has exactly the permissions `mode` from the moment it exists. A socket that no
 * process listens on any more is replaced; everything else at the path is left alone.
 *
 * -1 with errno on failure: EADDRINUSE if another process listens there, EEXIST if what is there
 * is no socket. Waits up to five seconds for other processes that open sockets in the same folder;
 * changes the umask of the process for a moment. */
int local_socket_listen(const struct sockaddr_un *address, mode_t mode, int backlog,
                        struct file_identity *file);
/* Removes the socket's file if it is still this one. Another server that opens a socket at the path
 * meanwhile either finds the file in use or makes one that stays. Waits up to a fifth of a second
 * for other processes that open sockets in the same folder. */
void local_socket_remove(const char *path, const struct file_identity *file);

#endif
