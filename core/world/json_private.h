/* The tree of a JSON document, for json.c and json_parse.c. */
#ifndef TERRANE_WORLD_JSON_PRIVATE_H
#define TERRANE_WORLD_JSON_PRIVATE_H

#include "core/base/arena.h"
#include "core/world/json.h"

struct json {
    enum json_type type;
    size_t key_offset; /* of a member's key in the document's text, for messages */
    const char *key;   /* of a member of an object; else null */
    const char *text;  /* of a string, unescaped; of a number, as it is written */
    struct json *first, *next;
};

struct json_document {
    struct arena arena; /* owns all values and their texts */
    struct json root;
};

#endif
