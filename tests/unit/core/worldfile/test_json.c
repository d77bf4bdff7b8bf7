/* Strict JSON. Which texts are JSON is RFC 8259's decision; places of errors were counted by hand.
 */
#include "core/worldfile/json.h"

#include <cjson/cJSON.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct json_document *parse(const char *text, struct error *error)
{
    return json_parse(text, strlen(text), NULL, error);
}

static void values_are_read(void **state)
{
    (void)state;
    struct error error = {0};
    struct json_document *document = parse(
        " {\"seed\": 18446744073709551615, \"x\" : -12.50e+3,\t\"name\":\"n12.5 \\u00e9\\\"\\\\\\/"
        "\\b\\f\\n\\r\\t \\uD83D\\uDE00\",\r\n\"list\":[1, \"s\", null, true, false, {}, []], "
        "\"\":\"\", \"far\":1e999} \n",
        &error);
    assert_non_null(document);
    const struct json *root = json_root(document);
    assert_int_equal(json_type(root), JSON_OBJECT);
    assert_int_equal(json_count(root), 6);
    assert_null(json_next(root));

    const struct json *seed = json_member(root, "seed");
    assert_int_equal(json_type(seed), JSON_NUMBER);
    assert_string_equal(json_text(seed), "18446744073709551615");
    assert_string_equal(json_key(seed), "seed");
    double number = 0;
    assert_true(json_number(seed, &number));
    assert_true(number == 18446744073709551616.0);
    assert_string_equal(json_text(json_member(root, "x")), "-12.50e+3");
    assert_true(json_number(json_member(root, "x"), &number));
    assert_true(number == -12500);
    assert_false(json_number(json_member(root, "far"), &number));
    assert_true(number == -12500);

    const struct json *name = json_member(root, "name");
    assert_int_equal(json_type(name), JSON_STRING);
    assert_string_equal(json_text(name), "n12.5 \xC3\xA9\"\\/\b\f\n\r\t \xF0\x9F\x98\x80");
    assert_false(json_number(name, &number));
    assert_string_equal(json_text(json_member(root, "")), "");

    static const enum json_type types[] = {JSON_NUMBER, JSON_STRING, JSON_NULL, JSON_TRUE,
                                           JSON_FALSE,  JSON_OBJECT, JSON_ARRAY};
    const struct json *list = json_member(root, "list");
    assert_int_equal(json_count(list), 7);
    size_t at = 0;
    for (const struct json *v = json_first(list); v; v = json_next(v)) {
        assert_int_equal(json_type(v), types[at++]);
        assert_null(json_key(v));
    }
    assert_int_equal(at, 7);
    assert_null(json_text(list));
    assert_null(json_member(root, "Seed"));
    assert_null(json_member(list, "seed"));
    assert_null(json_first(name));
    json_free(document);
}

static void null_values_are_allowed_everywhere(void **state)
{
    (void)state;
    double number;
    assert_int_equal(json_type(NULL), JSON_NOTHING);
    assert_null(json_text(NULL));
    assert_false(json_number(NULL, &number));
    assert_null(json_member(NULL, "a"));
    assert_null(json_first(NULL));
    assert_null(json_next(NULL));
    assert_null(json_key(NULL));
    assert_null(json_root(NULL));
    assert_int_equal(json_count(NULL), 0);
    assert_true(json_allow(NULL, "", NULL, 0, NULL));
    json_free(NULL);
}

static void types_have_names(void **state)
{
    (void)state;
    assert_string_equal(json_type_name(JSON_NOTHING), "nothing");
    assert_string_equal(json_type_name(JSON_NULL), "null");
    assert_string_equal(json_type_name(JSON_FALSE), "false");
    assert_string_equal(json_type_name(JSON_TRUE), "true");
    assert_string_equal(json_type_name(JSON_NUMBER), "a number");
    assert_string_equal(json_type_name(JSON_STRING), "a string");
    assert_string_equal(json_type_name(JSON_ARRAY), "an array");
    assert_string_equal(json_type_name(JSON_OBJECT), "an object");
}

static void good_texts_are_accepted(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0",
        "-0",
        "\"\"",
        "null",
        "true",
        " false ",
        "[]",
        "{}",
        "[[[]]]",
        "[{}]",
        "{\"a\":{}}",
        "1E5",
        "[-1.5e-3 , 2]",
        "\"\x7F\"",
        "\"\xC2\x80\"",
        "\"\xE0\xA0\x80\"",
        "\"\xED\x9F\xBF\"",
        "\"\xEE\x80\x80\"",
        "\"\xF0\x90\x80\x80\"",
        "\"\xF4\x8F\xBF\xBF\"",
        "\"\\uD800\\uDC00\"",
        "\"\\uFFFF\\u0001\"",
        "{\"a\":1,\"A\":2,\"a \":3}",
        "[{\"a\":1},{\"a\":2}]",
        "{\"a\":{\"a\":{\"a\":1}}}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct error error = {0};
        struct json_document *document = parse(texts[i], &error);
        if (!document)
            fail_msg("%s: %s", texts[i], error.message);
        json_free(document);
    }
}

