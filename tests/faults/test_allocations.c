/* Every allocation of each of these works fails, one run after another: once, then from there on.
 * Each time the answer is a clean ERROR_MEMORY, nothing is left allocated, and the next call works.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <webp/decode.h>

#include <cjson/cJSON.h>
#include <cmocka.h>
#include <sanitizer/allocator_interface.h>

#include "core/encode/gzip.h"
#include "core/encode/mvt.h"
#include "core/encode/png.h"
#include "core/encode/png_stream.h"
#include "core/encode/terminal.h"
#include "core/encode/webp.h"
#include "core/tile/style.h"
#include "core/tile/vector_tile.h"
#include "server/access_line.h"
#include "server/cache/flight.h"
#include "server/cache/link.h"
#include "server/cache/memory.h"
#include "server/catalog.h"
#include "server/chunk_maker.h"
#include "server/file.h"
#include "server/http/openapi.h"
#include "server/metrics.h"
#include "server/picture.h"
#include "server/settings.h"
#include "tests/faults/allocations.h"

/* The work: true when done. A work on something that outlives a failure disarms the faults after
 * the failed call and checks that the same thing then does it. */
typedef bool work(struct error *error);

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

/* Until a run needs fewer allocations. */
static void fail_each(work *work)
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

static struct buffer terra, relief; /* files */
static struct world *world;         /* a small one */
static struct style *style;

static const char world_text[] =
    "{\"generator\":1,\"layers\":{"
    "\"height\":{\"formula\":\"900*warp(fbm(4096,octaves=4),99*woods,woods)\",\"range\":[-9,9]},"
    "\"woods\":\"perlin(512)\"},"
    "\"biomes\":[{\"name\":\"sea\",\"color\":\"#26c\",\"when\":\"height < 0\"},"
    "{\"name\":\"land\",\"color\":\"#3a3\"}],"
    "\"objects\":{\"hut\":{\"spacing\":200,\"density\":\"1 - 0.5*(biome==sea)\",\"radius\":150}}}";

static bool work_json(struct error *error)
{
    struct json_document *document =
        json_parse((const char *)terra.data, terra.length, NULL, error);
    json_free(document);
    return document != NULL;
}

static bool work_world(struct error *error)
{
    struct world *made =
        world_parse((const char *)terra.data, terra.length, "terra.json", NULL, error);
    world_release(made);
    return made != NULL;
}

static bool work_reseed(struct error *error)
{
    struct world *made = world_reseed(world, "another", 7, error);
    world_release(made);
    return made != NULL;
}

static bool work_style(struct error *error)
{
    struct painter *painter = NULL;
    struct style *made =
        style_parse("relief", (const char *)relief.data, relief.length, "relief.json", error);
    if (made)
        painter = painter_new(made, world, error);
    style_free(made);
    painter_free(painter);
    return painter != NULL;
}

enum { SIDE = 24 };
static const struct sample_grid grid = {
    .step = 1 << 22, .columns = SIDE, .rows = SIDE, .spacing = 64.0};

static bool work_paint(struct error *error)
{
    struct image image;
    struct painter *painter = painter_new(style, world, error);
    struct canvas *canvas = painter ? canvas_new() : NULL;
    bool done = canvas ? painter_paint(painter, canvas, &grid, &image, error) : error_memory(error);
    faults_disarm();
    if (canvas && !done)
        assert_true(painter_paint(painter, canvas, &grid, &image, NULL));
    canvas_free(canvas);
    painter_free(painter);
    return done;
}

/* The expected samples come from a sampler that nothing happened to. */
static bool work_grid(struct error *error)
{
    static float expected[SIDE * SIDE];
    float samples[SIDE * SIDE], *outputs[] = {samples};
    unsigned layer = world_height_layer(world);
    const struct sample_request request = {&layer, outputs, 1};
    struct sampler *sampler = sampler_new();
    bool done =
        sampler ? sampler_grid(sampler, world, &grid, &request, error) : error_memory(error);
    faults_disarm();
    if (sampler && !done)
        assert_true(sampler_grid(sampler, world, &grid, &request, NULL));
    if (sampler && expected[1] == 0.0f)
        memcpy(expected, samples, sizeof samples);
    if (sampler)
        assert_memory_equal(samples, expected, sizeof samples);
    sampler_free(sampler);
    return done;
}

/* After a first call of a size, sampling takes no memory: not for grids, nor places, nor what lies
 * higher and later. */
