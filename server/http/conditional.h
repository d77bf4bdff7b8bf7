/* Conditional requests: RFC 9110, section 13. */
#ifndef TERRANE_SERVER_HTTP_CONDITIONAL_H
#define TERRANE_SERVER_HTTP_CONDITIONAL_H

#include <stdbool.h>

/* Whether the value of an If-None-Match header names `etag` (with its quotes): a list of entity
 * tags, weak ones too, or "*". What does not parse matches nothing, from there on. */
bool conditional_matches(const char *header, const char *etag);

#endif
