#define _GNU_SOURCE /* struct ucred */

#include "server/daemon/handover.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { PATIENCE = 30 }; /* seconds: it answers between reloads, and they may take a while */

/* A connection to the path; -1 if nobody listens there. */
static int call(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const struct timeval patience = {.tv_sec = PATIENCE};
    if (strlen(path) >= sizeof address.sun_path)
        return -1;
    memcpy(address.sun_path, path, strlen(path));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    close(fd);
    return -1;
}

/* Of who listens there; 0 where its number means nothing here. */
static pid_t server_behind(int fd)
{
    struct ucred peer = {.pid = 0};
    socklen_t length = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 ? peer.pid : 0;
}

static void keep_sockets(struct msghdr *message, struct handover *handover)
{
    for (struct cmsghdr *header = CMSG_FIRSTHDR(message); header;
         header = CMSG_NXTHDR(message, header)) {
        if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS)
            continue;
        const size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        int sockets[ADMIN_SOCKETS_AT_ONCE];
        memcpy(sockets, CMSG_DATA(header), count * sizeof(int));
        for (size_t i = 0; i < count; i++) {
            if (handover->count < ADMIN_SOCKETS_MAX)
                handover->sockets[handover->count++] = sockets[i];
            else
                close(sockets[i]);
        }
    }
}

/* Reads the answer to its end, as the other side closes, and keeps the sockets that come with it.
 * Whether it is 200. */
static bool hear(int fd, struct handover *handover)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(ADMIN_SOCKETS_AT_ONCE * sizeof(int))];
    } control;
    static const char good[] = "HTTP/1.1 200 ";
    char bytes[1024], head[sizeof good] = "";
    size_t heard = 0;
    for (;;) {
        struct iovec piece = {bytes, sizeof bytes};
        struct msghdr message = {
            .msg_iov = &piece,
            .msg_iovlen = 1,
            .msg_control = &control,
            .msg_controllen = sizeof control,
        };
        ssize_t count = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
        if (count < 0)
            return false;
        keep_sockets(&message, handover);
        /* Too few file descriptors for all of them: whoever waits at the others would be lost. */
        if (message.msg_flags & MSG_CTRUNC)
            return false;
        if (count == 0)
            return strcmp(head, good) == 0;
        for (ssize_t i = 0; i < count && heard < sizeof good - 1; i++)
            head[heard++] = bytes[i];
    }
}

static bool say(int fd, const char *command, struct handover *handover)
{
    char request[128];
    snprintf(request, sizeof request, "POST /%s HTTP/1.1\r\nHost: terrane\r\n\r\n", command);
    return send(fd, request, strlen(request), MSG_NOSIGNAL) == (ssize_t)strlen(request) &&
           hear(fd, handover);
}

bool handover_ask(const char *path, struct handover *handover, struct error *error)
{
    *handover = (struct handover){.found = false};
    int fd = call(path);
    if (fd < 0)
        return true;
    handover->server = server_behind(fd);
    handover->found = say(fd, "listeners", handover) && handover->count > 0;
    close(fd);
    if (handover->found)
        return true;
    handover_end(handover);
    return error_set(error, ERROR_IO, "what answers at %s gives no listening sockets away", path);
}

bool handover_retire(const char *path, const struct handover *handover, struct error *error)
{
    struct handover nothing = {.found = false};
    int fd = call(path);
    bool done = fd >= 0 && server_behind(fd) == handover->server && say(fd, "retire", &nothing);
    if (fd >= 0)
        close(fd);
    handover_end(&nothing);
    return done || error_set(error, ERROR_IO, "the server at %s does not retire", path);
}

void handover_end(struct handover *handover)
{
    while (handover->count > 0)
        close(handover->sockets[--handover->count]);
}
