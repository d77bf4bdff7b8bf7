/* Names of worlds and styles in paths. */
#include "server/http/request/reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "server/http/request/target.h"

#define WORLD_PIN "g1-0123456789abcdef0123456789abcdef"
#define STYLE_PIN "s1-0123456789abcdef"

static struct reference reference;
static struct problem problem;

static bool parse(const char *raw, enum reference_kind kind)
{
    static struct http_target target;
    char raw_target[TARGET_BYTES_MAX];
    snprintf(raw_target, sizeof raw_target, "/%s", raw);
    assert_true(target_parse(raw_target, strlen(raw_target), &target, &problem));
    const struct target_text *text = &target.segments[0];
    return reference_parse(text->text, text->length, kind, &reference, &problem);
}

static void names_seeds_and_pins_are_split(void **state)
{
    (void)state;
    static const struct {
        const char *raw, *name, *seed, *pin; /* null: none */
    } cases[] = {
        {"terra", "terra", NULL, NULL},
        {"terra~42", "terra", "42", NULL},
        {"terra@" WORLD_PIN, "terra", NULL, WORLD_PIN},
        {"terra~-7@" WORLD_PIN, "terra", "-7", WORLD_PIN},
        {"terra~%C3%A4", "terra", "\xC3\xA4", NULL},
        {"terra~a~b", "terra", "a~b", NULL},
        {"terra~a%7Eb", "terra", "a~b", NULL},
        {"terra~a%40b", "terra", "a@b", NULL},
        {"terra~a@b@" WORLD_PIN, "terra", "a@b", WORLD_PIN},
        {"te%72ra~%25", "terra", "%", NULL},
        {"terra%7E1", "terra", "1", NULL},
        {"terra%7e1%40" WORLD_PIN, "terra", "1", WORLD_PIN},
        {"terra~1%40" WORLD_PIN, "terra", "1", WORLD_PIN},
        {"terra%40" WORLD_PIN, "terra", NULL, WORLD_PIN},
        {"terra%7Ea~b%7Ec", "terra", "a~b~c", NULL},
        {"terra~a@b", "terra", "a@b", NULL},
        {"terra~@b", "terra", "@b", NULL},
        {"terra~a@%67", "terra", "a@g", NULL},
        {"terra~a@s1-0123456789abcdef", "terra", "a@s1-0123456789abcdef", NULL},
        {"terra~" WORLD_PIN, "terra", WORLD_PIN, NULL},
        {"terra~a@g1-b@" WORLD_PIN, "terra", "a@g1-b", WORLD_PIN},
        {"terra~a%2540b", "terra", "a%40b", NULL},
        {"terra~a@g9-0123456789abcdef0123456789abcdef", "terra", "a",
         "g9-0123456789abcdef0123456789abcdef"},
        {"terra~a@g0-0123456789abcdef0123456789abcdef", "terra",
         "a@g0-0123456789abcdef0123456789abcdef", NULL},
        {"terra~a@g10-0123456789abcdef0123456789abcdef", "terra",
         "a@g10-0123456789abcdef0123456789abcdef", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(parse(cases[i].raw, REFERENCE_WORLD));
        assert_string_equal(reference.name, cases[i].name);
        assert_int_equal(reference.has_seed, cases[i].seed != NULL);
        assert_int_equal(reference.pinned, cases[i].pin != NULL);
        if (cases[i].seed)
            assert_string_equal(reference.seed, cases[i].seed);
        if (cases[i].pin)
            assert_string_equal(reference.pin, cases[i].pin);
    }
}

static void styles_have_pins_but_no_seeds(void **state)
{
    (void)state;
    assert_true(parse("relief@" STYLE_PIN, REFERENCE_STYLE));
    assert_string_equal(reference.name, "relief");
    assert_string_equal(reference.pin, STYLE_PIN);
    assert_true(parse("relief%40" STYLE_PIN, REFERENCE_STYLE));
    assert_string_equal(reference.name, "relief");
    assert_string_equal(reference.pin, STYLE_PIN);
    assert_true(parse("a~b", REFERENCE_STYLE));
    assert_string_equal(reference.name, "a~b");
    assert_false(reference.has_seed);
}

static void malformed_references_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *raw;
        enum reference_kind kind;
        unsigned status;
    } cases[] = {
        {"terra@", REFERENCE_WORLD, 400},
        {"terra@x", REFERENCE_WORLD, 400},
        {"terra%40x", REFERENCE_WORLD, 400},
        {"terra~@", REFERENCE_WORLD, 400},
        {"terra~1@", REFERENCE_WORLD, 400},
        {"terra~1@g1-", REFERENCE_WORLD, 400},
        {"terra~a@g1-b", REFERENCE_WORLD, 400},
        {"terra@" WORLD_PIN "~1", REFERENCE_WORLD, 400},
        {"terra@~1", REFERENCE_WORLD, 400},
        {"terra@" WORLD_PIN "0", REFERENCE_WORLD, 400},
        {"terra@g1-0123456789ABCDEF0123456789ABCDEF", REFERENCE_WORLD, 400},
        {"terra@" STYLE_PIN, REFERENCE_WORLD, 400},
        {"terra@g-0123456789abcdef0123456789abcdef", REFERENCE_WORLD, 400},
        {"terra@g0-0123456789abcdef0123456789abcdef", REFERENCE_WORLD, 400},
        {"terra@g10-0123456789abcdef0123456789abcdef", REFERENCE_WORLD, 400},
        {"relief@s0-0123456789abcdef", REFERENCE_STYLE, 400},
        {"relief@" WORLD_PIN, REFERENCE_STYLE, 400},
        {"terra~", REFERENCE_WORLD, 400},
        {"terra~@" WORLD_PIN, REFERENCE_WORLD, 400},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_false(parse(cases[i].raw, cases[i].kind));
        assert_int_equal(problem_status(&problem), cases[i].status);
    }
}

