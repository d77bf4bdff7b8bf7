/* Where objects stand: the same from any box, as far from each other as they must be, and as the
 * rule in the header says, which is done again here the slow way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/terrain/objects.h"
#include "tests/unit/core/random.h"
#include "tests/unit/core/sampler_fixture.h"
#include "tests/unit/core/world_of.h"

static uint64_t state = 11;

static struct world *world_with(const char *objects)
{
    char text[2000];
    snprintf(text, sizeof text,
             "{\"generator\":1,\"seed\":7,\"layers\":{\"height\":\"100 * fbm(300, octaves=4)\"},"
             "\"biomes\":[{\"name\":\"sea\",\"color\":\"#00f\",\"when\":\"height < 0\"},"
             "{\"name\":\"land\",\"color\":\"#0f0\"}],\"objects\":{%s}}",
             objects);
    return world_of_text(text);
}

static struct object_search box_of(int64_t x, int64_t y, int64_t width, int64_t height)
{
    return (struct object_search){
        .low = {x, y},
        .high = {x + width, y + height},
        .kinds = OBJECTS_ALL_KINDS,
        .limit = UINT32_MAX,
    };
}

static struct object_list find(const struct world *world, const struct object_search *search)
{
    struct object_list list = {0};
    struct error error = {0};
    if (!objects_find(sampler, world, search, &list, &error))
        fail_msg("%s", error.message);
    return list;
}

static int compare_ids(const void *a, const void *b)
{
    const struct object *left = a, *right = b;
    return left->id < right->id ? -1 : left->id > right->id;
}

static void assert_same_object(const struct object *a, const struct object *b)
{
    assert_true(a->id == b->id && a->place.x == b->place.x && a->place.y == b->place.y);
    assert_true(a->kind == b->kind && a->scale == b->scale && a->rotation == b->rotation &&
                a->ground == b->ground);
}

/* Two lists with the same objects in any order. */
static void assert_same(struct object_list *a, struct object_list *b)
{
    assert_int_equal(a->count, b->count);
    if (a->count == 0)
        return;
    qsort(a->objects, a->count, sizeof *a->objects, compare_ids);
    qsort(b->objects, b->count, sizeof *b->objects, compare_ids);
    for (uint32_t i = 0; i < a->count; i++)
        assert_same_object(&a->objects[i], &b->objects[i]);
}

static const char three_kinds[] =
    "\"oak\":{\"spacing\":12,\"density\":\"0.8 * (biome == land)\",\"min_distance\":9},"
    "\"elm\":{\"spacing\":7.3,\"density\":\"0.5\",\"min_distance\":29},"
    "\"fern\":{\"spacing\":5,\"density\":\"perlin(40)\"}";

/* Where boxes are laid: about the origin, anywhere, and at the world's edges. */
static int64_t random_corner(int round)
{
    if (round % 4 == 0)
        return random_whole(&state, -300 * PLACE_METRE, 0);
    if (round % 4 == 1)
        return random_whole(&state, -PLACE_LIMIT, PLACE_LIMIT - 400 * PLACE_METRE);
    return round % 4 == 2 ? -PLACE_LIMIT : PLACE_LIMIT - 400 * PLACE_METRE;
}

static void quarters_of_a_box_add_up(void **unused)
{
    (void)unused;
    struct world *world = world_with(three_kinds);
    for (int round = 0; round < 60; round++) {
        const int64_t x = random_corner(round), y = random_corner(round / 4);
        const int64_t width = random_whole(&state, 2, 400 * PLACE_METRE);
        const int64_t height = random_whole(&state, 2, 400 * PLACE_METRE);
        const int64_t left = random_whole(&state, 1, width - 1);
        const int64_t above = random_whole(&state, 1, height - 1);
        struct object_search whole = box_of(x, y, width, height);
        whole.ground = true;
        struct object_list all = find(world, &whole), parts = {0};
        for (int k = 0; k < 4; k++) {
            struct object_search part =
                box_of(k % 2 ? x + left : x, k / 2 ? y + above : y, k % 2 ? width - left : left,
                       k / 2 ? height - above : above);
            part.ground = true;
            assert_true(objects_find(sampler, world, &part, &parts, NULL)); /* adds to the list */
        }
        assert_same(&all, &parts);
        object_list_free(&all);
        object_list_free(&parts);
    }
    world_release(world);
}

/* The rule by the header's words, for one cell. */
struct reference_candidate {
    uint64_t id, priority;
    struct place place;
    float chance, scale, rotation;
};

static float part_of_one(uint64_t word)
{
    return (float)(word >> 40) / 16777216.0f;
}

