/* The memcached servers that settings name: "memcached://HOST:PORT[,HOST:PORT…]". Pure: no name is
 * looked up. */
#ifndef TERRANE_SERVER_BASE_SERVER_LIST_H
#define TERRANE_SERVER_BASE_SERVER_LIST_H

#include "core/base/error.h"

enum { SERVER_HOST_TEXT = 256, SERVER_PORT_DEFAULT = 11211, SERVERS_MAX = 64 };

struct server_address {
    char host[SERVER_HOST_TEXT]; /* a name or a numeric address, without brackets */
    uint16_t port;
};

/* A zeroed struct is an empty list. */
struct server_list {
    struct server_address servers[SERVERS_MAX];
    size_t count;
};

/* Adds the servers of one URL; [::1]:11211 for IPv6; the port may be left out. False with
 * ERROR_VALUE and the accepted form, or with ERROR_LIMIT beyond SERVERS_MAX. */
bool server_list_add(struct server_list *list, const char *url, struct error *error);

#endif
