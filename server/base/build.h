/* Which build this is. */
#ifndef TERRANE_SERVER_BASE_BUILD_H
#define TERRANE_SERVER_BASE_BUILD_H

#include "core/base/hash.h"

/* The version and a digest of the sources that make tiles: "terrane build 1.0.0 0123…". Builds of
 * the same sources agree, so that replicas share what they have made. */
extern const char server_build[];

/* A hash of it, for records of what was made. */
struct hash128 server_build_hash(void);

#endif
