/* References to worlds and styles in paths and parameters: NAME, for worlds also NAME~SEED, and
 * both with @FINGERPRINT behind, which pins them.
 *
 * They are parsed after percent-decoding, so "%7E" and "%40" are marks as well. The first "~"
 * begins the seed, and the last "@" the pin. A seed may contain both characters: an "@" belongs to
 * the seed if the text behind it does not begin like a pin (server/worlds/pin.h), "g1-". (A seed
 * that ends in such a text can be used with a pin behind it.) */
#ifndef TERRANE_SERVER_HTTP_REQUEST_REFERENCE_H
#define TERRANE_SERVER_HTTP_REQUEST_REFERENCE_H

#include "core/worldfile/world.h"
#include "server/http/request/problem.h"
#include "server/worlds/pin.h"

enum reference_kind {
    REFERENCE_WORLD, /* with pins of PIN_WORLD */
    REFERENCE_STYLE, /* with pins of PIN_STYLE; "~" is part of the name */
};

struct reference {
    char name[WORLD_NAME_MAX + 1];
    bool has_seed;
    char seed[WORLD_SEED_MAX + 1];
    bool pinned;
    char pin[PIN_TEXT]; /* well-formed, of any generator */
};

/* `text` is decoded and terminated, perhaps behind more than the `length` bytes of the reference.
 * False with 400 for a malformed seed or pin, or 404 for a name that is too long. */
bool reference_parse(const char *text, size_t length, enum reference_kind kind,
                     struct reference *reference, struct problem *problem);

/* True if the reference has no pin, or the pin of the current fingerprint; else false with 410. */
bool reference_check_pin(const struct reference *reference, enum reference_kind kind,
                         const char *current, struct problem *problem);
/* The 410 of a pin that is not the current fingerprint; `subject` is "the world "x" has". Returns
 * false. */
bool reference_refuse_pin(const char *subject, const char *pin, const char *current,
                          struct problem *problem);

/* Appends `text` as a part of a path: everything but letters, digits and "-._" percent-encoded. */
void reference_escape(const char *text, struct buffer *out);

#endif
