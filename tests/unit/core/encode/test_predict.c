/* Predicted numbers: residuals by hand, and the inverse as the header gives it to clients. */
#include "core/encode/predict.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/*  32768 32776 32775      left + up − upleft and what remains of it:
 *  32760 32770     0      32768 → −32768 (zigzag 65535), +8 (16), −1 (1);
 *                         −8 (15); 32770 − (32760 + 32776 − 32768) = 2 (4);
 *                         0 − (32770 + 32775 − 32776) = −32769 = 32767 mod 2¹⁶ (65534) */
static void residuals_by_hand(void **state)
{
    (void)state;
    static const uint16_t numbers[] = {32768, 32776, 32775, 32760, 32770, 0};
    static const uint16_t expected[] = {65535, 16, 1, 15, 4, 65534};
    uint8_t bytes[2 * 6];
    for (size_t i = 0; i < 6; i++) {
        bytes[2 * i] = (uint8_t)numbers[i];
        bytes[2 * i + 1] = (uint8_t)(numbers[i] >> 8);
    }
    struct buffer out = {0};
    buffer_text(&out, "x");
    predict_write(bytes, 3, 2, &out);
    assert_int_equal(out.length, 1 + 2 * 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(out.data[1 + i], expected[i] & 255);
        assert_int_equal(out.data[1 + 6 + i], expected[i] >> 8);
    }
    buffer_free(&out);
}

/* The header's five lines. */
static void restore(const uint8_t *v, uint32_t columns, uint32_t rows, uint16_t *x)
{
    const size_t n = (size_t)columns * rows;
    for (size_t k = 0; k < n; k++) {
        unsigned z = v[k] | (unsigned)v[n + k] << 8, d = (z >> 1) ^ (0 - (z & 1));
        unsigned left = k % columns ? x[k - 1] : 0, up = k >= columns ? x[k - columns] : 0;
        unsigned corner = k % columns && k >= columns ? x[k - columns - 1] : 0;
        x[k] = (uint16_t)(d + left + up - corner);
    }
}

static void inverse_restores_any_numbers(void **state)
{
    (void)state;
    static const uint32_t shapes[][2] = {{1, 1}, {1, 9}, {9, 1}, {2, 2}, {65, 65}, {17, 3}};
    uint32_t random = 5;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const uint32_t columns = shapes[s][0], rows = shapes[s][1];
        const size_t count = (size_t)columns * rows;
        uint8_t *bytes = malloc(2 * count);
        uint16_t *numbers = malloc(2 * count);
        assert_true(bytes && numbers);
        for (size_t i = 0; i < 2 * count; i++) {
            random = random * 1664525 + 1013904223;
            bytes[i] = (uint8_t)(random >> 24);
        }
        struct buffer out = {0};
        predict_write(bytes, columns, rows, &out);
        assert_int_equal(out.length, 2 * count);
        restore(out.data, columns, rows, numbers);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(numbers[i], bytes[2 * i] + 256 * bytes[2 * i + 1]);
        buffer_free(&out);
        free(bytes);
        free(numbers);
    }
}

static void empty_input_and_failed_allocation(void **state)
{
    (void)state;
    static const uint8_t bytes[2] = {1, 2};
    struct buffer out = {0};
    predict_write(bytes, 0, 7, &out);
    predict_write(bytes, 7, 0, &out);
    assert_int_equal(out.length, 0);
    assert_false(out.failed);
    buffer_free(&out);
    out.failed = true;
    predict_write(bytes, 1, 1, &out);
    assert_true(out.failed);
    assert_int_equal(out.length, 0);
}

int test_predict(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residuals_by_hand),
        cmocka_unit_test(inverse_restores_any_numbers),
        cmocka_unit_test(empty_input_and_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
