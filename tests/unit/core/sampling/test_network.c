/* A world's network: the inverse of its warp, against the warp's formulas as ordinary layers, and
 * its streams, against the layers of drainage(). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "core/base/hash.h"
#include "core/sampling/network.h"
#include "core/worldfile/world.h"
#include "tests/unit/core/world_of.h"

enum { PLACES = 1000, FEW = 60 };

#define FIELDS "\"potential\":\"1\",\"target\":\"1\",\"relief\":\"1\""
/* As steep as warps that fold nowhere are. */
#define SWAY                                                                                       \
    "20000 * fbm(wavelength=196608, octaves=6) + 300 * fbm(wavelength=3072, octaves=11, "          \
    "persistence=0.45)"

static struct place *random_places(unsigned from)
{
    struct place *places = malloc(PLACES * sizeof *places);
    assert_non_null(places);
    for (uint64_t i = 0; i < PLACES; i++) {
        const uint64_t random = hash_mix(from + i);
        places[i] = (struct place){(int64_t)(random & 0xffffffffff) - (1LL << 39),
                                   (int64_t)(random >> 24) - (1LL << 39)};
    }
    return places;
}

static void assert_restored(const char *text, double spacing, double to)
{
    struct world *world = world_of_text(text);
    struct sampler *sampler = sampler_new();
    struct place *targets = random_places(7), *places = malloc(PLACES * sizeof *places);
    float *warp[2] = {malloc(PLACES * sizeof(float)), malloc(PLACES * sizeof(float))};
    struct error error = {0};
    assert_true(
        network_restore(&(struct network_request){sampler, world_program(world), spacing, &error},
                        targets, PLACES, places));
    const unsigned layers[] = {(unsigned)world_find_layer(world, "x_warp"),
                               (unsigned)world_find_layer(world, "y_warp")};
    const struct sample_points points = {places, PLACES, spacing, 0, 0};
    const struct sample_request request = {layers, warp, 2};
    assert_true(sampler_points(sampler, world_program(world), &points, &request, &error));
    for (size_t i = 0; i < PLACES; i++) {
        const double x = place_metres(places[i].x - targets[i].x) + (double)warp[0][i];
        const double y = place_metres(places[i].y - targets[i].y) + (double)warp[1][i];
        if (!(sqrt(x * x + y * y) <= to))
            fail_msg("place %zu at spacing %g is %g m off", i, spacing, sqrt(x * x + y * y));
    }
    free(warp[0]);
    free(warp[1]);
    free(places);
    free(targets);
    sampler_free(sampler);
    world_release(world);
}

#define WARPED                                                                                     \
    "{\"generator\":1,\"layers\":{\"height\":\"drainage('bed')\",\"x_warp\":\"" SWAY               \
    "\",\"y_warp\":\"" SWAY "\"},\"drainage\":{" FIELDS                                            \
    ",\"warp_x\":\"x_warp\",\"warp_y\":\"y_warp\"}}"

static void warps_are_inverted(void **state)
{
    (void)state;
    assert_restored(WARPED, 0.0, 0.017);
    assert_restored(WARPED, 16.0, 1.0);
    assert_restored(WARPED, 1024.0, 64.0);
}

static void a_place_without_a_warp_is_itself(void **state)
{
    (void)state;
    static const char text[] =
        "{\"generator\":1,\"layers\":{\"height\":\"drainage('bed')\",\"x_warp\":\"0\",\"y_warp\":"
        "\"0\"},\"drainage\":{" FIELDS "}}";
    assert_restored(text, 0.0, 0.0);
}

/* ---- the warp */

static void sample_layers(struct sampler *sampler, const struct world *world, double spacing,
                          const struct place *places, size_t count, const char *const names[],
                          float *const outputs[], unsigned layer_count)
{
    unsigned layers[4];
    struct error error = {0};
    const struct sample_points points = {places, count, spacing, 0, 0};
    const struct sample_request request = {layers, outputs, layer_count};
    for (unsigned i = 0; i < layer_count; i++)
        layers[i] = (unsigned)world_find_layer(world, names[i]);
    assert_true(sampler_points(sampler, world_program(world), &points, &request, &error));
}

