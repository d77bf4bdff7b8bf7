/* Kinds of features that have names: the table kinds.def as constants, and its columns. */
#ifndef TERRANE_NAMES_KIND_H
#define TERRANE_NAMES_KIND_H

#include <stdint.h>

enum name_kind {
#define NAME_KIND(id, text, reach_km, pattern) NAME_##id,
#include "core/names/kinds.def"
#undef NAME_KIND
    NAME_KINDS /* how many there are */
};

/* The word for a kind in documents, world files and messages: "sea". */
const char *name_kind_text(enum name_kind kind);
/* The kind of such a word; -1 if there is none. */
int name_kind_find(const char *text);
/* All words in the order of the kinds, for messages. */
extern const char *const name_kind_texts[NAME_KINDS];
/* How far from the place of a fixed name nothing else has a name of the kind, in 2⁻¹⁶ m. */
int64_t name_kind_reach(enum name_kind kind);
/* The pattern of tongues that give none for the kind: "% Sea". */
const char *name_kind_pattern(enum name_kind kind);

#endif
