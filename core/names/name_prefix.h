/* The beginning of names, as people type it: without case and diacritics. */
#ifndef TERRANE_NAMES_NAME_PREFIX_H
#define TERRANE_NAMES_NAME_PREFIX_H

#include "core/base/error.h"

enum {
    NAME_PREFIX_MOST = 64,      /* characters, marks on others not counted */
    NAME_FOLDED_TEXT = 4 * 128, /* bytes of a folded name or prefix, terminated */
};

struct name_prefix {
    char folded[NAME_FOLDED_TEXT]; /* terminated */
};

/* Reads a prefix from a text that came from outside: 1 to NAME_PREFIX_MOST letters of any script,
 * digits, and between them what names have: spaces, hyphens, apostrophes, full stops, commas,
 * slashes and parentheses. False with ERROR_VALUE without a path: "must be …". */
bool name_prefix_parse(const char *text, struct name_prefix *prefix, struct error *error);

/* True if a name, 1 to 128 bytes of well-formed UTF-8, begins with the prefix. */
bool name_prefix_matches(const struct name_prefix *prefix, const char *name);

/* Folds a well-formed text: Latin letters become a … z, one for each (letters.h, and those of
 * Latin Extended-B and Additional with a mark); Greek, Cyrillic and Armenian ones small, Greek ones
 * without accents; marks of U+0300 … U+036F are left out, so texts in NFC and NFD fold alike. Other
 * characters stay. `out` is terminated, and cut at a character where it is too short. */
void name_fold(const char *text, char out[NAME_FOLDED_TEXT]);

#endif
