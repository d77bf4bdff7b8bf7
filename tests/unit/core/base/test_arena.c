#include "core/base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void memory_is_zeroed_aligned_and_disjoint(void **state)
{
    (void)state;
    struct arena arena = {0};
    uint8_t *pieces[500];
    size_t sizes[500];
    for (size_t i = 0; i < 500; i++) {
        sizes[i] = i * 37 % 300 + (i == 250 ? 100000 : 0);
        pieces[i] = arena_allocate(&arena, sizes[i], 1);
        assert_non_null(pieces[i]);
        assert_int_equal((uintptr_t)pieces[i] % _Alignof(max_align_t), 0);
        for (size_t b = 0; b < sizes[i]; b++)
            assert_int_equal(pieces[i][b], 0);
        memset(pieces[i], (int)(i & 0xFF), sizes[i]);
    }
    for (size_t i = 0; i < 500; i++)
        for (size_t b = 0; b < sizes[i]; b++)
            assert_int_equal(pieces[i][b], i & 0xFF);
    arena_free(&arena);
    assert_null(arena.last);
    arena_free(&arena);
}

static void texts_are_copied_and_terminated(void **state)
{
    (void)state;
    struct arena arena = {0};
    char *copy = arena_copy(&arena, "height + 1", 6);
    assert_string_equal(copy, "height");
    assert_string_equal(arena_copy(&arena, NULL, 0), "");
    assert_string_equal(copy, "height");
    arena_free(&arena);
}

static void overflowing_size_is_null(void **state)
{
    (void)state;
    struct arena arena = {0};
    assert_null(arena_allocate(&arena, SIZE_MAX, 1));
    assert_null(arena_allocate(&arena, SIZE_MAX / 4, 8));
    assert_null(arena_allocate(&arena, 2, SIZE_MAX / 2));
    assert_null(arena_copy(&arena, "x", SIZE_MAX));
    assert_non_null(arena_allocate(&arena, 1, 8));
    arena_free(&arena);
}

int test_arena(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_aligned_and_disjoint),
        cmocka_unit_test(texts_are_copied_and_terminated),
        cmocka_unit_test(overflowing_size_is_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
