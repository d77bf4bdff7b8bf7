/* Which worlds and styles a catalog has, and what it says of files that it cannot load. */
#include "tests/unit/server/worlds/catalog_fixture.h"

static void worlds_are_found_and_sorted(void **state)
{
    (void)state;
    struct catalog *catalog = load();
    size_t count = catalog_world_count(catalog);
    assert_true(count >= 2);
    for (size_t i = 1; i < count; i++)
        assert_true(strcmp(catalog_world_at(catalog, i - 1)->identity.name,
                           catalog_world_at(catalog, i)->identity.name) < 0);
    assert_string_equal(catalog_default(catalog)->identity.name, "alpha");
    assert_false(catalog_default(catalog)->identity.is_reseeded);
    catalog_free(catalog);
}

static void unknown_names_are_errors_that_suggest(void **state)
{
    (void)state;
    struct catalog *catalog = load();
    struct error error = {0};
    assert_null(catalog_acquire(catalog, "alpa", NULL, &error));
    assert_int_equal(error.code, ERROR_UNKNOWN);
    assert_string_equal(error.message, "unknown world \"alpa\" (did you mean \"alpha\"?)");
    assert_null(catalog_acquire(catalog, "zzzzzz", "1", &error));
    assert_string_equal(error.message, "unknown world \"zzzzzz\"");
    assert_null(catalog_painter(catalog_default(catalog), "wodded", &error));
    assert_int_equal(error.code, ERROR_UNKNOWN);
    assert_string_equal(error.message, "unknown style \"wodded\" (did you mean \"wooded\"?)");
    catalog_free(catalog);
}

static void styles_are_own_then_shared_then_layers(void **state)
{
    (void)state;
    struct catalog *catalog = load();
    const struct catalog_world *alpha = catalog_acquire(catalog, "alpha", NULL, NULL);
    const struct catalog_world *beta = catalog_acquire(catalog, "beta", NULL, NULL);
    assert_string_equal(painter_name(alpha->painters[0]), "own");
    assert_string_equal(painter_name(alpha->painters[1]), "plain");
    assert_non_null(catalog_painter(alpha, "wooded", NULL));
    assert_non_null(catalog_painter(alpha, "woods", NULL));
    /* A world without the layer goes without the style. */
    assert_null(catalog_painter(beta, "wooded", NULL));
    assert_non_null(catalog_painter(beta, "plain", NULL));
    /* Its own style hides the shared one: it paints another layer. */
    assert_string_not_equal(painter_fingerprint(catalog_painter(alpha, "plain", NULL)),
                            painter_fingerprint(catalog_painter(beta, "plain", NULL)));
    /* Every name stands once. */
    for (size_t i = 0; i < alpha->painter_count; i++)
        assert_ptr_equal(catalog_painter(alpha, painter_name(alpha->painters[i]), NULL),
                         alpha->painters[i]);
    assert_true(alpha->style_count < alpha->painter_count);
    catalog_release(alpha);
    catalog_release(beta);
    catalog_free(catalog);
}

static void files_outside_are_opened_with_or_without_a_seed(void **state)
{
    (void)state;
    struct catalog *catalog = load();
    const char *path = temporary_path("outside world.json");
    struct diagnostics diagnostics;
    write_file(temporary_folder(), "outside world.json",
               "{\"generator\":1,\"layers\":{\"height\":\"perlin(64)\"}}");
    const struct catalog_world *world = catalog_open_file(catalog, path, NULL, &diagnostics);
    const struct catalog_world *seeded = catalog_open_file(catalog, path, "b", &diagnostics);
    assert_string_equal(world->identity.name, "world"); /* the file's name is none for a world */
    assert_non_null(catalog_painter(world, "plain", NULL));
    assert_string_equal(world_seed(seeded->world), "b");
    catalog_release(world);
    catalog_release(seeded);
    assert_null(catalog_open_file(catalog, "/nonexistent.json", NULL, &diagnostics));
    assert_string_equal(diagnostics.errors[0].file, "/nonexistent.json");
    catalog_free(catalog);
}

static void assert_not_loaded(const char *directory, const char *name, const char *text,
                              const char *path, const char *message)
{
    const char *world_list[] = {worlds}, *style_list[] = {styles};
    struct catalog_options options = {world_list, 1, style_list, 1, "alpha", {0}, NULL, NULL};
    struct error error = {0};
    char file[256];
    snprintf(file, sizeof file, "%s/%s", directory, name);
    write_file(directory, name, text);
    assert_null(catalog_load(&options, &error));
    assert_string_equal(error.file, file);
    assert_string_equal(error.path, path);
    if (message)
        assert_string_equal(error.message, message);
    remove(file);
}

