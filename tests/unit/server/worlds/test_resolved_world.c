/* Worlds before and after they are compiled: their identities, and what they hold. */
#include "server/worlds/resolved_world.h"

#include "tests/unit/server/worlds/catalog_fixture.h"

static void a_world_with_its_own_seed_is_compiled(void **state)
{
    (void)state;
    struct catalog *catalog = load();
    const struct catalog_world *alpha = catalog_find(catalog, "alpha", NULL);
    struct resolved_world world = {.base = NULL};
    struct error error = {0};
    assert_true(resolved_world_identify(&world, catalog, alpha, NULL, &error));
    assert_string_equal(world.identity.name, "alpha");
    assert_string_equal(world.identity.seed, "a");
    assert_false(world.identity.is_reseeded);
    assert_string_equal(world.identity.fingerprint, world_fingerprint(alpha->world));
    assert_ptr_equal(world.base, alpha);
    assert_ptr_equal(world.compiled, alpha);
    resolved_world_release(&world);
    assert_null(world.base);
    assert_null(world.compiled);
    resolved_world_release(&world);
    catalog_free(catalog);
}

/* The expected fingerprints are those of the worlds that the catalog compiles. */
static void the_identity_is_known_before_the_world_is_compiled(void **state)
{
    (void)state;
    static const char *const seeds[] = {"a", "new", "7", "18446744073709551616", "\xC3\xA4~@"};
    struct catalog *catalog = load();
    const struct catalog_world *alpha = catalog_find(catalog, "alpha", NULL);
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        struct resolved_world world, again;
        struct error error = {0};
        assert_true(resolved_world_identify(&world, catalog, alpha, seeds[i], &error));
        assert_null(world.compiled);
        assert_true(resolved_world_compile(&world, catalog, &error));
        const struct catalog_world *made = catalog_acquire(catalog, "alpha", seeds[i], &error);
        assert_ptr_equal(world.compiled, made);
        assert_string_equal(world.identity.name, "alpha");
        assert_string_equal(world.identity.seed, seeds[i]);
        assert_true(world.identity.is_reseeded);
        assert_string_equal(world.identity.fingerprint, world_fingerprint(made->world));
        assert_memory_equal(&made->identity, &world.identity, sizeof made->identity);
        assert_true(resolved_world_identify(&again, catalog, alpha, seeds[i], &error));
        assert_ptr_equal(again.compiled, made);
        assert_string_equal(again.identity.fingerprint, world.identity.fingerprint);
        catalog_release(made);
        resolved_world_release(&again);
        resolved_world_release(&world);
    }
    catalog_free(catalog);
}

static void all_but_samples_is_that_of_the_base(void **state)
{
    (void)state;
    struct catalog *catalog = load();
    const struct catalog_world *alpha = catalog_find(catalog, "alpha", NULL);
    const struct catalog_world *made = catalog_acquire(catalog, "alpha", "new", NULL);
    assert_int_equal(made->painter_count, alpha->painter_count);
    assert_int_equal(world_layer_count(made->world), world_layer_count(alpha->world));
    assert_string_equal(world_materials_fingerprint(made->world),
                        world_materials_fingerprint(alpha->world));
    for (size_t i = 0; i < made->painter_count; i++) {
        const struct painter *painter =
            catalog_painter(alpha, painter_name(made->painters[i]), NULL);
        assert_string_equal(painter_fingerprint(painter), painter_fingerprint(made->painters[i]));
    }
    catalog_release(made);
    catalog_free(catalog);
}

static void a_copy_has_references_of_its_own(void **state)
{
    (void)state;
    struct catalog *catalog = load();
    const struct catalog_world *alpha = catalog_find(catalog, "alpha", NULL);
    struct resolved_world world;
    struct error error = {0};
    assert_true(resolved_world_identify(&world, catalog, alpha, "new", &error));
    struct resolved_world before = resolved_world_copy(&world);
    assert_true(resolved_world_compile(&world, catalog, &error));
    struct resolved_world after = resolved_world_copy(&world);
    resolved_world_release(&world);
    assert_string_equal(world_seed(after.compiled->world), "new");
    resolved_world_release(&after); /* before the catalog, which counts worlds with other seeds */
    catalog_free(catalog);
    assert_null(before.compiled);
    assert_string_equal(before.base->identity.name, "alpha");
    resolved_world_release(&before);
}

int test_resolved_world(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_with_its_own_seed_is_compiled),
        cmocka_unit_test(the_identity_is_known_before_the_world_is_compiled),
        cmocka_unit_test(all_but_samples_is_that_of_the_base),
        cmocka_unit_test(a_copy_has_references_of_its_own),
    };
    return cmocka_run_group_tests(tests, make_worlds, NULL);
}
