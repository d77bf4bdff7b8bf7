/* Vector tiles of worlds: contours at their heights, polygons around what is below 0, and the same
 * lines on both sides of a border. */
#include "core/terrain/contour.h"
#include "core/tile/vector_tile.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <math.h>

#include "core/tile/address.h"
#include "tests/unit/core/random.h"
#include "tests/unit/core/world_of.h"

static struct vector_tile_maker *maker;
static struct sampler *sampler;

/* Mountains, coasts and islands at every zoom. */
static const char land[] =
    "700*fbm(wavelength=90000, octaves=14) + 900*ridged(wavelength=33000, octaves=9) - 350";

static void make_tile(const struct world *world, struct tile_address address, uint32_t size,
                      double interval, struct features *out)
{
    struct vector_request request = {.world = world, .sampler = sampler, .interval = interval};
    struct error error = {0};
    tile_grid(&address, size, 0, &request.grid);
    features_begin(out, FEATURES_EXTENT);
    if (!vector_tile_add(maker, &request, out, &error))
        fail_msg("%s", error.message);
}

static const struct feature_layer *find_layer(const struct features *features, const char *name)
{
    for (size_t i = 0; i < features->layer_list.count; i++)
        if (strcmp(features->layers[i].name, name) == 0)
            return &features->layers[i];
    return NULL;
}

static double feature_height(const struct features *features, const struct feature *feature)
{
    const struct feature_property *property = &features->properties[feature->first_property];
    assert_string_equal(property->key, "height");
    return property->value.type == FEATURE_INTEGER ? (double)property->value.integer
                                                   : property->value.number;
}

/* A place from units of the tile, in 2⁻¹⁶ m. */
static struct place place_of(struct tile_address address, struct feature_point point)
{
    int64_t unit = tile_span(address.zoom) / FEATURES_EXTENT;
    int64_t edge = (int64_t)1 << (24 + PLACE_BITS);
    int64_t span = tile_span(address.zoom);
    return (struct place){address.x * span - edge + point.x * unit,
                          address.y * span - edge + point.y * unit};
}

/* Every point of every contour has its height, as bilinear interpolation of the pixels around it
 * has it, to what the field changes over 1/8 of a pixel. */
static void check_heights(const struct world *world, struct tile_address address,
                          const struct features *features)
{
    enum { SIDE = 276, APRON = 10 };
    static float samples[SIDE * SIDE];
    float *output = samples;
    unsigned layer = world_height_layer(world);
    struct sample_grid grid;
    tile_grid(&address, 256, APRON, &grid);
    const struct sample_request wanted = {&layer, &output, 1};
    assert_true(sampler_grid(sampler, world_program(world), &grid, &wanted, NULL));
    const struct feature_layer *contours = find_layer(features, "contour");
    assert_non_null(contours);
    double worst = 0;
    for (size_t i = contours->first; i < contours->first + contours->count; i++) {
        const struct feature *feature = &features->items[i];
        double height = feature_height(features, feature);
        assert_int_equal(feature->geometry, FEATURE_LINES);
        for (size_t p = feature->first_path; p < feature->first_path + feature->path_count; p++) {
            const struct feature_path *path = &features->paths[p];
            assert_true(path->count >= 2);
            for (size_t k = 0; k < path->count; k++) {
                struct feature_point at = features->points[path->first + k];
                assert_in_range(at.x + 64, 0, 4096 + 128);
                assert_in_range(at.y + 64, 0, 4096 + 128);
                double x = at.x / 16.0 + APRON - 0.5, y = at.y / 16.0 + APRON - 0.5;
                int column = (int)x, row = (int)y;
                const float *corner = &samples[row * SIDE + column];
                double a = (double)corner[0], b = (double)corner[1];
                double c = (double)corner[SIDE], d = (double)corner[SIDE + 1];
                double tx = x - column, ty = y - row;
                double found = (a * (1 - tx) + b * tx) * (1 - ty) + (c * (1 - tx) + d * tx) * ty;
                double slope = fmax(fmax(fabs(a - b), fabs(c - d)), fmax(fabs(a - c), fabs(b - d)));
                /* Cells beside it count where the point lies on their edge. */
                slope += 1e-3;
                worst = fmax(worst, fabs(found - height) / slope);
            }
        }
    }
    if (worst > 1)
        fail_msg("%g of a pixel's change", worst);
}

static void contours_lie_at_their_heights(void **state)
{
    (void)state;
    struct world *world = world_of(land);
    struct features features = {0};
    uint64_t seed = 77;
    for (int round = 0; round < 12; round++) {
        int zoom = 8 + round % 8;
        struct tile_address address = {zoom, random_whole(&seed, 0, (1 << zoom) - 1),
                                       random_whole(&seed, 0, (1 << zoom) - 1)};
        make_tile(world, address, 256, contour_interval_of_zoom(zoom) / 5, &features);
        check_heights(world, address, &features);
    }
    features_free(&features);
    world_release(world);
}

