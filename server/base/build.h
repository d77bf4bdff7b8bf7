/* The identity of this build. */
#ifndef TERRANE_SERVER_BASE_BUILD_H
#define TERRANE_SERVER_BASE_BUILD_H

#include "core/base/hash.h"

/* The version and the digest of `make build-identity`: "terrane build 1.0.0 0123…". Builds whose
 * sources write the same bytes have the same identity and may serve each other's cached bytes. */
extern const char server_build[];

/* The hash of server_build, which cache records carry. */
struct hash128 server_build_hash(void);

#endif
