/* The member "names" of a world file: which tongues and places a world has, and its fingerprint of
 * names. tests/cli/bad-worlds.test.mjs has the mistakes. */
#include "core/worldfile/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/names/name.h"
#include "tests/unit/core/world_of.h"

#define TEN(a) a "a\"," a "e\"," a "i\"," a "o\"," a "u\""
#define OWN                                                                                        \
    "\"syllables\":{\"own\":{\"starts\":[" TEN("\"Bal") "," TEN("\"Kor") "],\"ends\":[" TEN(       \
        "\"nd") "," TEN("\"ss") "]"                                                                \
                                "}}"

static struct world *world_with_names(const char *names)
{
    char text[2048];
    snprintf(text, sizeof text, "{\"generator\":1,\"layers\":{\"height\":\"x\"}%s%s}",
             *names ? ",\"names\":" : "", names);
    return world_of_text(text);
}

static void a_world_without_names_has_all_tongues(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "{}"};
    for (size_t i = 0; i < 2; i++) {
        struct world *world = world_with_names(texts[i]);
        assert_int_equal(world_names(world)->tongue_count, TONGUES);
        assert_ptr_equal(world_names(world)->tongues[0], tongue_find("nordic"));
        assert_int_equal(world_names(world)->place_count, 0);
        assert_int_equal(strlen(world_names_fingerprint(world)), 3 + 16);
        world_release(world);
    }
}

static void false_is_no_names(void **state)
{
    (void)state;
    struct world *world = world_with_names("false");
    assert_int_equal(world_names(world)->tongue_count, 0);
    assert_string_equal(world_names_fingerprint(world), "");
    world_release(world);
}

static void tongues_are_picked_in_order(void **state)
{
    (void)state;
    struct world *world = world_with_names("{\"tongues\":[\"own\",\"celtic\",\"own\"]," OWN "}");
    const struct names *names = world_names(world);
    assert_int_equal(names->tongue_count, 3);
    assert_string_equal(names->tongues[0]->name, "own");
    assert_ptr_equal(names->tongues[1], tongue_find("celtic"));
    assert_ptr_equal(names->tongues[2], names->tongues[0]);
    world_release(world);
}

static void own_tongues_stand_for_those_of_the_program(void **state)
{
    (void)state;
    struct world *world = world_with_names("{" OWN "}");
    const struct name_subject subject = {.kind = NAME_LAKE, .id = 3};
    struct name name;
    assert_int_equal(world_names(world)->tongue_count, 1);
    name_make(world_names(world), 1, &subject, &name);
    assert_memory_equal(name.text, "Lake ", 5);
    assert_true(strncmp(name.root, "Bal", 3) == 0 || strncmp(name.root, "Kor", 3) == 0);
    world_release(world);
}

static void places_are_read(void **state)
{
    (void)state;
    struct world *world = world_with_names("{\"tongues\":[],\"places\":[{\"kind\":\"lake\",\"at\":["
                                           "-1500.5,2e6],\"name\":\"Äpfelsee\"}]}");
    const struct names *names = world_names(world);
    assert_int_equal(names->tongue_count, 0);
    assert_int_equal(names->place_count, 1);
    assert_int_equal(names->places[0].kind, NAME_LAKE);
    assert_true(names->places[0].place.x == -1500 * PLACE_METRE - PLACE_METRE / 2);
    assert_true(names->places[0].place.y == 2000000 * PLACE_METRE);
    assert_string_equal(names->places[0].text, "Äpfelsee");
    world_release(world);
}

static void only_the_fingerprint_of_names_follows_names(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "false",
        "{" OWN "}",
        "{\"tongues\":[\"own\",\"nordic\"]," OWN "}",
        "{\"tongues\":[\"nordic\"]}",
        "{\"places\":[{\"kind\":\"lake\",\"at\":[0,0],\"name\":\"A\"}]}",
        "{\"places\":[{\"kind\":\"lake\",\"at\":[0,1],\"name\":\"A\"}]}",
        "{\"places\":[{\"kind\":\"sea\",\"at\":[0,0],\"name\":\"A\"}]}",
        "{\"places\":[{\"kind\":\"lake\",\"at\":[0,0],\"name\":\"B\"}]}",
    };
    enum { TEXTS = sizeof texts / sizeof *texts };
    struct world *worlds[TEXTS];
    for (size_t i = 0; i < TEXTS; i++) {
        worlds[i] = world_with_names(texts[i]);
        assert_string_equal(world_fingerprint(worlds[i]), world_fingerprint(worlds[0]));
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(world_names_fingerprint(worlds[i]),
                                    world_names_fingerprint(worlds[j]));
    }
    for (size_t i = 0; i < TEXTS; i++)
        world_release(worlds[i]);
}

static void another_seed_keeps_the_tongues(void **state)
{
    (void)state;
    struct error error;
    struct world *world = world_with_names("{" OWN "}");
    struct world *reseeded = world_reseed(world, "7", 1, &error);
    assert_non_null(reseeded);
    world_release(world);
    assert_string_equal(world_names(reseeded)->tongues[0]->name, "own");
    world_release(reseeded);
}

int test_reader_names(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_world_without_names_has_all_tongues),
        cmocka_unit_test(false_is_no_names),
        cmocka_unit_test(tongues_are_picked_in_order),
        cmocka_unit_test(own_tongues_stand_for_those_of_the_program),
        cmocka_unit_test(places_are_read),
        cmocka_unit_test(only_the_fingerprint_of_names_follows_names),
        cmocka_unit_test(another_seed_keeps_the_tongues),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
