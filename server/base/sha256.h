/* SHA-256 (FIPS 180-4) of bytes that come in parts: the digest that `sha256sum` prints. */
#ifndef TERRANE_SERVER_BASE_SHA256_H
#define TERRANE_SERVER_BASE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_TEXT = 2 * SHA256_BYTES + 1 };

struct sha256;

struct sha256 *sha256_new(void);       /* null when memory is out */
void sha256_free(struct sha256 *hash); /* null is allowed */
bool sha256_add(struct sha256 *hash, const void *bytes, size_t length);
/* Gives the digest of what was added, and begins anew. */
void sha256_take(struct sha256 *hash, uint8_t digest[SHA256_BYTES]);

/* The digest of one piece; false when memory is out. */
bool sha256_of(const void *bytes, size_t length, uint8_t digest[SHA256_BYTES]);
/* 64 lower-case hex digits, terminated; and back. False for any other text. */
void sha256_format(const uint8_t digest[SHA256_BYTES], char text[SHA256_TEXT]);
bool sha256_parse(const char *text, uint8_t digest[SHA256_BYTES]);

#endif
