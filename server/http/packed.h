/* Documents in their codings, each compressed once: a small table of one loop, by the hash of their
 * content. What takes the place of another in it is compressed anew when it is asked for again. */
#ifndef TERRANE_SERVER_HTTP_PACKED_H
#define TERRANE_SERVER_HTTP_PACKED_H

#include "core/base/buffer.h"
#include "core/base/hash.h"
#include "server/coding.h"

struct packed;
struct packed *packed_new(void);         /* null when memory is out */
void packed_free(struct packed *packed); /* null is allowed */

/* Replaces the body, which has that hash, by what it is in a coding that is not identity. False,
 * and an empty body, when memory is out. */
bool packed_apply(struct packed *packed, struct hash128 hash, enum coding coding,
                  struct buffer *body);

#endif
