/* Conditional requests: RFC 9110, section 13. */
#ifndef TERRANE_SERVER_HTTP_REQUEST_CONDITIONAL_H
#define TERRANE_SERVER_HTTP_REQUEST_CONDITIONAL_H

#include <stdbool.h>
#include <stdint.h>

/* An entity tag has a quoted hash, and may have a dash and the length of the bytes it stands for
 * behind that, in hexadecimal: "0123456789abcdef0123456789abcdef-4204". */
enum { ETAG_TEXT = 46 }; /* terminated */
#define ETAG_LENGTH_MAX (((uint64_t)1 << 40) - 1)

/* Puts the length in; `etag` has none. Longer ones are left out. */
void etag_add_length(char etag[ETAG_TEXT], uint64_t length);

/* True if the value of an If-None-Match header names `etag` (with its quotes). The value is a list
 * of entity tags, weak ones too, or "*". From the first entry on that does not parse, nothing
 * matches. */
bool conditional_matches(const char *header, const char *etag);
/* True if the value names `etag`, which has no length, with a length: then that length is stored in
 * *length and added to `etag`. "*" does not count. */
bool conditional_find_length(const char *header, char etag[ETAG_TEXT], uint64_t *length);

#endif