static void places_are_moved_by_the_warp(void **state)
{
    (void)state;
    static const char *const names[] = {"x_warp", "y_warp"};
    static float warp[2][PLACES];
    static struct place moved[PLACES];
    struct world *world = world_of_text(WARPED);
    struct sampler *sampler = sampler_new();
    struct place *places = random_places(8);
    struct error error = {0};
    assert_true(
        network_displace(&(struct network_request){sampler, world_program(world), 16.0, &error},
                         places, PLACES, moved));
    sample_layers(sampler, world, 16.0, places, PLACES, names, (float *[]){warp[0], warp[1]}, 2);
    for (size_t i = 0; i < PLACES; i++) {
        assert_true(fabs(place_metres(moved[i].x - places[i].x) - (double)warp[0][i]) <= 0x1p-16);
        assert_true(fabs(place_metres(moved[i].y - places[i].y) - (double)warp[1][i]) <= 0x1p-16);
    }
    free(places);
    sampler_free(sampler);
    world_release(world);
}

/* A metre is 2 m farther out, so from 2⁴⁰ m on places are moved too far. Restoring searches where
 * the warp moves to, so targets must be near. */
static void a_warp_that_leads_too_far_is_an_error_of_the_world(void **state)
{
    (void)state;
    struct world *world =
        world_of_text("{\"generator\":1,\"layers\":{\"height\":\"drainage('bed')\"},"
                      "\"drainage\":{" FIELDS ",\"warp_x\":\"4 * x\",\"warp_y\":\"2e12 - y\"}}");
    struct sampler *sampler = sampler_new();
    const struct place fits = {0x10000, PLACE_LIMIT}, too_far = {(int64_t)3 << 54, PLACE_LIMIT};
    const struct place too_far_south = {0, 0};
    struct place moved;
    struct error error = {0};
    assert_true(network_displace(
        &(struct network_request){sampler, world_program(world), 0.0, &error}, &fits, 1, &moved));
    assert_int_equal(moved.x, 5 * 0x10000);
    assert_false(
        network_displace(&(struct network_request){sampler, world_program(world), 0.0, &error},
                         &too_far, 1, &moved));
    assert_int_equal(error.code, ERROR_WORLD);
    assert_string_equal(error.path, "drainage.warp_x");
    assert_string_equal(error.message, "moves the place 824633720832, 1099511627776 by "
                                       "3.29853e+12 m; at most 2^40 m (about 1.1e12) are allowed");
    assert_false(
        network_displace(&(struct network_request){sampler, world_program(world), 0.0, &error},
                         &too_far_south, 1, &moved));
    assert_string_equal(error.path, "drainage.warp_y");
    assert_string_equal(error.message, "moves the place 0, 0 by 2e+12 m; at most 2^40 m (about "
                                       "1.1e12) are allowed");
    assert_false(
        network_restore(&(struct network_request){sampler, world_program(world), 0.0, &error},
                        &too_far_south, 1, &moved));
    assert_int_equal(error.code, ERROR_WORLD);
    assert_string_equal(error.path, "drainage.warp_y");
    sampler_free(sampler);
    world_release(world);
}

/* ---- streams */

/* Hills around the sea, with layers of what drainage() says; no warp, so that the network's plane
 * is the map. */
#define HILLS                                                                                      \
    "{\"generator\":1,\"layers\":{\"height\":\"drainage('height')\",\"bed\":\"drainage('bed')\","  \
    "\"distance\":\"drainage('distance')\",\"order\":\"drainage('order')\",\"water\":\"drainage('" \
    "water')\","                                                                                   \
    "\"hills\":\"400 * fbm(wavelength=500000, octaves=6) + 100\"},"                                \
    "\"drainage\":{\"potential\":\"hills\",\"target\":\"hills\",\"relief\":\"200\"}}"

struct fixture {
    struct world *world;
    struct sampler *sampler;
    struct place *places;
    float values[4][FEW]; /* of the layers "bed", "distance", "order", "water" */
};

static struct fixture *begin_hills(double spacing)
{
    static const char *const names[] = {"bed", "distance", "order", "water"};
    static struct fixture fixture;
    fixture.world = world_of_text(HILLS);
    fixture.sampler = sampler_new();
    fixture.places = random_places(9);
    /* To a 16th of a metre: where they are in a cell is a float without rounding. */
    for (size_t i = 0; i < FEW; i++) {
        fixture.places[i].x &= -4096;
        fixture.places[i].y &= -4096;
    }
    float *const outputs[] = {fixture.values[0], fixture.values[1], fixture.values[2],
                              fixture.values[3]};
    sample_layers(fixture.sampler, fixture.world, spacing, fixture.places, FEW, names, outputs, 4);
    return &fixture;
}

static void end_hills(struct fixture *fixture)
{
    free(fixture->places);
    sampler_free(fixture->sampler);
    world_release(fixture->world);
}

