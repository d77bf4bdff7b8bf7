/* drainage(): what a world file may say of its network, and the same bits for grids, points and
 * orders of requests in every scope. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/drainage/drainage.h"
#include "tests/unit/core/same_samples.h"
#include "tests/unit/core/sampler_fixture.h"

static uint64_t state = 5;

/* ---- what is refused */

#define FIELDS "\"potential\":\"x\",\"target\":\"y\",\"relief\":\"100\""

/* A world with this member "drainage" and this height is refused: the path and the words. */
static void assert_drainage_refused(const char *drainage, const char *height, const char *path,
                                    unsigned column, const char *words)
{
    char text[1200];
    snprintf(text, sizeof text,
             "{\"generator\":1,\"drainage\":%s,\"layers\":{\"a\":\"drainage('bed')\","
             "\"b\":\"z\",\"height\":\"%s\"}}",
             drainage, height);
    const struct error error = error_of_text(text);
    if (strcmp(error.path, path) != 0 || error.column != column || !strstr(error.message, words))
        fail_msg("%s: \"%s\" column %u: \"%s\", not \"%s\" column %u: \"%s\"", text, error.path,
                 error.column, error.message, path, column, words);
}

static void wrong_members_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *drainage, *path;
        unsigned column;
        const char *words;
    } cases[] = {
        {"7", "drainage", 0, "must be an object"},
        {"{\"potential\":\"x\",\"target\":\"y\"}", "drainage.relief", 0, "is missing"},
        {"{\"potential\":\"x\",\"relief\":\"1\"}", "drainage.target", 0, "is missing"},
        {"{\"target\":\"x\",\"relief\":\"1\"}", "drainage.potential", 0, "is missing"},
        {"{" FIELDS ",\"wrap_x\":\"1\"}", "drainage", 0, "(did you mean \"warp_x\"?)"},
        {"{" FIELDS ",\"warp_x\":7}", "drainage.warp_x", 0, "must be a string"},
        {"{" FIELDS ",\"lakes\":0.5}", "drainage.lakes", 0, "must be a string"},
        {"{" FIELDS ",\"lakes\":\"0.5 +\"}", "drainage.lakes", 6, ""},
        {"{" FIELDS ",\"lake\":\"0.5\"}", "drainage", 0, "(did you mean \"lakes\"?)"},
        {"{" FIELDS ",\"warp_y\":\"1 + \"}", "drainage.warp_y", 5, ""},
        {"{" FIELDS ",\"warp_y\":\"1 + bde\"}", "drainage.warp_y", 5, "unknown name \"bde\""},
        {"{" FIELDS ",\"deltas\":1.5}", "drainage.deltas", 0, "a number from 0 to 1"},
        {"{" FIELDS ",\"deltas\":-0.1}", "drainage.deltas", 0, "a number from 0 to 1"},
        {"{" FIELDS ",\"deltas\":\"x\"}", "drainage.deltas", 0, "a number from 0 to 1"},
        {"{" FIELDS ",\"spacing\":100000}", "drainage.spacing", 0, "a power of two from 16384"},
        {"{" FIELDS ",\"spacing\":8192}", "drainage.spacing", 0, "from 16384 to 1048576"},
        {"{" FIELDS ",\"spacing\":2097152}", "drainage.spacing", 0, "from 16384 to 1048576"},
        {"{" FIELDS ",\"spacing\":\"131072\"}", "drainage.spacing", 0, "a power of two"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_drainage_refused(cases[i].drainage, "1", cases[i].path, cases[i].column,
                                cases[i].words);
}

static void fields_depend_on_the_place_alone(void **unused)
{
    (void)unused;
    static const char *const members[] = {"potential", "target", "relief",
                                          "warp_x",    "warp_y", "lakes"};
    static const struct {
        const char *formula;
        unsigned column;
        const char *words;
    } cases[] = {
        {"x + z", 0, "depends on the height z"},
        {"b", 0, "depends on the height z"},
        {"perlin(64, axes='xyt')", 0, "depends on the time t"},
        {"1 + drainage('bed')", 5, "cannot be used in what the network is made from"},

    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < 6; k++) {
            char drainage[300], path[40];
            snprintf(path, sizeof path, "drainage.%s", members[k]);
            snprintf(drainage, sizeof drainage,
                     "{\"potential\":\"%s\",\"target\":\"%s\",\"relief\":\"%s\",\"warp_x\":\"%s\","
                     "\"warp_y\":\"%s\",\"lakes\":\"%s\"}",
                     k == 0 ? cases[i].formula : "x", k == 1 ? cases[i].formula : "x",
                     k == 2 ? cases[i].formula : "x", k == 3 ? cases[i].formula : "x",
                     k == 4 ? cases[i].formula : "x", k == 5 ? cases[i].formula : "x");
            assert_drainage_refused(drainage, "1", path, cases[i].column, cases[i].words);
        }
}

/* Layer a is drainage('bed'), which depends on the warps. */
static void networks_of_themselves_are_refused(void **unused)
{
    (void)unused;
    assert_drainage_refused("{\"potential\":\"a\",\"target\":\"x\",\"relief\":\"1\"}", "1",
                            "drainage.potential", 0, "depends on drainage()");
    assert_drainage_refused("{\"potential\":\"x\",\"target\":\"coarse(a, 64)\",\"relief\":\"1\"}",
                            "1", "drainage.target", 8, "in a cycle: a -> drainage.target -> a");
    assert_drainage_refused("{" FIELDS ",\"warp_x\":\"1 + a\"}", "1", "drainage.warp_x", 5,
                            "in a cycle: a -> drainage.warp_x -> a");
    assert_drainage_refused("{\"potential\":\"x\",\"target\":\"height\",\"relief\":\"1\"}",
                            "drainage('height')", "layers.height", 1,
                            "in a cycle: drainage.target -> height -> drainage.target");
}

static void wrong_calls_are_refused(void **unused)
{
    (void)unused;
    static const char drainage[] = "{" FIELDS "}";
    assert_refused("1 + drainage('bed')", ERROR_VALUE, 5, "needs the member \"drainage\"");
    assert_drainage_refused(drainage, "drainage('beds')", "layers.height", 10,
                            "output must be \\\"height\\\", " + 0 ? "output must be" : "");
    assert_drainage_refused(drainage, "drainage(1)", "layers.height", 10, "in quotes");
    assert_drainage_refused(drainage, "drainage()", "layers.height", 1, "output");
    assert_drainage_refused(drainage, "zero_distance(drainage('height'))", "layers.height", 15,
                            "must be a noise");
    assert_drainage_refused(drainage, "scale(drainage('bed'), 0.0001)", "layers.height", 7,
                            "makes the network's cells 0.0064 to");
    assert_drainage_refused(drainage, "scale(drainage('bed'), 100000)", "layers.height", 7,
                            "1.31072e+10 m wide");
}

/* ---- fingerprints */

static void fingerprints_change_with_each_part(void **unused)
{
    (void)unused;
    static const char *const drainages[] = {
        "",
        "\"drainage\":{" FIELDS "},",
        "\"drainage\":{\"potential\":\"x+1\",\"target\":\"y\",\"relief\":\"100\"},",
        "\"drainage\":{\"potential\":\"x\",\"target\":\"y+1\",\"relief\":\"100\"},",
        "\"drainage\":{\"potential\":\"x\",\"target\":\"y\",\"relief\":\"101\"},",
        "\"drainage\":{" FIELDS ",\"warp_x\":\"1\"},",
        "\"drainage\":{" FIELDS ",\"warp_y\":\"1\"},",
        "\"drainage\":{" FIELDS ",\"spacing\":65536},",
        "\"drainage\":{" FIELDS ",\"deltas\":0.5},",
        "\"drainage\":{" FIELDS ",\"deltas\":1},",
    };
    enum { COUNT_OF = sizeof drainages / sizeof *drainages };
    char fingerprints[COUNT_OF][WORLD_FINGERPRINT_TEXT];
    for (size_t i = 0; i < COUNT_OF; i++) {
        char *text = world_text("1", drainages[i]);
        struct world *world = world_of_text(text);
        snprintf(fingerprints[i], sizeof *fingerprints, "%s", world_fingerprint(world));
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(fingerprints[i], fingerprints[k]);
        world_release(world);
        free(text);
    }
    /* What is written otherwise means the same. */
    char *text = world_text("1", "\"drainage\":{\"relief\":\" 1e2 \",\"spacing\":131072,"
                                 "\"deltas\":0,\"target\":\"(y)\",\"potential\":\"x\"},");
    struct world *world = world_of_text(text);
    assert_string_equal(world_fingerprint(world), fingerprints[1]);
    world_release(world);
    free(text);
}

/* ---- samples */

#define NETWORK                                                                                    \
    "\"drainage\":{\"potential\":\"700 * fbm(600000, 2)\","                                        \
    "\"target\":\"continent + 150 * fbm(20000, 6)\",\"relief\":\"50 + 400 * rough\","              \
    "\"warp_x\":\"900 * fbm(16000, 6)\",\"warp_y\":\"900 * fbm(16000, 6, salt='y')\","             \
    "\"spacing\":65536},"

/* A world without a warp but that of the member. */
#define FLAT(warp)                                                                                 \
    "{\"generator\":1,\"seed\":3,\"drainage\":{\"potential\":\"300 * sin(x / 90000) + y / 900\","  \
    "\"target\":\"300 * sin(x / 90000) + y / 900 + 100 * cos(x / 7000) * sin(y / 9000)\","         \
    "\"relief\":\"200\"," warp "\"spacing\":65536},\"layers\":{"                                   \
    "\"target\":\"300 * sin(x / 90000) + y / 900 + 100 * cos(x / 7000) * sin(y / 9000)\","         \
    "\"height\":\"drainage('height')\",\"moved\":\"warp(height, 1000.5, -77)\","                   \
    "\"turned\":\"rotate(height, 90)\",\"scaled\":\"scale(height, 0.25)\","                        \
    "\"bent\":\"warp(drainage('height'), 700 * sin(y / 3000), 300 * cos(x / 5000))\"}}"

static void assert_layers_equal(const struct world *world, const char *layer, struct place place,
                                const struct world *other, const char *other_layer,
                                struct place other_place)
{
    const float a = layer_at(world, layer, place.x, place.y);
    const float b = layer_at(other, other_layer, other_place.x, other_place.y);
    if (a != b)
        fail_msg("%s is %.9g and %s %.9g at %lld, %lld", layer, (double)a, other_layer, (double)b,
                 (long long)place.x, (long long)place.y);
}

static struct place random_place(void)
{
    return (struct place){(random_whole(&state, -PLACE_LIMIT, PLACE_LIMIT) >> 20) * 4,
                          (random_whole(&state, -PLACE_LIMIT, PLACE_LIMIT) >> 20) * 4};
}

static void scopes_move_the_network(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(FLAT(""));
    for (int i = 0; i < 20; i++) {
        const struct place at = random_place();
        assert_layers_equal(world, "moved", at, world, "height",
                            (struct place){at.x + 2001 * PLACE_METRE / 2, at.y - 77 * PLACE_METRE});
        assert_layers_equal(world, "scaled", (struct place){at.x / 4, at.y / 4}, world, "height",
                            at);
        /* Turned clockwise, what was east is south. */
        assert_layers_equal(world, "turned", (struct place){-at.y, at.x}, world, "height", at);
    }
    world_release(world);
}

static void warps_of_the_network_are_those_of_formulas(void **unused)
{
    (void)unused;
    struct world *plain = world_of_text(FLAT(""));
    struct world *warped = world_of_text(
        FLAT("\"warp_x\":\"700 * sin(y / 3000)\",\"warp_y\":\"300 * cos(x / 5000)\","));
    for (int i = 0; i < 20; i++) {
        const struct place at = random_place();
        assert_layers_equal(plain, "bent", at, warped, "height", at);
    }
    world_release(plain);
    world_release(warped);
}

/* Samples 4 and 8 km apart in cells of 64 km: the network, and the target. */
static void heights_give_way_to_the_target(void **unused)
{
    (void)unused;
    static const struct {
        double spacing;
        bool is_target;
    } cases[] = {{0, false}, {4096, false}, {8100, false}, {8192, true}, {1e6, true}};
    struct world *world = world_of_text(FLAT(""));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct every_layer every = every_layer_new(world, 100);
        struct place places[100];
        struct error error;
        double apart = 0.0;
        for (size_t k = 0; k < 100; k++)
            places[k] = random_place();
        const struct sample_points points = {places, 100, cases[i].spacing, 0, 0};
        assert_true(sampler_points(sampler, world_program(world), &points,
                                   every_layer_request(&every), &error));
        for (size_t k = 0; k < 100; k++)
            apart += fabs((double)every.outputs[1][k] - (double)every.outputs[0][k]);
        assert_true((apart == 0.0) == cases[i].is_target);
        free(every.memory);
    }
    world_release(world);
}