enum { CROSSINGS_MAX = 4000 };
struct crossings {
    size_t count;
    struct {
        double height;
        int32_t at;
        bool water;
    } items[CROSSINGS_MAX];
};

static void add_crossing(struct crossings *crossings, double height, int32_t at, bool water)
{
    assert_true(crossings->count < CROSSINGS_MAX);
    crossings->items[crossings->count].height = height;
    crossings->items[crossings->count].at = at;
    crossings->items[crossings->count++].water = water;
}

/* The points at which a tile's lines cross a side: points on x = side (or y = side), a closed
 * line's first once. No segment crosses it between points. */
static void find_crossings(const struct features *features, bool across, int32_t side,
                           struct crossings *crossings)
{
    crossings->count = 0;
    for (size_t l = 0; l < features->layer_list.count; l++) {
        const struct feature_layer *layer = &features->layers[l];
        bool water = strcmp(layer->name, "water") == 0;
        for (size_t i = layer->first; i < layer->first + layer->count; i++) {
            const struct feature *feature = &features->items[i];
            double height = water ? 0 : feature_height(features, feature);
            for (size_t p = 0; p < feature->path_count; p++) {
                const struct feature_path *path = &features->paths[feature->first_path + p];
                int32_t before = side;
                struct feature_point first = features->points[path->first];
                struct feature_point last = features->points[path->first + path->count - 1];
                bool closed = first.x == last.x && first.y == last.y;
                for (size_t k = 0; k < path->count; k++) {
                    struct feature_point at = features->points[path->first + k];
                    int32_t value = across ? at.x : at.y, along = across ? at.y : at.x;
                    if (k > 0)
                        assert_false((before < side && value > side) ||
                                     (before > side && value < side));
                    before = value;
                    /* Beyond the corners, in the buffers, is not the common border. */
                    if (!(closed && k == 0) && value == side && along >= 0 &&
                        along <= FEATURES_EXTENT)
                        add_crossing(crossings, height, along, water);
                }
            }
        }
    }
}

static bool has_crossing(const struct crossings *crossings, const struct crossings *other, size_t i)
{
    for (size_t k = 0; k < other->count; k++) {
        if (other->items[k].water == crossings->items[i].water &&
            other->items[k].height == crossings->items[i].height &&
            other->items[k].at == crossings->items[i].at)
            return true;
    }
    return false;
}

static void lines_meet_on_the_border(void **state)
{
    (void)state;
    static struct crossings here, there;
    struct world *world = world_of(land);
    struct features features[2] = {{0}, {0}};
    uint64_t seed = 4711;
    size_t total = 0;
    for (int round = 0; round < 40; round++) {
        int zoom = (int)random_whole(&seed, 7, 18);
        bool across = round % 2;
        uint32_t size = round % 3 ? 256 : 512;
        struct tile_address address = {zoom, random_whole(&seed, 0, (1 << zoom) - 2),
                                       random_whole(&seed, 0, (1 << zoom) - 2)};
        struct tile_address next = {zoom, address.x + across, address.y + !across};
        double interval = contour_interval_of_zoom(zoom) / 2;
        make_tile(world, address, size, interval, &features[0]);
        make_tile(world, next, size, interval, &features[1]);
        find_crossings(&features[0], across, FEATURES_EXTENT, &here);
        find_crossings(&features[1], across, 0, &there);
        assert_int_equal(here.count, there.count);
        for (size_t i = 0; i < here.count; i++) {
            assert_true(has_crossing(&here, &there, i));
            assert_true(has_crossing(&there, &here, i));
        }
        total += here.count;
    }
    assert_true(total > 500);
    features_free(&features[0]);
    features_free(&features[1]);
    world_release(world);
}

/* Twice the area by the shoelace formula. */
static double path_area(const struct features *features, const struct feature_path *path)
{
    const struct feature_point *points = features->points + path->first;
    double area = 0;
    for (size_t i = 0; i < path->count; i++) {
        struct feature_point a = points[i], b = points[(i + 1) % path->count];
        area += (double)a.x * b.y - (double)b.x * a.y;
    }
    return area;
}

/* Water by its polygons, and by the pixels of the tile, at random places that are not near the
 * coast; exterior rings are positive and holes negative. */