struct bad {
    const char *text;
    unsigned line, column;
    const char *message; /* a part of it */
};

static void check_bad(const struct bad *bad, enum error_code code)
{
    struct error error = {0};
    struct json_document *document = parse(bad->text, &error);
    if (document || error.code != code || error.line != bad->line || error.column != bad->column ||
        !strstr(error.message, bad->message))
        fail_msg("%s: expected %u:%u %s, got %u:%u (code %d) %s", bad->text, bad->line, bad->column,
                 bad->message, error.line, error.column, (int)error.code, error.message);
    assert_null(parse(bad->text, NULL));
}

static void bad_texts_are_refused_with_their_place(void **state)
{
    (void)state;
    static const struct bad cases[] = {
        {"", 1, 1, "expected a value, found the end of the text"},
        {" \n ", 2, 2, "the end of the text"},
        {"{", 1, 2, "expected a key in \"quotes\", found the end"},
        {"[", 1, 2, "expected a value, found the end"},
        {"[1", 1, 3, "expected ',' or ']', found the end"},
        {"{\"a\"", 1, 5, "expected ':' after the key"},
        {"{\"a\":", 1, 6, "expected a value"},
        {"{\"a\":1", 1, 7, "expected ',' or '}'"},
        {"[1,]", 1, 4, "expected a value, found ']'"},
        {"{\"a\":1,}", 1, 8, "expected a key in \"quotes\", found '}'"},
        {"[,1]", 1, 2, "expected a value, found ','"},
        {"[1 2]", 1, 4, "found '2'"},
        {"[1}", 1, 3, "expected ',' or ']', found '}'"},
        {"{\"a\":1]", 1, 7, "expected ',' or '}', found ']'"},
        {"{a:1}", 1, 2, "found 'a'"},
        {"{1:1}", 1, 2, "found '1'"},
        {"{\"a\" 1}", 1, 6, "expected ':'"},
        {"{\"a\"::1}", 1, 6, "expected a value, found ':'"},
        {"1 2", 1, 3, "nothing more after the value, found '2'"},
        {"{}\n\n  x", 3, 3, "nothing more after the value"},
        {"]", 1, 1, "found ']'"},
        {"{\n  \"a\": 1, // no\n}", 2, 11, "JSON has no comments"},
        {"['a']", 1, 2, "JSON quotes with \""},
        {"\xEF\xBB\xBF{}", 1, 1, "byte order mark"},
        {"[1\xC3\xA9]", 1, 3, "the byte 0xC3"},
        {"[\f1]", 1, 2, "the byte 0x0C"},
        /* words and numbers */
        {"nul", 1, 1, "unknown word \"nul\""},
        {"[True]", 1, 2, "unknown word \"True\""},
        {"[NaN]", 1, 2, "unknown word"},
        {"nullx", 1, 1, "unknown word \"nullx\""},
        {"[01]", 1, 2, "malformed number \"01\""},
        {"[-]", 1, 2, "malformed number"},
        {"[+1]", 1, 2, "malformed number"},
        {"[.5]", 1, 2, "malformed number"},
        {"[5.]", 1, 2, "malformed number"},
        {"[1e]", 1, 2, "malformed number"},
        {"[0x10]", 1, 2, "malformed number \"0x10\""},
        {"[1_000]", 1, 2, "malformed number"},
        {"[-inf]", 1, 2, "malformed number"},
        {"[1.5.2]", 1, 2, "malformed number"},
        /* strings */
        {"\"abc", 1, 1, "the string that begins here does not end"},
        {"{\"a\":\"b}", 1, 6, "does not end"},
        {"[\"a\\\"]", 1, 2, "does not end"},
        {"[\"a\nb\"]", 1, 4, "must end in the line"},
        {"[\"a\tb\"]", 1, 4, "control character 0x09 in a string must be written \\u0009"},
        {"[\"\\x41\"]", 1, 3, "bad escape in a string: allowed are"},
        {"[\"\\'\"]", 1, 3, "bad escape"},
        {"\"\\", 1, 2, "bad escape"},
        {"[\"ab\\u12G4\"]", 1, 5, "four hexadecimal digits"},
        {"\"\\u123", 1, 2, "four hexadecimal digits"},
        {"[\"\\u0000\"]", 1, 3, "\\u0000 is not allowed"},
        {"{\"a\\u0000b\":1}", 1, 4, "\\u0000 is not allowed"},
        {"[\"\\uD800\"]", 1, 3, "without the second"},
        {"[\"\\uD800\\n\"]", 1, 3, "without the second"},
        {"[\"\\uD800\\uD800\"]", 1, 3, "without the second"},
        {"\"\\uD800", 1, 2, "without the second"},
        {"[\"\\uDC00\"]", 1, 3, "without the first"},
        /* UTF-8 */
        {"[\"\x80\"]", 1, 3, "0x80 is not valid UTF-8"},
        {"[\"\xC0\xAF\"]", 1, 3, "0xC0"},
        {"[\"\xC1\xBF\"]", 1, 3, "0xC1"},
        {"[\"\xC3(\"]", 1, 3, "0xC3"},
        {"[\"\xE0\x9F\xBF\"]", 1, 3, "0xE0"},
        {"[\"\xED\xA0\x80\"]", 1, 3, "0xED"},
        {"[\"\xE2\x82(\"]", 1, 3, "0xE2"},
        {"[\"\xF0\x8F\xBF\xBF\"]", 1, 3, "0xF0"},
        {"[\"\xF4\x90\x80\x80\"]", 1, 3, "0xF4"},
        {"[\"\xF5\x80\x80\x80\"]", 1, 3, "0xF5"},
        {"\"\xE2\x82", 1, 2, "0xE2"},
        /* columns count characters, not bytes */
        {"[\"\xC3\xA9\xE2\x82\xAC\", x]", 1, 8, "unknown word \"x\""},
        {"{\"a\":1,\r\n\"b\":}", 2, 5, "expected a value"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_bad(&cases[i], ERROR_SYNTAX);
}

static void zero_bytes_do_not_end_text(void **state)
{
    (void)state;
    struct error error;
    assert_null(json_parse("{}\0", 3, NULL, &error));
    assert_int_equal(error.column, 3);
    assert_null(json_parse("\"a\0b\"", 5, NULL, &error));
    assert_int_equal(error.column, 3);
    assert_null(json_parse("\"\\\0\"", 4, NULL, &error));
    assert_int_equal(error.column, 2);
    /* and nothing is read behind the length */
    char *text = malloc(4);
    assert_non_null(text);
    memcpy(text, "[12]", 4);
    struct json_document *document = json_parse(text, 4, NULL, &error);
    free(text);
    assert_string_equal(json_text(json_first(json_root(document))), "12");
    json_free(document);
    assert_null(json_parse(NULL, 0, NULL, &error));
}

static void duplicate_keys_are_refused(void **state)
{
    (void)state;
    static const struct bad cases[] = {
        {"{\"a\":1,\"a\":2}", 1, 8, "the key \"a\" appears twice"},
        {"{\"a\":1,\n \"b\":{\"c\":[{\"d\":1}, {\"e\":1,\"f\":2,\n\"e\":3}]}}", 3, 1, "\"e\""},
        {"{\"z\":1,\"y\":1,\"x\":1,\"y\":1}", 1, 20, "\"y\""},
        {"{\"\":1,\"\":2}", 1, 7, "the key \"\""},
        {"{\"\\u0061\":1, \"a\":2}", 1, 14, "the key \"a\""},
        {"[{\"k\":\"\\\"k\\\"\"},{\"k\":{\"k\":0},\"k\":0}]", 1, 29, "\"k\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_bad(&cases[i], ERROR_SYNTAX);
}

static void many_keys_are_compared_quickly(void **state)
{
    (void)state;
    enum { KEYS = 60000 };
    char *text = malloc(KEYS * 16 + 64);
    assert_non_null(text);
    size_t length = (size_t)sprintf(text, "{");
    for (int i = 0; i < KEYS; i++)
        length += (size_t)sprintf(text + length, "\"%d\":%d,", i, i);
    sprintf(text + length, "\"777\":0}");
    struct error error;
    assert_null(parse(text, &error));
    assert_int_equal(error.line, 1);
    assert_int_equal(error.column, length + 1);
    assert_non_null(strstr(error.message, "\"777\""));
    free(text);
}

static char *nested(unsigned depth, char open, char close)
{
    char *text = malloc(depth * 7 + 8);
    assert_non_null(text);
    size_t length = 0;
    for (unsigned i = 0; i < depth; i++)
        length += (size_t)sprintf(text + length, i && open == '{' ? "\"a\":%c" : "%c", open);
    for (unsigned i = 0; i < depth; i++)
        text[length++] = close;
    text[length] = '\0';
    return text;
}

static void size_and_depth_limits(void **state)
{
    (void)state;
    struct error error = {0};
    struct {
        unsigned depth, limit;
        bool good;
        unsigned column;
    } cases[] = {{32, 0, true, 0},      {33, 0, false, 33},    {3, 3, true, 0},
                 {4, 3, false, 4},      {1000, 5000, true, 0}, {1001, 5000, false, 1001},
                 {100000, 0, false, 33}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = nested(cases[i].depth, '[', ']');
        struct json_limits limits = {.depth = cases[i].limit};
        struct json_document *document = json_parse(text, strlen(text), &limits, &error);
        assert_int_equal(document != NULL, cases[i].good);
        if (!document) {
            assert_int_equal(error.code, ERROR_LIMIT);
            assert_int_equal(error.column, cases[i].column);
        }
        json_free(document);
        free(text);
    }
    char *objects = nested(33, '{', '}');
    assert_null(parse(objects, &error));
    assert_string_equal(error.message, "nested too deeply: allowed are 32 levels");
    free(objects);

    struct json_limits bytes = {.bytes = 5};
    struct json_document *document = json_parse("[123]", 5, &bytes, &error);
    assert_non_null(document);
    json_free(document);
    assert_null(json_parse("[1234]", 6, &bytes, &error));
    assert_int_equal(error.code, ERROR_LIMIT);
    assert_string_equal(error.message, "the text has 6 bytes: allowed are 5");
    char *large = malloc((1 << 20) + 1);
    assert_non_null(large);
    memset(large, ' ', (1 << 20) + 1);
    large[0] = '1';
    document = json_parse(large, 1 << 20, NULL, &error);
    assert_non_null(document);
    json_free(document);
    assert_null(json_parse(large, (1 << 20) + 1, NULL, &error));
    assert_int_equal(error.code, ERROR_LIMIT);
    free(large);
}

static void unknown_keys_are_refused(void **state)
{
    (void)state;
    static const char *const allowed[] = {"title", "seed", "layers", NULL};
    struct error error = {0};
    struct json_document *document =
        parse("{\"seed\":1,\"layrs\":{\"blue-green\":1,\"x\":2}}", &error);
    const struct json *root = json_root(document);
    assert_false(json_allow(root, "", allowed, 4, &error));
    assert_int_equal(error.code, ERROR_UNKNOWN);
    assert_string_equal(error.message, "unknown key \"layrs\" (did you mean \"layers\"?)");
    assert_string_equal(error.path, "");
    const struct json *inner = json_member(root, "layrs");
    assert_false(json_allow(inner, "layers", allowed, 4, &error));
    assert_string_equal(error.message,
                        "unknown key \"blue-green\": allowed are title, seed, layers");
    assert_string_equal(error.path, "layers");
    assert_false(json_allow(inner, "layers", NULL, 0, &error));
    assert_string_equal(error.message, "unknown key \"blue-green\": allowed are none");
    static const char *const both[] = {"x", "blue-green"};
    assert_true(json_allow(inner, "layers", both, 2, &error));
    assert_true(json_allow(json_first(inner), "", NULL, 0, &error)); /* no object */
    json_free(document);
}

static int allocations_left;

static void *failing_malloc(size_t size)
{
    return allocations_left-- > 0 ? malloc(size) : NULL;
}

static void parser_out_of_memory(void **state)
{
    (void)state;
    cJSON_Hooks hooks = {.malloc_fn = failing_malloc, .free_fn = free};
    int failures = 0;
    for (int allowed = 0;; allowed++) {
        struct error error = {0};
        cJSON_InitHooks(&hooks);
        allocations_left = allowed;
        struct json_document *document = parse("{\"a\":[1,\"b\",{\"c\":null}],\"d\":2}", &error);
        cJSON_InitHooks(NULL);
        if (document) {
            json_free(document);
            break;
        }
        assert_int_equal(error.code, ERROR_MEMORY);
        failures++;
    }
    assert_true(failures >= 7); /* an item each, and some texts */
}

int test_json(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_read),
        cmocka_unit_test(null_values_are_allowed_everywhere),
        cmocka_unit_test(types_have_names),
        cmocka_unit_test(good_texts_are_accepted),
        cmocka_unit_test(bad_texts_are_refused_with_their_place),
        cmocka_unit_test(zero_bytes_do_not_end_text),
        cmocka_unit_test(duplicate_keys_are_refused),
        cmocka_unit_test(many_keys_are_compared_quickly),
        cmocka_unit_test(size_and_depth_limits),
        cmocka_unit_test(unknown_keys_are_refused),
        cmocka_unit_test(parser_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
