/* Names for seas, ranges, rivers and all else that a map names.
 *
 * A name is a function of (names, seed, kind, id) and of the tongue of the region that the
 * feature's place lies in: integers alone, so it is the same on every machine, at every zoom and in
 * any order. Making one allocates nothing, keeps nothing and takes some 1 µs. The caller passes one
 * and the same place for a feature, wherever it meets it.
 *
 * Two features may get the same name by chance: each tongue has more than 20,000 roots. */
#ifndef TERRANE_NAMES_NAME_H
#define TERRANE_NAMES_NAME_H

#include "core/names/names.h"

enum {
    NAME_ROOT = 64,         /* bytes of a root, terminated */
    NAME_TEXT = 128,        /* bytes of a name, terminated */
    NAME_LETTERS_LEAST = 3, /* letters of a root; of other scripts than Latin 2 */
    NAME_LETTERS_MOST = 14,
    NAME_WORD_MOST = 15, /* letters of a root with what a pattern joins to it */
};

/* What gets a name. */
struct name_subject {
    enum name_kind kind;
    uint64_t id;        /* tells features of a kind from each other */
    struct place place; /* of the feature: the same one whoever asks */
};

struct name {
    char text[NAME_TEXT]; /* "Grimdalsvatn", "Lake Balinor"; UTF-8, NFC, terminated */
    char root[NAME_ROOT]; /* "Grimdal", "Balinor" */
    uint32_t tongue;      /* its index in names->tongues */
};

/* Makes the name of a feature. Needs a tongue: names->tongue_count > 0. Fixed names are left to the
 * caller: names_place_near(). */
void name_make(const struct names *names, uint64_t seed, const struct name_subject *subject,
               struct name *name);

/* The same in a given tongue, whatever the region; leaves name->tongue alone. */
void name_make_in(const struct tongue *tongue, uint64_t seed, const struct name_subject *subject,
                  struct name *name);

/* Makes the name of a feature after another one, with its root and tongue: the mouth of a river,
 * the bay beside a cape. `id` chooses among the patterns of the kind. */
void name_derive(const struct names *names, const struct name *other, enum name_kind kind,
                 uint64_t id, struct name *name);

#endif
