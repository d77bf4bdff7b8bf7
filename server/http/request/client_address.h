/* Whose request it is: the address that limits for each client count by.
 *
 * Pure: socket addresses and headers are handed in. An IPv4 address stands as IPv6 maps it; of an
 * IPv6 address the first 64 bits count, since a client has all that follow. */
#ifndef TERRANE_SERVER_HTTP_REQUEST_CLIENT_ADDRESS_H
#define TERRANE_SERVER_HTTP_REQUEST_CLIENT_ADDRESS_H

#include "server/http/connection/proxies.h"
#include "server/http/request/headers.h"

/* The peer's address; if that is a trusted proxy, the last address in X-Forwarded-For that is none,
 * for what stands before that anybody could have written. Where there is none such, or where an
 * entry is no address, it is the proxy that said so. Whoever comes through a unix socket is a
 * trusted proxy without an address: false if it names nobody. */
bool client_address_network(const struct sockaddr *peer, const struct headers *headers,
                            const struct proxies *trusted, uint8_t address[16]);

/* The same with all 128 bits, for the access log. */
bool client_address_full(const struct sockaddr *peer, const struct headers *headers,
                         const struct proxies *trusted, uint8_t address[16]);

/* Whether it is this machine's loopback. */
bool client_address_is_loopback(const uint8_t address[16]);

#endif
