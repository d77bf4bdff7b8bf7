#include "server/http/request/client_address.h"

#include <string.h>

enum {
    ENTRY_MAX = 63,    /* bytes of an entry: an IPv6 address in brackets with a port, and spaces */
    NETWORK_BYTES = 8, /* of an IPv6 address, that count */
};

static const uint8_t mapped[12] = {[10] = 0xFF, [11] = 0xFF};

static bool is_mapped(const uint8_t address[16])
{
    return memcmp(address, mapped, sizeof mapped) == 0;
}

/* "192.0.2.1", "192.0.2.1:80", "2001:db8::1", "[2001:db8::1]:80". */
static bool parse_entry(const char *text, size_t length, uint8_t address[16])
{
    char entry[ENTRY_MAX + 1];
    while (length > 0 && strchr(" \t", *text)) {
        text++;
        length--;
    }
    while (length > 0 && strchr(" \t", text[length - 1]))
        length--;
    if (length == 0 || length > ENTRY_MAX)
        return false;
    memcpy(entry, text, length);
    entry[length] = '\0';
    char *start = entry, *colon = strchr(entry, ':');
    if (*start == '[') {
        start++;
        start[strcspn(start, "]")] = '\0';
    } else if (colon && !strchr(colon + 1, ':')) {
        *colon = '\0';
    }
    return proxies_parse_address(start, address);
}

/* Goes through one header from its end. False once the client is found. `named` becomes true if any
 * entry is an address. */
static bool walk_forwarded_for(const char *list, const struct proxies *trusted, uint8_t address[16],
                               bool *named)
{
    size_t end = strlen(list);
    for (bool more = true; more;) {
        size_t start = end;
        while (start > 0 && list[start - 1] != ',')
            start--;
        if (!parse_entry(list + start, end - start, address))
            return false;
        *named = true;
        if (!proxies_contain_address(trusted, address))
            return false;
        more = start > 0;
        end = start > 0 ? start - 1 : 0;
    }
    return true;
}

bool client_address_full(const struct sockaddr *peer, const struct headers *headers,
                         const struct proxies *trusted, uint8_t address[16])
{
    bool named = proxies_address(peer, address);
    const bool local = peer && peer->sa_family == AF_UNIX;
    if (local || (named && proxies_contain_address(trusted, address)))
        for (unsigned i = 0; i < HEADERS_FORWARDED_MAX && headers->forwarded_for[i]; i++)
            if (!walk_forwarded_for(headers->forwarded_for[i], trusted, address, &named))
                break;
    return named;
}

bool client_address_network(const struct sockaddr *peer, const struct headers *headers,
                            const struct proxies *trusted, uint8_t address[16])
{
    if (!client_address_full(peer, headers, trusted, address))
        return false;
    if (!is_mapped(address) && !client_address_is_loopback(address))
        memset(address + NETWORK_BYTES, 0, 16 - NETWORK_BYTES);
    return true;
}

bool client_address_is_loopback(const uint8_t address[16])
{
    static const uint8_t one[16] = {[15] = 1};
    return is_mapped(address) ? address[12] == 127 : memcmp(address, one, sizeof one) == 0;
}
