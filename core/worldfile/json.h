/* JSON read strictly (RFC 8259), for world files, styles, settings and request bodies.
 *
 * UTF-8 is checked, numbers follow the grammar exactly, and zero bytes, control characters,
 * trailing text, duplicate keys, too deep nesting and too long texts are refused, each with line
 * and column. Numbers keep their text, so 64-bit seeds and exact places survive. json.c
 * tells how cJSON and a strict scan in front of it do this.
 *
 * A document is immutable; its values live as long as it does, and any number of threads may read
 * them. */
#ifndef TERRANE_WORLDFILE_JSON_H
#define TERRANE_WORLDFILE_JSON_H

#include "core/base/error.h"

struct json_document;
struct json; /* a value in a document; null, which every function allows, is a missing value */

enum json_type {
    JSON_NOTHING, /* a null pointer: a missing member */
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
};

struct json_limits {
    size_t bytes;   /* of text; 0 for 1 MiB */
    unsigned depth; /* of arrays and objects in each other; 0 for 32 */
};

/* The document in `text` (need not be terminated), to be freed by the caller; null with line and
 * column on failure. `limits` may be null. */
struct json_document *json_parse(const char *text, size_t length, const struct json_limits *limits,
                                 struct error *error);
void json_free(struct json_document *document);
const struct json *json_root(const struct json_document *document);

enum json_type json_type(const struct json *value);
/* The name of a type in messages: "a number", "an object" … */
const char *json_type_name(enum json_type type);

/* A string's text (UTF-8, no zero inside), or a number's own text; null for other types. */
const char *json_text(const struct json *value);
/* Reads a number; false if the value is not a number or too large for a double. */
bool json_number(const struct json *value, double *number);

/* The member; null if there is none, or if `object` is not an object. */
const struct json *json_member(const struct json *object, const char *key);
/* Elements or members in the order of the text: for (v = json_first(o); v; v = json_next(v)). */
const struct json *json_first(const struct json *container);
const struct json *json_next(const struct json *value);
const char *json_key(const struct json *member);
size_t json_count(const struct json *container);

/* Refuses members whose key is not in `allowed`, and suggests the nearest one. `path` is the JSON
 * path of the object, for the error ("" for the root). */
bool json_allow(const struct json *object, const char *path, const char *const *allowed,
                size_t count, struct error *error);

/* json_allow() for one member. */
struct json_keys {
    const char *path; /* of the object */
    const char *const *allowed;
    size_t count;
};
bool json_allow_key(const struct json *member, const struct json_keys *keys, struct error *error);

/* A place in the text of a document: where a value begins; of a member, its key, if `at_key`; of a
 * string, its character (from 1), if that is not 0. */
struct json_place {
    const struct json *value;
    bool at_key;
    uint32_t character;
};
/* Sets the error's line and column. `text` is that of the document. */
void json_locate(const struct json *root, const char *text, size_t length,
                 const struct json_place *place, struct error *error);

#endif
