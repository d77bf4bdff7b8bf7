#include "server/base/data_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "server/base/file.h"

enum { DATA_FILE_MAX = 16 << 20 };

/* The folder of the running program, with links followed. */
static bool program_folder(char folder[PATH_MAX])
{
    const ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
    if (length <= 0)
        return false;
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
    return slash;
}

bool data_file_read(const char *name, struct buffer *out)
{
    static const char *const places[] = {"../share/terrane", "../wasm"};
    char folder[PATH_MAX], path[PATH_MAX + NAME_MAX];
    if (!program_folder(folder))
        return false;
    const size_t before = out->length;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct error error = {0};
        const int length = snprintf(path, sizeof path, "%s/%s/%s", folder, places[i], name);
        if (length < (int)sizeof path && file_read(path, DATA_FILE_MAX, out, &error))
            return true;
        out->length = before;
    }
    return false;
}
