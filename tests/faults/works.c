#include "tests/faults/works.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>
#include <sanitizer/allocator_interface.h>

#include "server/file.h"
#include "tests/faults/allocations.h"

struct material material = {
    .grid = {.step = 1 << 22, .columns = SIDE, .rows = SIDE, .spacing = 64.0}};

static const char world_text[] =
    "{\"generator\":1,\"layers\":{"
    "\"height\":{\"formula\":\"900*warp(fbm(4096,octaves=4),99*woods,woods)\",\"range\":[-9,9]},"
    "\"woods\":\"perlin(512)\"},"
    "\"biomes\":[{\"name\":\"sea\",\"color\":\"#26c\",\"when\":\"height < 0\"},"
    "{\"name\":\"land\",\"color\":\"#3a3\"}],"
    "\"objects\":{\"hut\":{\"spacing\":200,\"density\":\"1 - 0.5*(biome==sea)\",\"radius\":150}}}";

static void fail_at(work *work, enum fault_mode mode, size_t number)
{
    struct error error = {0};
    size_t before = __sanitizer_get_current_allocated_bytes();
    faults_arm(mode, number);
    bool done = work(&error);
    faults_disarm();
    assert_int_equal(__sanitizer_get_current_allocated_bytes(), before);
    assert_int_equal(done, !faults_struck());
    if (!done)
        assert_int_equal(error.code, ERROR_MEMORY);
}

/* A catalog makes the same few allocations again for each of a hundred styles and layers, thousands
 * in all: behind the first ones a stride finds each of them too. */
enum { EACH_OF_FIRST = 1000, STRIDE = 13 };

void works_fail_each(work *work)
{
    struct error error = {0};
    assert_true(work(&error)); /* what is made once and kept is made now */
    for (int mode = FAULT_ONCE; mode <= FAULT_ONWARDS; mode++) {
        size_t number = 0;
        do {
            number += number < EACH_OF_FIRST ? 1 : STRIDE;
            fail_at(work, (enum fault_mode)mode, number);
        } while (faults_struck());
        assert_true(number > 1);
    }
    assert_true(work(&error));
}

int works_set_up(void **state)
{
    /* The library is shared, so its calls of malloc are not wrapped; these are. */
    cJSON_InitHooks(&(cJSON_Hooks){malloc, free});
    (void)state;
    if (!file_read("config/worlds/terra.json", 1 << 20, &material.terra, NULL) ||
        !file_read("config/styles/relief.json", 1 << 20, &material.relief, NULL))
        return -1;
    material.world = world_parse(world_text, strlen(world_text), "world.json", NULL, NULL);
    material.style = style_parse("relief", (const char *)material.relief.data,
                                 material.relief.length, "relief.json", NULL);
    return material.world && material.style ? 0 : -1;
}

int works_tear_down(void **state)
{
    (void)state;
    style_free(material.style);
    world_release(material.world);
    buffer_free(&material.terra);
    buffer_free(&material.relief);
    return 0;
}
