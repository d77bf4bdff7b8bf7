/* Labels of land with rivers and a coast, found by a sampler that is stopped again and again: what
 * it keeps each time must not change what it finds in the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/labels/labels.h"
#include "tests/unit/core/world_of.h"

static const char drained[] =
    "{\"generator\":1,\"drainage\":{\"potential\":\"fbm(900000, 4)\",\"target\":\"900 * "
    "fbm(90000, 6) + 700\",\"relief\":\"600\",\"warp_x\":\"4000 * perlin(60000)\","
    "\"spacing\":16384},\"layers\":{\"coast\":\"900 * perlin(50000) + 200\",\"height\":\"min("
    "drainage('height'), coast)\"}}";

static bool find(struct sampler *sampler, const struct world *world, int zoom,
                 struct label_list *list)
{
    const int64_t half = (int64_t)(600.0 * label_pixel(zoom)) * PLACE_METRE;
    const struct label_source source = label_source_of(sampler, world);
    const struct label_box box = {{-half, -half}, {half, half}};
    const struct labels_summits peaks = {box, zoom - LABEL_PEAK_ZOOMS, 0};
    struct summit_list summits = {0};
    const struct labels_search search = {.box = box, .zoom = zoom, .summits = &summits};
    struct error error = {0};
    const bool done = labels_find_summits(&source, &peaks, &summits, &error) &&
                      labels_find(&source, &search, list, &error);
    assert_true(done || error.code == ERROR_WORK);
    summit_list_free(&summits);
    return done;
}

static void stopping_changes_no_label(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(drained);
    size_t labels = 0;
    for (int zoom = 9; zoom <= 13; zoom += 2) {
        struct sampler *fresh = sampler_new(), *stopped = sampler_new();
        struct label_list whole = {0}, list = {0};
        unsigned stops = 0;
        assert_non_null(fresh);
        assert_non_null(stopped);
        assert_true(find(fresh, world, zoom, &whole));
        for (const uint64_t step = sampler_meter(fresh)->done / 256;; stops++) {
            sampler_set_limit(stopped, &(struct work_limit){.most = (stops + 1) * step});
            if (find(stopped, world, zoom, &list))
                break;
        }
        assert_in_range(stops, 2, 1000);
        assert_int_equal(list.count, whole.count);
        for (size_t i = 0; i < list.count; i++) {
            assert_string_equal(list.labels[i].name.text, whole.labels[i].name.text);
            assert_true(list.labels[i].place.x == whole.labels[i].place.x &&
                        list.labels[i].place.y == whole.labels[i].place.y);
        }
        labels += whole.count;
        label_list_free(&whole);
        label_list_free(&list);
        sampler_free(stopped);
        sampler_free(fresh);
    }
    assert_true(labels > 20);
    world_release(world);
}

int test_stopped_labels(void);
int test_stopped_labels(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stopping_changes_no_label)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
