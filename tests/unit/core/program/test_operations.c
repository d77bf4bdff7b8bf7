/* The table of operations as a whole: what all rows must have. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/program/operation_row.h"

static void rows_have_names_of_their_own(void **unused)
{
    (void)unused;
    for (int i = 0; i < OP_COUNT; i++) {
        assert_non_null(operation_rows[i].name);
        assert_non_null(operation_rows[i].text);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(operation_rows[i].name, operation_rows[k].name);
    }
}

/* The sampler runs noises, what it samples elsewhere, and searches of lines, whose work it counts;
 * a condition's caller gives rows. All others have a function. */
static void rows_have_one_function(void **unused)
{
    (void)unused;
    for (int i = 0; i < OP_COUNT; i++) {
        const struct operation_row *row = &operation_rows[i];
        const bool elsewhere =
            i == OP_NOISE || i == OP_COARSE || i == OP_DRAINAGE || i == OP_BY_SPACING ||
            i == OP_GIVEN ||
            (operation_rows[i].table == TABLE_POLYLINE_VIEWS && i != OP_POLYLINE_POINT);
        if ((row->run != NULL) + (row->run_band != NULL) != (elsewhere ? 0 : 1))
            fail_msg("%s", row->name);
    }
}

/* An exchange of operands must not change a sample. */
static void operands_are_exchanged_where_that_changes_no_bit(void **unused)
{
    (void)unused;
    static const float samples[] = {-2.5f, -1.0f, 0.0f, 0.5f, 1.0f, 3e38f};
    enum { COUNT = sizeof samples / sizeof *samples };
    const struct program program = {0};
    unsigned commuting = 0;
    for (int i = 0; i < OP_COUNT; i++) {
        const struct operation operation = {.code = (enum operation_code)i};
        if (!operation_rows[i].commutes)
            continue;
        commuting++;
        for (int k = 0; k < COUNT; k++) {
            float others[COUNT], out[COUNT], exchanged[COUNT];
            for (int n = 0; n < COUNT; n++)
                others[n] = samples[(n + k) % COUNT];
            operation_rows[i].run(&program, &operation, COUNT,
                                  (const float *[3]){samples, others, NULL}, out);
            operation_rows[i].run(&program, &operation, COUNT,
                                  (const float *[3]){others, samples, NULL}, exchanged);
            assert_memory_equal(out, exchanged, sizeof out);
        }
    }
    assert_int_equal(commuting, 7); /* + * min max == && || */
}

int test_operations(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_names_of_their_own),
        cmocka_unit_test(rows_have_one_function),
        cmocka_unit_test(operands_are_exchanged_where_that_changes_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
