/* The request target, parsed strictly from its raw bytes: RFC 3986 and nothing beyond it.
 *
 * Pure: it allocates no memory. The pieces point into the struct and into the raw target, which
 * must both stay where they are. */
#ifndef TERRANE_SERVER_HTTP_REQUEST_TARGET_H
#define TERRANE_SERVER_HTTP_REQUEST_TARGET_H

#include "server/http/request/problem.h"

enum {
    TARGET_BYTES_MAX = 2000, /* a longer target is 414 */
    TARGET_SEGMENTS_MAX = 16,
    TARGET_PARAMETERS_MAX = 24,
};

/* A piece of the target: as it came, and percent-decoded and terminated. */
struct target_text {
    const char *raw;
    size_t raw_length;
    const char *text; /* UTF-8, no zero inside */
    size_t length;
};

struct target_parameter {
    struct target_text name, value;
};

struct http_target {
    const char *authority; /* of "http://authority/path", not terminated; null for "/path" */
    size_t authority_length;
    bool asterisk;          /* the target is "*": no segments */
    unsigned segment_count; /* "/" has none, "/a/" has "a" and "" */
    struct target_text segments[TARGET_SEGMENTS_MAX];
    unsigned parameter_count;
    struct target_parameter parameters[TARGET_PARAMETERS_MAX];
    /* The decoded pieces. None is longer than its raw bytes, and each zero has the room of a
     * separator. */
    char decoded[TARGET_BYTES_MAX + 4];
};

/* False with a problem (PROBLEM_PATH or PROBLEM_TARGET_TOO_LONG) that closes the connection. Only
 * origin form, absolute form with http or https, and "*" are accepted. Refused are bytes that must
 * be encoded, bad escapes, %00, %2F in the path, segments "." and "..", parameters without "=", and
 * what is not UTF-8 after decoding. "+" means itself. */
bool target_parse(const char *raw_target, size_t length, struct http_target *target,
                  struct problem *problem);

/* Makes the names of parameters capital letters, for a service whose names have no case. */
void target_capitalize_names(struct http_target *target);

/* The first parameter of that name, or null. The router refuses names given twice. */
const struct target_parameter *target_find(const struct http_target *target, const char *name);

#endif
