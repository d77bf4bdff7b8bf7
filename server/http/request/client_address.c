/* X-Forwarded-For is read from its end: each proxy appends the address it received the request
 * from, so the entries of trusted proxies stand last and the first untrusted entry from the end is
 * the client. */
#include "server/http/request/client_address.h"

#include <ctype.h>
#include <string.h>
#include <sys/socket.h>

#include "server/base/host_port.h"

enum { ENTRY_MAX = 63 /* bytes of an entry: an IPv6 address in brackets with a port */ };

/* "192.0.2.1", "192.0.2.1:80", "2001:db8::1", "[2001:db8::1]:80". Some proxies add the port, and
 * some write IPv6 without brackets: two colons without brackets are an IPv6 address. */
static bool parse_entry(struct ip_address *address, const char *text, size_t length)
{
    char host[ENTRY_MAX + 1];
    struct host_port parts;
    for (; length > 0 && isblank((unsigned char)*text); length--)
        text++;
    while (length > 0 && isblank((unsigned char)text[length - 1]))
        length--;
    if (!host_port_split(&parts, text, length))
        return false;
    if (!parts.bracketed && parts.port && memchr(parts.port, ':', parts.port_length))
        parts.host_length = length;
    if (parts.host_length > ENTRY_MAX)
        return false;
    memcpy(host, parts.host, parts.host_length);
    host[parts.host_length] = '\0';
    return ip_address_parse(address, host);
}

/* Walks one header from its end. False once the client is found. `*found` becomes true with the
 * first entry that is an address. */
static bool walk_forwarded_for(const char *list, const struct network_list *trusted,
                               struct ip_address *address, bool *found)
{
    size_t end = strlen(list);
    for (bool more = true; more;) {
        size_t start = end;
        while (start > 0 && list[start - 1] != ',')
            start--;
        if (!parse_entry(address, list + start, end - start))
            return false;
        *found = true;
        if (!network_list_contains(trusted, address))
            return false;
        more = start > 0;
        end = start > 0 ? start - 1 : 0;
    }
    return true;
}

bool client_address_full(struct ip_address *address, const struct sockaddr *peer,
                         const struct headers *headers, const struct network_list *trusted)
{
    bool found = ip_address_from_socket(address, peer);
    const bool local = peer && peer->sa_family == AF_UNIX;
    if (local || (found && network_list_contains(trusted, address)))
        for (unsigned i = 0; i < HEADERS_FORWARDED_MAX && headers->forwarded_for[i]; i++)
            if (!walk_forwarded_for(headers->forwarded_for[i], trusted, address, &found))
                break;
    return found;
}

bool client_address_network(struct ip_address *address, const struct sockaddr *peer,
                            const struct headers *headers, const struct network_list *trusted)
{
    if (!client_address_full(address, peer, headers, trusted))
        return false;
    if (!ip_address_is_loopback(address))
        ip_address_clear_host(address);
    return true;
}
