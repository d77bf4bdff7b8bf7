/* The header of a NumPy file, byte by byte, as the format's description has it; NumPy itself opens
 * files in tests/http/npy.test.mjs. */
#include "core/encode/npy.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* The whole header is 128 bytes: 10 of prefix, 118 of text. */
static void expect(const uint64_t *shape, unsigned axes, const char *text)
{
    static const uint8_t prefix[] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0};
    struct buffer out = {0};
    npy_write_header(shape, axes, &out);
    assert_false(out.failed);
    assert_int_equal(out.length, 128);
    assert_memory_equal(out.data, prefix, sizeof prefix);
    const size_t length = strlen(text);
    assert_memory_equal(out.data + 10, text, length);
    for (size_t i = 10 + length; i < 127; i++)
        assert_int_equal(out.data[i], ' ');
    assert_int_equal(out.data[127], '\n');
    buffer_free(&out);
}

static void headers_are_those_of_the_format(void **state)
{
    (void)state;
    expect((uint64_t[]){5}, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (5,), }");
    expect((uint64_t[]){65, 64}, 2,
           "{'descr': '<f4', 'fortran_order': False, 'shape': (65, 64), }");
    expect((uint64_t[]){0}, 1, "{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }");
    expect((uint64_t[]){3, 1025, 1024}, 3,
           "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 1025, 1024), }");
}

int test_npy(void);
int test_npy(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(headers_are_those_of_the_format)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
