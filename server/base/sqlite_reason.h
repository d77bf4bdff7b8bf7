/* Why a call of SQLite has failed, in words. */
#ifndef TERRANE_SERVER_BASE_SQLITE_REASON_H
#define TERRANE_SERVER_BASE_SQLITE_REASON_H

#include <sqlite3.h>

/* The reason of the last call, which returned `code`. Where the system gave one, that is it: SQLite
 * has "disk I/O error" for a full disk, a limit of file sizes and a broken disk alike. The text is
 * valid until the next call with the database, which may be null. */
const char *sqlite_reason(sqlite3 *database, int code);

#endif
