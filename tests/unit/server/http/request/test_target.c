/* The request target. Expected pieces are taken apart by hand after RFC 3986. */
#include "server/http/request/target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct http_target target;
static struct problem problem;

static bool parse(const char *raw_target)
{
    memset(&target, 0x5A, sizeof target);
    return target_parse(raw_target, strlen(raw_target), &target, &problem);
}

static void pieces_are_decoded_once(void **state)
{
    (void)state;
    assert_true(parse("/worlds/terra~%C3%A4%2541/tiles?a=1&b=x%2Fy+z&c="));
    assert_int_equal(target.segment_count, 3);
    assert_string_equal(target.segments[0].text, "worlds");
    assert_string_equal(target.segments[1].text, "terra~\xC3\xA4%41");
    assert_int_equal(target.segments[1].length, 11);
    assert_int_equal(target.segments[1].raw_length, 17);
    assert_string_equal(target.segments[2].text, "tiles");
    assert_int_equal(target.parameter_count, 3);
    assert_string_equal(target.parameters[0].name.text, "a");
    assert_string_equal(target.parameters[0].value.text, "1");
    assert_string_equal(target.parameters[1].value.text, "x/y+z");
    assert_string_equal(target.parameters[2].name.text, "c");
    assert_string_equal(target.parameters[2].value.text, "");
    assert_ptr_equal(target_find(&target, "b"), &target.parameters[1]);
    assert_null(target_find(&target, "d"));
}

static void forms_of_targets(void **state)
{
    (void)state;
    assert_true(parse("/"));
    assert_int_equal(target.segment_count, 0);
    assert_null(target.authority);
    assert_true(parse("/?"));
    assert_int_equal(target.parameter_count, 0);
    assert_true(parse("/a/"));
    assert_int_equal(target.segment_count, 2);
    assert_int_equal(target.segments[1].length, 0);
    assert_true(parse("//"));
    assert_int_equal(target.segment_count, 2);
    assert_true(parse("*"));
    assert_true(target.asterisk);
    assert_true(parse("HTTP://[::1]:8080/a?b=c"));
    assert_int_equal(target.authority_length, 10);
    assert_memory_equal(target.authority, "[::1]:8080", 10);
    assert_string_equal(target.segments[0].text, "a");
    assert_string_equal(target.parameters[0].value.text, "c");
}

static void ambiguous_targets_are_refused(void **state)
{
    (void)state;
    static const char *const targets[] = {
        "",
        "a",
        "**",
        "http:/a",
        "http://",
        "http://host",
        "http:///a",
        "http://user@host/a",
        "ftp://host/a",
        "host:80",
        "/%",
        "/%4",
        "/%zz",
        "/%4g",
        "/a%00b",
        "/a%2fb",
        "/a%2Fb",
        "/.",
        "/..",
        "/a/../b",
        "/%2e%2E/b",
        "/.%2e",
        "/a b",
        "/a\tb",
        "/a\x7F",
        "/\xC3\xA4",     /* must be encoded */
        "/%C3",          /* half a character */
        "/%C0%AF",       /* "/" in two bytes */
        "/%ED%A0%80",    /* a surrogate */
        "/%F4%90%80%80", /* beyond Unicode */
        "/%FF",
        "/a#b",
        "/a\"b",
        "/a<b",
        "/a\\b",
        "/a^b",
        "/a`b",
        "/a{b}",
        "/a|b",
        "/a[b]",
        "/?a",
        "/?a=1&",
        "/?&a=1",
        "/?a=1&&b=2",
        "/?a=%00",
        "/?a=%C3",
        "/?a=#",
        "/?a={x}",
    };
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        if (parse(targets[i]))
            fail_msg("\"%s\" was taken", targets[i]);
        assert_int_equal(problem.kind, PROBLEM_PATH);
        assert_true(problem.close_connection);
        assert_true(problem.detail[0] != '\0');
    }
}

static void limits_are_exact(void **state)
{
    (void)state;
    char raw_target[TARGET_BYTES_MAX + 2];
    memset(raw_target, 'a', sizeof raw_target);
    raw_target[0] = '/';
    assert_true(target_parse(raw_target, TARGET_BYTES_MAX, &target, &problem));
    assert_int_equal(target.segments[0].length, TARGET_BYTES_MAX - 1);
    assert_false(target_parse(raw_target, TARGET_BYTES_MAX + 1, &target, &problem));
    assert_int_equal(problem.kind, PROBLEM_TARGET_TOO_LONG);
    assert_int_equal(problem_status(&problem), 414);

    assert_true(parse("/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16"));
    assert_false(parse("/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17"));
    assert_true(parse("/?1=&2=&3=&4=&5=&6=&7=&8=&9=&10=&11=&12=&13=&14=&15=&16=&17=&18=&19=&20="
                      "&21=&22=&23=&24="));
    assert_false(parse("/?1=&2=&3=&4=&5=&6=&7=&8=&9=&10=&11=&12=&13=&14=&15=&16=&17=&18=&19=&20="
                       "&21=&22=&23=&24=&25="));
}

/* The most zeros that a target of the greatest length can need. */
static void decoded_pieces_fit(void **state)
{
    (void)state;
    char raw_target[TARGET_BYTES_MAX];
    size_t length = 0;
    for (int i = 0; i < TARGET_SEGMENTS_MAX; i++)
        raw_target[length++] = '/';
    for (int i = 0; i < TARGET_PARAMETERS_MAX; i++) {
        raw_target[length++] = i ? '&' : '?';
        raw_target[length++] = '=';
    }
    memset(raw_target + length, 'a', sizeof raw_target - length);
    assert_true(target_parse(raw_target, sizeof raw_target, &target, &problem));
    const struct target_text *last = &target.parameters[TARGET_PARAMETERS_MAX - 1].value;
    assert_int_equal(last->length, sizeof raw_target - length);
    assert_true(last->text + last->length < target.decoded + sizeof target.decoded);
}

int test_target(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_decoded_once),
        cmocka_unit_test(forms_of_targets),
        cmocka_unit_test(ambiguous_targets_are_refused),
        cmocka_unit_test(limits_are_exact),
        cmocka_unit_test(decoded_pieces_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
