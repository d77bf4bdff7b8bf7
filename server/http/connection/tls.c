/* libmicrohttpd takes one certificate at the start of a daemon and never another. So the daemon is
 * started with a certificate callback that refuses, and each connection gets GnuTLS credentials of
 * its own before its handshake, which replace the daemon's: those of the current settings. */
#define _GNU_SOURCE /* explicit_bzero(), memmem() */
#include "server/http/connection/tls.h"

#include <gnutls/abstract.h>
#include <microhttpd.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "server/base/file.h"

#define PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2:%SERVER_PRECEDENCE"

enum { PEM_MAX = 1 << 20 };

struct tls_identity {
    gnutls_certificate_credentials_t credentials;
    unsigned references; /* atomic */
};

static gnutls_datum_t datum(const struct buffer *buffer)
{
    return (gnutls_datum_t){buffer->data, (unsigned)buffer->length};
}

static struct tls_identity *identity_new(const struct buffer *certificate, const struct buffer *key,
                                         struct error *error)
{
    const gnutls_datum_t chain = datum(certificate), secret = datum(key);
    struct tls_identity *identity = calloc(1, sizeof *identity);
    if (!identity || gnutls_certificate_allocate_credentials(&identity->credentials) != 0) {
        free(identity);
        return error_memory_null(error);
    }
    identity->references = 1;
    const int result = gnutls_certificate_set_x509_key_mem(identity->credentials, &chain, &secret,
                                                           GNUTLS_X509_FMT_PEM);
    if (result >= 0)
        return identity;
    tls_identity_release(identity);
    error_set(error, result == GNUTLS_E_MEMORY_ERROR ? ERROR_MEMORY : ERROR_VALUE,
              "the TLS certificate and key cannot be used: %s", gnutls_strerror(result));
    return NULL;
}

/* Looks for the mark first: GnuTLS reports "Base64 decoding error" for a file that is not PEM. */
static bool read_pem(const char *path, const char *mark, const char *what, struct buffer *text,
                     struct error *error)
{
    if (!file_read(path, PEM_MAX, text, error))
        return false;
    if (text->length > 0 && memmem(text->data, text->length, mark, strlen(mark)))
        return true;
    return error_set(error, ERROR_VALUE,
                     "the TLS certificate and key cannot be used: %s has no %s in PEM form", path,
                     what);
}

struct tls_identity *tls_identity_load(const char *certificate, const char *key,
                                       struct error *error)
{
    struct buffer chain = {0}, secret = {0};
    struct tls_identity *identity = NULL;
    if (read_pem(certificate, "CERTIFICATE-----", "certificate", &chain, error) &&
        read_pem(key, "PRIVATE KEY-----", "private key", &secret, error))
        identity = identity_new(&chain, &secret, error);
    if (secret.data)
        explicit_bzero(secret.data, secret.length);
    buffer_free(&secret);
    buffer_free(&chain);
    return identity;
}

struct tls_identity *tls_identity_acquire(struct tls_identity *identity)
{
    if (identity)
        __atomic_fetch_add(&identity->references, 1, __ATOMIC_RELAXED);
    return identity;
}

void tls_identity_release(struct tls_identity *identity)
{
    if (!identity || __atomic_sub_fetch(&identity->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    gnutls_certificate_free_credentials(identity->credentials);
    free(identity);
}

static int no_certificate(gnutls_session_t session, const struct gnutls_cert_retr_st *wanted,
                          gnutls_pcert_st **certificates, unsigned *certificate_count,
                          gnutls_ocsp_data_st **statuses, unsigned *status_count,
                          gnutls_privkey_t *key, unsigned *flags)
{
    (void)session;
    (void)wanted;
    (void)certificates;
    (void)certificate_count;
    (void)statuses;
    (void)status_count;
    (void)key;
    (void)flags;
    return -1;
}

/* libmicrohttpd starts a TLS daemon only with a certificate or a callback for one. */
const struct MHD_OptionItem *tls_options(void)
{
    static const struct MHD_OptionItem options[] = {
        {MHD_OPTION_HTTPS_PRIORITIES, 0, PRIORITIES},
        {MHD_OPTION_HTTPS_CERT_CALLBACK2, 0, (void *)(uintptr_t)no_certificate},
        {MHD_OPTION_END, 0, NULL},
    };
    return options;
}

static gnutls_session_t session_of(struct MHD_Connection *mhd_connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd_connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    return info ? (gnutls_session_t)info->tls_session : NULL;
}

/* When memory is out the daemon's credentials stay, which have no certificate: the handshake fails.
 */
void tls_set_identity(struct tls_identity *identity, struct MHD_Connection *mhd_connection)
{
    const gnutls_session_t session = session_of(mhd_connection);
    if (session && identity)
        gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, identity->credentials);
}

void tls_send_last(struct MHD_Connection *mhd_connection, const void *bytes, size_t length)
{
    const gnutls_session_t session = session_of(mhd_connection);
    if (session && gnutls_record_send(session, bytes, length) >= 0)
        gnutls_bye(session, GNUTLS_SHUT_WR);
}
