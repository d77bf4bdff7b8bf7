/* The schemas of world and style files have the keys of the readers' tables: no more, no less. That
 * values and ranges agree, tests/cli/file-schemas.test.mjs checks. */
#include "core/tile/style_private.h"
#include "core/worldfile/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct json_document *read_schema(const char *file)
{
    static char text[1 << 16];
    struct error error = {0};
    FILE *stream = fopen(file, "rb");
    assert_non_null(stream);
    const size_t length = fread(text, 1, sizeof text, stream);
    fclose(stream);
    assert_true(length < sizeof text);
    struct json_document *document = json_parse(text, length, NULL, &error);
    if (!document)
        fail_msg("%s: %s", file, error.message);
    return document;
}

/* `count` may be more than there are keys: the rest is null. */
static void assert_keys(const struct json *object, const char *const *keys, size_t count)
{
    const struct json *properties = json_member(object, "properties");
    size_t known = 0;
    for (; known < count && keys[known]; known++)
        if (!json_member(properties, keys[known]))
            fail_msg("the schema lacks the key \"%s\"", keys[known]);
    for (const struct json *key = json_first(properties); key; key = json_next(key)) {
        size_t i = 0;
        while (i < known && strcmp(keys[i], json_key(key)) != 0)
            i++;
        if (i == known)
            fail_msg("the reader does not know the key \"%s\"", json_key(key));
    }
}

static void keys_of_worlds(void **unused)
{
    static const struct {
        const char *name;
        const struct reader_keys *keys;
    } objects[] = {
        {"layer", &reader_layer_keys},           {"biome", &reader_biome_keys},
        {"material", &reader_material_keys},     {"object", &reader_object_keys},
        {"drainage", &reader_drainage_keys},     {"view", &reader_view_keys},
        {"names", &reader_names_keys},           {"tongue", &reader_tongue_keys},
        {"name_place", &reader_name_place_keys},
    };
    (void)unused;
    struct json_document *document = read_schema("config/world.schema.json");
    const struct json *root = json_root(document);
    assert_keys(root, world_keys, WORLD_KEYS);
    for (size_t i = 0; i < COUNT(objects); i++)
        assert_keys(json_member(json_member(root, "$defs"), objects[i].name),
                    objects[i].keys->names, objects[i].keys->count);
    json_free(document);
}

static void keys_of_styles(void **unused)
{
    const char *kinds[STEP_KINDS_MAX];
    const uint32_t count = step_kind_names(kinds);
    (void)unused;
    struct json_document *document = read_schema("config/style.schema.json");
    const struct json *root = json_root(document), *definitions = json_member(root, "$defs");
    assert_keys(root, style_keys, STYLE_KEYS);
    assert_keys(json_member(definitions, "step"), kinds, count);
    for (uint32_t i = 0; i < count; i++)
        assert_keys(json_member(definitions, kinds[i]), step_kind_find(kinds[i])->keys,
                    STEP_KEYS_MAX);
    json_free(document);
}

int test_schemas(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_of_worlds),
        cmocka_unit_test(keys_of_styles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
