/* The admin socket: a minimal HTTP server of three commands over a unix socket.
 *
 * It is apart from the public server so that it works while all event loops are busy, needs no
 * authentication but the file's mode, and cannot be reached over the network. The main thread
 * blocks while it reads a request and while it sends the response: commands are rare, and an
 * absolute deadline for each bounds what a slow client can cost. */
#define _GNU_SOURCE /* accept4() */

#include "server/daemon/admin.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/local_socket.h"

enum {
    RESPONSE_TIMEOUT_MS = 2000,
    REQUEST_MAX = 4096,
    BACKLOG = 16,
    EXHAUSTED_PAUSE_MS = 100,
};

struct admin {
    int listener;
    struct sockaddr_un address;
    struct file_identity file; /* of the socket, while it listens */
};

static const struct {
    const char *line; /* how the request begins */
    enum admin_command command;
} commands[] = {
    {"GET /status HTTP/1.", ADMIN_STATUS},
    {"POST /reload HTTP/1.", ADMIN_RELOAD},
    {"POST /drain HTTP/1.", ADMIN_DRAIN},
};

static bool listen_privately(struct admin *admin, struct error *error)
{
    const char *path = admin->address.sun_path;
    admin->listener = local_socket_listen(&admin->address, 0600, BACKLOG, &admin->file);
    if (admin->listener >= 0)
        return true;
    if (errno == EADDRINUSE)
        return error_set(error, ERROR_IO, "another server answers at the admin socket %s", path);
    if (errno == EEXIST)
        return error_set(error, ERROR_IO,
                         "cannot create the admin socket %s: %s is there; name another path, or "
                         "remove it",
                         path, file_kind(path));
    return error_set(error, ERROR_IO, "cannot listen on the admin socket %s: %s", path,
                     strerror(errno));
}

struct admin *admin_open(const char *path, struct error *error)
{
    struct admin *admin = calloc(1, sizeof *admin);
    if (!admin)
        return error_memory_null(error);
    admin->listener = -1;
    admin->address.sun_family = AF_UNIX;
    const int length =
        snprintf(admin->address.sun_path, sizeof admin->address.sun_path, "%s", path);
    if (length < 0 || (size_t)length >= sizeof admin->address.sun_path)
        error_set(error, ERROR_VALUE, "the admin socket's path is too long: %s", path);
    else if (listen_privately(admin, error))
        return admin;
    admin_close(admin);
    return NULL;
}

void admin_close(struct admin *admin)
{
    if (!admin)
        return;
    if (admin->listener >= 0) {
        local_socket_remove(admin->address.sun_path, &admin->file);
        close(admin->listener);
    }
    free(admin);
}

int admin_event(const struct admin *admin)
{
    return admin ? admin->listener : -1;
}

/* Reads up to the end of the headers. */
static bool read_request(int client, struct wait_limit limit, char request[REQUEST_MAX + 1])
{
    for (size_t used = 0; used < REQUEST_MAX;) {
        if (!wait_for(client, POLLIN, limit))
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

int admin_receive(struct admin *admin, struct wait_limit limit, enum admin_command *command)
{
    char request[REQUEST_MAX + 1] = "";
    int client = accept4(admin->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client < 0) {
        /* The client stays in the backlog and the listener readable: the pause keeps the main
         * loop from spinning. */
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            poll(NULL, 0, EXHAUSTED_PAUSE_MS);
        return -1;
    }
    if (!read_request(client, limit, request)) {
        close(client);
        return -1;
    }
    if (find_command(request, command))
        return client;
    struct buffer body = {0};
    buffer_text(&body, "commands: GET /status, POST /reload, POST /drain\n");
    admin_respond(client, &(struct admin_response){.status = 404, .body = &body});
    buffer_free(&body);
    return -1;
}

static const char *reason_phrase(unsigned status)
{
    return status == 200 ? "OK" : status == 404 ? "Not Found" : "Conflict";
}

void admin_respond(int client, const struct admin_response *response)
{
    const char *type = response->content_type;
    struct buffer bytes = {0};
    buffer_format(&bytes,
                  "HTTP/1.1 %u %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                  "Connection: close\r\n\r\n",
                  response->status, reason_phrase(response->status),
                  type ? type : "text/plain; charset=utf-8", response->body->length);
    buffer_append(&bytes, response->body->data, response->body->length);
    if (!bytes.failed && !response->body->failed)
        wait_to_send(client, bytes.data, bytes.length, 0,
                     wait_limit_at(clock_milliseconds() + RESPONSE_TIMEOUT_MS));
    buffer_free(&bytes);
    close(client);
}
