/* Checks of a world's own tongue: that its words are words, and that most of the names that it
 * would make may be. */
#ifndef TERRANE_NAMES_TONGUE_CHECK_H
#define TERRANE_NAMES_TONGUE_CHECK_H

#include "core/base/error.h"
#include "core/names/tongue.h"

/* Each is false with an error without a path.
 *
 * A start, middle or end: 1 to TONGUE_WORD_BYTES bytes of letters, hyphens and apostrophes. */
bool tongue_check_word(const char *word, struct error *error);
/* The same of a start, which does not begin with a small letter a … z. */
bool tongue_check_start(const char *word, struct error *error);

/* A pattern: 1 to TONGUE_PATTERN_BYTES bytes with one %, letters, hyphens, apostrophes, full stops
 * and single spaces, and without a blocked word (blocked.h). */
bool tongue_check_pattern(const char *pattern, struct error *error);

/* A fixed name: 1 to TONGUE_NAME_BYTES bytes of the same, digits, commas, slashes and parentheses.
 */
bool tongue_check_name(const char *name, struct error *error);

/* True if at least a quarter of the roots of starts and ends are such as the tongue allows, of a
 * sample of them: so a name is found in few attempts. */
bool tongue_check_roots(const struct tongue *tongue, struct error *error);
/* The same of the names of a pattern. */
bool tongue_check_names(const struct tongue *tongue, const char *pattern, struct error *error);

/* The roots of a sample, and those that each pattern is tried with. */
enum { TONGUE_CHECK_ROOTS = 64, TONGUE_CHECK_NAMES = 16 };

#endif