static void sampling_allocates_nothing(void **state)
{
    (void)state;
    static float samples[2][SIDE * SIDE];
    float *outputs[] = {samples[0], samples[1]};
    const unsigned layers[] = {0, 1};
    const struct sample_request request = {layers, outputs, 2};
    static struct place places[SIDE * SIDE];
    struct sampler *sampler = sampler_new();
    assert_non_null(sampler);
    assert_true(sampler_grid(sampler, world, &grid, &request, NULL));
    faults_arm(FAULT_ONWARDS, 1);
    bool done = true;
    for (int i = 0; i < 50; i++) {
        struct sample_grid other = grid;
        other.x = i * 777 * PLACE_METRE;
        other.z = i * PLACE_METRE;
        other.t = -i * PLACE_METRE;
        other.columns = (uint32_t)(SIDE - i % 8);
        const struct sample_points points = {places, SIDE * SIDE, 0.0, other.z, other.t};
        done = done && sampler_grid(sampler, world, &other, &request, NULL) &&
               sampler_points(sampler, world, &points, &request, NULL);
    }
    faults_disarm();
    assert_true(done);
    assert_false(faults_struck());
    sampler_free(sampler);
}

/* A vector tile from its samples to its last byte. */
static bool work_vector(struct error *error)
{
    struct vector_tiler *tiler = vector_tiler_new();
    struct sampler *sampler = tiler ? sampler_new() : NULL;
    struct gzipper *gzipper = sampler ? gzipper_new() : NULL;
    struct vector_request request = {world, sampler, grid, 50};
    struct features features = {0};
    struct buffer tile = {0}, packed = {0};
    request.grid.columns = request.grid.rows = 32;
    features_begin(&features, FEATURES_EXTENT);
    bool done = gzipper ? vector_tile_add(tiler, &request, &features, error) &&
                              mvt_encode(&features, &tile, error) &&
                              gzip_compress(gzipper, GZIP_SERVE, &tile, &packed, error)
                        : error_memory(error);
    faults_disarm();
    if (gzipper && !done) { /* everything can be used again */
        features_begin(&features, FEATURES_EXTENT);
        buffer_clear(&tile);
        buffer_clear(&packed);
        assert_true(vector_tile_add(tiler, &request, &features, NULL));
        assert_true(mvt_encode(&features, &tile, NULL));
        assert_true(gzip_compress(gzipper, GZIP_SERVE, &tile, &packed, NULL));
    }
    assert_true(!gzipper || packed.length > 100);
    vector_tiler_free(tiler);
    sampler_free(sampler);
    gzipper_free(gzipper);
    features_free(&features);
    buffer_free(&tile);
    buffer_free(&packed);
    return done;
}

/* All layers in the format, or one if it has no more. */
static bool make_chunk(struct chunk_maker *maker, struct sampler *sampler, const char *format,
                       unsigned shape, struct error *error)
{
    static const struct chunk_address address = {3, -2, 0};
    struct chunk_order order = {.world = world,
                                .format = chunk_format_find(format, shape),
                                .shape = shape,
                                .size = 4,
                                .step = 1 << 22,
                                .layers = {0, 1, 2}};
    struct buffer out = {0};
    order.layer_count = order.format->layers < 3 ? order.format->layers : 3;
    bool done = chunk_make(maker, sampler, &order, &address, &out, error) &&
                chunk_compress(maker, CODING_ZSTD, 0, &out, error) &&
                chunk_compress(maker, CODING_GZIP, 0, &out, error);
    if (!done) { /* everything can be used again */
        faults_disarm();
        buffer_clear(&out);
        assert_true(chunk_make(maker, sampler, &order, &address, &out, NULL));
        assert_true(chunk_compress(maker, CODING_ZSTD, 0, &out, NULL));
        assert_true(chunk_compress(maker, CODING_GZIP, 0, &out, NULL));
    }
    assert_true(out.length > 20);
    buffer_free(&out);
    return done;
}

static bool work_chunk(struct error *error)
{
    static const char *const formats[] = {"r32f", "r16", "r16z", "png",
                                          "json", "asc", "tif",  "glb"};
    struct sampler *sampler = sampler_new();
    struct chunk_maker *maker = sampler ? chunk_maker_new() : NULL;
    bool done = maker || error_memory(error);
    for (size_t i = 0; done && i < sizeof formats / sizeof *formats; i++)
        done = make_chunk(maker, sampler, formats[i], CHUNK_FLAT, error);
    done = done && make_chunk(maker, sampler, "r8", CHUNK_VOLUME, error);
    chunk_maker_free(maker);
    sampler_free(sampler);
    return done;
}

