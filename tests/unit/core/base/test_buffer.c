#include "core/base/buffer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void grows_and_keeps_its_bytes(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    for (unsigned i = 0; i < 100000; i++)
        buffer_byte(&buffer, (uint8_t)(i * 7));
    assert_false(buffer.failed);
    assert_int_equal(buffer.length, 100000);
    for (unsigned i = 0; i < 100000; i++)
        assert_int_equal(buffer.data[i], (uint8_t)(i * 7));
    uint8_t *memory = buffer.data;
    buffer_clear(&buffer);
    assert_int_equal(buffer.length, 0);
    buffer_text(&buffer, "kept");
    assert_ptr_equal(buffer.data, memory);
    buffer_free(&buffer);
    assert_null(buffer.data);
    assert_int_equal(buffer.capacity, 0);
}

static void writes_text_and_formats(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    assert_string_equal(buffer_string(&buffer), "");
    buffer_text(&buffer, "tile ");
    buffer_format(&buffer, "%d/%s", 12, "x");
    buffer_append(&buffer, NULL, 0);
    buffer_append(&buffer, "!?", 1);
    assert_string_equal(buffer_string(&buffer), "tile 12/x!");
    assert_int_equal(buffer.length, 10);
    char long_text[2000];
    memset(long_text, 'a', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    buffer_format(&buffer, "%s%s", long_text, "b");
    assert_int_equal(buffer.length, 10 + 1999 + 1);
    assert_int_equal(buffer.data[buffer.length - 1], 'b');
    buffer_free(&buffer);
}

static void reserves_without_appending(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    assert_non_null(buffer_reserve(&buffer, 0));
    uint8_t *room = buffer_reserve(&buffer, 5000);
    assert_non_null(room);
    memset(room, 1, 5000);
    assert_int_equal(buffer.length, 0);
    assert_true(buffer.capacity >= 5000);
    buffer_free(&buffer);
}

static void a_failure_is_remembered(void **state)
{
    (void)state;
    struct buffer buffer = {0};
    buffer_text(&buffer, "before");
    assert_null(buffer_reserve(&buffer, SIZE_MAX));
    assert_true(buffer.failed);
    assert_null(buffer_reserve(&buffer, 1));
    buffer_text(&buffer, "after");
    buffer_byte(&buffer, 'x');
    buffer_format(&buffer, "%d", 1);
    assert_int_equal(buffer.length, 6);
    assert_string_equal(buffer_string(&buffer), "");
    buffer_clear(&buffer);
    assert_false(buffer.failed);
    buffer_text(&buffer, "again");
    assert_string_equal(buffer_string(&buffer), "again");
    buffer_free(&buffer);
}

int test_buffer(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grows_and_keeps_its_bytes),
        cmocka_unit_test(writes_text_and_formats),
        cmocka_unit_test(reserves_without_appending),
        cmocka_unit_test(a_failure_is_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
