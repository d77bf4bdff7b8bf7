/* The search for blocked words, by bisection of sorted lists. No blocked part begins with another
 * one; so of all parts that a text may begin with, only the last one that is not behind the text in
 * the alphabet can be there: any word between the two would begin with it, too. */
#include "core/names/blocked.h"

#include <string.h>

#include "core/names/letters.h"

struct word_list {
    const char *const *words;
    size_t count;
};

#define LIST(list)                                                                                 \
    (struct word_list)                                                                             \
    {                                                                                              \
        list, sizeof list / sizeof *list                                                           \
    }

static const char *const parts[] = {
#define BLOCKED_PART(...) __VA_ARGS__,
#define BLOCKED_WORD(...)
#define REAL_PLACE(...)
#include "core/names/blocked.def"
#undef BLOCKED_PART
#undef BLOCKED_WORD
#undef REAL_PLACE
};
static const char *const words_alone[] = {
#define BLOCKED_PART(...)
#define BLOCKED_WORD(...) __VA_ARGS__,
#define REAL_PLACE(...)
#include "core/names/blocked.def"
#undef BLOCKED_PART
#undef BLOCKED_WORD
#undef REAL_PLACE
};
static const char *const real_places[] = {
#define BLOCKED_PART(...)
#define BLOCKED_WORD(...)
#define REAL_PLACE(...) __VA_ARGS__,
#include "core/names/blocked.def"
#undef BLOCKED_PART
#undef BLOCKED_WORD
#undef REAL_PLACE
};

/* Compares the first `length` letters of a text, at most, with a word: below 0 if the text is
 * before it; 0 if it begins with it. */
static int compare(const char *text, size_t length, const char *word)
{
    size_t same = 0;
    while (word[same] && same < length && text[same] == word[same])
        same++;
    if (!word[same])
        return 0;
    return same == length ? -1 : (unsigned char)text[same] - (unsigned char)word[same];
}

/* The last word of the list that is not behind the text, or that the text begins with; null if all
 * are behind it. */
static const char *find_last(struct word_list list, const char *text, size_t length)
{
    size_t low = 0, high = list.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare(text, length, list.words[middle]) >= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? list.words[low - 1] : NULL;
}

static bool begins_with_one(struct word_list list, const char *text, size_t length)
{
    const char *word = find_last(list, text, length);
    return word && compare(text, length, word) == 0;
}

static bool is_one(struct word_list list, const char *text, size_t length)
{
    const char *word = find_last(list, text, length);
    return word && compare(text, length, word) == 0 && strlen(word) == length;
}

bool blocked_finds(const char *text)
{
    while (*text) {
        const size_t length = letters_in_word(text);
        if (length > 0 &&
            (is_one(LIST(words_alone), text, length) || is_one(LIST(real_places), text, length)))
            return true;
        for (size_t i = 0; i < length; i++)
            if (begins_with_one(LIST(parts), text + i, length - i))
                return true;
        text += length > 0 ? length : 1;
    }
    return false;
}
