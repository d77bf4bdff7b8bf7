/* The values of --listen: "HOST:PORT" or "[IPv6]:PORT", either with "http://" or "https://" in
 * front; or "unix:/PATH", with "?mode=0666" behind it if others than the owner and the group may
 * connect. Pure: no name is looked up, so hosts are numeric, or "localhost" for 127.0.0.1.
 *
 * "PORT" alone is a port of 127.0.0.1: what is served to other machines says so. ":PORT" and
 * "*:PORT" are those of 0.0.0.0. */
#ifndef TERRANE_SERVER_BASE_LISTEN_ADDRESS_H
#define TERRANE_SERVER_BASE_LISTEN_ADDRESS_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "core/base/error.h"

struct listen_address {
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
        struct sockaddr_un local;
    } socket;
    socklen_t length;
    bool secure;   /* TLS */
    unsigned mode; /* permissions of a unix socket's file */
};

/* False with ERROR_VALUE and the accepted forms. */
bool listen_address_parse(struct listen_address *address, const char *text, struct error *error);
/* 0 for a unix socket. */
uint16_t listen_address_port(const struct listen_address *address);
void listen_address_set_port(struct listen_address *address, uint16_t port);
/* True for an IP address that is not loopback: other machines may connect. */
bool listen_address_is_public(const struct listen_address *address);

/* "http://127.0.0.1:8080", "https://[::1]:8443" or "unix:/run/terrane.sock". */
enum { LISTEN_ADDRESS_TEXT = 128 };
void listen_address_write(const struct listen_address *address, char text[LISTEN_ADDRESS_TEXT]);

#endif
