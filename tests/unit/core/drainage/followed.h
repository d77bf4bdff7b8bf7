/* Streams that are followed, and what holds for each of them, for tests of walks. */
#ifndef TERRANE_TESTS_UNIT_CORE_DRAINAGE_FOLLOWED_H
#define TERRANE_TESTS_UNIT_CORE_DRAINAGE_FOLLOWED_H

#include <math.h>

#include "core/drainage/walk.h"
#include "tests/unit/core/drainage/drainage_fixture.h"

enum { LEVELS = 12 }; /* of the networks of tests */

static inline double distance_between(struct place a, struct place b)
{
    return hypot((double)(a.x - b.x), (double)(a.y - b.y)) * 0x1p-16;
}

static inline void assert_same_place(struct place a, struct place b)
{
    assert_int_equal(a.x, b.x);
    assert_int_equal(a.y, b.y);
}

static inline void assert_beds_fall(const struct drainage_stream *stream)
{
    assert_in_range(stream->count, 1, DRAINAGE_POINTS_MAX);
    for (unsigned i = 1; i < stream->count; i++) {
        assert_true(stream->points[i].bed <= stream->points[i - 1].bed);
        assert_true(stream->points[i].bed >= 0.0f);
        assert_true(stream->points[i].flow >= stream->points[i - 1].flow);
    }
}

static inline struct drainage_stream follow(const struct drainage_network *network,
                                            const struct drainage_position *position)
{
    struct drainage_stream stream;
    assert_true(drainage_follow(drainage, network, position, &stream));
    assert_beds_fall(&stream);
    assert_int_equal(stream.order, LEVELS - position->node.level);
    return stream;
}

#endif
