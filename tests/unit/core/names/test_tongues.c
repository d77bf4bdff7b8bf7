/* The tongues of the program: how many roots they make, how their names are spread and written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/hash.h"
#include "core/base/utf8.h"
#include "core/names/root.h"
#include "core/names/tongue_check.h"

enum { ROOTS_LEAST = 20000, DRAWN = 10000, TABLE = 1 << 16 };

static int compare_hashes(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Sorts hashes and counts the different ones; *most is how often the most frequent one is there. */
static size_t count_different(uint64_t *hashes, size_t count, size_t *most)
{
    size_t different = 0, run = 0;
    qsort(hashes, count, sizeof *hashes, compare_hashes);
    *most = 0;
    for (size_t i = 0; i < count; i++) {
        run = i > 0 && hashes[i] == hashes[i - 1] ? run + 1 : 1;
        different += run == 1;
        *most = run > *most ? run : *most;
    }
    return different;
}

/* The hashes of roots, each start with all that may follow it, until the table is full. */
static size_t hash_roots(const struct tongue *tongue, uint64_t hashes[TABLE])
{
    size_t count = 0;
    struct root root;
    struct root_parts parts = {0};
    for (parts.start = 0; parts.start < tongue->starts.count; parts.start++)
        for (parts.end = 0; parts.end < tongue->ends.count; parts.end++)
            for (parts.middle = -1; parts.middle < (int32_t)tongue->middles.count; parts.middle++)
                if (count < TABLE && root_join(tongue, &parts, &root))
                    hashes[count++] = hash_bytes(root.text, root.length, 0).low;
    return count;
}

static void each_tongue_has_more_than_20000_roots(void **state)
{
    (void)state;
    static uint64_t hashes[TABLE];
    for (size_t t = 0; t < TONGUES; t++) {
        size_t most;
        const size_t count = hash_roots(tongues[t], hashes);
        const size_t different = count_different(hashes, count, &most);
        if (different <= ROOTS_LEAST)
            fail_msg("%s has only %zu different roots", tongues[t]->name, different);
    }
}

/* Draws names of one kind: 1 % of 10,000 is 100. */
static void no_name_is_more_than_one_in_a_hundred(void **state)
{
    (void)state;
    static uint64_t hashes[DRAWN];
    for (size_t t = 0; t < TONGUES; t++)
        for (int kind = 0; kind < NAME_KINDS; kind++) {
            size_t most;
            for (uint64_t id = 0; id < DRAWN; id++) {
                const struct name_subject subject = {.kind = (enum name_kind)kind, .id = id};
                struct name name;
                name_make_in(tongues[t], 3, &subject, &name);
                hashes[id] = hash_bytes(name.text, strlen(name.text), 0).low;
            }
            const size_t different = count_different(hashes, DRAWN, &most);
            if (most > DRAWN / 100 || different < DRAWN / 2)
                fail_msg("%s, %s: one name %zu times, %zu different ones", tongues[t]->name,
                         name_kind_texts[kind], most, different);
        }
}

/* True if the text has only letters that are one character each, up to U+017F, and the ʻokina. */
static bool is_composed(const char *text)
{
    const size_t length = strlen(text);
    for (size_t at = 0; at < length;) {
        uint32_t character;
        const size_t bytes = utf8_decode(text + at, length - at, &character);
        if (bytes == 0 || (character > 0x17F && character != 0x2BB))
            return false;
        at += bytes;
    }
    return true;
}

static void each_tongue_has_words_and_patterns_of_every_kind(void **state)
{
    (void)state;
    struct error error = {0};
    for (size_t t = 0; t < TONGUES; t++) {
        const struct tongue *tongue = tongues[t];
        const struct tongue_words lists[] = {tongue->starts, tongue->middles, tongue->ends};
        for (size_t l = 0; l < 3; l++)
            for (uint32_t i = 0; i < lists[l].count; i++) {
                const char *word = lists[l].items[i];
                if (!tongue_check_word(word, &error) || !is_composed(word) ||
                    (l == 0 && !tongue_check_start(word, &error)))
                    fail_msg("%s: \"%s\" %s", tongue->name, word, error.message);
            }
        for (int kind = 0; kind < NAME_KINDS; kind++) {
            assert_true(tongue->patterns[kind].count > 0);
            for (uint32_t i = 0; i < tongue->patterns[kind].count; i++) {
                const char *pattern = tongue->patterns[kind].items[i];
                if (!tongue_check_pattern(pattern, &error) || !is_composed(pattern) ||
                    !tongue_check_names(tongue, pattern, &error))
                    fail_msg("%s: \"%s\" %s", tongue->name, pattern, error.message);
            }
        }
        assert_true(tongue_check_roots(tongue, &error));
        assert_ptr_equal(tongue_find(tongue->name), tongue);
    }
    assert_null(tongue_find("norse"));
}

int test_tongues(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_tongue_has_more_than_20000_roots),
        cmocka_unit_test(no_name_is_more_than_one_in_a_hundred),
        cmocka_unit_test(each_tongue_has_words_and_patterns_of_every_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
