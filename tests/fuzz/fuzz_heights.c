/* Bodies of POST /heights. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "core/tile/address.h"
#include "server/http/request/heights_body.h"

static const struct world *shared_world(void)
{
    static const char text[] = "{\"generator\":1,\"layers\":{\"height\":\"0\",\"woods\":\"1\"},"
                               "\"biomes\":[{\"name\":\"sea\",\"color\":\"#26c\"}]}";
    static struct world *world;
    if (!world)
        world = world_parse(text, strlen(text), "world", NULL, NULL);
    fuzz_expect(world != NULL);
    return world;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct heights_body question = {.zoom = -1};
    struct problem problem = {0};
    if (!heights_body_parse((const char *)data, size, shared_world(), &question, &problem)) {
        fuzz_expect(problem.detail[0] != '\0' && problem_status(&problem) >= 400);
        return 0;
    }
    fuzz_expect(question.count <= QUERY_POINTS_MAX && question.layer < 3);
    fuzz_expect(question.zoom >= -1 && question.zoom <= TILE_ZOOM_MAX);
    for (size_t i = 0; i < question.count; i++)
        fuzz_expect(llabs(question.places[i].x) <= PLACE_LIMIT &&
                    llabs(question.places[i].y) <= PLACE_LIMIT);
    heights_body_free(&question);
    return 0;
}
