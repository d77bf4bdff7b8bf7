/* X-Terrane-Digest: a name for samples by their bits. */
#ifndef TERRANE_CLIENT_DIGEST_H
#define TERRANE_CLIENT_DIGEST_H

#include <stddef.h>

/* MurmurHash3 x64 128, after Austin Appleby's public domain code, with seed 0, over the bytes of
 * r32f as they come; 32 hex digits, terminated. */
void chunk_digest(const unsigned char *bytes, size_t size, char text[33]);

#endif
