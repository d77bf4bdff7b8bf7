/* How paths and parameters name worlds and styles: NAME, for worlds NAME~SEED, and either with
 * @FINGERPRINT behind it.
 *
 * They are read as they are once decoded, so "%7E" and "%40" are the marks as well. The first "~"
 * begins the seed; the last "@" begins the pin. A seed may have both characters in it: an "@" with
 * anything behind it that does not begin like a fingerprint, "g1-", is the seed's. (A seed that
 * ends in what does can be named with a pin behind it.) */
#ifndef TERRANE_SERVER_HTTP_REQUEST_REFERENCE_H
#define TERRANE_SERVER_HTTP_REQUEST_REFERENCE_H

#include "core/world/world.h"
#include "server/http/request/target.h"

enum reference_kind {
    REFERENCE_WORLD, /* pins are g1-… */
    REFERENCE_STYLE, /* pins are s1-…; "~" is no mark */
};

struct reference {
    char name[WORLD_NAME_MAX + 1];
    bool has_seed;
    char seed[WORLD_SEED_MAX + 1];
    bool pinned;
    char pin[64]; /* well-formed, of any generator */
};

/* `text` must come from a request that was parsed. False with 400 for a malformed seed or pin, 404
 * for a name too long to be one. */
bool reference_parse(const struct target_text *text, enum reference_kind kind,
                     struct reference *reference, struct problem *problem);

/* Appends `text` as a part of a path: everything but letters, digits and "-._" percent-encoded. */
void reference_escape(const char *text, struct buffer *out);

#endif
