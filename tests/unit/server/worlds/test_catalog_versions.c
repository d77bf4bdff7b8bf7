/* Former versions of worlds: which one a pin finds, and what a catalog keeps of the one before. */
#include "tests/unit/server/worlds/catalog_fixture.h"

/* The world alpha, whose height has these metres more than that of the fixture. */
static void write_version(const char *file, int metres)
{
    char text[256];
    snprintf(text, sizeof text,
             "{\"generator\":1,\"seed\":\"a\",\"layers\":{\"height\":\"perlin(64) + %d\","
             "\"woods\":\"1\"}}",
             metres);
    write_file(worlds, file, text);
}

static const struct catalog_world *find(const struct catalog *catalog, const char *name,
                                        const char *seed, const char *pin)
{
    const struct catalog_reference reference = {name, seed, pin};
    return catalog_find_version(catalog, &reference, NULL);
}

/* A catalog with alpha as it is after `metres`, beside the one before. */
static struct catalog *change(struct catalog *before, int metres, unsigned most)
{
    write_version("alpha.json", metres);
    struct catalog *catalog = load();
    catalog_keep_former(catalog, before, most);
    catalog_free(before);
    return catalog;
}

static void assert_former(const struct catalog *catalog, size_t index, const char *pin)
{
    assert_string_equal(catalog_former_at(catalog, index)->identity.name, "alpha");
    assert_string_equal(catalog_former_at(catalog, index)->identity.fingerprint, pin);
}

static void a_pin_finds_a_version_with_any_seed(void **state)
{
    (void)state;
    char file[128], pin[WORLD_FINGERPRINT_TEXT], seeded[WORLD_FINGERPRINT_TEXT];
    struct catalog *catalog = load();
    strcpy(pin, catalog_find(catalog, "alpha", NULL)->identity.fingerprint);
    const struct catalog_world *old = catalog_acquire(catalog, "alpha", "7", NULL);
    strcpy(seeded, old->identity.fingerprint);
    catalog_release(old);
    catalog_free(catalog);
    snprintf(file, sizeof file, "alpha@%s.json", pin);
    char present[256], former[256];
    snprintf(present, sizeof present, "%s/alpha.json", worlds);
    snprintf(former, sizeof former, "%s/%s", worlds, file);
    rename(present, former);
    write_version("alpha.json", 5);
    catalog = load();
    assert_int_equal(catalog_former_count(catalog), 1);
    const struct catalog_world *now = catalog_find(catalog, "alpha", NULL);
    const struct catalog_world *then = catalog_former_at(catalog, 0);
    assert_string_equal(then->identity.fingerprint, pin);
    assert_ptr_equal(find(catalog, "alpha", NULL, pin), then);
    assert_ptr_equal(find(catalog, "alpha", "7", seeded), then);
    assert_ptr_equal(find(catalog, "alpha", NULL, seeded), now);
    assert_ptr_equal(find(catalog, "alpha", "7", pin), now);
    assert_ptr_equal(find(catalog, "alpha", NULL, NULL), now);
    assert_null(find(catalog, "gamma", NULL, pin));
    assert_string_equal(find(catalog, "beta", NULL, pin)->identity.name, "beta");
    /* One seed of two versions is two worlds. */
    const struct catalog_world *a = catalog_acquire_seed(catalog, then, "7", NULL);
    const struct catalog_world *b = catalog_acquire_seed(catalog, now, "7", NULL);
    assert_string_equal(a->identity.fingerprint, seeded);
    assert_string_not_equal(b->identity.fingerprint, seeded);
    assert_ptr_equal(catalog_acquire_ready(catalog, then, "7"), a);
    catalog_release(a);
    catalog_release(a);
    catalog_release(b);
    catalog_free(catalog);
    rename(former, present);
}

static void a_file_of_the_present_version_does_nothing(void **state)
{
    (void)state;
    char file[128], path[256];
    write_version("alpha.json", 1);
    struct catalog *catalog = load();
    snprintf(file, sizeof file, "alpha@%s.json",
             catalog_find(catalog, "alpha", NULL)->identity.fingerprint);
    catalog_free(catalog);
    write_version(file, 1);
    catalog = load();
    assert_int_equal(catalog_former_count(catalog), 0);
    /* It is there when the world changes, and not kept twice. */
    catalog = change(catalog, 2, 5);
    assert_int_equal(catalog_former_count(catalog), 1);
    assert_memory_equal(catalog_former_at(catalog, 0)->identity.fingerprint,
                        file + strlen("alpha@"), 35);
    /* Its file is removed, and the version with it. */
    snprintf(path, sizeof path, "%s/%s", worlds, file);
    remove(path);
    catalog = change(catalog, 2, 5);
    assert_int_equal(catalog_former_count(catalog), 0);
    catalog_free(catalog);
}

static void the_newest_versions_are_kept_in_order(void **state)
{
    (void)state;
    char pins[5][WORLD_FINGERPRINT_TEXT];
    write_version("alpha.json", 0);
    struct catalog *catalog = load();
    for (int i = 0; i < 5; i++) {
        strcpy(pins[i], catalog_find(catalog, "alpha", NULL)->identity.fingerprint);
        if (i < 4)
            catalog = change(catalog, i + 1, 2);
    }
    assert_int_equal(catalog_former_count(catalog), 2);
    assert_former(catalog, 0, pins[3]);
    assert_former(catalog, 1, pins[2]);
    /* Going back to a former version keeps what was present. */
    catalog = change(catalog, 2, 2);
    assert_int_equal(catalog_former_count(catalog), 2);
    assert_former(catalog, 0, pins[4]);
    assert_former(catalog, 1, pins[3]);
    /* A reload without a change. */
    catalog = change(catalog, 2, 2);
    assert_int_equal(catalog_former_count(catalog), 2);
    /* A smaller limit drops the oldest; the catalogs that it came from are freed. */
    catalog = change(catalog, 2, 1);
    assert_int_equal(catalog_former_count(catalog), 1);
    assert_former(catalog, 0, pins[4]);
    struct error error = {0};
    assert_null(catalog_painter(catalog_former_at(catalog, 0), "nothing", &error));
    assert_non_null(catalog_painter(catalog_former_at(catalog, 0), "wooded", &error));
    catalog = change(catalog, 2, 0);
    assert_int_equal(catalog_former_count(catalog), 0);
    catalog_free(catalog);
}

int test_catalog_versions(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pin_finds_a_version_with_any_seed),
        cmocka_unit_test(a_file_of_the_present_version_does_nothing),
        cmocka_unit_test(the_newest_versions_are_kept_in_order),
    };
    return cmocka_run_group_tests(tests, make_worlds, NULL);
}
