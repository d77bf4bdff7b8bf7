/* SHA-256 by GnuTLS, which the program is linked with for TLS, and hex digits. */
#include "server/base/sha256.h"

#include <gnutls/crypto.h>
#include <stdlib.h>
#include <string.h>

static const char digits[] = "0123456789abcdef";

struct sha256 {
    gnutls_hash_hd_t state;
};

struct sha256 *sha256_new(void)
{
    struct sha256 *hash = malloc(sizeof *hash);
    if (hash && gnutls_hash_init(&hash->state, GNUTLS_DIG_SHA256) == 0)
        return hash;
    free(hash);
    return NULL;
}

void sha256_free(struct sha256 *hash)
{
    if (!hash)
        return;
    gnutls_hash_deinit(hash->state, NULL);
    free(hash);
}

bool sha256_add(struct sha256 *hash, const void *bytes, size_t length)
{
    return gnutls_hash(hash->state, bytes, length) == 0;
}

void sha256_take(struct sha256 *hash, uint8_t digest[SHA256_BYTES])
{
    gnutls_hash_output(hash->state, digest);
}

bool sha256_of(const void *bytes, size_t length, uint8_t digest[SHA256_BYTES])
{
    return gnutls_hash_fast(GNUTLS_DIG_SHA256, bytes, length, digest) == 0;
}

void sha256_format(const uint8_t digest[SHA256_BYTES], char text[SHA256_TEXT])
{
    for (size_t i = 0; i < SHA256_BYTES; i++) {
        *text++ = digits[digest[i] >> 4];
        *text++ = digits[digest[i] & 15];
    }
    *text = '\0';
}

bool sha256_parse(const char *text, uint8_t digest[SHA256_BYTES])
{
    memset(digest, 0, SHA256_BYTES);
    for (size_t i = 0; i < SHA256_TEXT - 1; i++) {
        const char *digit = text[i] ? strchr(digits, text[i]) : NULL;
        if (!digit)
            return false;
        digest[i / 2] = (uint8_t)(digest[i / 2] << 4 | (digit - digits));
    }
    return true;
}
