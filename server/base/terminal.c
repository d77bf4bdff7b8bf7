/* A stream that is no terminal gets neither escape sequences nor line breaks, so that what goes
 * into a file or another program can be searched. */
#include "server/base/terminal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "core/base/utf8.h"

/* Narrower texts are hard to read; then the terminal breaks the lines itself. */
enum { TEXT_MIN = 24 };

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

/* The columns behind `indent`, or 0 if lines are not to be broken. */
static size_t text_columns(FILE *stream, unsigned indent)
{
    struct winsize size;
    const bool known = isatty(fileno(stream)) && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0;
    return known && size.ws_col >= indent + TEXT_MIN ? size.ws_col - indent : 0;
}

void terminal_print_indented(FILE *stream, const char *text, unsigned indent)
{
    const size_t columns = text_columns(stream, indent);
    size_t used = 0;
    while (*text && columns) {
        const size_t length = strcspn(text, " "), width = utf8_count(text, length);
        const bool breaks = used && used + 1 + width > columns;
        if (breaks)
            fprintf(stream, "\n%*s", (int)indent, "");
        else if (used)
            fputc(' ', stream);
        fwrite(text, 1, length, stream);
        used = width + (breaks || !used ? 0 : used + 1);
        text += length + strspn(text + length, " ");
    }
    fprintf(stream, "%s\n", text);
}
