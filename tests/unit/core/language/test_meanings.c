/* Words of other languages. That what is suggested compiles and computes the same is by hand. */
#include "core/language/meanings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/language/functions.h"
#include "tests/unit/core/world_of.h"

static void words_are_found_whole_and_in_any_case(void **state)
{
    (void)state;
    assert_string_equal(meaning_find("lerp", 4), "mix(a, b, t)");
    assert_string_equal(meaning_find("LERP(", 4), "mix(a, b, t)");
    assert_string_equal(meaning_find("iif", 3), "c ? a : b");
    assert_string_equal(meaning_find("where", 5), "c ? a : b");
    assert_null(meaning_find("ler", 3));
    assert_null(meaning_find("erp", 3));
    assert_null(meaning_find("if where", 8));
    assert_null(meaning_find("", 0));
    assert_null(meaning_find("a word that is longer than any word of the table", 48));
}

/* With a = 7, b = -3, v = 2.5, c = 1 and the time t, 0. */
static void suggestions_compute_what_the_words_mean(void **state)
{
    (void)state;
    static const struct {
        const char *word;
        float value;
    } cases[] = {
        {"mod", -2},           {"ceil", 3},
        {"round", 3},          {"sign", 1},
        {"lerp", 7},           {"sqr", 6.25f},
        {"saturate", 1},       {"trunc", 2},
        {"hypot", 7.6157732f}, {"log2", 1.3219281f},
        {"cbrt", 1.3572088f},  {"if", 7},
        {"average", 2},        {"inverselerp", 0.45f},
        {"frac", 0.5f},        {"rsqrt", 0.63245553f},
        {"exp2", 5.656854f},   {"and", 1},
        {"tau", 6.2831853f},   {"arctan", 1.1902899f},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *meaning = meaning_find(cases[i].word, strlen(cases[i].word));
        char text[1024];
        assert_non_null(meaning);
        snprintf(text, sizeof text,
                 "{\"generator\":1,\"layers\":{\"height\":\"%s\",\"a\":\"7\",\"b\":\"-3\","
                 "\"v\":\"2.5\",\"c\":\"1\"}}",
                 meaning);
        struct world *world = world_of_text(text);
        const float value = layer_at(world, "height", 0, 0);
        if (__builtin_fabsf(value - cases[i].value) > 1e-6f * __builtin_fabsf(cases[i].value))
            fail_msg("%s: %s is %.9g", cases[i].word, meaning, (double)value);
        world_release(world);
    }
}

/* The table is searched only for what is unknown. */
static void no_word_is_a_function(void **state)
{
    (void)state;
    for (size_t i = 0; i < function_count; i++)
        if (meaning_find(functions[i].name, strlen(functions[i].name)))
            fail_msg("%s is a function", functions[i].name);
}

int test_meanings(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_found_whole_and_in_any_case),
        cmocka_unit_test(suggestions_compute_what_the_words_mean),
        cmocka_unit_test(no_word_is_a_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