static void a_bad_file_stops_the_loading_and_is_named(void **state)
{
    (void)state;
    assert_not_loaded(worlds, "bad.json", "{}", "generator", "is missing; it must be a number");
    assert_not_loaded(worlds, "bad.json",
                      "{\"generator\":1,\"layers\":{\"height\":\"1\"},\"styles\":{\"s\":5}}",
                      "styles.s", NULL);
    assert_not_loaded(
        worlds, "bad.json",
        "{\"generator\":1,\"layers\":{\"height\":\"1\"},\"styles\":{\"s\":" GREY("woods") "}}",
        "styles.s.paint[0].ramp", NULL);
    assert_not_loaded(styles, "bad.json", "[]", "", NULL);
    assert_not_loaded(styles, "bad.json", "", "", "expected a value, found the end of the text");
    char *big = malloc(WORLD_BYTES_MAX + 2);
    memset(big, ' ', WORLD_BYTES_MAX + 1);
    big[WORLD_BYTES_MAX + 1] = 0;
    assert_not_loaded(worlds, "big.json", big, "",
                      "the file has 1048577 bytes; at most 1048576 are allowed");
    free(big);
}

struct told {
    unsigned count;
    struct error errors[8];
};

static void take_note(void *context, const struct error *error)
{
    struct told *told = context;
    told->errors[told->count++] = *error;
}

static void all_errors_are_reported_to_the_callback(void **state)
{
    (void)state;
    const char *world_list[] = {worlds}, *style_list[] = {styles};
    struct told told = {0};
    struct catalog_options options = {world_list, 1, style_list, 1, "alpha", {0}, take_note, &told};
    struct error error = {0};
    struct catalog *catalog = catalog_load(&options, &error);
    assert_non_null(catalog);
    assert_int_equal(told.count, 0);
    catalog_free(catalog);
    write_file(worlds, "bad.json", "{}");
    write_file(worlds, "worse.json", "[]");
    write_file(styles, "bad.json", "[]");
    assert_null(catalog_load(&options, &error));
    assert_int_equal(told.count, 4);
    assert_non_null(strstr(told.errors[0].file, "styles/bad.json"));
    assert_non_null(strstr(told.errors[1].file, "worlds/bad.json"));
    assert_string_equal(told.errors[1].path, "generator");
    assert_non_null(strstr(told.errors[2].file, "worlds/bad.json"));
    assert_string_equal(told.errors[2].path, "layers");
    assert_non_null(strstr(told.errors[3].file, "worlds/worse.json"));
    static const char *const names[] = {"bad.json", "worse.json", "bad.json"};
    for (size_t i = 0; i < 3; i++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", i < 2 ? worlds : styles, names[i]);
        remove(path);
    }
    told.count = 0;
    options.default_world = "nowhere";
    assert_null(catalog_load(&options, &error));
    assert_int_equal(told.count, 1);
}

static void the_default_world_must_exist(void **state)
{
    (void)state;
    const char *world_list[] = {worlds}, *style_list[] = {styles};
    struct catalog_options options = {world_list, 1, style_list, 1, "alpine", {0}, NULL, NULL};
    struct error error = {0};
    assert_null(catalog_load(&options, &error));
    assert_int_equal(error.code, ERROR_UNKNOWN);
}

static void limits_are_handed_on(void **state)
{
    (void)state;
    const char *world_list[] = {worlds}, *style_list[] = {styles};
    struct catalog_options options = {world_list,     1,    style_list, 1, "dear",
                                      {.octaves = 3}, NULL, NULL};
    struct error error = {0};
    write_file(worlds, "dear.json",
               "{\"generator\":1,\"layers\":{\"height\":\"fbm(9999, octaves=4)\"}}");
    assert_null(catalog_load(&options, &error));
    char path[256];
    snprintf(path, sizeof path, "%s/dear.json", worlds);
    remove(path);
    assert_int_equal(error.code, ERROR_LIMIT);
}

int test_catalog(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_are_found_and_sorted),
        cmocka_unit_test(unknown_names_are_errors_that_suggest),
        cmocka_unit_test(styles_are_own_then_shared_then_layers),
        cmocka_unit_test(files_outside_are_opened_with_or_without_a_seed),
        cmocka_unit_test(a_bad_file_stops_the_loading_and_is_named),
        cmocka_unit_test(all_errors_are_reported_to_the_callback),
        cmocka_unit_test(the_default_world_must_exist),
        cmocka_unit_test(limits_are_handed_on),
    };
    return cmocka_run_group_tests(tests, make_worlds, NULL);
}