static bool work_openapi(struct error *error)
{
    struct buffer out = {0};
    bool done = openapi_write(false, &out, error);
    assert_true(!done || out.length > 1000);
    buffer_free(&out);
    return done;
}

static bool work_points(struct error *error)
{
    static const struct place places[] = {{0, 0}, {PLACE_LIMIT, -PLACE_LIMIT}, {PLACE_METRE, 7}};
    static float expected[3];
    float samples[3], *outputs[] = {samples};
    unsigned layer = world_height_layer(world);
    const struct sample_request request = {&layer, outputs, 1};
    const struct sample_points points = {.places = places, .count = 3};
    struct sampler *sampler = sampler_new();
    bool done =
        sampler ? sampler_points(sampler, world, &points, &request, error) : error_memory(error);
    faults_disarm();
    if (sampler && !done)
        assert_true(sampler_points(sampler, world, &points, &request, NULL));
    if (sampler && expected[0] == 0.0f)
        memcpy(expected, samples, sizeof samples);
    if (sampler)
        assert_memory_equal(samples, expected, sizeof samples);
    sampler_free(sampler);
    return done;
}

static bool encode(enum png_effort effort, struct error *error)
{
    static uint8_t pixels[SIDE * SIDE];
    static const uint8_t palette[6] = {1, 2, 3};
    const struct image image = {IMAGE_PALETTE8, IMAGE_AREAS, SIDE, SIDE, pixels, SIDE, palette, 2};
    struct buffer file = {0};
    struct png_encoder *encoder = png_encoder_new();
    bool done = encoder ? png_encode(encoder, &image, effort, &file, error) : error_memory(error);
    faults_disarm();
    assert_int_equal(file.length > 0, done);
    buffer_clear(&file);
    if (encoder && !done)
        assert_true(png_encode(encoder, &image, effort, &file, NULL) && file.length > 0);
    png_encoder_free(encoder);
    buffer_free(&file);
    return done;
}

static bool work_serve(struct error *error)
{
    return encode(PNG_SERVE, error);
}

static bool work_export(struct error *error)
{
    return encode(PNG_EXPORT, error);
}

static bool encode_webp(enum image_content content, enum webp_effort effort, struct error *error)
{
    static uint8_t pixels[SIDE * SIDE];
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * i / 7);
    const struct image image = {IMAGE_GREY8, content, SIDE, SIDE, pixels, SIDE, NULL, 0};
    struct buffer file = {0};
    bool done = webp_encode(&image, effort, &file, error);
    assert_int_equal(file.length > 0, done);
    /* libwebp does without what it only tries in order to save bytes: the pixels are right then. */
    if (done && faults_struck()) {
        faults_disarm();
        int width, height;
        uint8_t *decoded = WebPDecodeRGB(file.data, file.length, &width, &height);
        assert_non_null(decoded);
        for (size_t i = 0; i < sizeof pixels * 3; i++)
            assert_int_equal(decoded[i], pixels[i / 3]);
        WebPFree(decoded);
        done = error_memory(error);
    }
    buffer_free(&file);
    return done;
}

static bool work_lossy(struct error *error)
{
    return encode_webp(IMAGE_PICTURE, WEBP_EXPORT, error);
}

static bool work_lossless(struct error *error)
{
    return encode_webp(IMAGE_DATA, WEBP_EXPORT, error);
}

static bool work_text(struct error *error)
{
    static float samples[SIDE * SIDE];
    const struct terminal_heights heights = {samples, SIDE, SIDE, 1, true};
    struct buffer text = {0};
    bool done = terminal_write_heights(&heights, TERMINAL_COLUMNS, &text, error);
    assert_int_equal(text.length > 0, done);
    buffer_free(&text);
    return done;
}

static bool take(void *context, const uint8_t *bytes, size_t length)
{
    (void)bytes;
    *(size_t *)context += length;
    return true;
}

static bool work_stream(struct error *error)
{
    static uint8_t pixels[SIDE * SIDE];
    const struct image image = {IMAGE_GREY8, IMAGE_SMOOTH, SIDE, SIDE, pixels, SIDE, NULL, 0};
    size_t length = 0;
    struct png_stream *stream = png_stream_new(&image, take, &length, error);
    bool done = stream && png_stream_rows(stream, &image, error) && png_stream_end(stream, error);
    png_stream_free(stream);
    return done;
}

