/* TLS identities: a certificate chain and its key, read from PEM files. A reload makes a new
 * identity for new connections; open ones keep theirs, so an identity is reference-counted.
 * Immutable, and for all threads, except the count, which is atomic. */
#ifndef TERRANE_SERVER_HTTP_CONNECTION_TLS_H
#define TERRANE_SERVER_HTTP_CONNECTION_TLS_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct MHD_Connection;
struct MHD_OptionItem;
struct tls_identity;

/* With one reference. Null with the reason: a file cannot be read or is not PEM, or the key does
 * not belong to the certificate. */
struct tls_identity *tls_identity_load(const char *certificate, const char *key,
                                       struct error *error);
/* One reference more; null stays null. */
struct tls_identity *tls_identity_acquire(struct tls_identity *identity);
void tls_identity_release(struct tls_identity *identity); /* null is allowed */

/* The options of a libmicrohttpd daemon whose connections get their identity from
 * tls_set_identity(). Without one the handshake fails. */
const struct MHD_OptionItem *tls_options(void);
/* Before the handshake of a connection of such a daemon. The reference must outlive the connection.
 */
void tls_set_identity(struct tls_identity *identity, struct MHD_Connection *mhd_connection);
/* Sends bytes past libmicrohttpd, and the close_notify alert behind them. Bytes that do not fit
 * into the kernel's buffer are lost. */
void tls_send_last(struct MHD_Connection *mhd_connection, const void *bytes, size_t length);

#endif
