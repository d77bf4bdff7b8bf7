/* Names that are never made: obscene or insulting words, and well-known real places (blocked.def).
 */
#ifndef TERRANE_NAMES_BLOCKED_H
#define TERRANE_NAMES_BLOCKED_H

#include <stdbool.h>
#include <stddef.h>

/* True if a folded text (letters.h) has a blocked part anywhere, or a blocked word or a real place
 * as a word of its own. `text` is terminated. */
bool blocked_finds(const char *text);

#endif