static bool write_rectangle(const char *format, struct error *error)
{
    struct painter *painter = painter_new(style, world, error);
    const struct picture picture = {world, painter, format_find(format, strlen(format)), grid};
    struct output output = {.stream = fopen("/dev/null", "wbe")};
    assert_non_null(output.stream);
    bool done = painter && picture_write(&picture, &output, error);
    painter_free(painter);
    assert_int_equal(fclose(output.stream), 0);
    return done;
}

static bool work_rectangle(struct error *error)
{
    return write_rectangle("png", error);
}

static bool work_whole_rectangle(struct error *error)
{
    return write_rectangle("webp", error);
}

static bool work_raw_rectangle(struct error *error)
{
    return write_rectangle("r32f", error);
}

static bool work_catalog(struct error *error)
{
    static const char *const folders[] = {"config/styles"};
    const struct catalog_options options = {
        .style_directories = folders, .style_directory_count = 1, .default_world = "perlin"};
    struct catalog *catalog = catalog_load(&options, error);
    const struct catalog_world *found =
        catalog ? catalog_acquire(catalog, "perlin", "another", error) : NULL;
    faults_disarm();
    if (catalog && !found) {
        const struct catalog_world *again = catalog_acquire(catalog, "perlin", "another", NULL);
        assert_non_null(again);
        catalog_release(again);
    }
    catalog_release(found);
    catalog_free(catalog);
    return found != NULL;
}

static struct cache_key key_of(uint8_t number)
{
    struct cache_key key = {.bytes = {number}};
    cache_key_seal(&key);
    return key;
}

static void destroy(struct cache_value *value)
{
    value->cost = 0;
}

/* A put that fails keeps nothing, and says nothing: the cache only ever helps. */
static bool work_cache(struct error *error)
{
    struct cache_value values[4] = {0};
    struct memory_cache *cache = memory_cache_new(1 << 20);
    bool done = cache != NULL;
    for (uint8_t i = 0; i < 4 && cache; i++) {
        struct cache_key key = key_of(i);
        cache_value_init(&values[i], 100, destroy);
        memory_cache_put(cache, &key, &values[i]);
        struct cache_value *found = memory_cache_get(cache, &key);
        assert_true(!found || found == &values[i]);
        done = done && found;
        cache_value_release(found);
        cache_value_release(&values[i]);
        assert_int_equal(values[i].cost, found ? 100 : 0);
    }
    faults_disarm();
    if (cache && !done) {
        struct cache_key key = key_of(9);
        struct cache_value value;
        cache_value_init(&value, 100, destroy);
        memory_cache_put(cache, &key, &value);
        assert_ptr_equal(memory_cache_get(cache, &key), &value);
        cache_value_release(&value);
        cache_value_release(&value);
        memory_cache_free(cache);
        assert_int_equal(value.cost, 0);
        return error_memory(error);
    }
    memory_cache_free(cache);
    return done || error_memory(error);
}

/* A connection to where nobody listens. Memory being out is a failure like that one. */
static bool work_link(struct error *error)
{
    struct buffer out = {0};
    const struct link_request request = {.verb = LINK_GET, .key = "key", .out = &out};
    struct link *link = link_open("127.0.0.1", 1, 10);
    if (!link)
        return error_memory(error);
    assert_int_equal(link_run(link, &request), LINK_FAILED);
    assert_int_equal(out.length, 0);
    link_close(link);
    return !faults_struck() || error_memory(error);
}

static bool work_flight(struct error *error)
{
    struct flights *flights = flights_new();
    struct flight_waiter waiter, other;
    struct cache_key key = key_of(1);
    if (!flights)
        return error_memory(error);
    enum flight_role role = flight_join(flights, &key, &waiter, NULL);
    faults_disarm();
    bool done = role == FLIGHT_LEADS;
    assert_true(done || role == FLIGHT_FAILED);
    assert_int_equal(flight_join(flights, &key, &other, NULL),
                     done ? FLIGHT_FOLLOWS : FLIGHT_LEADS);
    struct flight_waiter *first = flight_finish(flights, &key);
    assert_ptr_equal(first, done ? &waiter : &other);
    assert_ptr_equal(first->next, done ? &other : NULL);
    flights_free(flights);
    return done || error_memory(error);
}