static void water_is_where_the_height_is_below_zero(void **state)
{
    (void)state;
    struct world *world = world_of(land);
    struct features features = {0};
    uint64_t seed = 5;
    int wet = 0, dry = 0;
    for (int round = 0; round < 12; round++) {
        int zoom = 7 + round % 6;
        struct tile_address address = {zoom, random_whole(&seed, 0, (1 << zoom) - 1),
                                       random_whole(&seed, 0, (1 << zoom) - 1)};
        make_tile(world, address, 256, 1000, &features);
        const struct feature_layer *water = find_layer(&features, "water");
        for (int i = 0; i < 400; i++) {
            /* A pixel's centre; its height decides, as lines pass a unit away from it. */
            struct feature_point point = {(int32_t)random_whole(&seed, 0, 255) * 16 + 8,
                                          (int32_t)random_whole(&seed, 0, 255) * 16 + 8};
            struct place place = place_of(address, point);
            const struct sample_points points = {
                .places = &place, .count = 1, .spacing = tile_spacing(zoom)};
            unsigned layer = world_height_layer(world);
            float height, *output = &height;
            const struct sample_request wanted = {&layer, &output, 1};
            assert_true(sampler_points(sampler, world_program(world), &points, &wanted, NULL));
            bool inside = false;
            double nearest = 1e9;
            for (size_t f = 0; water && f < water->count; f++) {
                const struct feature *feature = &features.items[water->first + f];
                for (size_t p = 0; p < feature->path_count; p++) {
                    const struct feature_path *path = &features.paths[feature->first_path + p];
                    const struct feature_point *ring = features.points + path->first;
                    for (size_t k = 0; k < path->count; k++) {
                        struct feature_point a = ring[k], b = ring[(k + 1) % path->count];
                        double x = point.x + 0.1, y = point.y + 0.1;
                        if ((a.y > y) != (b.y > y) &&
                            x < a.x + (y - a.y) * (b.x - a.x) / (double)(b.y - a.y))
                            inside = !inside;
                        double east = b.x - a.x, south = b.y - a.y;
                        double t =
                            ((x - a.x) * east + (y - a.y) * south) / (east * east + south * south);
                        t = t < 0 ? 0 : t > 1 ? 1 : t;
                        nearest = fmin(nearest, hypot(x - a.x - t * east, y - a.y - t * south));
                    }
                }
            }
            if (nearest > 2)
                assert_int_equal(inside, height < 0);
            wet += height < 0;
            dry += height >= 0;
        }
        for (size_t f = 0; water && f < water->count; f++) {
            const struct feature *feature = &features.items[water->first + f];
            assert_int_equal(feature->geometry, FEATURE_POLYGONS);
            for (size_t p = 0; p < feature->path_count; p++) {
                double area = path_area(&features, &features.paths[feature->first_path + p]);
                assert_true(p == 0 ? area > 0 : area < 0);
            }
        }
    }
    assert_true(wet > 400 && dry > 400);
    features_free(&features);
    world_release(world);
}

/* A plane that rises 1 m a pixel to the east, 0 in the tile's middle: known to the unit. */
static void plane_contours_are_exact_to_the_unit(void **state)
{
    (void)state;
    struct world *world = world_of("x - 128.25");
    struct features features = {0};
    make_tile(world, (struct tile_address){17, 65536, 65536}, 256, 20, &features);
    assert_int_equal(features.layer_list.count, 2);
    const struct feature_layer *contours = find_layer(&features, "contour");
    /* From −132 m in the buffer to 131.75 m: −120, −100 … 120. */
    assert_int_equal(contours->count, 13);
    for (size_t i = 0; i < 13; i++) {
        const struct feature *feature = &features.items[contours->first + i];
        int32_t height = (int32_t)i * 20 - 120;
        const struct feature_property *properties = &features.properties[feature->first_property];
        assert_int_equal(feature->property_count, 2);
        assert_int_equal(properties[0].value.type, FEATURE_INTEGER);
        assert_int_equal(properties[0].value.integer, height);
        assert_string_equal(properties[1].key, "index");
        assert_int_equal(properties[1].value.type, FEATURE_BOOLEAN);
        assert_int_equal(properties[1].value.boolean, height % 100 == 0);
        assert_int_equal(feature->path_count, 1);
        /* Southwards, cut by the buffer; on the border there are points. */
        const struct feature_path *path = &features.paths[feature->first_path];
        assert_int_equal(path->count, 4);
        static const int32_t south[] = {-64, 0, 4096, 4160};
        for (size_t k = 0; k < 4; k++) {
            assert_int_equal(features.points[path->first + k].x, 16 * height + 2052);
            assert_int_equal(features.points[path->first + k].y, south[k]);
        }
    }
    const struct feature_layer *water = find_layer(&features, "water");
    assert_int_equal(water->count, 1);
    const struct feature *feature = &features.items[water->first];
    assert_int_equal(feature->property_count, 0);
    assert_int_equal(feature->path_count, 1);
    assert_true(path_area(&features, &features.paths[feature->first_path]) ==
                2.0 * (2052 + 64) * (4096 + 128));
    features_free(&features);
    world_release(world);
}

