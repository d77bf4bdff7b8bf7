#include "server/http/connection/listen_address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"

enum { HOST_TEXT = 64, MODE_DEFAULT = 0660 };

static const char local_prefix[] = "unix:";
static const char mode_suffix[] = "?mode=";

static bool skip(const char **text, const char *prefix)
{
    size_t length = strlen(prefix);
    if (strncmp(*text, prefix, length) != 0)
        return false;
    *text += length;
    return true;
}

/* "HOST:PORT" or "[IPv6]:PORT" into its parts; the brackets go. */
static bool split_host(const char *text, char host[HOST_TEXT], uint16_t *port)
{
    const char *colon = strrchr(text, ':');
    int64_t number;
    if (!colon || !number_parse_integer(colon + 1, strlen(colon + 1), 0, 65535, &number))
        return false;
    size_t length = (size_t)(colon - text);
    bool bracketed = length > 2 && text[0] == '[' && colon[-1] == ']';
    if (bracketed) {
        text++;
        length -= 2;
    }
    if (length == 0 || length >= HOST_TEXT || (!bracketed && memchr(text, ':', length)))
        return false;
    memcpy(host, text, length);
    host[length] = 0;
    *port = (uint16_t)number;
    return true;
}

static bool parse_host(struct listen_address *address, const char *host, uint16_t port,
                       struct error *error)
{
    if (inet_pton(AF_INET, host, &address->socket.v4.sin_addr) == 1) {
        address->socket.v4.sin_family = AF_INET;
        address->length = sizeof address->socket.v4;
    } else if (inet_pton(AF_INET6, host, &address->socket.v6.sin6_addr) == 1) {
        address->socket.v6.sin6_family = AF_INET6;
        address->length = sizeof address->socket.v6;
    } else {
        return error_set(error, ERROR_VALUE,
                         "\"%s\" is no address to listen on (a numeric IPv4 or IPv6 address is)",
                         host);
    }
    listen_address_set_port(address, port);
    return true;
}

static bool parse_mode(const char *text, unsigned *mode)
{
    char *end;
    size_t length = strlen(text);
    if (length == 0 || length > 4 || strspn(text, "01234567") != length)
        return false;
    *mode = (unsigned)strtoul(text, &end, 8);
    return *mode <= 0777;
}

static bool parse_local(struct listen_address *address, const char *path, struct error *error)
{
    const char *question = strstr(path, mode_suffix);
    size_t length = question ? (size_t)(question - path) : strlen(path);
    address->mode = MODE_DEFAULT;
    if (question && !parse_mode(question + strlen(mode_suffix), &address->mode))
        return error_set(error, ERROR_VALUE,
                         "a unix socket's mode is octal, such as ?mode=0660, not \"%s\"", question);
    if (path[0] != '/' || length < 2 || length >= sizeof address->socket.local.sun_path)
        return error_set(error, ERROR_VALUE,
                         "a unix socket's path begins with / and has at most %zu bytes, unlike "
                         "\"%s\"",
                         sizeof address->socket.local.sun_path - 1, path);
    address->socket.local.sun_family = AF_UNIX;
    memcpy(address->socket.local.sun_path, path, length);
    address->length = sizeof address->socket.local;
    return true;
}

bool listen_address_parse(struct listen_address *address, const char *text, struct error *error)
{
    char host[HOST_TEXT];
    uint16_t port;
    const char *rest = text;
    memset(address, 0, sizeof *address);
    if (skip(&rest, local_prefix))
        return parse_local(address, rest, error);
    address->secure = skip(&rest, "https://");
    if (!address->secure)
        skip(&rest, "http://");
    if (split_host(rest, host, &port))
        return parse_host(address, host, port, error);
    return error_set(error, ERROR_VALUE,
                     "must be HOST:PORT such as 127.0.0.1:8080, [::1]:8080 or "
                     "https://0.0.0.0:8443, or unix:/PATH, not \"%s\"",
                     text);
}

uint16_t listen_address_port(const struct listen_address *address)
{
    switch (address->socket.any.sa_family) {
    case AF_INET:
        return ntohs(address->socket.v4.sin_port);
    case AF_INET6:
        return ntohs(address->socket.v6.sin6_port);
    default:
        return 0;
    }
}

void listen_address_set_port(struct listen_address *address, uint16_t port)
{
    if (address->socket.any.sa_family == AF_INET)
        address->socket.v4.sin_port = htons(port);
    else if (address->socket.any.sa_family == AF_INET6)
        address->socket.v6.sin6_port = htons(port);
}

void listen_address_write(const struct listen_address *address, char text[LISTEN_ADDRESS_TEXT])
{
    char host[INET6_ADDRSTRLEN] = "";
    const char *scheme = address->secure ? "https" : "http";
    if (address->socket.any.sa_family == AF_UNIX) {
        snprintf(text, LISTEN_ADDRESS_TEXT, "%s%.*s", local_prefix,
                 (int)sizeof address->socket.local.sun_path, address->socket.local.sun_path);
    } else if (address->socket.any.sa_family == AF_INET6) {
        inet_ntop(AF_INET6, &address->socket.v6.sin6_addr, host, sizeof host);
        snprintf(text, LISTEN_ADDRESS_TEXT, "%s://[%s]:%u", scheme, host,
                 (unsigned)listen_address_port(address));
    } else {
        inet_ntop(AF_INET, &address->socket.v4.sin_addr, host, sizeof host);
        snprintf(text, LISTEN_ADDRESS_TEXT, "%s://%s:%u", scheme, host,
                 (unsigned)listen_address_port(address));
    }
}
