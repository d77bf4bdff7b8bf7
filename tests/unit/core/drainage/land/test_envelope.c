/* The land against its definition (envelope.c, land.c), written again in doubles: every part of
 * every stream of every level that starts near is looked at, and more than the samples' own window
 * has. The numbers are those of shape.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/core/drainage/arcs_of.h"
#include "tests/unit/core/drainage/store_of.h"
#include "tests/unit/core/random.h"

enum { LEVELS = 12, WINDOWS = 2, PLACES = 30, SIDE = 3, MARGIN = 8 };

static uint64_t state = 31;

/* How samples are taken. */
struct view {
    double width, metres; /* of a cell; between samples */
    unsigned level;
};

static double clamp(double low, double v, double high)
{
    return fmin(fmax(v, low), high);
}

static double mix(const float ends[2], double t)
{
    return (double)ends[0] + ((double)ends[1] - (double)ends[0]) * t;
}

/* The sides of a view: in how many widths they rise to their target, by how many slopes of the
 * relief, and within how many widths they are half as steep. */
struct sides {
    double target, least, most, hollow_least, hollow_most;
};

/* Views that lack levels have sides that are steeper and flatten more, and rise in more widths
 * where cells are wider than 8 km. Those of levels 0 and 1 have 8 samples a cell, and are between.
 */
static struct sides sides_of(const struct view *view)
{
    const double doubled = clamp(0.0, log2(view->width / 8192.0), 3.0);
    if (view->level == LEVELS - 1)
        return (struct sides){0.25, 1.4, 3.3, 0.45, 0.45};
    if (view->level < 2)
        return (struct sides){0.21, 1.4, 4.0, 0.42, 0.42};
    return (struct sides){0.15 + 0.028 * doubled, 1.7, 6.0, 0.13, 0.29};
}

/* The slope that the relief of the next level makes. */
static double usual_slope(double relief, const struct view *view)
{
    const double usual = relief * pow(0.62, view->level) * 2.0 / view->width;
    return usual / (1.0 + 1.15 * usual);
}

/* The slope of the land beside an end of a segment: to the target, but within some slopes of the
 * relief, or up to 0.2. */
static double slope_at(const struct segment *segment, int end, const struct view *view)
{
    const struct sides sides = sides_of(view);
    const double slope = usual_slope((double)segment->relief[end], view);
    const double wanted =
        ((double)segment->target[end] - (double)segment->bed[end]) / (sides.target * view->width);
    return clamp(sides.least * slope, wanted, fmax(sides.most * slope, 0.2));
}

/* The distance at which sides are half as steep as at first: where they would reach 0.82 of the
 * target's height above the bed and 0.7 of what the relief makes over a width. */
static double hollow_metres(const struct segment *segment, const struct view *view)
{
    const struct sides sides = sides_of(view);
    const double slope = 0.5 * (slope_at(segment, 0, view) + slope_at(segment, 1, view));
    const double above = mix(segment->target, 0.5) - mix(segment->bed, 0.5);
    const double usual = usual_slope(mix(segment->relief, 0.5), view) * view->width;
    return clamp(sides.hollow_least * view->width, (0.82 * above + 0.7 * usual) / slope,
                 sides.hollow_most * view->width);
}

/* Half the width of the valley's floor. */
static double floor_of(const struct segment *segment, const struct view *view)
{
    const double t = clamp(0.0, (mix(segment->relief, 0.5) - 200.0) / 1300.0, 1.0);
    const double narrow = 1.0 - 0.8 * t * t * (3.0 - 2.0 * t);
    return fmin(0.3 * pow(mix(segment->flow, 0.5), 5.0 / 16.0) * narrow, 0.4 * view->width);
}

/* What a river cuts into the floor, but not under a lake. */
static double channel_at(const struct segment *segment, double d, const struct view *view)
{
    const double flow = mix(segment->flow, 0.5), half = 7.5e-4 * sqrt(flow);
    const double shown = clamp(0.0, half / (view->metres + 1e-3) - 1.0, 1.0);
    if (fminf(segment->bed[0], segment->bed[1]) < segment->lake)
        return 0.0;
    return 0.011 * pow(flow, 0.25) * shown * clamp(0.0, 2.0 - 2.0 * d * d / (half * half), 1.0);
}

/* What one part of a course makes of a place. */
struct shape {
    double height, round, distance, bed, flow;
    unsigned level;
};

