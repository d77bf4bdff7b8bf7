/* Lakes: the water stands level from where it flows in to where it flows out, and falls on from
 * there; there are as many as the field says, on long streams only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/core/drainage/store_of.h"

enum { LEVELS = 12, FINEST_OF_LAKES = 5 }; /* whose cells are 4096 m wide */

/* The water at a share of a segment: of its river, or of the lake above that. */
static float water_at(const struct segment *segment, float along)
{
    const float bed = along == 1.0f ? segment->bed[1]
                                    : segment->bed[0] + (segment->bed[1] - segment->bed[0]) * along;
    return fmaxf(bed, segment->lake);
}

/* A lake that begins on a piece of the stream, not one that it leads to. */
static bool lake_ends(const struct segment *piece)
{
    return !piece->last && piece[1].lake != piece->lake;
}

/* What was met. */
static struct {
    int lakes[LEVELS], under_water, joins;
} met;

/* On land the water never rises, and stands at one level from piece to piece. */
static void check_water(const struct segment *stream)
{
    for (const struct segment *piece = stream;; piece++) {
        const float from = water_at(piece, 0.0f), to = water_at(piece, 1.0f);
        if (from > 0.0f && to > from)
            fail_msg("level %u: water rises from %.9g m to %.9g m", piece->level, (double)from,
                     (double)to);
        if (piece->last)
            return;
        if (from > 0.0f && water_at(piece + 1, 0.0f) != to)
            fail_msg("level %u: water at %.9g m ends at %.9g m", piece->level, (double)to,
                     (double)water_at(piece + 1, 0.0f));
        met.lakes[piece->level] += lake_ends(piece);
        met.under_water += piece->bed[0] < piece->lake;
    }
}

/* Where a stream ends, the water is as high as in the stream that it joins. */
static void check_join(const struct store *store, const struct segment *last, unsigned level,
                       int64_t x, int64_t y)
{
    const unsigned into = last->end_level, up = level - into;
    const int64_t u = (x >> up) + (int)last->end_x - END_OFFSET;
    const int64_t v = (y >> up) + (int)last->end_y - END_OFFSET;
    if (!has_stream(store, into, u, v) || last->bed[0] <= 0.0f)
        return;
    const struct segment *other = stream_of(store, into, u, v) + last->end_piece;
    const float along = (float)last->end_along / (float)END_SHARES;
    const struct place end = arc_place(other, last->end_along);
    assert_true(end.x == last->ends[1].x && end.y == last->ends[1].y);
    if (fabsf(water_at(other, along) - water_at(last, 1.0f)) > 0.002f)
        fail_msg("level %u: water at %.9g m joins water at %.9g m", level,
                 (double)water_at(last, 1.0f), (double)water_at(other, along));
    met.joins++;
}

static void check_window(unsigned finest, const struct drainage_network *network)
{
    struct store *store = window_around(MIDDLE, finest, network);
    const struct cell_rect *cells = &store->levels[finest].cells;
    for (int64_t y = cells->low[1]; y <= cells->high[1]; y++)
        for (int64_t x = cells->low[0]; x <= cells->high[0]; x++) {
            if (!has_stream(store, finest, x, y))
                continue;
            const struct segment *stream = stream_of(store, finest, x, y);
            check_water(stream);
            check_join(store, stream + segments_of_level(network, finest) - 1, finest, x, y);
        }
    close_store(store);
}

static void water_is_level_and_falls(void **unused)
{
    (void)unused;
    const struct drainage_network network = network_of(&lakes);
    memset(&met, 0, sizeof met);
    for (unsigned finest = 0; finest < LEVELS; finest++)
        check_window(finest, &network);
    for (unsigned level = 0; level < LEVELS; level++)
        assert_true(level <= FINEST_OF_LAKES ? met.lakes[level] > 10 : met.lakes[level] == 0);
    assert_true(met.under_water > 1000);
    assert_true(met.joins > 10000);
}

/* The lakes that begin on streams of level 0. */
static int count_trunk_lakes(const struct drainage_network *network)
{
    struct store *store = window_around(MIDDLE, 0, network);
    const struct cell_rect *cells = &store->levels[0].cells;
    int count = 0;
    for (int64_t y = cells->low[1]; y <= cells->high[1]; y++)
        for (int64_t x = cells->low[0]; x <= cells->high[0]; x++)
            if (has_stream(store, 0, x, y))
                for (const struct segment *s = stream_of(store, 0, x, y); !s->last; s++)
                    count += lake_ends(s);
    close_store(store);
    return count;
}

/* A slope on which each stream can have a lake: so they are the share of streams. */
#define SLOPE_OF(name, share)                                                                      \
    static struct ground slope_##name(double x, double y, double shortest)                         \
    {                                                                                              \
        (void)y, (void)shortest;                                                                   \
        return (struct ground){4000.0 - 1e-4 * x, 4100.0 - 1e-4 * x, 400.0, share};                \
    }                                                                                              \
    static ground_at *const name = slope_##name;
SLOPE_OF(none, 0.0)
SLOPE_OF(quarter, 0.25)
SLOPE_OF(all, 1.0)

static void share_is_that_of_the_field(void **unused)
{
    (void)unused;
    struct drainage_network network = network_of(&none);
    assert_int_equal(count_trunk_lakes(&network), 0);
    network.lakes = true;
    assert_int_equal(count_trunk_lakes(&network), 0);
    network = network_of(&all);
    const int most = count_trunk_lakes(&network);
    network = network_of(&quarter);
    const int some = count_trunk_lakes(&network);
    assert_true(most > 1600);
    assert_in_range(some, most / 5, most * 3 / 10);
}

int test_lakes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(water_is_level_and_falls),
        cmocka_unit_test(share_is_that_of_the_field),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
