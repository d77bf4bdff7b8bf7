/* Prominences of small grids, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/terrain/prominence.h"

enum { COLUMNS = 7, ROWS = 3, SAMPLES = COLUMNS * ROWS };

/* Compares with what the samples of the middle row should have. */
static void assert_prominences(const float heights[SAMPLES], const float expected[2][COLUMNS])
{
    float found[2][SAMPLES];
    assert_true(prominence_find(heights, COLUMNS, ROWS, found[0], found[1]));
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < SAMPLES; i++) {
            const float wanted = i / COLUMNS == 1 ? expected[k][i % COLUMNS] : 0.0f;
            if (found[k][i] != wanted)
                fail_msg("%s of sample %d: %g, not %g", k ? "pass" : "peak", i, (double)found[k][i],
                         (double)wanted);
        }
}

/* The highest peak of an island rises from the sea, the others from the saddles to higher ones. */
static void peaks_rise_from_their_saddles(void **unused)
{
    (void)unused;
    assert_prominences((float[SAMPLES]){0, 0, 0, 0, 0, 0, 0,  //
                                        0, 5, 3, 4, 1, 2, 0,  //
                                        0, 0, 0, 0, 0, 0, 0}, //
                       (const float[2][COLUMNS]){{0, 5, 0, 1, 0, 1, 0}, {0, 0, 1, 0, 1, 0, 0}});
}

/* Two islands, and a lagoon below the sea between them. */
static void the_sea_is_a_saddle(void **unused)
{
    (void)unused;
    assert_prominences((float[SAMPLES]){0, 0, 0, -9, 0, 0, 0, //
                                        0, 5, 3, -9, 1, 2, 0, //
                                        0, 0, 0, -9, 0, 0, 0},
                       (const float[2][COLUMNS]){{0, 5, 0, 0, 0, 2, 0}, {0}});
}

/* Beyond the edge there may be higher ground; where an island reaches it, nothing is a pass. */
static void the_edge_is_higher(void **unused)
{
    (void)unused;
    assert_prominences((float[SAMPLES]){0, 0, 0, 0, 0, 0, 0, //
                                        2, 5, 3, 4, 1, 2, 9, //
                                        0, 0, 0, 0, 0, 0, 0},
                       (const float[2][COLUMNS]){{0, 3, 0, 1, 0, 0, 0}, {0, 0, 1, 0, 0, 0, 0}});
}

/* Of equally high peaks the first is the higher, and a level top has one peak. */
static void equals_are_in_order(void **unused)
{
    (void)unused;
    assert_prominences((float[SAMPLES]){0, 0, 0, 0, 0, 0, 0, //
                                        0, 5, 3, 5, 5, 5, 0, //
                                        0, 0, 0, 0, 0, 0, 0},
                       (const float[2][COLUMNS]){{0, 5, 0, 2, 0, 0, 0}, {0, 0, 2, 0, 0, 0, 0}});
}

/* A saddle between three peaks: the pass has the greatest prominence of the two that it ends. */
static void a_pass_joins_several_peaks(void **unused)
{
    (void)unused;
    const float heights[25] = {0, 0, 0, 0, 0, //
                               0, 7, 0, 9, 0, //
                               0, 0, 2, 0, 0, //
                               0, 0, 0, 8, 0, //
                               0, 0, 0, 0, 0};
    float peaks[25], passes[25];
    assert_true(prominence_find(heights, 5, 5, peaks, passes));
    assert_true(peaks[6] == 5 && peaks[8] == 9 && peaks[18] == 6);
    assert_true(passes[12] == 6);
}

int test_prominence(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(peaks_rise_from_their_saddles),
        cmocka_unit_test(the_sea_is_a_saddle),
        cmocka_unit_test(the_edge_is_higher),
        cmocka_unit_test(equals_are_in_order),
        cmocka_unit_test(a_pass_joins_several_peaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