static struct reference_candidate reference_candidate_at(const char *name, int64_t spacing,
                                                         int64_t column, int64_t row)
{
    const uint64_t golden = 0x9E3779B97F4A7C15u;
    const uint64_t key = hash_bytes(name, strlen(name), hash_mix(7 + 1)).low;
    struct reference_candidate reference = {
        .id = hash_mix(hash_mix(key + (uint64_t)column) + (uint64_t)row)};
    const uint64_t word = hash_mix(reference.id + golden);
    /* In double, exact for the small spacings here. */
    reference.place.x =
        column * spacing + (int64_t)((double)(word >> 32) * 0x1p-32 * (double)spacing);
    reference.place.y =
        row * spacing + (int64_t)((double)(word & 0xFFFFFFFF) * 0x1p-32 * (double)spacing);
    reference.chance = part_of_one(hash_mix(reference.id + 2 * golden));
    reference.priority = hash_mix(reference.id + 3 * golden);
    reference.scale = 0.75f + 0.5f * part_of_one(hash_mix(reference.id + 4 * golden));
    reference.rotation = 360.0f * part_of_one(hash_mix(reference.id + 5 * golden));
    return reference;
}

enum { SIDE = 40, EDGE = 10 }; /* cells; the outer ones only as neighbours */

/* A square of cells about a cell, each pair compared. */
static uint32_t check_by_reference(const struct world *world, const char *name, int64_t column,
                                   int64_t row)
{
    static struct reference_candidate all[SIDE * SIDE];
    static bool accepted[SIDE * SIDE];
    const unsigned kind = (unsigned)world_find_object(world, name);
    const int64_t spacing = world_object(world, kind)->spacing;
    const double distance = (double)world_object(world, kind)->min_distance;
    struct object_search search = box_of((column + EDGE) * spacing, (row + EDGE) * spacing,
                                         (SIDE - 2 * EDGE) * spacing, (SIDE - 2 * EDGE) * spacing);
    search.kinds = (uint64_t)1 << kind;
    struct object_list list = find(world, &search);
    uint32_t count = 0;
    for (int i = 0; i < SIDE * SIDE; i++) {
        all[i] = reference_candidate_at(name, spacing, column + i % SIDE, row + i / SIDE);
        const unsigned layer = world_density_layer(world, kind);
        const struct sample_points point = {.places = &all[i].place, .count = 1};
        float density, *output = &density;
        const struct sample_request request = {&layer, &output, 1};
        assert_true(sampler_points(sampler, world_program(world), &point, &request, NULL));
        accepted[i] = all[i].chance < density;
    }
    for (int i = 0; i < SIDE * SIDE; i++) {
        const int c = i % SIDE, r = i / SIDE;
        bool stands = accepted[i] && c >= EDGE && c < SIDE - EDGE && r >= EDGE && r < SIDE - EDGE;
        for (int k = 0; k < SIDE * SIDE && stands; k++) {
            const double dx = (double)(all[k].place.x - all[i].place.x);
            const double dy = (double)(all[k].place.y - all[i].place.y);
            stands = k == i || !accepted[k] || dx * dx + dy * dy >= distance * distance ||
                     all[k].priority < all[i].priority;
        }
        if (!stands)
            continue;
        assert_true(count < list.count); /* by rows, and in them by columns, as the loop goes */
        const struct object *object = &list.objects[count++];
        assert_true(object->id == all[i].id);
        assert_true(object->place.x == all[i].place.x && object->place.y == all[i].place.y);
        assert_true(object->scale == all[i].scale && object->rotation == all[i].rotation);
        assert_int_equal(object->kind, kind);
    }
    assert_int_equal(count, list.count);
    object_list_free(&list);
    return count;
}

static void objects_follow_the_rule(void **unused)
{
    (void)unused;
    struct world *world = world_with(three_kinds);
    static const char *const names[] = {"oak", "elm", "fern"};
    for (int i = 0; i < 3; i++) {
        const int64_t far = PLACE_LIMIT / world_object(world, (unsigned)i)->spacing;
        uint32_t count = check_by_reference(world, names[i], -SIDE / 2, -SIDE / 2);
        count += check_by_reference(world, names[i], 100000, -70000);
        count += check_by_reference(world, names[i], -far + 1, far - 2 * SIDE);
        assert_true(count > 10);
    }
    world_release(world);
}

/* Among 2,500 candidates, no two placed objects are nearer to each other than the minimum distance,
 * and each removed candidate has another candidate nearer than that. */
