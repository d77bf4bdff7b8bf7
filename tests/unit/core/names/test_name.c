/* Names of features: the same ones in any order, letters and lengths within their limits, regions
 * that hold together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

#include "core/base/utf8.h"
#include "core/names/name.h"

enum { MANY = 10000 };

/* A subject somewhere within some 8,000 km of the origin. */
static struct name_subject subject_of(uint64_t id)
{
    const int64_t x = (int64_t)(id * 7919 % 16000) - 8000,
                  y = (int64_t)(id * 104729 % 16000) - 8000;
    return (struct name_subject){
        .kind = (enum name_kind)(id % NAME_KINDS),
        .id = id,
        .place = {x * 1000 * PLACE_METRE, y * 1000 * PLACE_METRE},
    };
}

static struct name name_of(uint64_t seed, uint64_t id)
{
    struct name name;
    const struct name_subject subject = subject_of(id);
    memset(&name, 0xA5, sizeof name);
    name_make(&names_default, seed, &subject, &name);
    return name;
}

static void names_are_the_same_in_any_order(void **state)
{
    (void)state;
    struct name *forward = calloc(MANY, sizeof *forward);
    assert_non_null(forward);
    for (uint64_t id = 0; id < MANY; id++)
        forward[id] = name_of(42, id);
    for (uint64_t i = 0; i < MANY; i++) {
        const uint64_t id = (MANY - 1 - i) * 3001 % MANY; /* 3001 is prime: each id once */
        const struct name again = name_of(42, id);
        assert_string_equal(again.text, forward[id].text);
        assert_string_equal(again.root, forward[id].root);
        assert_int_equal(again.tongue, forward[id].tongue);
    }
    free(forward);
}

static void roots_have_3_to_14_letters_and_are_in_their_names(void **state)
{
    (void)state;
    for (uint64_t id = 0; id < MANY; id++) {
        const struct name name = name_of(7, id);
        const size_t letters = utf8_count(name.root, strlen(name.root));
        assert_true(utf8_valid(name.text, strlen(name.text)));
        assert_in_range(letters, 3, 14);
        assert_non_null(strstr(name.text, name.root));
        assert_null(strchr(name.text, '%'));
    }
}

/* True if a word of ASCII letters begins or ends with the same three as the root does. */
static bool sounds_alike(const char *word, size_t length, const char *root)
{
    const size_t last = strlen(root) - 3;
    return length >= 3 &&
           (strncasecmp(word, root, 3) == 0 || strncasecmp(word, root + last, 3) == 0 ||
            strncasecmp(word + length - 3, root + last, 3) == 0);
}

static void words_beside_a_root_do_not_repeat_it(void **state)
{
    (void)state;
    static const char *const starts[] = {"Lak", "Mona", "Ham"};
    static const char *const ends[] = {"eron", "moor", "lake", "dal"};
    static const char *const lakes[] = {"Lake %", "% Moor", "%moor", "Hamna %"};
    static const struct tongue tongue = {
        .name = "echoes",
        .starts = {starts, sizeof starts / sizeof *starts},
        .ends = {ends, sizeof ends / sizeof *ends},
        .patterns[NAME_LAKE] = {lakes, sizeof lakes / sizeof *lakes},
        .vowels = 3,
        .consonants = 3,
    };
    for (uint64_t id = 0; id < 1000; id++) {
        const struct name_subject subject = {.kind = NAME_LAKE, .id = id};
        struct name name;
        name_make_in(&tongue, 1, &subject, &name);
        const char *root = strstr(name.text, name.root), *behind = root + strlen(name.root);
        const size_t before = (size_t)(root - name.text);
        behind += *behind == ' ';
        assert_false(before > 0 && sounds_alike(name.text, before - 1, name.root));
        assert_false(sounds_alike(behind, strlen(behind), name.root));
    }
}

static void other_seeds_and_ids_have_other_names(void **state)
{
    (void)state;
    unsigned same_seed = 0, same_id = 0;
    for (uint64_t id = 0; id < 1000; id++) {
        same_seed += strcmp(name_of(1, id).text, name_of(2, id).text) == 0;
        same_id += strcmp(name_of(1, id).text, name_of(1, id + NAME_KINDS).text) == 0;
    }
    assert_in_range(same_seed, 0, 10);
    assert_in_range(same_id, 0, 10);
}

static void a_name_after_another_has_its_root_and_tongue(void **state)
{
    (void)state;
    for (uint64_t id = 0; id < 1000; id++) {
        const struct name river = name_of(5, id);
        struct name mouth, again;
        name_derive(&names_default, &river, NAME_MOUTH, id, &mouth);
        name_derive(&names_default, &river, NAME_MOUTH, id, &again);
        assert_string_equal(mouth.root, river.root);
        assert_string_equal(mouth.text, again.text);
        assert_int_equal(mouth.tongue, river.tongue);
        assert_non_null(strstr(mouth.text, river.root));
    }
}

/* One of 24 roots may be: in 64 attempts every fifteenth feature finds none, and has the first. */
static void a_poor_tongue_still_finds_a_name(void **state)
{
    (void)state;
    static const char *const starts[] = {"Shit", "Fuck", "Kotz", "Brr", "Str", "Grim"};
    static const char *const ends[] = {"ttt", "bbb", "ggg", "dal"};
    static const struct tongue poor = {
        .name = "poor",
        .starts = {starts, sizeof starts / sizeof *starts},
        .ends = {ends, sizeof ends / sizeof *ends},
        .vowels = 2,
        .consonants = 3,
    };
    for (uint64_t id = 0; id < 1000; id++) {
        const struct name_subject subject = {.kind = NAME_LAKE, .id = id};
        struct name name;
        name_make_in(&poor, 1, &subject, &name);
        assert_string_equal(name.text, "Lake Grimdal");
    }
}

int test_name(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_the_same_in_any_order),
        cmocka_unit_test(roots_have_3_to_14_letters_and_are_in_their_names),
        cmocka_unit_test(words_beside_a_root_do_not_repeat_it),
        cmocka_unit_test(other_seeds_and_ids_have_other_names),
        cmocka_unit_test(a_name_after_another_has_its_root_and_tongue),
        cmocka_unit_test(a_poor_tongue_still_finds_a_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
