#define _GNU_SOURCE /* accept4() */

#include "server/daemon/admin.h"
#include "server/base/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    PATIENCE_MS = 2000, /* with a client */
    REQUEST_MAX = 4096,
    BACKLOG = 16,
    STARVED_MS = 100,
    ADMIN_PATH = sizeof((struct sockaddr_un *)0)->sun_path,
};

struct admin {
    int listener;
    char path[ADMIN_PATH], shown[ADMIN_PATH]; /* where it is, and where it shall be */
    struct stat file;                         /* of the socket, to know it again */
};

static const struct {
    const char *line; /* how the request begins */
    enum admin_command command;
} commands[] = {
    {"GET /status HTTP/1.", ADMIN_STATUS},        {"POST /reload HTTP/1.", ADMIN_RELOAD},
    {"POST /drain HTTP/1.", ADMIN_DRAIN},         {"POST /retire HTTP/1.", ADMIN_RETIRE},
    {"POST /listeners HTTP/1.", ADMIN_LISTENERS},
};

/* Whether somebody answers there. */
static bool is_alive(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return false;
    bool alive = connect(fd, (const struct sockaddr *)address, sizeof *address) == 0 ||
                 errno == EAGAIN; /* its queue is full */
    close(fd);
    return alive;
}

static bool cannot_listen(const struct admin *admin, struct error *error)
{
    return error_set(error, ERROR_IO, "cannot listen on the admin socket %s: %s", admin->shown,
                     strerror(errno));
}

static bool listen_hidden(struct admin *admin, struct error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    memcpy(address.sun_path, admin->path, strlen(admin->path));
    admin->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    unlink(address.sun_path); /* of a process that had this number before */
    mode_t mask = umask(0177);
    bool bound = admin->listener >= 0 &&
                 bind(admin->listener, (struct sockaddr *)&address, sizeof address) == 0;
    umask(mask);
    return (bound && listen(admin->listener, BACKLOG) == 0 &&
            stat(address.sun_path, &admin->file) == 0) ||
           cannot_listen(admin, error);
}

bool admin_show(struct admin *admin, struct error *error)
{
    if (rename(admin->path, admin->shown) != 0)
        return cannot_listen(admin, error);
    memcpy(admin->path, admin->shown, sizeof admin->path);
    return true;
}

struct admin *admin_open(const char *path, bool replace, struct error *error)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct admin *admin = calloc(1, sizeof *admin);
    if (!admin) {
        error_memory(error);
        return NULL;
    }
    admin->listener = -1;
    const int length = snprintf(admin->path, ADMIN_PATH, "%s.%ld", path, (long)getpid());
    snprintf(admin->shown, ADMIN_PATH, "%s", path);
    memcpy(address.sun_path, admin->shown, ADMIN_PATH);
    if (length < 0 || length >= ADMIN_PATH)
        error_set(error, ERROR_VALUE, "the admin socket's path is too long: %s", path);
    else if (!replace && is_alive(&address))
        error_set(error, ERROR_IO, "another server answers at the admin socket %s", path);
    else if (listen_hidden(admin, error))
        return admin;
    admin_close(admin);
    return NULL;
}

void admin_close(struct admin *admin)
{
    struct stat file;
    if (!admin)
        return;
    if (admin->file.st_ino && stat(admin->path, &file) == 0 && file.st_ino == admin->file.st_ino &&
        file.st_dev == admin->file.st_dev)
        unlink(admin->path);
    if (admin->listener >= 0)
        close(admin->listener);
    free(admin);
}

int admin_event(const struct admin *admin)
{
    return admin ? admin->listener : -1;
}

/* Reads up to the end of the headers. */
static bool read_request(int client, char request[REQUEST_MAX + 1])
{
    const int64_t end = clock_milliseconds() + PATIENCE_MS;
    for (size_t used = 0; used < REQUEST_MAX;) {
        int64_t left = end - clock_milliseconds();
        struct pollfd wait = {.fd = client, .events = POLLIN};
        if (left <= 0 || poll(&wait, 1, (int)left) <= 0)
            return false;
        ssize_t count = recv(client, request + used, REQUEST_MAX - used, 0);
        if (count <= 0)
            return false;
        used += (size_t)count;
        request[used] = '\0';
        if (strstr(request, "\r\n\r\n"))
            return true;
    }
    return false;
}

static bool find_command(const char *request, enum admin_command *command)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strncmp(request, commands[i].line, strlen(commands[i].line)) != 0)
            continue;
        *command = commands[i].command;
        return true;
    }
    return false;
}

int admin_take(struct admin *admin, enum admin_command *command)
{
    char request[REQUEST_MAX + 1] = "";
    int client = accept4(admin->listener, NULL, NULL, SOCK_CLOEXEC);
    if (client < 0) {
        /* Who calls still waits then, and would wake us again at once. */
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            poll(NULL, 0, STARVED_MS);
        return -1;
    }
    const struct timeval patience = {.tv_sec = PATIENCE_MS / 1000};
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    if (!read_request(client, request)) {
        close(client);
        return -1;
    }
    if (find_command(request, command))
        return client;
    struct buffer body = {0};
    buffer_text(&body, "commands: GET /status, POST /reload, POST /drain\n");
    admin_give(client, &(struct admin_answer){.status = 404, .body = &body});
    buffer_free(&body);
    return -1;
}

/* The sockets go with the first bytes, as many with each as may. */
static bool send_all(int client, const struct buffer *bytes, const int *sockets, unsigned count)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(ADMIN_SOCKETS_AT_ONCE * sizeof(int))];
    } control = {0};
    for (size_t done = 0; done < bytes->length;) {
        const unsigned now = count < ADMIN_SOCKETS_AT_ONCE ? count : ADMIN_SOCKETS_AT_ONCE;
        struct iovec piece = {bytes->data + done, count > now ? 1 : bytes->length - done};
        struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
        if (now > 0) {
            control.header.cmsg_level = SOL_SOCKET;
            control.header.cmsg_type = SCM_RIGHTS;
            control.header.cmsg_len = CMSG_LEN(now * sizeof(int));
            memcpy(CMSG_DATA(&control.header), sockets, now * sizeof(int));
            message.msg_control = &control;
            message.msg_controllen = CMSG_SPACE(now * sizeof(int));
            sockets += now;
            count -= now;
        }
        ssize_t sent = sendmsg(client, &message, MSG_NOSIGNAL);
        if (sent <= 0)
            return false;
        done += (size_t)sent;
    }
    return true;
}

static const char *reason(unsigned status)
{
    return status == 200 ? "OK" : status == 404 ? "Not Found" : "Conflict";
}

bool admin_give(int client, const struct admin_answer *answer)
{
    struct buffer bytes = {0};
    buffer_format(&bytes,
                  "HTTP/1.1 %u %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                  "Connection: close\r\n\r\n",
                  answer->status, reason(answer->status),
                  answer->content_type ? answer->content_type : "text/plain; charset=utf-8",
                  answer->body->length);
    buffer_append(&bytes, answer->body->data, answer->body->length);
    const bool given = !bytes.failed && !answer->body->failed &&
                       send_all(client, &bytes, answer->sockets, answer->socket_count);
    buffer_free(&bytes);
    close(client);
    return given;
}
