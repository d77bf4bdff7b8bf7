/* Changes of a world file that change its fingerprint, and changes that do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/core/world_of.h"

#define BIOMES                                                                                     \
    "\"biomes\":[{\"name\":\"sea\",\"color\":\"#00f\",\"when\":\"height < 0\"},"                   \
    "{\"name\":\"land\",\"color\":\"#0f0\"}]"

static const char original[] =
    "{\"generator\":1,\"seed\":\"one\",\"layers\":{"
    "\"height\":\"100 * hills + max(x, 2) - perlin(64, 'cubic', salt='s')\","
    "\"hills\":\"fbm(wavelength=2048, octaves=8)\"}," BIOMES "}";

static void fingerprint_of(const char *text, char out[WORLD_FINGERPRINT_TEXT])
{
    struct world *world = world_of_text(text);
    strcpy(out, world_fingerprint(world));
    world_release(world);
}

static void assert_equal_prints(const char *a, const char *b, bool equal)
{
    char print_a[WORLD_FINGERPRINT_TEXT], print_b[WORLD_FINGERPRINT_TEXT];
    fingerprint_of(a, print_a);
    fingerprint_of(b, print_b);
    if ((strcmp(print_a, print_b) == 0) != equal)
        fail_msg("%s\n%s\nhave %s fingerprints", a, b, equal ? "different" : "equal");
}

/* The original with one part of it (which must be there) replaced. */
static void replaced(const char *part, const char *by, char *out, size_t size)
{
    const char *found = strstr(original, part);
    assert_non_null(found);
    int length = snprintf(out, size, "%.*s%s%s", (int)(found - original), original, by,
                          found + strlen(part));
    assert_in_range(length, 1, size - 1);
}

struct change {
    const char *part, *by;
};

static void assert_changes(const struct change *changes, size_t count, bool equal)
{
    char text[2000];
    for (size_t i = 0; i < count; i++) {
        replaced(changes[i].part, changes[i].by, text, sizeof text);
        assert_equal_prints(original, text, equal);
    }
}

static void fingerprint_format(void **unused)
{
    (void)unused;
    char print[WORLD_FINGERPRINT_TEXT];
    fingerprint_of(original, print);
    assert_memory_equal(print, "g1-", 3);
    assert_int_equal(strspn(print + 3, "0123456789abcdef"), 32);
    assert_int_equal(strlen(print), 35);
}

static void irrelevant_changes(void **unused)
{
    (void)unused;
    static const struct change changes[] = {
        {"\"seed\"", "\"title\":\"T\",\"description\":\"D\",\"attribution\":\"A\",\"seed\""},
        {"\"seed\"", "\"view\":{\"x\":9,\"y\":-9,\"zoom\":3,\"style\":\"s\",\"t\":60},\"seed\""},
        {"\"generator\":1,\"seed\":\"one\"", " \"seed\" :\n\"one\" , \"generator\" : 1 "},
        {"100 * hills", "100*hills"},
        {"100 * hills", " ( 100 * (hills) ) "},
        {"100 * hills", "1e2 * hills"},
        {"100 * hills", "100.000 * hills"},
        {"octaves=8", "octaves=8.0"},
        {"wavelength=2048, octaves=8", "2048, 8"},
        {"wavelength=2048, octaves=8", "octaves=8, wavelength=2048"},
        {"wavelength=2048, octaves=8", "2048, octaves=8"},
        {"perlin(64, 'cubic', salt='s')", "perlin(64, salt='s', interpolation='cubic')"},
        {"'cubic', salt='s'", "\\\"cubic\\\", salt=\\\"s\\\""},
        {"\"fbm(wavelength=2048, octaves=8)\"",
         "{\"formula\":\"fbm(wavelength=2048, octaves=8)\",\"unit\":\"m\",\"range\":[-9,9]}"},
        {"#00f", "#123456"},
        {"\"name\":\"sea\"", "\"name\":\"sea\",\"title\":\"The sea\""},
        {BIOMES, BIOMES ",\"styles\":{\"s\":{\"paint\":[{\"biomes\":{}}]}}"},
    };
    assert_changes(changes, sizeof changes / sizeof *changes, true);
    assert_equal_prints(original,
                        "{\"generator\":1,\"seed\":\"one\"," BIOMES ",\"layers\":{"
                        "\"hills\":\"fbm(wavelength=2048, octaves=8)\","
                        "\"height\":\"100 * hills + max(x, 2) - perlin(64, 'cubic', salt='s')\"}}",
                        true);
}

