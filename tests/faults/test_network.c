/* The drainage network: every allocation fails once, and from there on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/faults/allocation_faults.h"
#include "tests/faults/fault_cases.h"
#include "tests/unit/core/drainage/network_of.h"

enum { SAMPLES = 6 * 6 };

/* Samples of level 3, a row of which crosses into cells that are not looked up at first. */
static bool sample(struct drainage *drainage, float *const outputs[DRAINAGE_OUTPUTS])
{
    const struct drainage_network network = network_of(&rough);
    struct place places[SAMPLES];
    for (int64_t i = 0; i < SAMPLES; i++)
        places[i] = (struct place){i % 6 * 9000 * PLACE_METRE, i / 6 * 9000 * PLACE_METRE};
    return sample_places(drainage, &network, 2000.0, 6, places, outputs) &&
           sample_places(drainage, &network, 2000.0, SAMPLES, places, outputs);
}

/* The expected samples come from a network that nothing happened to. */
static bool case_network(struct error *error)
{
    static float expected[SAMPLES];
    float heights[SAMPLES];
    float *const outputs[DRAINAGE_OUTPUTS] = {heights};
    struct drainage *drainage = drainage_with(KEPT);
    const bool done = drainage && sample(drainage, outputs);
    faults_clear();
    if (drainage && !done)
        assert_true(sample(drainage, outputs));
    if (drainage && expected[1] == 0.0f)
        memcpy(expected, heights, sizeof expected);
    if (drainage)
        assert_memory_equal(heights, expected, sizeof expected);
    drainage_free(drainage);
    return done || error_memory(error);
}

/* A field that cannot be sampled: there is no answer, and none of what was begun is kept. */
static bool fields_fail;
static bool sample_or_fail(void *context, const struct place *places, size_t count, double spacing,
                           const struct drainage_fields *fields)
{
    return !fields_fail && sample_ground(context, places, count, spacing, fields);
}

static void failing_fields_fail_the_request(void **state)
{
    (void)state;
    float heights[2][1];
    const struct place place = {77 * PLACE_METRE, 88 * PLACE_METRE};
    struct drainage_network network = network_of(&rough);
    network.sample = sample_or_fail;
    struct drainage *drainage = drainage_with(KEPT), *other = drainage_with(KEPT);
    for (int i = 0; i < 2; i++) {
        fields_fail = i == 0;
        float *const outputs[DRAINAGE_OUTPUTS] = {heights[0]};
        assert_int_equal(sample_places(drainage, &network, 0.0, 1, &place, outputs), i);
    }
    float *const outputs[DRAINAGE_OUTPUTS] = {heights[1]};
    assert_true(sample_places(other, &network, 0.0, 1, &place, outputs));
    assert_memory_equal(heights[0], heights[1], sizeof heights[0]);
    drainage_free(drainage);
    drainage_free(other);
}

FAULT_CASE(network)

int test_network(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(network_fails_cleanly),
        cmocka_unit_test(failing_fields_fail_the_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