static struct shape shape_at(const struct segment *segment, struct place place,
                             const struct view *view)
{
    const double x = (double)(place.x - segment->ends[0].x) * 0x1p-16;
    const double y = (double)(place.y - segment->ends[0].y) * 0x1p-16;
    const double ux = (double)(segment->ends[1].x - segment->ends[0].x) * 0x1p-16;
    const double uy = (double)(segment->ends[1].y - segment->ends[0].y) * 0x1p-16;
    const double length = hypot(ux, uy);
    const double t = length > 0.0 ? clamp(0.0, (x * ux + y * uy) / (length * length), 1.0) : 0.0;
    const double d = hypot(x - t * ux, y - t * uy), radius = 1.6 * view->width;
    const double slope = slope_at(segment, 0, view) * (1.0 - t) + slope_at(segment, 1, view) * t;
    const double bed = mix(segment->bed, t), z = 1.0 - d * d / (radius * radius);
    const double cross =
        0.4 * fabs((double)segment->bed[1] - (double)segment->bed[0]) / (length + 1.0);
    const double river = fmin(7.5e-4 * sqrt(mix(segment->flow, 0.5)), 0.8 * view->width);
    const double above = fmax(0.0, d * d - fmax(1.7 * view->metres * view->metres, river * river));
    const double spread = d + 2.0 * floor_of(segment, view) + d * d / hollow_metres(segment, view);
    const double rise = slope * above / (spread * fmax(z, 1e-5)) + cross * d;
    return (struct shape){.height = z > 0.0 ? bed + rise - channel_at(segment, d, view) : INFINITY,
                          .round = fmin(0.05 * view->width * slope, 0.9 * rise),
                          .distance = d,
                          .bed = bed,
                          .flow = mix(segment->flow, t),
                          .level = segment->level};
}

/* The lowest of all shapes, the least distance of it and the three parts of its stream before, the
 * height of the second, and the height with its ridge rounded. */
struct lowest_land {
    struct shape lowest;
    double distance, second, bound, height;
};

/* The parts of a stream so far, as they are met downstream. */
struct parts {
    struct place place;
    const struct view *view;
    struct lowest_land *land;
    double before[3]; /* distances of the last ones */
};

static void add_part(const struct segment *part, struct parts *parts)
{
    struct lowest_land *land = parts->land;
    const struct shape shape = shape_at(part, parts->place, parts->view);
    land->bound = fmin(land->bound, shape.height + shape.round);
    land->second = fmin(land->second, fmax(shape.height, land->lowest.height));
    if (shape.height < land->lowest.height) {
        land->lowest = shape;
        land->distance = shape.distance;
        for (int i = 0; i < 3; i++)
            land->distance = fmin(land->distance, parts->before[i]);
    }
    parts->before[0] = parts->before[1];
    parts->before[1] = parts->before[2];
    parts->before[2] = shape.distance;
}

/* The part of its segment that an arc is, straight. */
static struct segment part_of(const struct arc *arc)
{
    const double from = (double)arc_share(arc, 0.0f), to = (double)arc_share(arc, 1.0f);
    struct segment part = *arc->segment;
    for (int end = 0; end < 2; end++) {
        const double share = end == 0 ? from : to;
        part.ends[end] = arc->ends[end];
        part.bed[end] = (float)mix(arc->segment->bed, share);
        part.relief[end] = (float)mix(arc->segment->relief, share);
        part.target[end] = (float)mix(arc->segment->target, share);
        part.flow[end] = (float)mix(arc->segment->flow, share);
    }
    return part;
}

static void forget_parts(struct parts *parts)
{
    parts->before[0] = parts->before[1] = parts->before[2] = INFINITY;
}

/* Courses are told to the distance between samples and to a metre at the least, those of the finest
 * streams half as exactly. Land is at most 1.6 widths wide: what is farther is left out. */
static void add_arc(const struct arc *arc, struct parts *parts)
{
    const struct view *view = parts->view;
    const double exact = fmax(view->metres, 2.0) * (arc->segment->level == view->level ? 2.8 : 1.0);
    if (arc_is_far(arc, parts->place, 1.7f * (float)view->width)) {
        forget_parts(parts);
        return;
    }
    if (!arc_bends(arc, (float)exact)) {
        const struct segment part = part_of(arc);
        add_part(&part, parts);
        return;
    }
    struct arc halves[2];
    arc_halve(arc, halves);
    add_arc(&halves[0], parts);
    add_arc(&halves[1], parts);
}

static void add_block(const struct stream_block *block, struct place place, const struct view *view,
                      struct lowest_land *land)
{
    struct parts parts = {place, view, land, {INFINITY, INFINITY, INFINITY}};
    assert_true(block->made == block->room);
    for (size_t i = 0; i < block->count; i++) {
        const struct arc arc = arc_of(&block->segments[i]);
        if (block->segments[i].piece == 0)
            forget_parts(&parts);
        add_arc(&arc, &parts);
    }
}

