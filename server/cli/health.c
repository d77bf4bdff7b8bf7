/* terrane health: asks a daemon whether it is ready, for the health check of containers, which have
 * neither curl nor a shell. One deadline of two seconds covers connecting, sending and the status
 * line. Resolving the name cannot be bounded by a deadline, so that a timer signal ends the program
 * then. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/base/host_port.h"
#include "server/base/wait.h"
#include "server/cli/command.h"

enum {
    HOST_TEXT = 256,
    PORT_TEXT = 8,
    PATH_TEXT = 256,
    REQUEST_TEXT = HOST_TEXT + PATH_TEXT + 128,
    STATUS_LINE = 64,  /* "HTTP/1.1 200" and a part of the reason */
    TIMEOUT_MS = 2000, /* milliseconds for everything together */
};

struct target {
    const char *url;
    char host[HOST_TEXT]; /* without the brackets of IPv6 */
    char port[PORT_TEXT];
    char path[PATH_TEXT];
    char authority[HOST_TEXT + PORT_TEXT]; /* the value of the Host header */
};

/* Copies `length` characters, none of which may be a blank or a control character. */
static bool copy_plain(char *out, size_t room, const char *text, size_t length)
{
    if (length == 0 || length >= room)
        return false;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] <= ' ' || text[i] == 127)
            return false;
    memcpy(out, text, length);
    out[length] = 0;
    return true;
}

static bool parse_authority(const char *text, size_t length, struct target *target)
{
    struct host_port parts;
    uint16_t port;
    if (!copy_plain(target->authority, sizeof target->authority, text, length) ||
        !host_port_split(&parts, text, length) || !host_port_number(&parts, 1, 80, &port))
        return false;
    snprintf(target->port, sizeof target->port, "%u", (unsigned)port);
    return copy_plain(target->host, sizeof target->host, parts.host, parts.host_length);
}

/* Without a path, or with "/", the URL stands for its /readyz. */
static bool parse_url(const char *url, struct target *target)
{
    static const char scheme[] = "http://";
    target->url = url;
    if (strncmp(url, scheme, sizeof scheme - 1) != 0)
        return false;
    const char *authority = url + sizeof scheme - 1;
    const size_t length = strcspn(authority, "/");
    const char *path = authority + length;
    if (path[0] == 0 || path[1] == 0)
        path = "/readyz";
    return parse_authority(authority, length, target) &&
           copy_plain(target->path, sizeof target->path, path, strlen(path));
}

/* Waits for `events`; false with an error when the deadline has passed. */
static bool wait_until(int fd, short events, int64_t deadline, struct error *error)
{
    return wait_for(fd, events, wait_limit_at(deadline)) ||
           error_set(error, ERROR_IO, "no answer within %d ms", TIMEOUT_MS);
}

/* A non-blocking connect(): the socket becomes writable when it has succeeded or failed. */
static bool connect_to(int fd, const struct addrinfo *address, int64_t deadline,
                       struct error *error)
{
    int reason = 0;
    socklen_t size = sizeof reason;
    if (connect(fd, address->ai_addr, address->ai_addrlen) == 0)
        return true;
    if (errno != EINPROGRESS)
        return error_set(error, ERROR_IO, "%s", strerror(errno));
    if (!wait_until(fd, POLLOUT, deadline, error))
        return false;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &reason, &size) == 0 && reason == 0)
        return true;
    return error_set(error, ERROR_IO, "%s", strerror(reason));
}

static char timeout_message[REQUEST_TEXT]; /* the message of handle_alarm() */

/* Only async-signal-safe calls: the message was composed before. */
static void handle_alarm(int signal)
{
    (void)signal;
    ssize_t written = write(STDERR_FILENO, timeout_message, strlen(timeout_message));
    (void)written;
    _exit(EXIT_FAILED);
}

/* getaddrinfo(), whose own timeout, of the resolver, is ten seconds and more: a signal ends the
 * program earlier. */