/* Layers that use drainage() in every scope. */
static const char everywhere[] =
    "{\"generator\":1,\"seed\":7," NETWORK "\"layers\":{"
    "\"continent\":\"coarse(900 * fbm(700000, 4), 4096)\","
    "\"rough\":\"smoothstep(-0.3, 0.6, perlin(90000))\","
    "\"height\":\"drainage('height')\","
    "\"distance\":\"drainage('distance')\",\"bed\":\"drainage('bed')\","
    "\"flow\":\"drainage('flow')\",\"order\":\"drainage('order')\","
    "\"valley\":\"drainage('valley')\",\"water\":\"drainage('water')\","
    "\"dry\":\"height - bed + 3 * valley\","
    "\"warped\":\"warp(height, 300 * perlin(2000), 40 * rough)\","
    "\"shifted\":\"warp(bed + valley, 100.5, -7)\","
    "\"turned\":\"rotate(height, 33) + rotate(valley, 90)\","
    "\"scaled\":\"scale(height, 0.25) + scale(bed, 3)\","
    "\"steep\":\"slope(height, 32) + gradient_x(warped, 64)\","
    "\"noded\":\"coarse(height + warped, 512)\","
    "\"guarded\":\"(continent > 0) * valley + (rough > 0.5 ? bed : distance)\"},"
    "\"objects\":{\"reed\":{\"color\":\"#080\",\"spacing\":8,\"min_distance\":2,\"radius\":1,"
    "\"density\":\"(drainage('distance') < 30) * smoothstep(0, 1, perlin(60))\"}}}";

