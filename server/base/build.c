/* Joins the version and the digest of the sources, which the Makefile passes on the command line of
 * the compiler. */
#include "server/base/build.h"

#include <string.h>

#include "server/base/version.h"

/* The Makefile defines it for this file alone. */
#ifndef TERRANE_SOURCES
#define TERRANE_SOURCES "unknown"
#endif

const char server_build[] = "terrane build " TERRANE_VERSION " " TERRANE_SOURCES;

struct hash128 server_build_hash(void)
{
    return hash_bytes(server_build, strlen(server_build), 0);
}