static int look_up(const struct target *target, struct addrinfo **found)
{
    const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM};
    snprintf(timeout_message, sizeof timeout_message,
             "terrane: %s: the name was not found within %d ms\n", target->url, TIMEOUT_MS);
    signal(SIGALRM, handle_alarm);
    alarm(TIMEOUT_MS / 1000);
    const int failure = getaddrinfo(target->host, target->port, &wanted, found);
    alarm(0);
    return failure;
}

/* A connected socket, or -1 with the error of the last address tried. */
static int open_connection(const struct target *target, int64_t deadline, struct error *error)
{
    struct addrinfo *found = NULL;
    const int failure = look_up(target, &found);
    int fd = -1;
    if (failure != 0) {
        error_set(error, ERROR_IO, "%s", gai_strerror(failure));
        return -1;
    }
    for (const struct addrinfo *address = found; address && fd < 0; address = address->ai_next) {
        fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (fd < 0) {
            error_set(error, ERROR_IO, "%s", strerror(errno));
        } else if (!connect_to(fd, address, deadline, error)) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(found);
    return fd;
}

/* Reads the beginning of the status line: up to its end or to STATUS_LINE - 1 bytes. */
static bool read_status(int fd, int64_t deadline, char line[STATUS_LINE], struct error *error)
{
    size_t length = 0;
    line[0] = 0;
    while (length < STATUS_LINE - 1 && !strchr(line, '\r')) {
        if (!wait_until(fd, POLLIN, deadline, error))
            return false;
        const ssize_t count = recv(fd, line + length, STATUS_LINE - 1 - length, 0);
        if (count < 0 && errno != EAGAIN && errno != EINTR)
            return error_set(error, ERROR_IO, "%s", strerror(errno));
        if (count == 0)
            return error_set(error, ERROR_IO, "closed the connection without an answer");
        length += count > 0 ? (size_t)count : 0;
        line[length] = 0;
    }
    return true;
}

/* True for "HTTP/1.1 200" followed by a blank or the end of the line. */
static bool is_status_line(const char *line)
{
    return strncmp(line, "HTTP/1.", 7) == 0 && strlen(line) > 12 && line[8] == ' ' &&
           strspn(line + 9, "0123456789") == 3 && (line[12] == ' ' || line[12] == '\r');
}

static bool ask(int fd, const struct target *target, int64_t deadline, struct error *error)
{
    char request[REQUEST_TEXT], line[STATUS_LINE];
    const int length = snprintf(request, sizeof request,
                                "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: terrane-health\r\n"
                                "Connection: close\r\n\r\n",
                                target->path, target->authority);
    /* The send buffer of a new connection is larger than any such request. */
    if (send(fd, request, (size_t)length, MSG_NOSIGNAL) != length)
        return error_set(error, ERROR_IO, "%s", strerror(errno));
    if (!read_status(fd, deadline, line, error))
        return false;
    if (!is_status_line(line))
        return error_set(error, ERROR_VALUE, "answers something that is not HTTP");
    return strncmp(line + 9, "200", 3) == 0 ||
           error_set(error, ERROR_VALUE, "answers %.3s, not 200", line + 9);
}

enum exit_status command_health(const struct options *options)
{
    struct error error = {0};
    struct target target;
    const char *url = options->argument_count ? options->arguments[0] : "http://127.0.0.1:8080";
    if (!parse_url(url, &target))
        return command_misuse(
            options,
            "the URL must be http://HOST[:PORT][/PATH] such as http://127.0.0.1:8080, not "
            "\"%s\"",
            url);
    const int64_t deadline = clock_milliseconds() + TIMEOUT_MS;
    const int fd = open_connection(&target, deadline, &error);
    const bool healthy = fd >= 0 && ask(fd, &target, deadline, &error);
    if (fd >= 0)
        close(fd);
    error_in_file(&error, url);
    return healthy ? EXIT_DONE : command_fail(&error);
}
