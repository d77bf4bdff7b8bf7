/* The filters against the PNG specification, byte by byte: each undone by its inverse, and Paeth's
 * choice written as the specification words it. */
#include "core/encode/filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* PNG specification, 9.4. */
static int paeth_predictor(int a, int b, int c)
{
    int p = a + b - c;
    int pa = abs(p - a), pb = abs(p - b), pc = abs(p - c);
    if (pa <= pb && pa <= pc)
        return a;
    return pb <= pc ? b : c;
}

static uint8_t expected(enum filter filter, int x, int a, int b, int c)
{
    switch (filter) {
    case FILTER_NONE:
        return (uint8_t)x;
    case FILTER_SUB:
        return (uint8_t)(x - a);
    case FILTER_UP:
        return (uint8_t)(x - b);
    case FILTER_AVERAGE:
        return (uint8_t)(x - (a + b) / 2);
    case FILTER_PAETH:
        return (uint8_t)(x - paeth_predictor(a, b, c));
    }
    return 0;
}

static void filters_are_those_of_the_specification(void **state)
{
    (void)state;
    uint32_t random = 7;
    uint8_t row[300], above[300], out[302];
    for (int round = 0; round < 3000; round++) {
        size_t length = 1 + (size_t)round % 300, step = 1 + (size_t)round % 6;
        /* Small steps as well as any bytes, so that ties between the guesses come up. */
        unsigned range = round % 3 ? 4 : 256;
        for (size_t i = 0; i < length; i++) {
            random = random * 1664525 + 1013904223;
            row[i] = (uint8_t)((random >> 8) % range);
            above[i] = (uint8_t)((random >> 16) % range);
        }
        for (int filter = FILTER_NONE; filter <= FILTER_PAETH; filter++) {
            struct filter_rows rows = {row, above, length, step};
            out[length + 1] = 0xA5;
            filter_row((enum filter)filter, &rows, out);
            assert_int_equal(out[0], filter);
            assert_int_equal(out[length + 1], 0xA5);
            for (size_t i = 0; i < length; i++) {
                int a = i >= step ? row[i - step] : 0, c = i >= step ? above[i - step] : 0;
                assert_int_equal(out[i + 1], expected((enum filter)filter, row[i], a, above[i], c));
            }
        }
    }
}

int test_filter(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_are_those_of_the_specification),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
