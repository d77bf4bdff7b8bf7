#include "server/base/terminal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *escape(FILE *stream, const char *sequence)
{
    const char *refused = getenv("NO_COLOR"), *kind = getenv("TERM");
    const bool wanted = (!refused || !*refused) && kind && *kind && strcmp(kind, "dumb") != 0;
    return wanted && isatty(fileno(stream)) ? sequence : "";
}

const char *terminal_heading(FILE *stream)
{
    return escape(stream, "\033[1m");
}

const char *terminal_error(FILE *stream)
{
    return escape(stream, "\033[1;31m");
}

const char *terminal_plain(FILE *stream)
{
    return escape(stream, "\033[0m");
}
