/* The strict half of json.h: reads a text once by JSON's grammar (RFC 8259) and copies it for a
 * laxer parser, which then has nothing left to decide.
 *
 * In the copy white space is gone, keys stand as they were, and every string value and every number
 * is a string whose first byte tells which it was: 12.50 becomes "n12.50" and "oak" becomes "soak".
 * So a number keeps its digits. */
#ifndef TERRANE_WORLDFILE_JSON_SCAN_H
#define TERRANE_WORLDFILE_JSON_SCAN_H

#include "core/base/buffer.h"
#include "core/base/error.h"

enum {
    JSON_MARK_NUMBER = 'n',
    JSON_MARK_STRING = 's',
    JSON_DEPTH_MAX = 1000, /* the parser behind it goes no deeper */
};

struct json_text {
    const char *bytes;
    size_t length;
    unsigned depth; /* allowed nesting, at most JSON_DEPTH_MAX */
};

/* Appends the copy to `out`; false with line and column if the text is not JSON. When memory is out
 * `out` has failed. */
bool json_scan(const struct json_text *text, struct buffer *out, struct error *error);

/* A place in a valid text: at a value, or inside it. */
struct json_scan_place {
    size_t value; /* its number, counted from 0 in the text's order, containers before theirs */
    bool at_key;  /* of a member: where its key begins */
    uint32_t character; /* of a string: where this character stands, from 1; 0 for the value */
};

/* Sets the line and column of a place. */
void json_scan_locate(const struct json_text *text, const struct json_scan_place *place,
                      struct error *error);

#endif
