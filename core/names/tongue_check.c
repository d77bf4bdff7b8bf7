/* Checks of words, patterns and fixed names, character by character, and of tongues by a sample of
 * their names: pairs of starts and ends by the hashes of the first whole numbers. */
#include "core/names/tongue_check.h"

#include <stdio.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/utf8.h"
#include "core/names/blocked.h"
#include "core/names/letters.h"
#include "core/names/root.h"

#define WORD_OTHERS "-'"
#define PATTERN_OTHERS "-'.% "
#define NAME_OTHERS "-'. 0123456789,/()"
#define APOSTROPHE "\xE2\x80\x99" /* U+2019 is punctuation to Unicode, and a letter of names */

enum { SHARE = 4 }; /* one in so many names of a sample may be */

/* Sets the error for a character that may not be there. */
static bool refuse_character(const char *at, const char *allowed, struct error *error)
{
    uint32_t character;
    char shown[16];
    if (!utf8_decode(at, strlen(at), &character))
        return error_set(error, ERROR_VALUE, "has a byte that is not valid UTF-8");
    if (character > ' ' && character < 0x7F)
        snprintf(shown, sizeof shown, "\"%c\"", (char)character);
    else
        snprintf(shown, sizeof shown, "U+%04X", (unsigned)character);
    return error_set(error, ERROR_VALUE, "has the character %s; allowed are %s", shown, allowed);
}

static const char *find_other(const char *text, const char *others)
{
    const char *at = letters_find_other(text, others);
    while (at && strncmp(at, APOSTROPHE, strlen(APOSTROPHE)) == 0)
        at = letters_find_other(at + strlen(APOSTROPHE), others);
    return at;
}

static bool check_length(const char *text, size_t most, struct error *error)
{
    const size_t length = strlen(text);
    return (length > 0 && length <= most) ||
           error_set(error, ERROR_VALUE, "must have 1 to %zu bytes, not %zu", most, length);
}

/* Spaces only between other characters, one at a time. */
static bool check_spaces(const char *text, struct error *error)
{
    return (text[0] != ' ' && text[strlen(text) - 1] != ' ' && !strstr(text, "  ")) ||
           error_set(error, ERROR_VALUE, "must have single spaces, and none at its ends");
}

bool tongue_check_word(const char *word, struct error *error)
{
    const char *other = find_other(word, WORD_OTHERS);
    return check_length(word, TONGUE_WORD_BYTES, error) &&
           (!other ||
            refuse_character(other, "letters, with their marks in one character (NFC), - and '",
                             error));
}

bool tongue_check_start(const char *word, struct error *error)
{
    return tongue_check_word(word, error) &&
           (!letters_is_latin(word[0]) ||
            error_set(error, ERROR_VALUE, "must begin with a capital, as names do"));
}

bool tongue_check_pattern(const char *pattern, struct error *error)
{
    char folded[TONGUE_PATTERN_BYTES + 1];
    const char *other = find_other(pattern, PATTERN_OTHERS), *root = strchr(pattern, '%');
    if (!check_length(pattern, TONGUE_PATTERN_BYTES, error))
        return false;
    if (other)
        return refuse_character(other, "letters (NFC), single spaces, - ' . and %", error);
    if (!root || strchr(root + 1, '%'))
        return error_set(error, ERROR_VALUE,
                         "must have one %% for the root of the name, as \"Lake %%\" has");
    folded[letters_fold(pattern, strlen(pattern), folded)] = '\0';
    return check_spaces(pattern, error) &&
           (!blocked_finds(folded) ||
            error_set(error, ERROR_VALUE,
                      "has a word that no name has: an obscene one, or a well-known place"));
}

bool tongue_check_name(const char *name, struct error *error)
{
    const char *other = find_other(name, NAME_OTHERS);
    return check_length(name, TONGUE_NAME_BYTES, error) &&
           (!other ||
            refuse_character(other, "letters (NFC), digits, single spaces and - ' . , / ( )",
                             error)) &&
           check_spaces(name, error);
}

/* The root of a number of the sample. */
static bool join_sample(const struct tongue *tongue, uint64_t number, struct root *root)
{
    const uint64_t hash = hash_mix(number + 1);
    const struct root_parts parts = {
        .start = names_choose(hash, 0, tongue->starts.count),
        .end = names_choose(hash, 1, tongue->ends.count),
        .middle = -1,
    };
    return root_join(tongue, &parts, root);
}

/* How many names of the sample may be. */
static unsigned count_good(const struct tongue *tongue, const char *pattern, unsigned sample)
{
    struct root root;
    char text[NAME_TEXT];
    unsigned good = 0;
    for (uint64_t i = 0; i < sample; i++)
        good += join_sample(tongue, i, &root) && root_apply(&root, tongue, pattern, text);
    return good;
}

bool tongue_check_roots(const struct tongue *tongue, struct error *error)
{
    const unsigned good = count_good(tongue, "%", TONGUE_CHECK_ROOTS);
    return good >= TONGUE_CHECK_ROOTS / SHARE ||
           error_set(
               error, ERROR_VALUE,
               "only %u of %d starts with an end are roots: one has %d to %d letters, at most "
               "%u vowels or %u consonants behind each other, no syllable twice in a row, no "
               "obscene word, and is no well-known place",
               good, TONGUE_CHECK_ROOTS, NAME_LETTERS_LEAST, NAME_LETTERS_MOST, tongue->vowels,
               tongue->consonants);
}

bool tongue_check_names(const struct tongue *tongue, const char *pattern, struct error *error)
{
    const unsigned good = count_good(tongue, pattern, TONGUE_CHECK_NAMES);
    return good >= TONGUE_CHECK_NAMES / SHARE ||
           error_set(error, ERROR_VALUE,
                     "only %u of %d roots go with it: a root and what is joined to it have at most "
                     "%d letters, and flow as a root does",
                     good, TONGUE_CHECK_NAMES, NAME_WORD_MOST);
}
