/* "HOST", "HOST:PORT", "[IPv6]" and "[IPv6]:PORT", as in URLs (RFC 3986, section 3.2.2), in the
 * Host header, in --listen and in --cache-shared. Pure: no name is looked up. */
#ifndef TERRANE_SERVER_BASE_HOST_PORT_H
#define TERRANE_SERVER_BASE_HOST_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct host_port {
    const char *host; /* borrowed from the text; without the brackets; at least one byte */
    size_t host_length;
    const char *port; /* borrowed, the text behind the colon; null without a colon */
    size_t port_length;
    bool bracketed;
};

/* Splits `length` bytes of text. False if the host is empty, a bracket is not closed, or anything
 * but a colon follows the closing bracket. The characters of host and port are not checked. */
bool host_port_split(struct host_port *parts, const char *text, size_t length);
/* True for a name or an IPv4 address: letters, digits and "-._~" only, without brackets. */
bool host_port_is_name(const struct host_port *parts);
/* The port as a number in min … 65535, or `fallback` where the text has no port. False for every
 * other text. */
bool host_port_number(const struct host_port *parts, uint16_t min, uint16_t fallback,
                      uint16_t *port);

#endif
