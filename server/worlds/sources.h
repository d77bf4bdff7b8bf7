/* The files that worlds and styles are read from: those embedded in the binary, and files
 * NAME.json, named singly or by their folder. The last of several files with one name counts:
 * embedded ones come first, then the others in the order in which they or their folders are named.
 * NAME@FINGERPRINT.json is a former version of a world, which is served under this pin. */
#ifndef TERRANE_SERVER_WORLDS_SOURCES_H
#define TERRANE_SERVER_WORLDS_SOURCES_H

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "core/worldfile/world.h"

struct source {
    char name[WORLD_NAME_MAX + 1];
    char pin[WORLD_FINGERPRINT_TEXT]; /* of NAME@FINGERPRINT.json, else "" */
    char *file;                       /* the path; "worlds/terra.json" for an embedded one */
    const uint8_t *data;              /* of an embedded one, else null */
    size_t length;
};

struct source_list {
    struct source *items; /* by name and pin, each pair once */
    size_t count, capacity;
    bool of_worlds; /* a name may have a pin */
};

/* Frees the content and leaves an empty list, which is a zeroed struct. */
void sources_free(struct source_list *list);
/* Adds the embedded files whose path begins with `prefix` ("worlds/"), then those of the paths: a
 * file, or all NAME.json of a folder, whose other files are ignored. A name that is no identifier
 * (letters, digits, "_" and "-", at most WORLD_NAME_MAX) is an error, and so is the pin of a style.
 */
bool sources_collect(struct source_list *list, const char *prefix, const char *const *paths,
                     size_t count, struct error *error);
/* Appends a source's text to `out`; at most WORLD_BYTES_MAX bytes. */
bool source_read(const struct source *source, struct buffer *out, struct error *error);

/* Sets name and pin from the path; whether the name is valid is not checked. */
void source_set_name(struct source *source, const char *path);
/* True if a world or a style may have that name. */
bool source_name_valid(const char *name);

#endif
