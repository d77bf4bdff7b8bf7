/* Finds the embedded file by its path and parses it. */
#include "server/worlds/embedded_json.h"

#include "server/base/embed.h"

struct json_document *embedded_json_open(const char *path, struct error *error)
{
    const struct embedded_file *embedded = embed_find(path);
    if (!embedded) {
        error_set(error, ERROR_UNKNOWN, "%s is not built in", path);
        return NULL;
    }
    struct json_document *document =
        json_parse((const char *)embedded->data, embedded->length, NULL, error);
    if (!document)
        error_in_file(error, path);
    return document;
}
