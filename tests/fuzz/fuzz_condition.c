/* Conditions of searches: of a world with layers, biomes and materials, run over samples of all
 * sizes. */
#include "tests/fuzz/fuzz.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/worldfile/world_condition.h"

static const char world_file[] =
    "{\"generator\":1,\"layers\":{\"height\":\"x\",\"wood\":\"y\",\"water_level\":\"3\"},"
    "\"biomes\":[{\"name\":\"sea\",\"color\":\"#00f\",\"when\":\"height < 0\"},"
    "{\"name\":\"wood\",\"color\":\"#080\"}],"
    "\"materials\":[{\"name\":\"rock\",\"color\":\"#888\",\"weight\":\"height\"},"
    "{\"name\":\"wood\",\"color\":\"#080\",\"weight\":\"1\"}]}";

enum { SAMPLES = 70 };
static const float extremes[] = {0.0f, 1.0f, -1.0f, 0.5f, 1e-30f, -3e38f, FLT_MAX, 12345.678f};

/* The first part holds wherever the whole does, and all results are finite. */
static void run(const struct condition *condition)
{
    static float samples[SAMPLES], slopes[SAMPLES];
    float first[SAMPLES], whole[SAMPLES];
    struct condition_rows rows = {.slopes = slopes};
    for (int i = 0; i < SAMPLES; i++) {
        samples[i] = extremes[i % 8];
        slopes[i] = (float)i;
    }
    for (unsigned i = 0; i < condition_needs(condition)->layer_count; i++)
        rows.layers[i] = samples;
    condition_run(condition, CONDITION_FIRST, &rows, SAMPLES, first);
    condition_run(condition, CONDITION_WHOLE, &rows, SAMPLES, whole);
    for (int i = 0; i < SAMPLES; i++) {
        fuzz_expect(isfinite(first[i]) && isfinite(whole[i]));
        fuzz_expect(first[i] != 0.0f || whole[i] == 0.0f);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct world *world;
    struct error error = {0};
    char *text = fuzz_text(data, size);
    if (!world)
        world = world_parse(world_file, sizeof world_file - 1, "fuzz.json", NULL, &error);
    struct condition *condition = world_condition_new(world, text, &error);
    if (condition)
        run(condition);
    else
        fuzz_expect_error(&error);
    condition_free(condition);
    free(text);
    return 0;
}
