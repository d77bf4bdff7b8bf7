/* The program's version is the library's: TERRANE_VERSION, for --version and GET /version. */
#ifndef TERRANE_SERVER_BASE_VERSION_H
#define TERRANE_SERVER_BASE_VERSION_H

#include "core/terrane.h"

#endif
