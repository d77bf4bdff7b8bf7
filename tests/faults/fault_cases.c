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

void fault_case_run(fault_case *fault_case)
{
    struct error error = {0};
    assert_true(fault_case(&error)); /* what is made once and kept is made now */
    faults_record();
    const bool done = fault_case(&error);
    faults_clear();
    assert_true(done);
    const size_t count = faults_recorded();
    assert_true(count > 0);
    for (int mode = FAULT_ONCE; mode <= FAULT_ONWARDS; mode++) {
        for (size_t number = 1; number <= count; number++) {
            if (!faults_is_chosen(number))
                continue;
            fail_at(fault_case, (enum fault_mode)mode, number);
            assert_true(faults_triggered());
        }
        fail_at(fault_case, (enum fault_mode)mode, count + 1);
        assert_false(faults_triggered());
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
