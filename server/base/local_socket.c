/* bind() creates a socket's file and never replaces one, so a file that a killed server has left
 * must be removed first. Such a file is a socket that refuses connections. But so is, between its
 * bind() and its listen(), the one of a server that is starting, and between looking and removing
 * another server may have done the same; a server that ends looks and removes as well. Hence the
 * folder is locked meanwhile. The lock is advisory: where the folder cannot be locked, or somebody
 * keeps it locked, the server starts or ends without. */
#include "server/base/local_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* A server that ends has connections to serve while it waits. */
enum { LOCK_ATTEMPTS = 500, LOCK_ATTEMPTS_AT_END = 20, LOCK_PAUSE_MS = 10 };

/* A descriptor that holds the lock until it is closed; -1 if the folder cannot be opened. */
static int lock_folder(const char *path, int attempts)
{
    char folder[sizeof(struct sockaddr_un)] = ".";
    const char *slash = strrchr(path, '/');
    if (slash) {
        const size_t length = slash == path ? 1 : (size_t)(slash - path);
        memcpy(folder, path, length);
        folder[length] = '\0';
    }
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* Any other error than "locked by somebody else" will not pass: some file systems have no locks
     * of folders. */
    for (int i = 0;
         fd >= 0 && i < attempts && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK; i++)
        poll(NULL, 0, LOCK_PAUSE_MS);
    return fd;
}

static int open_socket(void)
{
    return socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

/* The umask and not chmod(): the file must not be open to others even for a moment, and what is at
 * the path after bind() may be another file by then. */
static bool bind_with_mode(int fd, const struct sockaddr_un *address, mode_t mode)
{
    const mode_t mask = umask(0777 & ~mode);
    const bool bound = bind(fd, (const struct sockaddr *)address, sizeof *address) == 0;
    umask(mask);
    return bound;
}

/* True for a socket that no process listens on; otherwise sets errno. */
static bool is_abandoned(const struct sockaddr_un *address)
{
    struct stat status;
    if (lstat(address->sun_path, &status) != 0)
        return errno == ENOENT;
    if (!S_ISSOCK(status.st_mode)) {
        errno = EEXIST;
        return false;
    }
    const int fd = open_socket();
    if (fd < 0)
        return false;
    const bool refused = connect(fd, (const struct sockaddr *)address, sizeof *address) != 0 &&
                         errno == ECONNREFUSED;
    close(fd);
    errno = EADDRINUSE;
    return refused;
}

static bool bind_or_replace(int fd, const struct sockaddr_un *address, mode_t mode)
{
    if (bind_with_mode(fd, address, mode))
        return true;
    if (errno != EADDRINUSE || !is_abandoned(address))
        return false;
    unlink(address->sun_path);
    return bind_with_mode(fd, address, mode);
}

static int listen_in_locked_folder(const struct sockaddr_un *address, mode_t mode, int backlog,
                                   struct file_identity *file)
{
    const int fd = open_socket();
    if (fd < 0)
        return -1;
    if (bind_or_replace(fd, address, mode)) {
        const bool identified = file_identify(address->sun_path, file);
        if (identified && listen(fd, backlog) == 0)
            return fd;
        if (identified)
            file_remove(address->sun_path, file);
    }
    const int reason = errno;
    close(fd);
    errno = reason;
    return -1;
}

int local_socket_listen(const struct sockaddr_un *address, mode_t mode, int backlog,
                        struct file_identity *file)
{
    const int lock = lock_folder(address->sun_path, LOCK_ATTEMPTS);
    const int fd = listen_in_locked_folder(address, mode, backlog, file);
    const int reason = errno;
    if (lock >= 0)
        close(lock);
    errno = reason;
    return fd;
}

/* A link to the socket is not its file. */
static bool is_socket_file(const char *path, const struct file_identity *file)
{
    struct stat status;
    return lstat(path, &status) == 0 && S_ISSOCK(status.st_mode) && file_is(path, file);
}

void local_socket_remove(const char *path, const struct file_identity *file)
{
    const int lock = lock_folder(path, LOCK_ATTEMPTS_AT_END);
    if (is_socket_file(path, file))
        unlink(path);
    if (lock >= 0)
        close(lock);
}