static void layers_without_features_are_left_out(void **state)
{
    (void)state;
    struct features features = {0};
    struct world *high = world_of("7.5"), *low = world_of("-7.5");
    make_tile(high, (struct tile_address){9, 256, 256}, 256, 5, &features);
    assert_int_equal(features.layer_list.count, 0);
    make_tile(low, (struct tile_address){9, 256, 256}, 256, 5, &features);
    assert_int_equal(features.layer_list.count, 1);
    assert_string_equal(features.layers[0].name, "water");
    assert_int_equal(features.point_list.count, 4 + 8); /* corners; points on the border */
    features_free(&features);
    world_release(high);
    world_release(low);
}

static void invalid_requests_are_refused(void **state)
{
    (void)state;
    struct world *world = world_of("x");
    struct features features = {0};
    struct vector_request request = {.world = world, .sampler = sampler};
    struct error error = {0};
    const struct tile_address address = {9, 300, 256};
    tile_grid(&address, 256, 0, &request.grid);
    features_begin(&features, FEATURES_EXTENT);
    static const double wrong[] = {0, -5, (double)NAN};
    for (size_t i = 0; i < 3; i++) {
        request.interval = wrong[i];
        assert_false(vector_tile_add(maker, &request, &features, &error));
        assert_int_equal(error.code, ERROR_VALUE);
    }
    request.interval = 1; /* 65536 m of them */
    assert_false(vector_tile_add(maker, &request, &features, &error));
    assert_int_equal(error.code, ERROR_LIMIT);
    assert_non_null(strstr(error.message, "interval of 1 "));
    request.interval = 5000;
    request.grid.columns = 255;
    assert_false(vector_tile_add(maker, &request, &features, &error));
    assert_int_equal(error.code, ERROR_VALUE);
    request.grid.rows = 255;
    assert_false(vector_tile_add(maker, &request, &features, &error));
    assert_int_equal(error.code, ERROR_VALUE);
    features_free(&features);
    world_release(world);
}

static void default_intervals_grow_with_the_map(void **state)
{
    (void)state;
    assert_true(contour_interval_of_zoom(17) == 1);
    assert_true(contour_interval_of_zoom(8) == 500);
    for (int zoom = 0; zoom <= TILE_ZOOM_MAX; zoom++) {
        double interval = contour_interval_of_zoom(zoom), digits = interval * 10;
        while (digits >= 9.99)
            digits /= 10;
        assert_true(fabs(digits - 1) < 1e-9 || fabs(digits - 2) < 1e-9 || fabs(digits - 5) < 1e-9);
        if (zoom > 0)
            assert_true(interval <= contour_interval_of_zoom(zoom - 1));
    }
    assert_true(contour_interval_of_zoom(-1) == contour_interval_of_zoom(0));
    assert_true(contour_interval_of_zoom(99) == contour_interval_of_zoom(TILE_ZOOM_MAX));
}

static int set_up(void **state)
{
    (void)state;
    maker = vector_tile_maker_new();
    sampler = sampler_new();
    return maker && sampler ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    vector_tile_maker_free(maker);
    vector_tile_maker_free(NULL);
    sampler_free(sampler);
    return 0;
}

/* A plane that rises to the east, under a lake whose surface is at 50 m. */
static void lakes_above_sea_level_are_water(void **state)
{
    (void)state;
    static const char text[] = "{\"generator\":1,\"layers\":{\"height\":\"x - 100.25\","
                               "\"water_level\":\"50\"}}";
    struct error error = {0};
    struct world *world = world_parse(text, strlen(text), "test", NULL, &error);
    assert_non_null(world);
    struct features features = {0};
    make_tile(world, (struct tile_address){17, 65536, 65536}, 256, 1000, &features);
    const struct feature_layer *water = find_layer(&features, "water");
    assert_int_equal(water->count, 1);
    const struct feature_path *path = &features.paths[features.items[water->first].first_path];
    int32_t east = 0;
    for (size_t k = 0; k < path->count; k++)
        if (features.points[path->first + k].x > east)
            east = features.points[path->first + k].x;
    assert_int_equal(east, 16 * 150 + 4); /* the shore is at x = 150.25 m */
    features_free(&features);
    world_release(world);
}

int test_vector_tile(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contours_lie_at_their_heights),
        cmocka_unit_test(lines_meet_on_the_border),
        cmocka_unit_test(water_is_where_the_height_is_below_zero),
        cmocka_unit_test(lakes_above_sea_level_are_water),
        cmocka_unit_test(plane_contours_are_exact_to_the_unit),
        cmocka_unit_test(layers_without_features_are_left_out),
        cmocka_unit_test(invalid_requests_are_refused),
        cmocka_unit_test(default_intervals_grow_with_the_map),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