static void a_pin_that_is_not_the_present_one_is_refused(void **state)
{
    (void)state;
    assert_true(parse("terra", REFERENCE_WORLD));
    assert_true(reference_check_pin(&reference, REFERENCE_WORLD, WORLD_PIN, &problem));
    assert_true(parse("terra@" WORLD_PIN, REFERENCE_WORLD));
    assert_true(reference_check_pin(&reference, REFERENCE_WORLD, WORLD_PIN, &problem));
    problem = (struct problem){0};
    assert_false(reference_check_pin(&reference, REFERENCE_WORLD,
                                     "g1-ffffffffffffffffffffffffffffffff", &problem));
    assert_int_equal(problem_status(&problem), 410);
    assert_string_equal(problem.detail, "the world \"terra\" has changed: " WORLD_PIN
                                        " is now g1-ffffffffffffffffffffffffffffffff");
    assert_string_equal(problem.current_fingerprint, "g1-ffffffffffffffffffffffffffffffff");
}

static void lengths_are_limited(void **state)
{
    (void)state;
    char raw[1024];
    memset(raw, 'a', sizeof raw);
    raw[63] = '\0';
    assert_true(parse(raw, REFERENCE_WORLD));
    raw[63] = 'a';
    raw[64] = '\0';
    assert_false(parse(raw, REFERENCE_WORLD));
    assert_int_equal(problem_status(&problem), 404);
    memset(raw, 'a', sizeof raw);
    raw[1] = '~';
    raw[2 + 256] = '\0';
    assert_true(parse(raw, REFERENCE_WORLD));
    raw[2 + 256] = 'a';
    raw[2 + 257] = '\0';
    assert_false(parse(raw, REFERENCE_WORLD));
    assert_int_equal(problem_status(&problem), 400);
}

static void escaping_hides_the_marks(void **state)
{
    (void)state;
    struct buffer out = {0};
    reference_escape("a-B_9.~@/ \xC3\xA4%", &out);
    assert_string_equal(buffer_string(&out), "a-B_9.%7E%40%2F%20%C3%A4%25");
    buffer_free(&out);
}

int test_reference(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_seeds_and_pins_are_split),
        cmocka_unit_test(styles_have_pins_but_no_seeds),
        cmocka_unit_test(malformed_references_are_refused),
        cmocka_unit_test(a_pin_that_is_not_the_present_one_is_refused),
        cmocka_unit_test(lengths_are_limited),
        cmocka_unit_test(escaping_hides_the_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