static bool work_schema(struct error *error)
{
    struct buffer out = {0};
    const bool done = settings_schema(&out, error);
    assert_true(!done || out.length > 1000);
    buffer_free(&out);
    return done;
}

/* Lines of the access log: a buffer that could not grow has failed, and nothing is torn. */
static bool work_lines(struct error *error)
{
    const struct access_record record = {
        .status = 200, .route = "at", .texts = {[ACCESS_TARGET] = {"/at?x=1&y=\"2\xFF", 13}}};
    struct buffer out = {0};
    for (int i = 0; i < 20; i++)
        access_line_write(&record, i % 2 ? ACCESS_JSON : ACCESS_COMBINED, &out);
    const bool done = !out.failed;
    assert_true(!done || out.data[out.length - 1] == '\n');
    buffer_free(&out);
    return done || error_memory(error);
}

static bool work_counts(struct error *error)
{
    struct metrics *metrics = metrics_new(2, 30);
    struct metrics_counts *sum = NULL;
    if (metrics) {
        metrics_count_request(metrics_thread(metrics, 1), 30, 200, 5);
        sum = metrics_sum(metrics);
        assert_true(!sum || sum->routes[30].seconds.buckets[0] == 1);
    }
    const bool done = sum != NULL;
    free(sum);
    metrics_free(metrics);
    return done || error_memory(error);
}

#define WORK(name)                                                                                 \
    static void name##_fails_cleanly(void **state)                                                 \
    {                                                                                              \
        (void)state;                                                                               \
        fail_each(work_##name);                                                                    \
    }
WORK(json)
WORK(world)
WORK(reseed)
WORK(style)
WORK(paint)
WORK(grid)
WORK(points)
WORK(chunk)
WORK(openapi)
WORK(vector)
WORK(serve)
WORK(export)
WORK(stream)
WORK(lossy)
WORK(lossless)
WORK(text)
WORK(rectangle)
WORK(whole_rectangle)
WORK(raw_rectangle)
WORK(catalog)
WORK(cache)
WORK(flight)
WORK(link)
WORK(schema)
WORK(lines)
WORK(counts)

static int set_up(void **state)
{
    /* The library is shared, so its calls of malloc are not wrapped; these are. */
    cJSON_InitHooks(&(cJSON_Hooks){malloc, free});
    (void)state;
    if (!file_read("config/worlds/terra.json", 1 << 20, &terra, NULL) ||
        !file_read("config/styles/relief.json", 1 << 20, &relief, NULL))
        return -1;
    world = world_parse(world_text, strlen(world_text), "world.json", NULL, NULL);
    style = style_parse("relief", (const char *)relief.data, relief.length, "relief.json", NULL);
    return world && style ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    style_free(style);
    world_release(world);
    buffer_free(&terra);
    buffer_free(&relief);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sampling_allocates_nothing),
        cmocka_unit_test(json_fails_cleanly),
        cmocka_unit_test(world_fails_cleanly),
        cmocka_unit_test(reseed_fails_cleanly),
        cmocka_unit_test(style_fails_cleanly),
        cmocka_unit_test(paint_fails_cleanly),
        cmocka_unit_test(grid_fails_cleanly),
        cmocka_unit_test(points_fails_cleanly),
        cmocka_unit_test(vector_fails_cleanly),
        cmocka_unit_test(serve_fails_cleanly),
        cmocka_unit_test(export_fails_cleanly),
        cmocka_unit_test(lossy_fails_cleanly),
        cmocka_unit_test(lossless_fails_cleanly),
        cmocka_unit_test(text_fails_cleanly),
        cmocka_unit_test(stream_fails_cleanly),
        cmocka_unit_test(catalog_fails_cleanly),
        cmocka_unit_test(rectangle_fails_cleanly),
        cmocka_unit_test(whole_rectangle_fails_cleanly),
        cmocka_unit_test(raw_rectangle_fails_cleanly),
        cmocka_unit_test(cache_fails_cleanly),
        cmocka_unit_test(chunk_fails_cleanly),
        cmocka_unit_test(flight_fails_cleanly),
        cmocka_unit_test(link_fails_cleanly),
        cmocka_unit_test(schema_fails_cleanly),
        cmocka_unit_test(lines_fails_cleanly),
        cmocka_unit_test(counts_fails_cleanly),
        cmocka_unit_test(openapi_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
