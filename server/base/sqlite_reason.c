/* SQLite keeps the system's error number with the connection if the call that failed was one of the
 * virtual machine, and else with the file: the database, or its journal or log. */
#include "server/base/sqlite_reason.h"

#include <stdbool.h>
#include <string.h>

/* For a file that ends too soon and for want of memory, the number is that of an earlier call. */
static bool has_system_reason(int code)
{
    if (code == SQLITE_IOERR_SHORT_READ || code == SQLITE_IOERR_NOMEM)
        return false;
    return (code & 0xFF) == SQLITE_IOERR || (code & 0xFF) == SQLITE_CANTOPEN;
}

static int number_of_file(sqlite3 *database, int which)
{
    sqlite3_file *file = NULL;
    int number = 0;
    if (sqlite3_file_control(database, "main", which, &file) == SQLITE_OK && file && file->pMethods)
        file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number);
    return number;
}

static int system_number(sqlite3 *database)
{
    int number = sqlite3_system_errno(database);
    if (number == 0)
        number = number_of_file(database, SQLITE_FCNTL_FILE_POINTER);
    return number != 0 ? number : number_of_file(database, SQLITE_FCNTL_JOURNAL_POINTER);
}

const char *sqlite_reason(sqlite3 *database, int code)
{
    if (!database)
        return sqlite3_errstr(code);
    const char *message = sqlite3_errmsg(database);
    const int number =
        has_system_reason(sqlite3_extended_errcode(database)) ? system_number(database) : 0;
    return number > 0 ? strerror(number) : message;
}