enum { GRIDS = 20 };

static void grids_equal_points_in_every_scope(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(everywhere);
    for (int i = 0; i < GRIDS; i++) {
        const struct sample_grid grid = random_grid(&state, 14, 29);
        assert_points_equal_grid(world, &grid, sampler, sampler, &state);
    }
    world_release(world);
}

/* Places around some players, one of each in turn, more than are put in order at once; and single
 * ones of them. */
static void mixed_lists_equal_single_places(void **unused)
{
    enum { PLAYERS = 4, COUNT = 20000, SINGLE = 50 };
    (void)unused;
    static struct place places[COUNT], players[PLAYERS];
    static float heights[COUNT], beds[COUNT];
    struct world *world = world_of_text(everywhere);
    static const unsigned layers[] = {2, 4}; /* height, bed */
    for (size_t i = 0; i < PLAYERS; i++)
        players[i] = random_place();
    for (size_t i = 0; i < COUNT; i++) {
        const struct place *player = &players[i % PLAYERS];
        places[i].x = player->x + random_whole(&state, -300, 300) * PLACE_METRE;
        places[i].y = player->y + random_whole(&state, -300, 300) * PLACE_METRE;
    }
    struct error error;
    const struct sample_points points = {places, COUNT, 0.0, 0, 0};
    const struct sample_request request = {layers, (float *[]){heights, beds}, 2};
    assert_true(sampler_points(sampler, world_program(world), &points, &request, &error));
    for (size_t k = 0; k < SINGLE; k++) {
        const size_t i = (size_t)random_whole(&state, 0, COUNT - 1);
        assert_true(heights[i] == layer_at(world, "height", places[i].x, places[i].y));
        assert_true(beds[i] == layer_at(world, "bed", places[i].x, places[i].y));
    }
    world_release(world);
}

