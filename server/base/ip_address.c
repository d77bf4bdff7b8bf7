/* Everything is compared as sixteen bytes; only parsing and writing tell IPv4 from IPv6. */
#include "server/base/ip_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "core/base/number.h"

enum {
    V4_OFFSET = 12, /* bytes of the prefix ::ffff:0:0/96 */
    HOST_OFFSET = 8 /* bytes of an IPv6 network of 64 bits */
};
_Static_assert(IP_ADDRESS_TEXT == INET6_ADDRSTRLEN, "inet_ntop() writes as much");

static const struct ip_address v4_prefix = {{[10] = 0xFF, [11] = 0xFF}};

static void set_v4(struct ip_address *address, const void *four_bytes)
{
    *address = v4_prefix;
    memcpy(address->bytes + V4_OFFSET, four_bytes, 4);
}

bool ip_address_from_socket(struct ip_address *address, const struct sockaddr *socket_address)
{
    const void *any = socket_address;
    if (socket_address && socket_address->sa_family == AF_INET)
        set_v4(address, &((const struct sockaddr_in *)any)->sin_addr);
    else if (socket_address && socket_address->sa_family == AF_INET6)
        memcpy(address, &((const struct sockaddr_in6 *)any)->sin6_addr, sizeof *address);
    else
        return false;
    return true;
}

bool ip_address_parse(struct ip_address *address, const char *text)
{
    uint8_t v4[4];
    if (inet_pton(AF_INET, text, v4) != 1)
        return inet_pton(AF_INET6, text, address->bytes) == 1;
    set_v4(address, v4);
    return true;
}

void ip_address_write(const struct ip_address *address, char text[IP_ADDRESS_TEXT])
{
    if (ip_address_is_v4(address))
        inet_ntop(AF_INET, address->bytes + V4_OFFSET, text, IP_ADDRESS_TEXT);
    else
        inet_ntop(AF_INET6, address->bytes, text, IP_ADDRESS_TEXT);
}

bool ip_address_equals(const struct ip_address *a, const struct ip_address *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

bool ip_address_is_v4(const struct ip_address *address)
{
    return memcmp(address, &v4_prefix, V4_OFFSET) == 0;
}

bool ip_address_is_loopback(const struct ip_address *address)
{
    static const struct ip_address one = {{[15] = 1}};
    return ip_address_is_v4(address) ? address->bytes[V4_OFFSET] == 127
                                     : ip_address_equals(address, &one);
}

void ip_address_clear_host(struct ip_address *address)
{
    if (!ip_address_is_v4(address))
        memset(address->bytes + HOST_OFFSET, 0, sizeof address->bytes - HOST_OFFSET);
}

bool ip_network_parse(struct ip_network *network, const char *text)
{
    char address[IP_ADDRESS_TEXT];
    const size_t length = strcspn(text, "/");
    if (length >= sizeof address)
        return false;
    memcpy(address, text, length);
    address[length] = '\0';
    if (!ip_address_parse(&network->address, address))
        return false;
    const bool dotted = !strchr(address, ':'); /* the prefix length counts bits of 32, not of 128 */
    const int64_t max = dotted ? 32 : 128;
    const char *slash = text + length;
    int64_t bits = max;
    if (*slash && !number_parse_integer(slash + 1, strlen(slash + 1), 0, max, &bits))
        return false;
    network->prefix_length = (unsigned)bits + (dotted ? 8 * V4_OFFSET : 0);
    return true;
}

bool ip_network_contains(const struct ip_network *network, const struct ip_address *address)
{
    const unsigned whole = network->prefix_length / 8, rest = network->prefix_length % 8;
    const uint8_t *a = network->address.bytes, *b = address->bytes;
    return memcmp(a, b, whole) == 0 && (rest == 0 || (a[whole] ^ b[whole]) >> (8 - rest) == 0);
}