static void relevant_changes(void **unused)
{
    (void)unused;
    static const struct change changes[] = {
        {"\"one\"", "\"two\""},
        {"\"one\"", "\"One\""},
        {"\"one\"", "1"},
        {"\"seed\":\"one\",", ""},
        {"100 * hills", "101 * hills"},
        {"100 * hills", "100.00001 * hills"},
        {"100 * hills", "100 + hills"},
        {"100 * hills", "-100 * hills"},
        {"100 * hills", "100 * x"},
        {"+ max(x, 2)", "- max(x, 2)"},
        {"max(x, 2)", "min(x, 2)"},
        {"max(x, 2)", "max(x, 2, 3)"},
        {"max(x, 2)", "max(x, y)"},
        {"max(x, 2)", "(x ? 2 : 3)"},
        {"octaves=8", "octaves=9"},
        {"2048", "2049"},
        {"octaves=8", "octaves=8, persistence=0.51"},
        {"octaves=8", "octaves=8, lacunarity=2.1"},
        {"octaves=8", "octaves=8, basis='value'"},
        {"octaves=8", "octaves=8, interpolation='cubic'"},
        {"octaves=8", "octaves=8, salt='t'"},
        {"'cubic'", "'cosine'"},
        {"salt='s'", "salt='S'"},
        {"salt='s'", "salt=''"},
        {"perlin", "value"},
        {"height < 0", "height <= 0"},
        {"height < 0", "height < 1"},
        {",\"when\":\"height < 0\"},{\"name\":\"land\",\"color\":\"#0f0\"", ""},
        {"{\"name\":\"sea\",\"color\":\"#00f\",\"when\":\"height < 0\"},", ""},
    };
    assert_changes(changes, sizeof changes / sizeof *changes, false);
}

/* Layers by another name have other noise; conditions in another order choose other biomes. */
static void names_and_order_are_relevant(void **unused)
{
    (void)unused;
    assert_equal_prints("{\"generator\":1,\"layers\":{\"height\":\"a\",\"a\":\"perlin(64)\"}}",
                        "{\"generator\":1,\"layers\":{\"height\":\"b\",\"b\":\"perlin(64)\"}}",
                        false);
    assert_equal_prints("{\"generator\":1,\"layers\":{\"height\":\"x\"},\"biomes\":["
                        "{\"name\":\"a\",\"color\":\"#000\",\"when\":\"x<1\"},"
                        "{\"name\":\"b\",\"color\":\"#000\",\"when\":\"x<2\"}]}",
                        "{\"generator\":1,\"layers\":{\"height\":\"x\"},\"biomes\":["
                        "{\"name\":\"b\",\"color\":\"#000\",\"when\":\"x<2\"},"
                        "{\"name\":\"a\",\"color\":\"#000\",\"when\":\"x<1\"}]}",
                        false);
}

static void assert_formulas_differ(const char *a, const char *b)
{
    char *text_a = world_text(a, ""), *text_b = world_text(b, "");
    assert_equal_prints(text_a, text_b, false);
    free(text_a);
    free(text_b);
}

/* Different trees never have one spelling: not by grouping, nor by texts that look like formulas.
 */
static void different_trees_differ(void **unused)
{
    (void)unused;
    assert_formulas_differ("x - (y - 1)", "x - y - 1");
    assert_formulas_differ("x * (y + 1)", "x * y + 1");
    assert_formulas_differ("-x^2", "(-x)^2");
    assert_formulas_differ("-(x - y)", "-x - y");
    assert_formulas_differ("x ? y : z", "x && y || z");
    assert_formulas_differ("max(max(x, y), z)", "max(x, y, z)");
    assert_formulas_differ("max(perlin(64, salt='a'), perlin(64, salt='b'))",
                           "max(perlin(64, salt=\"a') (perlin wavelength=64 salt='b\"), 0)");
    assert_formulas_differ("max(perlin(64, salt='a'), perlin(64, salt='b'), x)",
                           "max(perlin(64, salt=\"a') (perlin wavelength=64 salt='b\"), x)");
    assert_formulas_differ("perlin(64, salt='a')", "perlin(64, salt=\"a'\")");
    assert_formulas_differ("perlin(64, salt='')", "perlin(64)");
}

static void equal_seeds_have_equal_fingerprints(void **unused)
{
    (void)unused;
    static const struct {
        const char *a, *b;
        bool equal;
    } cases[] = {
        {"42", "\"42\"", true},
        {"0", "\"0\"", true},
        {"18446744073709551615", "\"18446744073709551615\"", true},
        {"42", "\"042\"", false},
        {"42", "\"42 \"", false},
        {"42", "\"+42\"", false},
        {"42", "43", false},
        {"0", "\"zero\"", false},
        {"\"\xc3\xa4\"", "\"a\xcc\x88\"", false}, /* the same to the eye, not in bytes */
        {"\"\\u00e4\"", "\"\xc3\xa4\"", true},    /* the same text in JSON */
        {"18446744073709551615", "18446744073709551614", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char members[2][80];
        snprintf(members[0], sizeof members[0], "\"seed\":%s,", cases[i].a);
        snprintf(members[1], sizeof members[1], "\"seed\":%s,", cases[i].b);
        char *a = world_text("perlin(64)", members[0]), *b = world_text("perlin(64)", members[1]);
        assert_equal_prints(a, b, cases[i].equal);
        free(a);
        free(b);
    }
}

static void missing_seed_is_seed_0(void **unused)
{
    (void)unused;
    char *none = world_text("perlin(64)", ""), *zero = world_text("perlin(64)", "\"seed\":0,");
    assert_equal_prints(none, zero, true);
    free(none);
    free(zero);
}

int test_fingerprint(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fingerprint_format),
        cmocka_unit_test(irrelevant_changes),
        cmocka_unit_test(relevant_changes),
        cmocka_unit_test(names_and_order_are_relevant),
        cmocka_unit_test(different_trees_differ),
        cmocka_unit_test(equal_seeds_have_equal_fingerprints),
        cmocka_unit_test(missing_seed_is_seed_0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
