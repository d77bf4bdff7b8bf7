#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "server/base/embed.h"

static void the_table_is_sorted(void **state)
{
    (void)state;
    assert_true(embedded_file_count > 0);
    for (size_t i = 1; i < embedded_file_count; i++)
        assert_true(strcmp(embedded_files[i - 1].path, embedded_files[i].path) < 0);
}

static void every_file_is_found_by_its_path(void **state)
{
    (void)state;
    for (size_t i = 0; i < embedded_file_count; i++)
        assert_ptr_equal(embed_find(embedded_files[i].path), &embedded_files[i]);
    assert_null(embed_find(""));
    assert_null(embed_find("worlds"));
    assert_null(embed_find("worlds/terra.json/"));
    assert_null(embed_find("~"));
}

static void worlds_styles_and_pages_are_there(void **state)
{
    (void)state;
    assert_non_null(embed_find("worlds/terra.json"));
    assert_non_null(embed_find("styles/relief.json"));
    assert_non_null(embed_find("viewer/index.html"));
    assert_non_null(embed_find("viewer/main.js"));
    assert_non_null(embed_find("viewer/main.js.gz"));
    assert_non_null(embed_find("viewer/main.js.zst"));
    assert_null(embed_find("worlds/terra.json.gz"));
}

/* Tests run in the root of the project, so the original is there. */
static void the_bytes_are_those_of_the_file(void **state)
{
    (void)state;
    static uint8_t bytes[1 << 20];
    const struct embedded_file *file = embed_find("worlds/terra.json");
    FILE *original = fopen("config/worlds/terra.json", "rb");
    assert_non_null(original);
    size_t length = fread(bytes, 1, sizeof bytes, original);
    fclose(original);
    assert_int_equal(file->length, length);
    assert_memory_equal(file->data, bytes, length);
}

int test_embed(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_sorted),
        cmocka_unit_test(every_file_is_found_by_its_path),
        cmocka_unit_test(worlds_styles_and_pages_are_there),
        cmocka_unit_test(the_bytes_are_those_of_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
