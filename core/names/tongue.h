/* A tongue: the sounds of the names of a region, as tables of words.
 *
 * A root is a start and an end, with a middle between them in some names: "Grim" + "dal", "Svart" +
 * "er" + "nes". A pattern of the feature's kind makes the name of the root: "%vatn", "Lake %".
 *
 * Tongues of the program are constants (tongues/…def, which tongues.c includes); those of a world
 * belong to it. Both are immutable, and any number of threads may read them. */
#ifndef TERRANE_NAMES_TONGUE_H
#define TERRANE_NAMES_TONGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/names/kind.h"

enum {
    TONGUE_WORDS_MAX = 1024,   /* starts, middles or ends */
    TONGUE_WORD_BYTES = 24,    /* of a start, middle or end */
    TONGUE_PATTERN_BYTES = 40, /* of a pattern, with its % */
    TONGUE_NAME_BYTES = 96,    /* of a fixed name */
    TONGUE_PATTERNS_MAX = 8,   /* of a kind */
};

struct tongue_words {
    const char *const *items; /* well-formed UTF-8 in NFC */
    uint32_t count;
};

struct tongue {
    const char *name;                          /* in world files: "nordic" */
    struct tongue_words starts, middles, ends; /* starts begin with a capital */
    struct tongue_words patterns[NAME_KINDS];  /* none: name_kind_pattern() */
    uint8_t middles_in_16; /* of 16 roots, so many have a middle, where there are middles */
    uint8_t vowels;        /* a root has at most so many vowels behind each other */
    uint8_t consonants;    /* the same of consonants; "th", "sh" and their like count as one */
    const char *clashes;   /* pairs of consonants that no root has: "sz zs"; null for none */
};

/* The tongues of the program, each in its file tongues/NAME.def: the order of their numbers. */
#define TONGUE_LIST(TONGUE)                                                                        \
    TONGUE(nordic)                                                                                 \
    TONGUE(romance)                                                                                \
    TONGUE(slavic)                                                                                 \
    TONGUE(celtic)                                                                                 \
    TONGUE(polynesian)                                                                             \
    TONGUE(semitic)                                                                                \
    TONGUE(sinitic)                                                                                \
    TONGUE(sylvan)
enum {
#define TONGUE(name) TONGUE_##name,
    TONGUE_LIST(TONGUE)
#undef TONGUE
        TONGUES
};
extern const struct tongue *const tongues[TONGUES];

/* The tongue of that name among those of the program; null if there is none. */
const struct tongue *tongue_find(const char *name);

#endif
