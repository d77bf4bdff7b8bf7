#include "server/http/conditional.h"

#include <string.h>

static const char *skip_separators(const char *text)
{
    return text + strspn(text, " \t,");
}

bool conditional_matches(const char *header, const char *etag)
{
    size_t length = strlen(etag);
    const char *at = header + strspn(header, " \t");
    if (at[0] == '*')
        return at[1 + strspn(at + 1, " \t")] == '\0';
    for (at = skip_separators(at); *at; at = skip_separators(at)) {
        if (strncmp(at, "W/", 2) == 0)
            at += 2;
        const char *end = *at == '"' ? strchr(at + 1, '"') : NULL;
        if (!end)
            return false;
        end++;
        const char *next = end + strspn(end, " \t");
        if (*next && *next != ',')
            return false;
        if ((size_t)(end - at) == length && memcmp(at, etag, length) == 0)
            return true;
        at = next;
    }
    return false;
}
