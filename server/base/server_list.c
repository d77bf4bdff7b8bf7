/* Parses the URL part by part. A server that is named twice is refused, as it would get the keys of
 * two. */
#include "server/base/server_list.h"

#include <ctype.h>
#include <string.h>

#include "server/base/host_port.h"

static const char scheme[] = "memcached://";

/* A rough check of an IPv6 address, with or without a zone such as %eth0: getaddrinfo() decides. */
static bool is_ipv6(const struct host_port *parts)
{
    for (size_t i = 0; i < parts->host_length; i++)
        if (!isalnum((unsigned char)parts->host[i]) && !strchr(":.%-_", parts->host[i]))
            return false;
    return parts->bracketed && memchr(parts->host, ':', parts->host_length);
}

static bool parse_server(struct server_address *server, const char *text, size_t length)
{
    struct host_port parts;
    if (!host_port_split(&parts, text, length) || !(host_port_is_name(&parts) || is_ipv6(&parts)) ||
        parts.host_length >= SERVER_HOST_TEXT ||
        !host_port_number(&parts, 1, SERVER_PORT_DEFAULT, &server->port))
        return false;
    memcpy(server->host, parts.host, parts.host_length);
    server->host[parts.host_length] = '\0';
    return true;
}

static bool is_listed(const struct server_list *list, const struct server_address *server)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->servers[i].port == server->port &&
            strcmp(list->servers[i].host, server->host) == 0)
            return true;
    return false;
}

static bool add_server(struct server_list *list, const char *text, size_t length,
                       struct error *error)
{
    struct server_address server;
    if (!parse_server(&server, text, length))
        return error_set(error, ERROR_VALUE,
                         "\"%.*s\" must be HOST:PORT such as 10.0.0.5:11211, cache-1:11211 or "
                         "[::1]:11211",
                         (int)(length < 200 ? length : 200), text);
    if (is_listed(list, &server))
        return error_set(error, ERROR_VALUE, "%s:%u is named twice", server.host, server.port);
    if (list->count == SERVERS_MAX)
        return error_set(error, ERROR_LIMIT, "more than %d servers", SERVERS_MAX);
    list->servers[list->count++] = server;
    return true;
}

bool server_list_add(struct server_list *list, const char *url, struct error *error)
{
    if (strncmp(url, scheme, sizeof scheme - 1) != 0)
        return error_set(error, ERROR_VALUE,
                         "must be memcached://HOST:PORT[,HOST:PORT...], not \"%.200s\"", url);
    const char *part = url + sizeof scheme - 1;
    for (;;) {
        const size_t length = strcspn(part, ",");
        if (!add_server(list, part, length, error))
            return false;
        if (part[length] == '\0')
            return true;
        part += length + 1;
    }
}
