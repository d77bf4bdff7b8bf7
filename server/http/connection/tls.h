/* What TLS is spoken with: a certificate chain and its key, read from PEM files. A reload makes a
 * new one for the connections that come from then on; those that are open keep theirs, so it is
 * counted. Immutable, and for all threads, but for the count, which is atomic. */
#ifndef TERRANE_SERVER_HTTP_CONNECTION_TLS_H
#define TERRANE_SERVER_HTTP_CONNECTION_TLS_H

#include <stdbool.h>
#include <stddef.h>

struct error;
struct MHD_Connection;
struct MHD_OptionItem;
struct tls_identity;

/* With one reference. Null with what is wrong: a file that cannot be read, one that is no PEM, or a
 * key that is not the certificate's. */
struct tls_identity *tls_identity_load(const char *certificate, const char *key,
                                       struct error *error);
/* One reference more; null stays null. */
struct tls_identity *tls_identity_acquire(struct tls_identity *identity);
void tls_identity_release(struct tls_identity *identity); /* null is allowed */

/* The options of a daemon whose connections get their identity by tls_set_identity(): without that
 * their handshake fails. */
const struct MHD_OptionItem *tls_options(void);
/* Before the handshake of a connection of such a daemon, which ends before the reference does. */
void tls_set_identity(struct tls_identity *identity, struct MHD_Connection *mhd_connection);
/* Sends bytes past the library, and says that no more will come. What does not fit into the
 * kernel's buffer is lost. */
void tls_send_last(struct MHD_Connection *mhd_connection, const void *bytes, size_t length);

#endif