/* Full detail 700 m apart, in blocks of 11 columns, and 3 km apart, in blocks of 8; the last block
 * is narrower. */
static void grids_of_far_samples_equal_points(void **unused)
{
    (void)unused;
    static const int64_t steps[] = {700, 3000};
    struct world *world = world_of_text(everywhere);
    for (int i = 0; i < 2; i++) {
        const struct sample_grid grid = {
            .x = -9000 * PLACE_METRE, .step = steps[i] * PLACE_METRE, .columns = 38, .rows = 3};
        assert_points_equal_grid(world, &grid, sampler, sampler, &state);
    }
    world_release(world);
}

/* A new sampler keeps nothing, one with little memory next to nothing, and the third what many
 * requests of two worlds left. */
static void what_is_kept_changes_nothing(void **unused)
{
    (void)unused;
    struct error error;
    struct world *world = world_of_text(everywhere), *other = world_reseed(world, "8", 1, &error);
    struct sampler *forgetful = sampler_new();
    assert_non_null(other);
    struct drainage_cache *nothing = drainage_cache_new(1);
    sampler_set_cache(forgetful, nothing);
    drainage_cache_release(nothing);
    for (int i = 0; i < GRIDS / 5; i++) {
        const struct sample_grid grid = random_grid(&state, 14, 27);
        struct sampler *fresh = sampler_new();
        assert_non_null(fresh);
        assert_points_equal_grid(world, &grid, fresh, sampler, &state);
        assert_points_equal_grid(other, &grid, forgetful, fresh, &state);
        assert_points_equal_grid(world, &grid, forgetful, sampler, &state);
        sampler_free(fresh);
    }
    sampler_free(forgetful);
    world_release(other);
    world_release(world);
}

