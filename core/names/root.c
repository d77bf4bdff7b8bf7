/* Joining the words of a root, and roots with patterns; and all that makes a name impossible. */
#include "core/names/root.h"

#include <string.h>

#include "core/base/utf8.h"
#include "core/names/blocked.h"
#include "core/names/letters.h"

enum { ECHO = 3 }; /* letters in which words sound alike */

/* Appends a word. False where it does not fit or doubles a vowel. */
static bool append(struct root *root, const char *word)
{
    const size_t length = strlen(word), before = root->folded_length;
    if (root->length + length >= NAME_ROOT)
        return false;
    memcpy(root->text + root->length, word, length);
    root->length += length;
    root->folded_length += letters_fold(word, length, root->folded + before);
    return before == 0 || length == 0 ||
           !letters_same_vowel(root->folded[before - 1], root->folded[before]);
}

static bool flows(const struct tongue *tongue, const char *folded, size_t length)
{
    const struct letters_limits limits = {tongue->vowels, tongue->consonants, tongue->clashes};
    return letters_flow(folded, length, &limits);
}

/* A word of Latin letters has three at least; one of a script of syllables or of whole words says
 * as much with two. */
static bool has_fit_length(const struct root *root)
{
    const size_t letters = utf8_count(root->text, root->length);
    const bool latin = letters_is_latin(root->folded[0]);
    return letters >= (latin ? NAME_LETTERS_LEAST : NAME_LETTERS_LEAST - 1) &&
           letters <= NAME_LETTERS_MOST;
}

bool root_join(const struct tongue *tongue, const struct root_parts *parts, struct root *root)
{
    root->length = root->folded_length = 0;
    if (!append(root, tongue->starts.items[parts->start]) ||
        (parts->middle >= 0 && !append(root, tongue->middles.items[parts->middle])) ||
        !append(root, tongue->ends.items[parts->end]))
        return false;
    root->text[root->length] = root->folded[root->folded_length] = '\0';
    return has_fit_length(root) && flows(tongue, root->folded, root->folded_length);
}

/* True if what is joined to a root, in the folded text that begins with it, can be said with it. */
static bool joint_flows(const struct root *root, const struct tongue *tongue, const char *folded)
{
    const size_t joint = root->folded_length, length = letters_in_word(folded);
    return length <= joint ||
           (length <= NAME_WORD_MOST && !letters_same_vowel(folded[joint - 1], folded[joint]) &&
            flows(tongue, folded, length));
}

/* True if a word of the folded pattern says what the root begins or ends with: "Lake Lakeron",
 * "Sundmoor Moor", "Gora Goran". Words of one or two letters are too short to be heard. */
static bool echoes(const struct root *root, const char *folded)
{
    if (root->folded_length < ECHO)
        return false;
    const char *const end = root->folded + root->folded_length - ECHO;
    for (size_t length; *folded; folded += length > 0 ? length : 1) {
        length = letters_in_word(folded);
        if (length >= ECHO &&
            (memcmp(folded, root->folded, ECHO) == 0 || memcmp(folded, end, ECHO) == 0 ||
             memcmp(folded + length - ECHO, end, ECHO) == 0))
            return true;
    }
    return false;
}

bool root_write(const struct root *root, const char *pattern, char text[NAME_TEXT])
{
    const size_t before = strcspn(pattern, "%"), total = strlen(pattern);
    const size_t after = total > before ? total - before - 1 : 0;
    if (before + root->length + after >= NAME_TEXT)
        return false;
    memcpy(text, pattern, before);
    memcpy(text + before, root->text, root->length);
    memcpy(text + before + root->length, pattern + total - after, after);
    text[before + root->length + after] = '\0';
    return true;
}

bool root_apply(const struct root *root, const struct tongue *tongue, const char *pattern,
                char text[NAME_TEXT])
{
    char folded[NAME_TEXT];
    folded[letters_fold(pattern, strlen(pattern), folded)] = '\0';
    if (echoes(root, folded) || !root_write(root, pattern, text))
        return false;
    folded[letters_fold(text, strlen(text), folded)] = '\0';
    const size_t start = letters_fold(text, strcspn(pattern, "%"), (char[NAME_TEXT]){0});
    return joint_flows(root, tongue, folded + start) && !blocked_finds(folded);
}
