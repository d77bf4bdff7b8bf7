/* World files: raw bytes. One that compiles is sampled, painted layer by layer, looked at where its
 * map begins, gives names, and is compiled again with another seed. */
#include "tests/fuzz/fuzz.h"

#include <string.h>

#include "core/base/hash.h"
#include "core/base/utf8.h"
#include "core/names/name.h"
#include "core/terrain/first_view.h"
#include "core/terrain/objects.h"
#include "core/tile/style.h"
#include "tests/fuzz/compare_sampling.h"

static struct canvas *shared_canvas(void)
{
    static struct canvas *canvas;
    if (!canvas)
        canvas = canvas_new();
    fuzz_expect(canvas != NULL);
    return canvas;
}

static void paint(struct painter *painter)
{
    const struct sample_grid grid = {.step = 1 << 20, .columns = 20, .rows = 5};
    struct error error = {0};
    struct image image;
    fuzz_expect(painter != NULL);
    bool painted = painter_paint(painter, shared_canvas(), &grid, &image, &error);
    fuzz_expect(painted && image.width == 20 && image.height == 5);
    sampler_set_cache(canvas_sampler(shared_canvas()), NULL); /* see compare_sampling.c */
    painter_free(painter);
}

/* Whatever the heights are, they have colours and shades, and a place in terrarium's range. */
static void paint_heights(struct world *world)
{
    static const char *const texts[] = {
        "{\"paint\":["
        "{\"ramp\":{\"layer\":\"height\",\"stops\":[[0,\"#000\"],[0,\"#123\"],[9,\"#fff\"]],"
        "\"mask\":{\"layer\":\"height\",\"from\":-1,\"to\":1}}},"
        "{\"shade\":{\"layer\":\"height\",\"lights\":[[315,45,1],[90,1,2]],\"water\":0.5}},"
        "{\"objects\":{\"optional\":true}}]}",
        "{\"paint\":[{\"terrarium\":{\"layer\":\"height\"}}]}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct error error = {0};
        struct style *style = style_parse("fixed", texts[i], strlen(texts[i]), "fixed", &error);
        fuzz_expect(style != NULL);
        paint(painter_new(style, world, &error));
        style_free(style);
    }
}

static void paint_layers(struct world *world)
{
    unsigned count = world_layer_count(world);
    for (unsigned layer = 0; layer < count && layer < 8; layer++) {
        struct error error = {0};
        paint(painter_of_layer(world, layer, &error));
    }
}

/* A box's objects are those of its halves, as far as they may be asked for. */
static void find_objects(const struct world *world)
{
    static struct sampler *sampler;
    if (!sampler)
        sampler = sampler_new();
    fuzz_expect(sampler != NULL);
    struct object_list whole = {0}, halves = {0};
    const struct object_search all = {
        .low = {-589824, -327680},
        .high = {20 << 16, 20 << 16},
        .kinds = OBJECTS_ALL_KINDS,
        .limit = 5000,
        .ground = true,
    };
    struct object_search west = all, east = all;
    west.high.x = east.low.x = 77777;
    if (objects_find(sampler, world, &all, &whole, NULL)) {
        fuzz_expect(objects_find(sampler, world, &west, &halves, NULL));
        fuzz_expect(objects_find(sampler, world, &east, &halves, NULL));
        fuzz_expect(whole.count == halves.count);
    }
    object_list_free(&whole);
    object_list_free(&halves);
    sampler_set_cache(sampler, NULL); /* see compare_sampling.c */
}

/* Every world has a place where its map begins, and the same one each time. */
static void find_view(const struct world *world)
{
    struct place centre[2];
    for (size_t i = 0; i < 2; i++) {
        struct error error = {0};
        struct sampler *sampler = sampler_new();
        fuzz_expect(sampler != NULL);
        fuzz_expect(first_view_find(sampler, world, &centre[i], &error));
        sampler_free(sampler);
    }
    fuzz_expect(centre[0].x == centre[1].x && centre[0].y == centre[1].y);
    fuzz_expect(centre[0].x >= -PLACE_LIMIT && centre[0].x <= PLACE_LIMIT);
    fuzz_expect(centre[0].y >= -PLACE_LIMIT && centre[0].y <= PLACE_LIMIT);
    fuzz_expect(first_view_time(world) >= 0.0);
}

/* Every kind has a name in every region, unless the world has no tongues. */
static void make_names(const struct world *world)
{
    const struct names *names = world_names(world);
    fuzz_expect(strlen(world_names_fingerprint(world)) ==
                (names->tongue_count + names->place_count > 0 ? NAMES_FINGERPRINT_TEXT - 1 : 0));
    for (uint64_t id = 0; id < 4 * NAME_KINDS && names->tongue_count > 0; id++) {
        const struct name_subject subject = {
            (enum name_kind)(id % NAME_KINDS), id, {(int64_t)id << 40, 0}};
        struct name name;
        name_make(names, world_seed_number(world), &subject, &name);
        fuzz_expect(name.tongue < names->tongue_count && strstr(name.text, name.root));
        fuzz_expect(name.root[0] && utf8_valid(name.text, strlen(name.text)));
    }
    for (uint32_t i = 0; i < names->place_count; i++)
        fuzz_expect(names_place_near(names, names->places[i].kind, names->places[i].place));
}

static void reseed(const struct world *world)
{
    struct error error = {0};
    struct world *other = world_reseed(world, "another seed", 12, &error);
    fuzz_expect(other && strcmp(world_seed(other), "another seed") == 0);
    fuzz_expect(world_layer_count(other) == world_layer_count(world));
    world_release(other);
}

/* With diagnostics, a text is a world if it is one without; errors are sorted and have places, but
 * for one of the text as a whole. */
static void diagnose(const uint8_t *data, size_t size, const struct world_limits *limits,
                     const struct world *same)
{
    struct diagnostics diagnostics = {
        .file = "fuzz.json", .text = (const char *)data, .length = size};
    struct world *world = world_diagnose(&diagnostics, limits);
    fuzz_expect(!world == !same && !world == (diagnostics.count > 0));
    for (unsigned i = 0; i < diagnostics.count; i++)
        fuzz_expect_error(&diagnostics.errors[i]);
    for (unsigned i = 1; i < diagnostics.count; i++)
        fuzz_expect(diagnostics.errors[i].line > 0 &&
                    diagnostics.errors[i - 1].line <= diagnostics.errors[i].line);
    world_release(world);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct world_limits limits = {.octaves = 64};
    struct error error = {0};
    struct world *world = world_parse((const char *)data, size, "fuzz.json", &limits, &error);
    diagnose(data, size, &limits, world);
    if (!world) {
        fuzz_expect_error(&error);
        return 0;
    }
    sampling_check(world, hash_bytes(data, size, 1).low);
    paint_layers(world);
    paint_heights(world);
    find_objects(world);
    find_view(world);
    make_names(world);
    reseed(world);
    world_release(world);
    return 0;
}
