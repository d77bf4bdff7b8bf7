/* How a path names worlds and styles: NAME, for worlds NAME~SEED, and either with @FINGERPRINT
 * behind it. The marks count only where they stand unencoded: the first "~", the last "@". */
#ifndef TERRANE_SERVER_HTTP_REFERENCE_H
#define TERRANE_SERVER_HTTP_REFERENCE_H

#include "core/world/world.h"
#include "server/http/request.h"

enum reference_kind {
    REFERENCE_WORLD, /* pins are g1-… */
    REFERENCE_STYLE, /* pins are s1-…; "~" is no mark */
};

struct reference {
    char name[WORLD_NAME_MAX + 1];
    bool seeded;
    char seed[WORLD_SEED_MAX + 1];
    bool pinned;
    char pin[64]; /* well-formed, of any generator */
};

/* `text` must come from a request that was parsed. False with 400 for a malformed seed or pin, 404
 * for a name too long to be one. */
bool reference_parse(const struct request_text *text, enum reference_kind kind,
                     struct reference *reference, struct problem *problem);

/* Appends `text` as a part of a path: everything but letters, digits and "-._" percent-encoded. */
void reference_escape(const char *text, struct buffer *out);

#endif