/* The land at a place, from all streams that are loaded. */
static struct lowest_land land_at(const struct store *store, struct place place,
                                  const struct view *view)
{
    struct lowest_land land = {.lowest.height = INFINITY, .second = INFINITY, .bound = INFINITY};
    for (unsigned level = 0; level <= view->level; level++) {
        const struct level_window *window = &store->levels[level];
        const size_t blocks = rect_columns(&window->blocks) * rect_rows(&window->blocks);
        for (size_t i = 0; i < blocks; i++)
            if (window->block[i])
                add_block(window->block[i], place, view, &land);
    }
    const double round = land.bound - land.lowest.height;
    const double gap = fmax(0.0, land.bound - land.second);
    land.height = land.lowest.height - (round > 0.0 ? gap * gap / (4.0 * round) : 0.0);
    return land;
}

static void check_place(const struct lowest_land *land, const float values[DRAINAGE_OUTPUTS],
                        const struct view *view)
{
    const double height = (double)values[DRAINAGE_HEIGHT];
    if (fabs(height - land->height) > 0.05 + 1e-5 * fabs(land->height))
        fail_msg("level %u: %.9g m instead of %.9g m", view->level, height, land->height);
    if (land->second - land->lowest.height < 0.05)
        return; /* on a ridge it may be this stream or that */
    assert_true(fabs((double)values[DRAINAGE_DISTANCE] - land->distance) <
                0.05 + 1e-5 * view->width);
    assert_true(fabs((double)values[DRAINAGE_BED] - land->lowest.bed) < 0.05);
    assert_true(fabs((double)values[DRAINAGE_FLOW] / land->lowest.flow - 1.0) < 1e-3);
    assert_true(values[DRAINAGE_ORDER] == (float)(LEVELS - land->lowest.level));
}

/* The streams MARGIN cells around SIDE × SIDE cells, and coarser ones. */
static struct store *load_around(const struct drainage_network *network, const struct view *view,
                                 struct place corner)
{
    const int64_t x = corner.x >> cell_shift(network, view->level);
    const int64_t y = corner.y >> cell_shift(network, view->level);
    return store_in_view(
        (struct cell_rect){{x - MARGIN, y - MARGIN}, {x + SIDE + MARGIN, y + SIDE + MARGIN}},
        (struct store_view){view->level, view->metres}, network);
}

/* Checks places in SIDE × SIDE cells somewhere. */
static void check_window(const struct drainage_network *network, const struct view *view)
{
    const int64_t width = (int64_t)1 << cell_shift(network, view->level);
    const struct place corner = {
        random_whole(&state, -3000000 * PLACE_METRE, 3000000 * PLACE_METRE),
        random_whole(&state, -3000000 * PLACE_METRE, 3000000 * PLACE_METRE)};
    struct drainage *drainage = drainage_with(KEPT);
    struct store *loaded = load_around(network, view, corner);
    for (int i = 0; i < PLACES; i++) {
        const struct place place = {corner.x + random_whole(&state, 0, SIDE * width),
                                    corner.y + random_whole(&state, 0, SIDE * width)};
        float values[DRAINAGE_OUTPUTS], *outputs[DRAINAGE_OUTPUTS];
        for (int output = 0; output < DRAINAGE_OUTPUTS; output++)
            outputs[output] = &values[output];
        assert_true(sample_places(drainage, network, view->metres, 1, &place, outputs));
        const struct lowest_land land = land_at(loaded, place, view);
        check_place(&land, values, view);
    }
    drainage_free(drainage);
    close_store(loaded);
}

static void check_ground(ground_at *const *ground)
{
    const struct drainage_network network = network_of(ground);
    for (unsigned level = 0; level < LEVELS; level++)
        for (int window = 0; window < WINDOWS; window++) {
            const struct view view = {.width = (double)cell_width(&network, level),
                                      .metres = level == LEVELS - 1 && window > 0
                                                    ? 0.0
                                                    : (double)cell_width(&network, level) /
                                                          (level < 2 ? 8.0 : 16.0),
                                      .level = level};
            check_window(&network, &view);
        }
}

static void land_is_the_lowest_of_all_streams(void **unused)
{
    (void)unused;
    check_ground(&rough);
    check_ground(&lakes);
    check_ground(&plane);
    check_ground(&cone);
}

int test_envelope(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(land_is_the_lowest_of_all_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
