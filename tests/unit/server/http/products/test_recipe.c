/* Cache keys of recipes. */
#include "server/http/products/recipe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "server/render/chunk_format.h"

/* The example of recipe.h. The hashes were computed by an implementation of MurmurHash3 in Python.
 */
static void the_example_has_its_bytes(void **state)
{
    (void)state;
    static const uint8_t expected[CACHE_KEY_BYTES] =
        "g1-538311345d5f35e4c2d57d7fce5d6fc3\0\0\0\0\0"
        "chunk\0\1\1\1\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0"
        "\3\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\0\0"
        "\x87\x0e\x62\xa4\xec\xeb\x8e\x05\xfd\x00\xc8\x58\x9c\xbf\x18\x49\0";
    static const char text[] =
        "{\"generator\":1,\"layers\":{\"height\":{\"formula\":\"x\",\"range\":[-100,900]}}}";
    struct world *world = world_parse(text, strlen(text), "world", NULL, NULL);
    assert_non_null(world);
    const struct chunk_recipe chunk = {
        .order = {.world = world,
                  .format = chunk_format_find("r32f", CHUNK_FLAT),
                  .shape = CHUNK_FLAT,
                  .size = 1,
                  .step = PLACE_METRE,
                  .layers = {world_height_layer(world)},
                  .layer_count = 1},
        .address = {.x = 3, .y = -2},
    };
    struct cache_key key;
    recipe_chunk_key(&chunk, world_fingerprint(world), &key);
    assert_memory_equal(key.bytes, expected, sizeof expected);
    assert_true(key.hash.high == 0x749adbd7b6e3a5b8 && key.hash.low == 0xb80e79d43f78380c);
    world_release(world);
}

int test_recipe(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_has_its_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
