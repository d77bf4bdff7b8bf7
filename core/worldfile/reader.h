/* Tools for reading a world file: each reads one member of an object, or fails with its JSON path.
 */
#ifndef TERRANE_WORLDFILE_READER_H
#define TERRANE_WORLDFILE_READER_H

#include "core/worldfile/world_private.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* An object of the file. */
struct reader {
    struct world *world; /* its arena takes paths and formulas */
    const struct json *value;
    const char *path; /* the object's JSON path; "" for the root */
    struct error *error;
};

/* Sets an error (ERROR_VALUE) at the member `key`, or at the object itself if that is "". Returns
 * false. */
bool reader_fail(const struct reader *reader, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* True if reading can go on behind a part that was read (`done`), or whose error diagnostics took.
 */
bool reader_take(const struct reader *reader, bool done);

/* Checks the type of a member; a null `value` is one that is missing. */
bool reader_expect(const struct reader *reader, const char *key, const struct json *value,
                   enum json_type type);

/* A member that must be an object or array of 1 to `most` entries; null with an error. */
const struct json *reader_list(const struct reader *reader, const char *key, enum json_type type,
                               size_t most);

/* The keys of one kind of object in the file; config/world.schema.json has the same. */
struct reader_keys {
    const char *const *names;
    size_t count;
};
#define READER_KEYS(...)                                                                           \
    {                                                                                              \
        (const char *const[]){__VA_ARGS__}, COUNT(((const char *const[]){__VA_ARGS__}))            \
    }
extern const struct reader_keys reader_layer_keys, reader_biome_keys, reader_material_keys,
    reader_object_keys, reader_drainage_keys, reader_view_keys, reader_names_keys,
    reader_tongue_keys, reader_name_place_keys;

/* A reader of an entry of a list: checks that the entry is an object with no other keys than the
 * allowed ones. */
bool reader_check_object(const struct reader *reader, const struct reader_keys *keys);

/* An optional string; *text is left alone if it is missing. */
bool reader_text(const struct reader *reader, const char *key, const char **text);

/* Refuses texts that are not names: 1 to WORLD_NAME_MAX letters, digits or _, no digit first. */
bool reader_check_word(const struct reader *reader, const char *key, const char *name);
/* Refuses texts that are not names, and names that are reserved in formulas. */
bool reader_check_name(const struct reader *reader, const char *key, const char *name);
/* The same for the key of a member of `list`, which diagnostics take. */
bool reader_take_name(const struct reader *root, const char *list, const struct json *member);

/* What a number may be. */
struct reader_limits {
    double low, high;
    double default_value; /* of a member that is missing; below `low` if it is required */
    const char *unit;
    const char *why; /* appended to the message */
};
/* reader_number.c: a number within limits. On failure *number is within them, too. */
bool reader_number(const struct reader *reader, const char *key, struct reader_limits limits,
                   double *number);

/* reader_number.c: a required place, [x, y] in metres. */
bool reader_place(const struct reader *reader, const char *key, struct place *place);

/* A required color. */
bool reader_colour(const struct reader *reader, const char *key, uint32_t *colour);

/* A required formula: its tree and its path, for the compiler. */
bool reader_formula(const struct reader *reader, const char *key, struct compile_layer *out);

/* "a.b" in the arena, or "a" if b is ""; null when memory is out. */
const char *reader_join_path(const struct reader *reader, const char *a, const char *b);

/* reader_view.c: reads the member "view" of the root. */
bool reader_view(const struct reader *root);
/* Checks the condition of the view, once layers, biomes and materials are read. */
bool reader_view_condition(const struct reader *root);
/* reader_objects.c: reads the member "objects" of the root. */
bool reader_objects(const struct reader *root);
/* reader_materials.c: reads the member "materials" of the root, once the biomes are read. */
bool reader_materials(const struct reader *root);
/* reader_drainage.c: reads the member "drainage" of the root. */
bool reader_drainage(const struct reader *root);
/* reader_polylines.c: reads the members "paths" and "areas" of the root. */
bool reader_polylines(const struct reader *root);
/* reader_names.c: reads the member "names" of the root. */
bool reader_names(const struct reader *root);

#endif
