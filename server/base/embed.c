/* Finds embedded files. The linker places the table in read-only memory that all processes share.
 */
#include "server/base/embed.h"

#include <stdlib.h>
#include <string.h>

static int path_compare(const void *path, const void *file)
{
    return strcmp(path, ((const struct embedded_file *)file)->path);
}

const struct embedded_file *embed_find(const char *path)
{
    return bsearch(path, embedded_files, embedded_file_count, sizeof embedded_files[0],
                   path_compare);
}
