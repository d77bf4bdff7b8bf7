/* IP addresses and networks, as numbers and as text. Pure: no name is looked up.
 *
 * An address is 16 bytes. An IPv4 address is stored in its IPv4-mapped IPv6 form, ::ffff:a.b.c.d
 * (RFC 4291, section 2.5.5.2). A listener on [::] receives IPv4 clients in that form anyway, so an
 * address is the same sixteen bytes whichever listener a client came through. */
#ifndef TERRANE_SERVER_BASE_IP_ADDRESS_H
#define TERRANE_SERVER_BASE_IP_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

struct sockaddr;

struct ip_address {
    uint8_t bytes[16]; /* network byte order */
};

struct ip_network {
    struct ip_address address;
    unsigned prefix_length; /* bits of the 128 that must match: 0 … 128 */
};

/* False for null and for a family other than IPv4 and IPv6. */
bool ip_address_from_socket(struct ip_address *address, const struct sockaddr *socket_address);
/* "127.0.0.1" or "::1": numeric, without brackets, port or zone. */
bool ip_address_parse(struct ip_address *address, const char *text);
/* "127.0.0.1" for an IPv4 address, however it was given, and "::1" for an IPv6 one. */
enum { IP_ADDRESS_TEXT = 46 };
void ip_address_write(const struct ip_address *address, char text[IP_ADDRESS_TEXT]);

bool ip_address_equals(const struct ip_address *a, const struct ip_address *b);
bool ip_address_is_v4(const struct ip_address *address);
/* 127.0.0.0/8 or ::1. */
bool ip_address_is_loopback(const struct ip_address *address);
/* Clears the last 64 bits of an IPv6 address. A provider gives each customer at least a /64, so one
 * client owns every address that begins with the same 64 bits. IPv4 addresses stay whole. */
void ip_address_clear_host(struct ip_address *address);

/* An address, or a network such as "10.0.0.0/8" or "fd00::/8"; the bits behind the prefix are
 * ignored. */
bool ip_network_parse(struct ip_network *network, const char *text);
bool ip_network_contains(const struct ip_network *network, const struct ip_address *address);

#endif