/* Whether a bed is that of a sample, or the water of the lake that it lies under. */
static bool is_bed_of_sample(const struct fixture *hills, size_t i, float bed, float room)
{
    const float wanted = hills->values[0][i], water = hills->values[3][i];
    return fabsf(bed - wanted) <= room || (bed > wanted && fabsf(bed - water) <= room);
}

static void beds_are_those_of_samples(void **state)
{
    (void)state;
    static const double spacings[] = {0.0, 64.0, 1000.0};
    static float beds[FEW], orders[FEW], distances[FEW];
    struct error error = {0};
    for (int i = 0; i < 3; i++) {
        struct fixture *hills = begin_hills(spacings[i]);
        assert_true(network_beds(
            &(struct network_request){hills->sampler, world_program(hills->world), spacings[i],
                                      &error},
            hills->places, FEW, &(struct network_beds){beds, NULL, orders, distances}));
        for (size_t k = 0; k < FEW; k++) {
            assert_true(is_bed_of_sample(hills, k, beds[k], 0.0f));
            assert_true(distances[k] == hills->values[1][k] && orders[k] == hills->values[2][k]);
        }
        end_hills(hills);
    }
}

/* From the stream that a place belongs to, the water goes down to one that ends. */
static void check_way(const struct fixture *hills, struct drainage_position position)
{
    struct drainage_stream stream = {.end = DRAINAGE_JOINS};
    struct error error = {0};
    float bed = position.bed;
    for (int i = 0; i < 1000 && stream.end == DRAINAGE_JOINS; i++) {
        assert_true(network_follow(
            &(struct network_request){hills->sampler, world_program(hills->world), 0.0, &error},
            &position, &stream));
        assert_true(stream.id == network_stream_id(world_program(hills->world), &position));
        assert_true(stream.points[stream.count - 1].bed <= bed + 0.01f);
        bed = stream.points[stream.count - 1].bed;
        position = stream.next;
    }
    assert_int_not_equal(stream.end, DRAINAGE_JOINS);
}

/* Where parts of the course that are farther upstream are nearer, samples have their distance. */
static void streams_are_those_of_samples(void **state)
{
    (void)state;
    struct fixture *hills = begin_hills(0.0);
    const float finest =
        (float)(network_spacing_log2(world_program(hills->world)) - DRAINAGE_FINEST_LOG2 + 1);
    struct error error = {0};
    size_t nearest = 0;
    for (size_t i = 0; i < FEW; i++) {
        struct drainage_position found;
        assert_true(network_find(
            &(struct network_request){hills->sampler, world_program(hills->world), 0.0, &error},
            hills->places[i], &found));
        const double x = place_metres(found.place.x - hills->places[i].x);
        const double y = place_metres(found.place.y - hills->places[i].y);
        const double farther = sqrt(x * x + y * y) - (double)hills->values[1][i];
        assert_true(farther > -0.05);
        nearest += farther < 0.05;
        assert_true(is_bed_of_sample(hills, i, found.bed, 0.01f));
        assert_true(finest - (float)found.node.level == hills->values[2][i]);
        check_way(hills, found);
    }
    assert_true(nearest > FEW / 3);
    end_hills(hills);
}

static bool count_node(void *context, const struct drainage_stream *stream)
{
    unsigned *count = context;
    assert_in_range(stream->node.x, 10, 12);
    assert_in_range(stream->node.y, 20, 21);
    assert_int_equal(stream->node.level, 4);
    return ++*count < 6;
}

static void streams_of_a_rect_are_given_until_refused(void **state)
{
    (void)state;
    struct fixture *hills = begin_hills(0.0);
    struct error error = {0};
    unsigned count = 0;
    const struct network_rect six = {4, {10, 20}, {12, 21}}, four = {4, {10, 20}, {11, 21}};
    assert_false(network_streams(
        &(struct network_request){hills->sampler, world_program(hills->world), 0.0, &error}, &six,
        count_node, &count));
    assert_int_equal(count, 6);
    count = 0;
    assert_true(network_streams(
        &(struct network_request){hills->sampler, world_program(hills->world), 0.0, &error}, &four,
        count_node, &count));
    assert_int_equal(count, 4);
    end_hills(hills);
}

int test_network(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warps_are_inverted),
        cmocka_unit_test(a_place_without_a_warp_is_itself),
        cmocka_unit_test(places_are_moved_by_the_warp),
        cmocka_unit_test(a_warp_that_leads_too_far_is_an_error_of_the_world),
        cmocka_unit_test(beds_are_those_of_samples),
        cmocka_unit_test(streams_are_those_of_samples),
        cmocka_unit_test(streams_of_a_rect_are_given_until_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
