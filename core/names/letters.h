/* Letters of names without case and diacritics, and the rules of how they may follow each other. */
#ifndef TERRANE_NAMES_LETTERS_H
#define TERRANE_NAMES_LETTERS_H

#include <stdbool.h>
#include <stddef.h>

/* Folds a well-formed text for comparing: Latin letters up to U+017F become a … z, one for each,
 * so "Ærøsund" is "arosund"; all other characters stay as they are. At most `length` bytes go to
 * `out`, which is not terminated; returns how many. */
size_t letters_fold(const char *text, size_t length, char *out);

/* What a tongue allows. */
struct letters_limits {
    unsigned vowels, consonants; /* behind each other, at most */
    const char *clashes;         /* pairs of consonants that no name has: "sz zs"; null for none */
};

/* True if a folded text has no more vowels or consonants behind each other than allowed, no pair
 * that clashes, no letter three times in a row or twice behind a consonant, no syllable of two to
 * four letters twice in a row, and no consonant three times in six letters. h behind a consonant
 * counts with it; y is a vowel where no vowel is beside it. Letters of other scripts follow no
 * rule.
 */
bool letters_flow(const char *folded, size_t length, const struct letters_limits *limits);

/* True if the letters on both sides of a joint are the same vowel. */
bool letters_same_vowel(char left, char right);

/* The first character of a well-formed text that is neither a letter of any script nor one of
 * `others` (ASCII); null if there is none. Spaces, digits, punctuation, symbols, control
 * characters, and marks that belong on the letter before them are no letters: in NFC the letters of
 * almost all languages have their marks in them. */
const char *letters_find_other(const char *text, const char *others);

static inline bool letters_is_latin(char letter)
{
    return letter >= 'a' && letter <= 'z';
}

/* How many Latin letters a folded, terminated text begins with. */
static inline size_t letters_in_word(const char *folded)
{
    size_t length = 0;
    while (letters_is_latin(folded[length]))
        length++;
    return length;
}

#endif
