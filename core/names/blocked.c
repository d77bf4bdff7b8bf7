/* The search for blocked words: at each letter of the text, the few words of the table that begin
 * with it are compared. */
#include "core/names/blocked.h"

#include <string.h>

#include "core/names/letters.h"

enum { LETTERS = 26 };

/* The words of each letter, with spaces between; null where there are none. */
static const char *const parts[LETTERS] = {
#define BLOCKED_PART(letter, words) [letter - 'a'] = words,
#define BLOCKED_WORD(letter, words)
#define REAL_PLACE(letter, words)
#include "core/names/blocked.def"
#undef BLOCKED_PART
#undef BLOCKED_WORD
#undef REAL_PLACE
};
static const char *const words_alone[LETTERS] = {
#define BLOCKED_PART(letter, words)
#define BLOCKED_WORD(letter, words) [letter - 'a'] = words,
#define REAL_PLACE(letter, words)
#include "core/names/blocked.def"
#undef BLOCKED_PART
#undef BLOCKED_WORD
#undef REAL_PLACE
};
static const char *const real_places[LETTERS] = {
#define BLOCKED_PART(letter, words)
#define BLOCKED_WORD(letter, words)
#define REAL_PLACE(letter, words) [letter - 'a'] = words,
#include "core/names/blocked.def"
#undef BLOCKED_PART
#undef BLOCKED_WORD
#undef REAL_PLACE
};

/* True if the text begins with one of the words; `whole`: and no letter follows there. */
static bool begins_with_one(const char *text, const char *words, bool whole)
{
    for (const char *word = words; word && *word;) {
        size_t same = 0;
        while (word[same] > ' ' && word[same] == text[same])
            same++;
        if (word[same] <= ' ' && !(whole && letters_is_latin(text[same])))
            return true;
        word += same;
        while (*word > ' ')
            word++;
        word += *word == ' ';
    }
    return false;
}

bool blocked_finds(const char *text)
{
    for (const char *at = text; *at; at++) {
        const int letter = *at - 'a';
        if (!letters_is_latin(*at))
            continue;
        if (begins_with_one(at, parts[letter], false))
            return true;
        const bool starts = at == text || !letters_is_latin(at[-1]);
        if (starts && (begins_with_one(at, words_alone[letter], true) ||
                       begins_with_one(at, real_places[letter], true)))
            return true;
    }
    return false;
}
