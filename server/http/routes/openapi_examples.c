/* Taking examples of parameters from examples of targets, so that one list serves both. */
#include <string.h>

#include "server/http/routes/openapi.h"

static bool copy_text(const char *text, size_t length, char *out, size_t size)
{
    if (length >= size)
        return false;
    memcpy(out, text, length);
    out[length] = '\0';
    return true;
}

/* What the part of the path in braces has: "{y}.{format}" fits "2.png". */
static bool find_in_path(const char *path, const char *target, const char *name, size_t length,
                         char *out, size_t size)
{
    while (*path) {
        if (*path != '{') {
            if (*path++ != *target++)
                return false;
            continue;
        }
        const size_t inner = strcspn(++path, "}");
        const char behind[] = {path[inner + 1], '?', '\0'};
        const size_t value = strcspn(target, behind[0] ? behind : "?");
        if (inner == length && memcmp(path, name, length) == 0)
            return copy_text(target, value, out, size);
        path += inner + 1;
        target += value;
    }
    return false;
}

static bool find_in_query(const char *target, const char *name, size_t length, char *out,
                          size_t size)
{
    const char *at = strchr(target, '?');
    while (at && *at) {
        at++;
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return copy_text(at + length + 1, strcspn(at + length + 1, "&"), out, size);
        at += strcspn(at, "&");
    }
    return false;
}

bool openapi_find_example(const struct openapi_route *row, const char *target, const char *name,
                          size_t length, char *out, size_t size)
{
    return target[0] == '/' && (find_in_path(row->path, target + 1, name, length, out, size) ||
                                find_in_query(target, name, length, out, size));
}