static void minimum_distances_are_kept(void **unused)
{
    (void)unused;
    struct world *world =
        world_with("\"oak\":{\"spacing\":10,\"density\":\"0.7\",\"min_distance\":8}");
    struct world *free_world = world_with("\"oak\":{\"spacing\":10,\"density\":\"0.7\"}");
    const struct object_search search =
        box_of(-250 * PLACE_METRE, 9999 * PLACE_METRE, 500 * PLACE_METRE, 500 * PLACE_METRE);
    const struct object_search wider =
        box_of(-258 * PLACE_METRE, 9991 * PLACE_METRE, 516 * PLACE_METRE, 516 * PLACE_METRE);
    struct object_list standing = find(world, &search), all = find(free_world, &wider);
    const double least = 8.0 * 65536.0;
    assert_in_range(standing.count, 500, all.count - 100);
    for (uint32_t i = 0; i < all.count; i++) {
        const struct object *a = &all.objects[i];
        bool stands = false, near_standing = false, near_any = false;
        for (uint32_t k = 0; k < standing.count; k++) {
            const double dx = (double)(standing.objects[k].place.x - a->place.x);
            const double dy = (double)(standing.objects[k].place.y - a->place.y);
            stands |= standing.objects[k].id == a->id;
            near_standing |= standing.objects[k].id != a->id && dx * dx + dy * dy < least * least;
        }
        for (uint32_t k = 0; k < all.count; k++) {
            const double dx = (double)(all.objects[k].place.x - a->place.x);
            const double dy = (double)(all.objects[k].place.y - a->place.y);
            near_any |= k != i && dx * dx + dy * dy < least * least;
        }
        const bool inside = a->place.x >= search.low.x && a->place.x < search.high.x &&
                            a->place.y >= search.low.y && a->place.y < search.high.y;
        assert_false(stands && near_standing);
        assert_false(inside && !stands && !near_any);
    }
    object_list_free(&standing);
    object_list_free(&all);
    world_release(world);
    world_release(free_world);
}

static uint32_t count_in(const char *objects, int64_t metres)
{
    struct world *world = world_with(objects);
    const struct object_search search = box_of(-metres * PLACE_METRE, -metres * PLACE_METRE,
                                               2 * metres * PLACE_METRE, 2 * metres * PLACE_METRE);
    struct object_list list = find(world, &search);
    uint32_t count = list.count;
    object_list_free(&list);
    world_release(world);
    return count;
}

static void density_is_the_share_of_cells(void **unused)
{
    (void)unused;
    /* 100 × 100 cells; the shares within six standard deviations √(n p (1−p)). */
    assert_int_equal(count_in("\"a\":{\"spacing\":2,\"density\":\"1\"}", 100), 10000);
    assert_int_equal(count_in("\"a\":{\"spacing\":2,\"density\":\"7\"}", 100), 10000);
    assert_int_equal(count_in("\"a\":{\"spacing\":2,\"density\":\"0\"}", 100), 0);
    assert_int_equal(count_in("\"a\":{\"spacing\":2,\"density\":\"-3\"}", 100), 0);
    assert_int_equal(count_in("\"a\":{\"spacing\":2,\"density\":\"x < 0\"}", 100), 5000);
    assert_in_range(count_in("\"a\":{\"spacing\":2,\"density\":\"0.3\"}", 100), 2725, 3275);
    assert_in_range(count_in("\"a\":{\"spacing\":2,\"density\":\"0.01\"}", 100), 40, 160);
}

/* One object in each cell; scales and rotations fill their ranges; the heights are the layer's. */
static void properties_of_objects(void **unused)
{
    (void)unused;
    struct world *world = world_with("\"a\":{\"spacing\":3,\"density\":\"1\"}");
    struct object_search search =
        box_of(-90 * PLACE_METRE, -60 * PLACE_METRE, 180 * PLACE_METRE, 120 * PLACE_METRE);
    search.ground = true;
    struct object_list list = find(world, &search);
    assert_int_equal(list.count, 60 * 40);
    float least = 9, most = 0, east = 360, west = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        const struct object *object = &list.objects[i];
        const int64_t column = (int64_t)(i % 60) - 30, row = (int64_t)(i / 60) - 20;
        assert_in_range(object->place.x - column * 3 * PLACE_METRE, 0, 3 * PLACE_METRE - 1);
        assert_in_range(object->place.y - row * 3 * PLACE_METRE, 0, 3 * PLACE_METRE - 1);
        assert_true(object->scale >= 0.75f && object->scale <= 1.25f);
        assert_true(object->rotation >= 0.0f && object->rotation <= 360.0f);
        least = object->scale < least ? object->scale : least;
        most = object->scale > most ? object->scale : most;
        east = object->rotation < east ? object->rotation : east;
        west = object->rotation > west ? object->rotation : west;
        if (i % 100 == 0)
            assert_true(object->ground ==
                        layer_at(world, "height", object->place.x, object->place.y));
    }
    assert_true(least < 0.77f && most > 1.23f && east < 10 && west > 350);
    qsort(list.objects, list.count, sizeof *list.objects, compare_ids);
    for (uint32_t i = 1; i < list.count; i++)
        assert_true(list.objects[i].id != list.objects[i - 1].id);
    object_list_free(&list);
    world_release(world);
}

