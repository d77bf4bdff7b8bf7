/* The client's address: that of the connection, or the one that a trusted proxy reports in
 * X-Forwarded-For.
 *
 * Pure: socket addresses and headers are arguments. */
#ifndef TERRANE_SERVER_HTTP_REQUEST_CLIENT_ADDRESS_H
#define TERRANE_SERVER_HTTP_REQUEST_CLIENT_ADDRESS_H

#include "server/base/network_list.h"
#include "server/http/request/headers.h"

/* The connection's address, unless it is a trusted proxy's: then the last address in
 * X-Forwarded-For that is not a trusted proxy's, since anybody could have written the entries in
 * front of that one. Where all entries are proxies, or where an entry is not an address, the result
 * is the proxy that added the entry. A connection through a unix socket counts as a trusted proxy
 * without an address: false if its headers have no address either. Used for the access log. */
bool client_address_full(struct ip_address *address, const struct sockaddr *peer,
                         const struct headers *headers, const struct network_list *trusted);

/* client_address_full(), reduced to what one client owns (ip_address_clear_host()), but ::1 stays
 * itself. Used for the limits by client. */
bool client_address_network(struct ip_address *address, const struct sockaddr *peer,
                            const struct headers *headers, const struct network_list *trusted);

#endif
