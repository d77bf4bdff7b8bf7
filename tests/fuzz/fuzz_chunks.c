/* Bodies of POST /chunks. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "server/http/products/chunk_batch.h"
#include "server/http/products/chunk_parameters.h"
#include "server/http/products/recipe.h"

enum { SAMPLES_MAX = 100000 };

static const struct world *shared_world(void)
{
    static const char text[] = "{\"generator\":1,\"layers\":{\"height\":\"0\",\"woods\":\"t\"},"
                               "\"biomes\":[{\"name\":\"sea\",\"color\":\"#26c\"}]}";
    static struct world *world;
    if (!world)
        world = world_parse(text, strlen(text), "world", NULL, NULL);
    fuzz_expect(world != NULL);
    return world;
}

/* Whatever the address, what is in range begins and ends within the world. */
static void expect_place(const struct chunk_order *order, const struct chunk_address *address)
{
    struct problem problem;
    const struct chunk_recipe recipe = {*order, *address, CODING_IDENTITY};
    struct cache_key key;
    recipe_chunk_key(&recipe, world_fingerprint(shared_world()), &key);
    fuzz_expect(chunk_in_range(order, address) == chunk_check_range(order, address, &problem));
    if (!chunk_in_range(order, address))
        return;
    const int64_t slack = order->step * order->apron;
    const struct chunk_address origin = chunk_origin(order, address);
    fuzz_expect(origin.x + slack >= -PLACE_LIMIT && origin.y + slack >= -PLACE_LIMIT);
    fuzz_expect(origin.x + slack + order->step * order->size <= PLACE_LIMIT);
    fuzz_expect(origin.y + slack + order->step * order->size <= PLACE_LIMIT);
}

static void try_shape(unsigned shape, uint32_t size_max, const uint8_t *data, size_t size)
{
    struct chunk_batch batch = {.order = {.world = shared_world(), .shape = shape}};
    struct problem problem = {0};
    if (!chunk_batch_parse((const char *)data, size, SAMPLES_MAX, &batch, &problem)) {
        fuzz_expect(problem.detail[0] != '\0' && problem_status(&problem) >= 400);
        return;
    }
    const struct chunk_order *order = &batch.order;
    fuzz_expect(batch.count <= CHUNK_BATCH_MAX);
    fuzz_expect(order->size >= 1 && order->size <= size_max);
    fuzz_expect(order->apron <= CHUNK_APRON_MAX);
    fuzz_expect(order->step >= CHUNK_STEP_MIN && order->step <= CHUNK_STEP_MAX);
    fuzz_expect(order->layer_count >= 1 && order->layer_count <= order->format->layers);
    fuzz_expect(chunk_samples(order) * batch.count <= SAMPLES_MAX);
    for (size_t i = 0; i < batch.count; i++)
        expect_place(order, &batch.addresses[i]);
    chunk_batch_free(&batch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_shape(CHUNK_FLAT, CHUNK_SIZE_MAX, data, size);
    try_shape(CHUNK_VOLUME, CHUNK_VOLUME_SIZE_MAX, data, size);
    return 0;
}