/* A tile in pieces, wherever they begin. */
static void pieces_equal_the_whole(void **unused)
{
    (void)unused;
    enum { SIDE = 64, CUT = 37 };
    struct world *world = world_of_text(everywhere);
    for (int zoom = 0; zoom < 14; zoom++) {
        const int64_t step = PLACE_METRE << zoom;
        const struct sample_grid grid = {3 * step - 50 * PLACE_METRE, -7 * step, step, SIDE, SIDE,
                                         place_metres(step),          0,         0};
        assert_part_equals_grid(world, &grid, CUT, sampler);
    }
    world_release(world);
}

/* Worlds of the same operations, of which other ones are the fields. */
static void kept_streams_are_those_of_one_world(void **unused)
{
    (void)unused;
    static const char *const drainages[] = {
        "\"drainage\":{\"potential\":\"x\",\"target\":\"y\",\"relief\":\"y / 9\"},",
        "\"drainage\":{\"potential\":\"y\",\"target\":\"x\",\"relief\":\"y / 9\"},",
        "\"drainage\":{\"potential\":\"x\",\"target\":\"y\",\"relief\":\"y / 8\"},",
        "\"drainage\":{\"potential\":\"x\",\"target\":\"y\",\"relief\":\"y / "
        "9\",\"spacing\":65536},",
    };
    float values[4];
    const struct place place = {-3000 * PLACE_METRE, 7777 * PLACE_METRE};
    const struct sample_points points = {&place, 1, 0.0, 0, 0};
    for (size_t i = 0; i < 4; i++) {
        char *text = world_text("x + y + drainage('height')", drainages[i]);
        struct world *world = world_of_text(text);
        const unsigned layer = 0;
        struct error error;
        assert_true(sampler_points(sampler, world_program(world), &points,
                                   &(struct sample_request){&layer, &(float *){&values[i]}, 1},
                                   &error));
        assert_true(values[i] == layer_at(world, "height", place.x, place.y));
        for (size_t k = 0; k < i; k++)
            assert_true(values[i] != values[k]);
        world_release(world);
        free(text);
    }
}

/* Anybody may post a world to some servers. This salt was computed, in a tenth of a second, so that
 * the second world's noise has the same hash as the first one's, by hash_mix() over its settings,
 * of which the wavelength differs in its last bit. */
static void no_world_can_be_made_to_pass_for_another(void **unused)
{
    (void)unused;
    static const char *const noises[] = {
        "fbm(wavelength=262144, octaves=6, lacunarity=2, persistence=0.5, salt='')",
        "fbm(wavelength=262144.00000000006, octaves=6, lacunarity=2, persistence=0.5, "
        "salt='scW*3t[@V^-SwOw}')",
    };
    const struct place place = {0, 0};
    const struct sample_points points = {&place, 1, 0.0, 0, 0};
    for (size_t i = 0; i < 2; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "{\"generator\":1,\"seed\":1,\"layers\":{\"land\":\"%s\",\"height\":"
                 "\"drainage('height')\"},\"drainage\":{\"potential\":\"land\",\"target\":"
                 "\"400 * land + 100\",\"relief\":\"100\",\"spacing\":65536}}",
                 noises[i]);
        struct world *world = world_of_text(text);
        const unsigned layer = 1;
        float height;
        struct error error;
        assert_true(sampler_points(sampler, world_program(world), &points,
                                   &(struct sample_request){&layer, &(float *){&height}, 1},
                                   &error));
        assert_true(height == layer_at(world, "height", place.x, place.y));
        world_release(world);
    }
}

int test_drainage(void);
int test_drainage(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_members_are_refused),
        cmocka_unit_test(fields_depend_on_the_place_alone),
        cmocka_unit_test(networks_of_themselves_are_refused),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(scopes_move_the_network),
        cmocka_unit_test(warps_of_the_network_are_those_of_formulas),
        cmocka_unit_test(heights_give_way_to_the_target),
        cmocka_unit_test(fingerprints_change_with_each_part),
        cmocka_unit_test(grids_equal_points_in_every_scope),
        cmocka_unit_test(mixed_lists_equal_single_places),
        cmocka_unit_test(grids_of_far_samples_equal_points),
        cmocka_unit_test(what_is_kept_changes_nothing),
        cmocka_unit_test(kept_streams_are_those_of_one_world),
        cmocka_unit_test(no_world_can_be_made_to_pass_for_another),
        cmocka_unit_test(pieces_equal_the_whole),
    };
    return cmocka_run_group_tests(tests, open_sampler, close_sampler);
}