/* Ids and places of a kind are the same beside other kinds, in another order, and other kinds or
 * seeds have others. */
static void kinds_are_independent(void **unused)
{
    (void)unused;
    static const char oak[] =
        "\"oak\":{\"spacing\":12,\"density\":\"0.8 * (biome == land)\",\"min_distance\":9}";
    char both[300];
    snprintf(both, sizeof both, "\"elm\":{\"spacing\":12,\"density\":\"0.8\"},%s", oak);
    struct world *alone = world_with(oak), *second = world_with(both);
    struct world *reseeded = world_reseed(alone, "8", 1, NULL);
    struct object_search search = box_of(0, 0, 600 * PLACE_METRE, 600 * PLACE_METRE);
    struct object_list a = find(alone, &search), other = find(reseeded, &search);
    search.kinds = 2;
    struct object_list b = find(second, &search);
    search.kinds = 1;
    struct object_list elms = find(second, &search);
    assert_true(a.count > 50 && elms.count > 50 && other.count > 50);
    for (uint32_t i = 0; i < b.count; i++)
        b.objects[i].kind = 0; /* here it is the second one */
    for (uint32_t i = 0; i < a.count; i++) {
        for (uint32_t k = 0; k < elms.count; k++)
            assert_true(a.objects[i].id != elms.objects[k].id);
        for (uint32_t k = 0; k < other.count; k++)
            assert_true(a.objects[i].id != other.objects[k].id);
    }
    assert_same(&a, &b);
    object_list_free(&a);
    object_list_free(&b);
    object_list_free(&elms);
    object_list_free(&other);
    world_release(alone);
    world_release(second);
    world_release(reseeded);
}

static void assert_search_refused(const struct world *world, const struct object_search *search,
                                  enum error_code code, const char *words)
{
    struct object_list list = {0};
    struct error error = {0};
    assert_false(objects_find(sampler, world, search, &list, &error));
    if (error.code != code || !strstr(error.message, words))
        fail_msg("%s", error.message);
    object_list_free(&list);
}

static void limits(void **unused)
{
    (void)unused;
    struct world *world = world_with("\"a\":{\"spacing\":1,\"density\":\"1\"},"
                                     "\"b\":{\"spacing\":65536,\"density\":\"1\"}");
    struct object_search search = box_of(0, 0, 10 * PLACE_METRE, 10 * PLACE_METRE);
    search.kinds = 1;
    search.limit = 100;
    struct object_list list = find(world, &search);
    assert_int_equal(list.count, 100);
    search.limit = 99;
    assert_search_refused(world, &search, ERROR_LIMIT,
                          "more than 99 objects in the box; at most 99");
    /* 512² cells are all that is looked at, 512 × 513 too many. */
    search = box_of(0, 0, 512 * PLACE_METRE, 512 * PLACE_METRE);
    search.kinds = 1;
    list.count = 0;
    assert_true(objects_find(sampler, world, &search, &list, NULL));
    assert_int_equal(list.count, 512 * 512);
    search.high.y += 1;
    assert_search_refused(world, &search, ERROR_LIMIT, "too large: it has more than 262144 cells");
    search = box_of(-PLACE_LIMIT, -PLACE_LIMIT, 2 * PLACE_LIMIT, 2 * PLACE_LIMIT);
    assert_search_refused(world, &search, ERROR_LIMIT, "too large");
    search = box_of(PLACE_LIMIT * 2, 0, PLACE_METRE, PLACE_METRE);
    assert_search_refused(world, &search, ERROR_VALUE, "beyond the edge of the world");
    /* An empty box is no error. */
    list.count = 0;
    search = box_of(5, 5, 0, 100);
    assert_true(objects_find(sampler, world, &search, &list, NULL));
    assert_int_equal(list.count, 0);
    object_list_free(&list);
    world_release(world);
}

int test_objects(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quarters_of_a_box_add_up),
        cmocka_unit_test(objects_follow_the_rule),
        cmocka_unit_test(minimum_distances_are_kept),
        cmocka_unit_test(density_is_the_share_of_cells),
        cmocka_unit_test(properties_of_objects),
        cmocka_unit_test(kinds_are_independent),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, open_sampler, close_sampler);
}
