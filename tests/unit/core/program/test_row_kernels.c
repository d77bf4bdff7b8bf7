/* Loops over rows of any length: fused operations against single ones, splines against a search. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/hash.h"
#include "core/program/row_kernels.h"

enum { SAMPLES = 203 };

/* Mostly quarters from −1 to ¾, so zeros and equal numbers are frequent; never −0. */
static float random_sample(uint64_t *state)
{
    *state = hash_mix(*state + 1);
    const float quarters = (float)(int32_t)(*state >> 61) - 4.0f;
    const float fine = (float)(int32_t)(*state & 0xFFFF) * 1.1f;
    return *state >> 16 & 7 ? quarters * 0.25f : fine - 36000.0f;
}

static void fill_random(uint64_t *state, float *row)
{
    for (int i = 0; i < SAMPLES; i++)
        row[i] = random_sample(state);
}

/* The single operation of a half: its code, and which operand is the number, or is on the right. */
struct single {
    enum operation_code code;
    bool number, reversed;
};
static const struct single firsts[FUSED_FIRSTS] = {
    [FUSED_ADD] = {OP_ADD, false, false},           [FUSED_ADD_NUMBER] = {OP_ADD, true, false},
    [FUSED_SUBTRACT] = {OP_SUBTRACT, false, false}, [FUSED_FROM_NUMBER] = {OP_SUBTRACT, true, true},
    [FUSED_MULTIPLY] = {OP_MULTIPLY, false, false}, [FUSED_SCALE] = {OP_MULTIPLY, true, false},
    [FUSED_AT_LEAST] = {OP_MAXIMUM, true, false},   [FUSED_AT_MOST] = {OP_MINIMUM, true, false},
};
static const struct single seconds[FUSED_SECONDS] = {
    [THEN_ADD] = {OP_ADD, false, false},
    [THEN_ADD_SCALED] = {OP_ADD, false, false},
    [THEN_ADD_NUMBER] = {OP_ADD, true, false},
    [THEN_SUBTRACT] = {OP_SUBTRACT, false, false},
    [THEN_SUBTRACT_FROM] = {OP_SUBTRACT, false, true},
    [THEN_FROM_NUMBER] = {OP_SUBTRACT, true, true},
    [THEN_MULTIPLY] = {OP_MULTIPLY, false, false},
    [THEN_SCALE] = {OP_MULTIPLY, true, false},
    [THEN_AT_LEAST] = {OP_MAXIMUM, true, false},
    [THEN_AT_MOST] = {OP_MINIMUM, true, false},
    [THEN_GREATER] = {OP_MAXIMUM, false, false},
    [THEN_LESSER] = {OP_MINIMUM, false, false},
};

static void run_single(struct single single, const float *v, const float *other, float number,
                       float *out)
{
    const struct program program = {0};
    const struct operation operation = {.code = single.code, .k = {number, 0.0f}};
    other = single.number ? NULL : other;
    const float *const operands[3] = {single.reversed ? other : v, single.reversed ? v : other,
                                      NULL};
    row_kernel_run(&program, &operation, SAMPLES, operands, out);
}

static void fused_operations_are_single_ones(void **unused)
{
    (void)unused;
    static float rows[3][SAMPLES], v[SAMPLES], scaled[SAMPLES], expected[SAMPLES], out[SAMPLES];
    uint64_t state = 5;
    for (uint8_t first = 0; first < FUSED_FIRSTS; first++) {
        for (uint8_t second = 0; second < FUSED_SECONDS; second++) {
            const struct program program = {0};
            struct operation operation = {.code = OP_FUSED, .fused = {first, second}};
            for (int k = 0; k < 3; k++)
                fill_random(&state, rows[k]);
            operation.k[0] = random_sample(&state);
            operation.k[1] = random_sample(&state);
            run_single(firsts[first], rows[0], rows[1], operation.k[0], v);
            const struct single scale = {OP_MULTIPLY, true, false};
            run_single(scale, rows[2], NULL, second == THEN_ADD_SCALED ? operation.k[1] : 1.0f,
                       scaled);
            if (second == THEN_NOTHING)
                memcpy(expected, v, sizeof v);
            else
                run_single(seconds[second], v, scaled, operation.k[1], expected);
            const float *const operands[3] = {rows[0], rows[1], rows[2]};
            row_kernel_run(&program, &operation, SAMPLES, operands, out);
            if (memcmp(out, expected, sizeof out) != 0)
                fail_msg("first %d, second %d", first, second);
        }
    }
}

/* The definition: the last segment whose point is not above v, v between the first and last point.
 */
static float spline_at(const struct spline *spline, float v)
{
    const float begin = spline->x[0], end = spline->x[spline->count - 1];
    uint32_t s = 0;
    v = v < begin ? begin : v > end ? end : v;
    while (s + 1 < spline->count && spline->x[s + 1] <= v)
        s++;
    const float d = v - spline->x[s];
    const float value =
        ((spline->c3[s] * d + spline->c2[s]) * d + spline->c1[s]) * d + spline->c0[s];
    return (__builtin_fabsf(value) <= 3.40282347e38f ? value : 0.0f) + 0.0f;
}

/* Splines of 1 to 31 points, at random samples and at rising ones, of which most neighbours share a
 * segment, and at the points themselves. */
static void splines_find_their_segments(void **unused)
{
    (void)unused;
    uint64_t state = 11;
    for (uint32_t count = 1; count <= SPLINE_POINTS_MAX; count++) {
        double points[2 * SPLINE_POINTS_MAX];
        float v[SAMPLES], out[SAMPLES];
        struct spline spline;
        for (uint32_t i = 0; i < count; i++) {
            points[2 * i] = i * 0.25 - 2.0;
            points[2 * i + 1] = (double)random_sample(&state);
        }
        spline_prepare(&spline, points, count);
        for (int kind = 0; kind < 3; kind++) {
            for (int i = 0; i < SAMPLES; i++)
                v[i] = kind == 0   ? random_sample(&state)
                       : kind == 1 ? (float)i * 0.05f - 3.0f
                                   : (float)(i % 40) * -0.25f + 6.0f;
            for (size_t length = 1; length <= SAMPLES; length += kind == 0 ? 1 : 101) {
                row_kernel_spline(length, v, &spline, out);
                for (size_t i = 0; i < length; i++)
                    if (out[i] != spline_at(&spline, v[i]))
                        fail_msg("%u points, %zu samples: %.9g at %.9g", count, length,
                                 (double)out[i], (double)v[i]);
            }
        }
    }
}

static void rows_of_zeros(void **unused)
{
    (void)unused;
    float row[SAMPLES] = {0};
    assert_int_equal(row_kernel_zeros(SAMPLES, row), ROW_ALL_ZERO);
    assert_int_equal(row_kernel_zeros(1, row), ROW_ALL_ZERO);
    for (int i = 0; i < SAMPLES; i++) {
        row[i] = 1.0f;
        assert_int_equal(row_kernel_zeros(SAMPLES, row), ROW_SOME_ZERO);
        row[i] = 0.0f;
    }
    for (int i = 0; i < SAMPLES; i++)
        row[i] = -1.0f;
    assert_int_equal(row_kernel_zeros(SAMPLES, row), ROW_NONE_ZERO);
    assert_int_equal(row_kernel_zeros(1, row), ROW_NONE_ZERO);
    row[100] = 0.0f;
    assert_int_equal(row_kernel_zeros(SAMPLES, row), ROW_SOME_ZERO);
}

int test_row_kernels(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fused_operations_are_single_ones),
        cmocka_unit_test(splines_find_their_segments),
        cmocka_unit_test(rows_of_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
