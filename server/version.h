/* The program's version, for --version and GET /version. */
#ifndef TERRANE_SERVER_VERSION_H
#define TERRANE_SERVER_VERSION_H

#define TERRANE_VERSION "0.1.0"

#endif
