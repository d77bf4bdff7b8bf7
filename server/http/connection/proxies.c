#include "server/http/connection/proxies.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/number.h"

enum { MAPPED_BITS = 96 }; /* of an IPv4 address in IPv6: ::ffff:0:0/96 */

static void map_address(const void *v4, uint8_t address[16])
{
    memset(address, 0, 10);
    memset(address + 10, 0xFF, 2);
    memcpy(address + 12, v4, 4);
}

bool proxies_parse_address(const char *text, uint8_t address[16])
{
    uint8_t v4[4];
    if (inet_pton(AF_INET, text, v4) != 1)
        return inet_pton(AF_INET6, text, address) == 1;
    map_address(v4, address);
    return true;
}

static bool parse_network(const char *text, struct network *network)
{
    char address[INET6_ADDRSTRLEN];
    int64_t bits;
    size_t length = strcspn(text, "/");
    if (length >= sizeof address)
        return false;
    memcpy(address, text, length);
    address[length] = '\0';
    if (!proxies_parse_address(address, network->address))
        return false;
    bool mapped = !strchr(address, ':');
    int64_t max = mapped ? 32 : 128;
    const char *behind = text + length;
    if (*behind == '\0')
        bits = max;
    else if (!number_parse_integer(behind + 1, strlen(behind + 1), 0, max, &bits))
        return false;
    network->bits = (unsigned)bits + (mapped ? MAPPED_BITS : 0);
    return true;
}

bool proxies_parse(struct proxies *proxies, const char *const *texts, size_t count,
                   struct error *error)
{
    *proxies = (struct proxies){.networks = calloc(count + 1, sizeof(struct network))};
    if (!proxies->networks)
        return error_memory(error);
    for (size_t i = 0; i < count; i++) {
        if (!parse_network(texts[i], &proxies->networks[i]))
            return error_set(error, ERROR_VALUE,
                             "must be an address such as 127.0.0.1 or ::1, or a network such as "
                             "10.0.0.0/8 or fd00::/8, not \"%s\"",
                             texts[i]);
        proxies->count++;
    }
    return true;
}

void proxies_free(struct proxies *proxies)
{
    free(proxies->networks);
    *proxies = (struct proxies){.count = 0};
}

static bool network_contains(const struct network *network, const uint8_t address[16])
{
    unsigned whole = network->bits / 8, rest = network->bits % 8;
    if (memcmp(network->address, address, whole) != 0)
        return false;
    return rest == 0 || (network->address[whole] ^ address[whole]) >> (8 - rest) == 0;
}

bool proxies_address(const struct sockaddr *peer, uint8_t address[16])
{
    if (peer && peer->sa_family == AF_INET)
        map_address(&((const struct sockaddr_in *)(const void *)peer)->sin_addr, address);
    else if (peer && peer->sa_family == AF_INET6)
        memcpy(address, &((const struct sockaddr_in6 *)(const void *)peer)->sin6_addr, 16);
    else
        return false;
    return true;
}

bool proxies_contain_address(const struct proxies *proxies, const uint8_t address[16])
{
    for (size_t i = 0; i < proxies->count; i++)
        if (network_contains(&proxies->networks[i], address))
            return true;
    return false;
}

bool proxies_contain(const struct proxies *proxies, const struct sockaddr *peer)
{
    uint8_t address[16];
    return proxies_address(peer, address) && proxies_contain_address(proxies, address);
}
