/* Blocked words: their lists, and that none of a million names has one, as other searches find. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/names/blocked.h"
#include "core/names/letters.h"
#include "core/names/name.h"

static const char *const parts[] = {
#define BLOCKED_PART(...) __VA_ARGS__,
#define BLOCKED_WORD(...)
#define REAL_PLACE(...)
#include "core/names/blocked.def"
#undef BLOCKED_PART
#undef BLOCKED_WORD
#undef REAL_PLACE
};
static const char *const words[] = {
#define BLOCKED_PART(...)
#define BLOCKED_WORD(...) __VA_ARGS__,
#define REAL_PLACE(...)
#include "core/names/blocked.def"
#undef BLOCKED_WORD
#undef REAL_PLACE
#define BLOCKED_WORD(...)
#define REAL_PLACE(...) __VA_ARGS__,
#include "core/names/blocked.def"
#undef BLOCKED_PART
#undef BLOCKED_WORD
#undef REAL_PLACE
};
enum {
    PARTS = sizeof parts / sizeof *parts,
    WORDS = sizeof words / sizeof *words,
    LETTERS = 1 << 16,
    NAMES = 1000000
};

static void lists_are_in_order_and_in_small_letters(void **state)
{
    (void)state;
    for (size_t i = 0; i < PARTS; i++) {
        assert_int_equal(strspn(parts[i], "abcdefghijklmnopqrstuvwxyz"), strlen(parts[i]));
        if (i > 0 && strncmp(parts[i], parts[i - 1], strlen(parts[i - 1])) <= 0)
            fail_msg("\"%s\" is before \"%s\", or begins with it", parts[i], parts[i - 1]);
    }
    unsigned restarts = 0; /* the second list begins */
    for (size_t i = 1; i < WORDS; i++)
        restarts += strcmp(words[i], words[i - 1]) <= 0;
    assert_int_equal(restarts, 1);
}

static void every_blocked_word_is_found(void **state)
{
    (void)state;
    char text[64];
    for (size_t i = 0; i < PARTS; i++) {
        snprintf(text, sizeof text, "lake x%sx", parts[i]);
        if (!blocked_finds(parts[i]) || !blocked_finds(text))
            fail_msg("\"%s\" is not found", text);
    }
    for (size_t i = 0; i < WORDS; i++) {
        snprintf(text, sizeof text, "mount %s-x", words[i]);
        if (!blocked_finds(words[i]) || !blocked_finds(text))
            fail_msg("\"%s\" is not found", text);
    }
}

static void harmless_words_are_not_found(void **state)
{
    (void)state;
    static const char *const harmless[] = {
        "",        "grimdal",   "lake balinor", "canal de rosa", "massif of bassin",
        "nileria", "montenile", "shi shan",     "cape analor",   "kukan",
    };
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (blocked_finds(harmless[i]))
            fail_msg("\"%s\" is blocked", harmless[i]);
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Fails if a blocked part is anywhere in the text, or a blocked word between its spaces. */
static void search_text(char *text, const char *const sorted[WORDS])
{
    for (size_t i = 0; i < PARTS; i++)
        if (strstr(text, parts[i]))
            fail_msg("a name has \"%s\"", parts[i]);
    for (char *at = text; (at = strtok(at, " -'\n")); at = NULL) {
        const char *word = at;
        if (bsearch(&word, sorted, WORDS, sizeof *sorted, compare_words))
            fail_msg("a name has the word \"%s\"", word);
    }
}

static void a_million_names_have_no_blocked_words(void **state)
{
    (void)state;
    static char text[LETTERS];
    const char *sorted[WORDS];
    size_t length = 0;
    memcpy(sorted, words, sizeof words);
    qsort(sorted, WORDS, sizeof *sorted, compare_words);
    for (uint64_t id = 0; id < NAMES; id++) {
        const struct name_subject subject = {.kind = (enum name_kind)(id / TONGUES % NAME_KINDS),
                                             .id = id};
        struct name name;
        name_make_in(tongues[id % TONGUES], 1, &subject, &name);
        length += letters_fold(name.text, strlen(name.text), text + length);
        text[length++] = '\n';
        if (length < LETTERS - NAME_TEXT && id + 1 < NAMES)
            continue;
        text[length] = '\0';
        search_text(text, sorted);
        length = 0;
    }
}

int test_blocked(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_in_order_and_in_small_letters),
        cmocka_unit_test(every_blocked_word_is_found),
        cmocka_unit_test(harmless_words_are_not_found),
        cmocka_unit_test(a_million_names_have_no_blocked_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
