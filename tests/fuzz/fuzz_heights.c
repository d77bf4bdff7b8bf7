/* Bodies of POST /heights: each input is read as JSON and as both kinds of binary. Where the text
 * is read in one pass, the points must be those of its tree. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "core/tile/address.h"
#include "core/worldfile/json.h"
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

static void expect_body(const struct heights_body *body)
{
    fuzz_expect(body->count <= QUERY_POINTS_MAX);
    fuzz_expect(body->layer_count >= 1 && body->layer_count <= 3);
    for (unsigned i = 0; i < body->layer_count; i++) {
        fuzz_expect(body->layers[i] < 3);
        for (unsigned k = 0; k < i; k++)
            fuzz_expect(body->layers[i] != body->layers[k]);
    }
    fuzz_expect(body->zoom >= -1 && body->zoom <= TILE_ZOOM_MAX);
    for (size_t i = 0; i < body->count; i++) {
        fuzz_expect(llabs(body->places[i].x) <= PLACE_LIMIT &&
                    llabs(body->places[i].y) <= PLACE_LIMIT);
        fuzz_expect(body->ranks[i] < body->count);
    }
}

static void expect_problem(const struct problem *problem)
{
    fuzz_expect(problem->detail[0] != '\0' && problem_status(problem) >= 400);
}

/* The points by the tree that json_parse() makes. */
static void expect_points(const char *text, size_t size, const struct heights_body *body)
{
    struct json_document *document = json_parse(text, size, NULL, NULL);
    const struct json *point = json_first(json_member(json_root(document), "points"));
    for (size_t i = 0; i < body->count; i++, point = json_next(point)) {
        const struct place *place = &body->places[body->ranks[i]];
        const char *x = json_text(json_first(point)), *y = json_text(json_next(json_first(point)));
        struct place expected;
        fuzz_expect(x && y && place_parse(x, strlen(x), &expected.x, NULL) &&
                    place_parse(y, strlen(y), &expected.y, NULL));
        fuzz_expect(place->x == expected.x && place->y == expected.y);
    }
    fuzz_expect(document && !point);
    json_free(document);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct heights_body body = {.zoom = -1, .layer_count = 1};
    struct problem problem = {0};
    const char *text = data ? (const char *)data : "";
    if (heights_body_parse(text, size, shared_world(), &body, &problem)) {
        expect_body(&body);
        expect_points(text, size, &body);
        heights_body_free(&body);
    } else {
        expect_problem(&problem);
    }
    for (enum coordinate_type type = COORDINATE_FLOAT64; type <= COORDINATE_INT64; type++) {
        body = (struct heights_body){.zoom = -1, .layer_count = 1};
        if (!heights_body_read((const uint8_t *)text, size, type, &body, &problem)) {
            expect_problem(&problem);
            continue;
        }
        fuzz_expect(body.count == size / 16);
        expect_body(&body);
        heights_body_free(&body);
    }
    return 0;
}
