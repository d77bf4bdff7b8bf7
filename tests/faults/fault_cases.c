#include "tests/faults/fault_cases.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>
#include <sanitizer/allocator_interface.h>

#include "server/base/file.h"
#include "tests/faults/allocation_faults.h"

struct fixture fixture = {
    .grid = {.step = 1 << 22, .columns = SIDE, .rows = SIDE, .spacing = 64.0}};

static const char world_text[] =
    "{\"generator\":1,\"layers\":{"
    "\"height\":{\"formula\":\"900*warp(fbm(4096,octaves=4),99*woods,woods)\",\"range\":[-9,9]},"
    "\"woods\":\"perlin(512)\"},"
    "\"biomes\":[{\"name\":\"sea\",\"color\":\"#26c\",\"when\":\"height < 0\"},"
    "{\"name\":\"land\",\"color\":\"#3a3\"}],"
    "\"objects\":{\"hut\":{\"spacing\":200,\"density\":\"1 - 0.5*(biome==sea)\",\"radius\":150}}}";

static void fail_at(fault_case *fault_case, enum fault_mode mode, size_t number)
{
    struct error error = {0};
    size_t before = __sanitizer_get_current_allocated_bytes();
    faults_inject(mode, number);
    bool done = fault_case(&error);
    faults_clear();
    assert_int_equal(__sanitizer_get_current_allocated_bytes(), before);
    assert_int_equal(done, !faults_triggered());
    if (!done)
        assert_int_equal(error.code, ERROR_MEMORY);
}

/* A catalog makes the same few allocations again for each of a hundred styles and layers, thousands
 * in all: behind the first ones a stride finds each of them too. */
enum { EACH_OF_FIRST = 1000, STRIDE = 13 };

void fault_case_run(fault_case *fault_case)
{
    struct error error = {0};
    assert_true(fault_case(&error)); /* what is made once and kept is made now */
    for (int mode = FAULT_ONCE; mode <= FAULT_ONWARDS; mode++) {
        size_t number = 0;
        do {
            number += number < EACH_OF_FIRST ? 1 : STRIDE;
            fail_at(fault_case, (enum fault_mode)mode, number);
        } while (faults_triggered());
        assert_true(number > 1);
    }
    assert_true(fault_case(&error));
}

int fixture_set_up(void **state)
{
    /* The library is shared, so its calls of malloc are not wrapped; these are. */
    cJSON_InitHooks(&(cJSON_Hooks){malloc, free});
    (void)state;
    if (!file_read("config/worlds/terra.json", 1 << 20, &fixture.terra, NULL) ||
        !file_read("config/styles/relief.json", 1 << 20, &fixture.relief, NULL))
        return -1;
    fixture.world = world_parse(world_text, strlen(world_text), "world.json", NULL, NULL);
    fixture.style = style_parse("relief", (const char *)fixture.relief.data, fixture.relief.length,
                                "relief.json", NULL);
    return fixture.world && fixture.style ? 0 : -1;
}

int fixture_tear_down(void **state)
{
    (void)state;
    style_free(fixture.style);
    world_release(fixture.world);
    buffer_free(&fixture.terra);
    buffer_free(&fixture.relief);
    return 0;
}
