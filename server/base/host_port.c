/* A bracket decides first, as an IPv6 address has colons. Without one the first colon begins the
 * port, so an IPv6 address without brackets gives a port that is no number. */
#include "server/base/host_port.h"

#include <string.h>

#include "core/base/number.h"

bool host_port_split(struct host_port *parts, const char *text, size_t length)
{
    const char *end = text + length;
    const char *bracket = length > 0 && *text == '[' ? memchr(text, ']', length) : NULL;
    const char *colon = bracket ? bracket + 1 : memchr(text, ':', length);
    if (!colon)
        colon = end;
    *parts = (struct host_port){.host = bracket ? text + 1 : text, .bracketed = bracket};
    parts->host_length = (size_t)((bracket ? bracket : colon) - parts->host);
    if (colon < end) {
        parts->port = colon + 1;
        parts->port_length = (size_t)(end - parts->port);
    }
    return parts->host_length > 0 && (bracket || *text != '[') && (colon == end || *colon == ':');
}

bool host_port_is_name(const struct host_port *parts)
{
    static const char characters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    for (size_t i = 0; i < parts->host_length; i++)
        if (!memchr(characters, parts->host[i], sizeof characters - 1))
            return false;
    return !parts->bracketed;
}

bool host_port_number(const struct host_port *parts, uint16_t min, uint16_t fallback,
                      uint16_t *port)
{
    int64_t number = fallback;
    if (parts->port &&
        !number_parse_integer(parts->port, parts->port_length, min, UINT16_MAX, &number))
        return false;
    *port = (uint16_t)number;
    return true;
}
