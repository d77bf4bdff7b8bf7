/* Roots, the part of a name that is its own: "Grimdal" of "Grimdalsvatn"; and the patterns that
 * make names of them. */
#ifndef TERRANE_NAMES_ROOT_H
#define TERRANE_NAMES_ROOT_H

#include "core/names/name.h"

/* The words of a root, as indices in the lists of its tongue; `middle` is -1 for none. */
struct root_parts {
    uint32_t start, end;
    int32_t middle;
};

struct root {
    char text[NAME_ROOT], folded[NAME_ROOT]; /* terminated; folded as letters.h does */
    size_t length, folded_length;            /* bytes */
};

/* Joins the parts. False if the root is one that the tongue does not allow: too short or long, the
 * same vowel on both sides of a joint, or letters that do not flow (letters.h). */
bool root_join(const struct tongue *tongue, const struct root_parts *parts, struct root *root);

/* Writes the pattern with the root for its %. False if the name does not fit. */
bool root_write(const struct root *root, const char *pattern, char text[NAME_TEXT]);

/* The same for a name that may be: false also if it has a blocked word (blocked.h), if a word of
 * the pattern has three letters of the root's beginning or end at its own, or if the root and what
 * is joined to it do not flow or have more than NAME_WORD_MOST letters. */
bool root_apply(const struct root *root, const struct tongue *tongue, const char *pattern,
                char text[NAME_TEXT]);

#endif
