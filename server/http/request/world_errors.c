/* Errors of a world file that was sent (those of requests: problem.c). They know JSON paths such as
 * biomes[3].when, which become JSON pointers, as editors and JSON libraries have them. */
#include "server/http/request/world_errors.h"

#include <string.h>

/* "biomes[3].when" becomes "/biomes/3/when". A key that itself has a dot or a bracket is cut in
 * two: the error's place in the text is right in any case. */
static void append_pointer(const char *path, struct buffer *out)
{
    if (path[0] && path[0] != '[')
        buffer_byte(out, '/');
    for (; *path; path++) {
        if (*path == '.' || *path == '[')
            buffer_byte(out, '/');
        else if (*path == '~' || *path == '/')
            buffer_text(out, *path == '~' ? "~0" : "~1");
        else if (*path != ']')
            buffer_byte(out, (uint8_t)*path);
    }
}

static void write_error(struct json_writer *json, const struct error *error)
{
    struct buffer pointer = {0};
    append_pointer(error->path, &pointer);
    json_object_open(json);
    json_member_string(json, "message", error->message);
    if (error->line > 0)
        json_member_integer(json, "line", error->line);
    if (error->line > 0 && error->column > 0)
        json_member_integer(json, "column", error->column);
    json_member_buffer(json, "pointer", &pointer);
    json_object_close(json);
}

void world_errors_write(struct json_writer *json, const char *key, const struct error *errors,
                        size_t count)
{
    json_member_array(json, key);
    for (size_t i = 0; i < count; i++)
        write_error(json, &errors[i]);
    json_array_close(json);
}
