/* A text is cut into scheme, host and port, or the path of a unix socket; what may be left out of
 * it gets its default, and inet_pton() reads the host. */
#include "server/base/listen_address.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "server/base/host_port.h"
#include "server/base/ip_address.h"

enum {
    HOST_TEXT = 64, /* longer than every numeric address */
    MODE_DEFAULT = 0660,
};

static const char local_prefix[] = "unix:";
static const char mode_suffix[] = "?mode=";

/* Moves `*text` behind the prefix, if it has it. */
static bool skip(const char **text, const char *prefix)
{
    size_t length = strlen(prefix);
    if (strncmp(*text, prefix, length) != 0)
        return false;
    *text += length;
    return true;
}

/* The address of a name that needs no look-up: "localhost", and "" or "*" for all IPv4 addresses of
 * this machine; else null. */
static const char *address_of_name(const char *host)
{
    return strcasecmp(host, "localhost") == 0          ? "127.0.0.1"
           : host[0] == '\0' || strcmp(host, "*") == 0 ? "0.0.0.0"
                                                       : NULL;
}

static bool parse_host(struct listen_address *address, const struct host_port *parts,
                       struct error *error)
{
    char text[HOST_TEXT] = "";
    if (parts->host_length < HOST_TEXT)
        memcpy(text, parts->host, parts->host_length);
    const char *known = parts->host_length < HOST_TEXT ? address_of_name(text) : NULL;
    const char *host = known ? known : text;
    if (inet_pton(AF_INET, host, &address->socket.v4.sin_addr) == 1) {
        address->socket.v4.sin_family = AF_INET;
        address->length = sizeof address->socket.v4;
    } else if (inet_pton(AF_INET6, host, &address->socket.v6.sin6_addr) == 1) {
        address->socket.v6.sin6_family = AF_INET6;
        address->length = sizeof address->socket.v6;
    } else {
        return error_set(
            error, ERROR_VALUE,
            "\"%.*s\" is not an address to listen on: it must be a numeric IPv4 or IPv6 "
            "address, such as 127.0.0.1 for this machine alone or 0.0.0.0 for all, or localhost",
            (int)parts->host_length, parts->host);
    }
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

/* "8080" is a port of 127.0.0.1, as --port is, and ":8080" one of all addresses, as in many other
 * programs. */
static bool split(const char *text, struct host_port *parts)
{
    const size_t length = strlen(text);
    if (length > 0 && strspn(text, "0123456789") == length)
        *parts = (struct host_port){.host = "127.0.0.1", .port = text, .port_length = length};
    else if (text[0] == ':')
        *parts = (struct host_port){.host = "", .port = text + 1, .port_length = length - 1};
    else
        return host_port_split(parts, text, length) && parts->port;
    parts->host_length = strlen(parts->host);
    return true;
}

bool listen_address_parse(struct listen_address *address, const char *text, struct error *error)
{
    struct host_port parts;
    uint16_t port;
    const char *rest = text;
    memset(address, 0, sizeof *address);
    if (skip(&rest, local_prefix))
        return parse_local(address, rest, error);
    address->secure = skip(&rest, "https://");
    if (!address->secure)
        skip(&rest, "http://");
    if (!split(rest, &parts) || !host_port_number(&parts, 0, 0, &port))
        return error_set(error, ERROR_VALUE,
                         "must be HOST:PORT such as 127.0.0.1:8080, [::1]:8080 or "
                         "https://0.0.0.0:8443, a port alone, or unix:/PATH, not \"%s\"",
                         text);
    if (!parse_host(address, &parts, error))
        return false;
    listen_address_set_port(address, port);
    return true;
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

bool listen_address_is_public(const struct listen_address *address)
{
    struct ip_address host;
    return ip_address_from_socket(&host, &address->socket.any) && !ip_address_is_loopback(&host);
}

void listen_address_write(const struct listen_address *address, char text[LISTEN_ADDRESS_TEXT])
{
    struct ip_address host;
    char host_text[IP_ADDRESS_TEXT];
    if (!ip_address_from_socket(&host, &address->socket.any)) {
        snprintf(text, LISTEN_ADDRESS_TEXT, "%s%.*s", local_prefix,
                 (int)sizeof address->socket.local.sun_path, address->socket.local.sun_path);
        return;
    }
    ip_address_write(&host, host_text);
    snprintf(text, LISTEN_ADDRESS_TEXT, ip_address_is_v4(&host) ? "%s://%s:%u" : "%s://[%s]:%u",
             address->secure ? "https" : "http", host_text, (unsigned)listen_address_port(address));
}
