/* The request target, taken apart strictly from its raw bytes: RFC 3986 and nothing beyond it.
 *
 * A pure module: no library, no memory of its own. The pieces point into the struct and into the
 * target, which must both stay. */
#ifndef TERRANE_SERVER_HTTP_REQUEST_H
#define TERRANE_SERVER_HTTP_REQUEST_H

#include "server/http/problem.h"

enum {
    REQUEST_TARGET_MAX = 2000, /* bytes; longer is 414 */
    REQUEST_SEGMENTS_MAX = 16,
    REQUEST_ARGUMENTS_MAX = 24,
};

/* A piece of the target: as it came, and percent-decoded (once) and terminated. */
struct request_text {
    const char *raw;
    size_t raw_length;
    const char *text; /* UTF-8, no zero inside */
    size_t length;
};

struct request_argument {
    struct request_text name, value;
};

struct request {
    const char *authority; /* of "http://authority/path", not terminated; null for "/path" */
    size_t authority_length;
    bool asterisk;          /* the target is "*": no segments */
    unsigned segment_count; /* "/" has none, "/a/" has "a" and "" */
    struct request_text segments[REQUEST_SEGMENTS_MAX];
    unsigned argument_count;
    struct request_argument arguments[REQUEST_ARGUMENTS_MAX];
    /* Decoded pieces: each is no longer than its raw one, and one separator pays for its zero. */
    char decoded[REQUEST_TARGET_MAX + 4];
};

/* False with a problem (PROBLEM_PATH or PROBLEM_TOO_LONG) that asks for closing. Only origin form,
 * absolute form with http or https, and "*" are taken. Refused are bytes that must be encoded, bad
 * escapes, %00, %2F in the path, segments "." and "..", parameters without "=", and what is not
 * UTF-8 after decoding. "+" means itself. */
bool request_parse(const char *target, size_t length, struct request *request,
                   struct problem *problem);

/* The argument of that name, or null. Names must be unique: see arguments.h. */
const struct request_argument *request_find(const struct request *request, const char *name);

#endif
