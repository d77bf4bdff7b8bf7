/* Milliseconds of a cold tile in each format, by what they go into. Every tile is sampled alone,
 * then made as the daemon makes it for a client that takes gzip, by one thread that has made tiles
 * before. Painting is what making took longer than sampling until there was something to encode:
 * colours, or lines and objects. A warm tile is a relief tile made again at once: the sampler still
 * has the streams and the land that it needs. Walks are relief tiles made in order, neighbour after
 * neighbour, as for a screen: each finds what the ones before have left in the sampler's memory. */
#include "core/encode/terminal.h"
#include "core/terrain/surface.h"
#include "core/tile/style_private.h"
#include "core/tile/vector_tile.h"
#include "server/render/format.h"
#include "server/render/price.h"
#include "server/render/tile_task.h"
#include "server/worlds/catalog.h"
#include "tests/bench/measure.h"
#include "tests/bench/places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROUNDS = 3,
    CASES_MAX = 128,
    SIZE_MAX_PIXELS = 512,
    TARGET_ZOOM_MAX = 17,
    WALK_COLUMNS = 6, /* tiles of a screen */
    WALK_ROWS = 4,
    WALK_LOG2 = 3, /* a walk is in the middle of a tile so many zooms farther out */
};

struct tile_case {
    const char *style, *format;
    uint32_t size;
    int zoom;
    bool warm_too;
    /* ms a tile, the mean of the places, and of those on land; warm ones only of relief */
    struct series sample, paint, encode, whole, warm, land;
    size_t bytes; /* of all places */
};

struct tile_bench {
    const struct catalog_world *world;
    struct tile_maker *maker;
    struct sampler *sampler;
    struct buffer bytes;
    float *samples; /* of every layer a painter reads */
    struct tile_address places[TILE_ZOOM_MAX + 1][PLACES];
};

static void check(bool good, const char *what, const struct error *error)
{
    char text[640];
    error_format(error, text, sizeof text);
    if (!good)
        measure_stop(what, text);
}

static const struct format *case_format(const struct tile_case *work)
{
    return format_find(work->format, strlen(work->format));
}

/* The layers that the format needs, and how many samples beyond the tile. */
static struct sample_request list_layers(const struct tile_bench *bench,
                                         const struct painter *painter,
                                         const struct tile_case *work,
                                         unsigned layers[STYLE_LAYERS_MAX], uint32_t *apron)
{
    uint32_t shown[STYLE_LAYERS_MAX];
    const int water = surface_water_layer(bench->world->world);
    const struct format *format = case_format(work);
    *apron = 0;
    layers[0] = painter_layer(painter);
    if (format->price == tile_price_painted) {
        const double spacing = tile_spacing(work->zoom) * 256.0 / work->size;
        const uint32_t count = painter_shown_layers(painter, (float)spacing, shown);
        for (uint32_t i = 0; i < count; i++)
            layers[i] = painter->layers[shown[i]];
        *apron = painter->apron;
        return (struct sample_request){layers, NULL, count};
    }
    if (format->interval) {
        *apron = work->size * VECTOR_TILE_BUFFER / FEATURES_EXTENT + 1;
        layers[0] = world_height_layer(bench->world->world);
        layers[1] = (unsigned)water;
        return (struct sample_request){layers, NULL, water < 0 ? 1 : 2};
    }
    return (struct sample_request){layers, NULL, 1};
}

/* The same samples that making the tile takes, apron included. */
static void sample_tile(struct tile_bench *bench, const struct painter *painter,
                        const struct tile_case *work, const struct tile_address *address)
{
    struct sample_grid grid;
    struct error error = {0};
    float *outputs[STYLE_LAYERS_MAX];
    unsigned layers[STYLE_LAYERS_MAX];
    uint32_t apron;
    struct sample_request request = list_layers(bench, painter, work, layers, &apron);
    tile_grid(address, work->size, apron, &grid);
    for (uint32_t i = 0; i < request.count; i++)
        outputs[i] = bench->samples + i * (size_t)grid.columns * grid.rows;
    request.outputs = outputs;
    check(sampler_grid(bench->sampler, world_program(bench->world->world), &grid, &request, &error),
          "sampling", &error);
}

/* Seconds spent on one tile. */
struct times {
    double sample, paint, encode, warm;
};

/* Makes a tile as the daemon does. */
static void make_tile(struct tile_bench *bench, const struct painter *painter,
                      const struct tile_case *work, const struct tile_address *address)
{
    struct error error = {0};
    const struct format *format = case_format(work);
    const struct tile_order order = {
        .world = bench->world->world,
        .painter = painter,
        .format = format,
        .address = *address,
        .size = work->size,
        .columns = (uint32_t)TERMINAL_COLUMNS,
        .coding = format->codings & 1U << CODING_GZIP ? CODING_GZIP : CODING_IDENTITY,
    };
    buffer_clear(&bench->bytes);
    check(tile_make(bench->maker, &order, TILE_FAST, &bench->bytes, &error), work->format, &error);
}

static void measure_tile(struct tile_bench *bench, const struct painter *painter,
                         struct tile_case *work, const struct tile_address *address,
                         struct times *times)
{
    const double start = measure_now();
    sample_tile(bench, painter, work, address);
    const double sampled = measure_now();
    make_tile(bench, painter, work, address);
    const double whole = measure_now() - sampled;
    const double encode = tile_maker_times(bench->maker).encode / 1e6;
    times->sample += sampled - start;
    times->paint += whole - encode;
    times->encode += encode;
    work->bytes += bench->bytes.length;
    if (!work->warm_too)
        return;
    const double again = measure_now();
    make_tile(bench, painter, work, address);
    times->warm += measure_now() - again;
}

/* One round; its times count unless it is the first, which only makes everything warm. */
static void measure_case(struct tile_bench *bench, struct tile_case *work, bool counts)
{
    struct error error = {0};
    struct times times = {0};
    const struct painter *painter = catalog_painter(bench->world, work->style, &error);
    check(painter, work->style, &error);
    work->bytes = 0;
    double land = 0;
    for (int i = 0; i < PLACES; i++) {
        measure_tile(bench, painter, work, &bench->places[work->zoom][i], &times);
        if (i == PLACES_LAND - 1)
            land = times.paint + times.encode;
    }
    if (!counts)
        return;
    const double scale = 1e3 / PLACES;
    series_add(&work->land, land * 1e3 / PLACES_LAND);
    series_add(&work->sample, times.sample * scale);
    series_add(&work->paint, (times.paint - times.sample) * scale);
    series_add(&work->encode, times.encode * scale);
    series_add(&work->whole, (times.paint + times.encode) * scale);
    series_add(&work->warm, times.warm * scale);
}

/* One round of walks over the screenfuls in the middle of land, a tile of 2³ × 2³ such tiles. */
static void measure_walk(struct tile_bench *bench, struct tile_case *walk)
{
    struct error error = {0};
    const struct painter *painter = catalog_painter(bench->world, walk->style, &error);
    check(painter, walk->style, &error);
    const double start = measure_now();
    for (int i = 0; i < PLACES_LAND * WALK_COLUMNS * WALK_ROWS; i++) {
        const struct tile_address *land =
            &bench->places[walk->zoom - WALK_LOG2][i / (WALK_COLUMNS * WALK_ROWS)];
        const int64_t column = i % WALK_COLUMNS, row = i / WALK_COLUMNS % WALK_ROWS;
        const struct tile_address address = {
            .zoom = walk->zoom,
            .x = land->x * (1 << WALK_LOG2) + ((1 << WALK_LOG2) - WALK_COLUMNS) / 2 + column,
            .y = land->y * (1 << WALK_LOG2) + ((1 << WALK_LOG2) - WALK_ROWS) / 2 + row,
        };
        make_tile(bench, painter, walk, &address);
    }
    series_add(&walk->whole,
               (measure_now() - start) * 1e3 / (PLACES_LAND * WALK_COLUMNS * WALK_ROWS));
}

/* The walks of a round are at all zooms, and each displaces what the one before has left. */
static void bench_walks(struct json_writer *json, struct tile_bench *bench)
{
    enum { WALKS = 4 };
    static const int zooms[WALKS] = {3, 8, 12, 16};
    static struct tile_case walks[WALKS];
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < WALKS; i++) {
            walks[i].style = "relief";
            walks[i].format = "png";
            walks[i].size = 256;
            walks[i].zoom = zooms[i];
            measure_walk(bench, &walks[i]);
        }
    json_write_key(json, "walks");
    json_array_open(json);
    for (int i = 0; i < WALKS; i++) {
        json_object_open(json);
        json_member_integer(json, "zoom", walks[i].zoom);
        measure_member(json, "tile_ms", series_median(&walks[i].whole), 3);
        measure_member(json, "least_ms", series_least(&walks[i].whole), 3);
        json_object_close(json);
    }
    json_array_close(json);
}

/* Lists the cases: relief, the most requested style, at every zoom; then other styles and formats
 * at a few zooms. */
static unsigned list_cases(struct tile_case *cases, bool relief_only)
{
    static const struct tile_case kinds[] = {
        {.style = "biome", .format = "png", .size = 256},
        {.style = "terrarium", .format = "png", .size = 256},
        {.style = "height", .format = "png", .size = 256},
        {.style = "contour", .format = "png", .size = 256},
        {.style = "hillshade", .format = "png", .size = 256},
        {.style = "relief", .format = "png", .size = 512},
        {.style = "relief", .format = "webp", .size = 256},
        {.style = "biome", .format = "webp", .size = 256},
        {.style = "terrarium", .format = "webp", .size = 256},
        {.style = "height", .format = "r32f", .size = 256},
        {.style = "height", .format = "r16", .size = 256},
        {.style = "height", .format = "json", .size = 64},
        {.style = "height", .format = "mvt", .size = 256},
        {.style = "height", .format = "txt", .size = 256},
        {.style = "relief", .format = "ansi", .size = 256},
    };
    static const int zooms[] = {2, 6, 10, 14, 18};
    unsigned count = 0;
    for (int zoom = 0; zoom <= TILE_ZOOM_MAX; zoom++)
        cases[count++] = (struct tile_case){
            .style = "relief", .format = "png", .size = 256, .zoom = zoom, .warm_too = true};
    for (unsigned i = 0; !relief_only && i < sizeof kinds / sizeof *kinds; i++)
        for (unsigned j = 0; j < sizeof zooms / sizeof *zooms; j++) {
            cases[count] = kinds[i];
            cases[count++].zoom = zooms[j];
        }
    return count;
}

static void write_case(struct json_writer *json, const struct tile_case *done)
{
    json_object_open(json);
    json_member_string(json, "style", done->style);
    json_member_string(json, "format", done->format);
    json_member_integer(json, "size", done->size);
    json_member_integer(json, "zoom", done->zoom);
    measure_member(json, "sample_ms", series_median(&done->sample), 3);
    double paint = series_median(&done->paint); /* may be less than the noise of its terms */
    measure_member(json, "paint_ms", paint > 0 ? paint : 0, 3);
    measure_member(json, "encode_ms", series_median(&done->encode), 3);
    measure_member(json, "whole_ms", series_median(&done->whole), 3);
    measure_member(json, "least_ms", series_least(&done->whole), 3);
    measure_member(json, "land_ms", series_median(&done->land), 3);
    if (done->warm_too)
        measure_member(json, "warm_ms", series_median(&done->warm), 3);
    json_member_integer(json, "bytes", (int64_t)(done->bytes / PLACES));
    measure_member(json, "encode_to_sample", series_ratio(&done->encode, &done->sample), 3);
    json_object_close(json);
}

/* Writes the figures that have targets: relief tiles from the whole world to a metre per pixel. */
static void write_relief(struct json_writer *json, const struct tile_case *cases)
{
    struct series whole = {0}, ratio = {0}, warm = {0};
    double worst = 0, worst_ratio = 0;
    int worst_zoom = 0;
    for (int zoom = 0; zoom <= TARGET_ZOOM_MAX; zoom++) {
        double ms = series_median(&cases[zoom].whole);
        double encode = series_ratio(&cases[zoom].encode, &cases[zoom].sample);
        series_add(&whole, ms);
        series_add(&warm, series_median(&cases[zoom].warm));
        series_add(&ratio, encode);
        worst_zoom = ms > worst ? zoom : worst_zoom;
        worst = ms > worst ? ms : worst;
        worst_ratio = encode > worst_ratio ? encode : worst_ratio;
    }
    json_write_key(json, "relief");
    json_object_open(json);
    json_member_integer(json, "zoom_max", TARGET_ZOOM_MAX);
    measure_member(json, "median_ms", series_median(&whole), 3);
    measure_member(json, "worst_ms", worst, 3);
    json_member_integer(json, "worst_zoom", worst_zoom);
    measure_member(json, "warm_median_ms", series_median(&warm), 3);
    measure_member(json, "encode_to_sample", series_median(&ratio), 3);
    measure_member(json, "worst_encode_to_sample", worst_ratio, 3);
    json_object_close(json);
}

void bench_tiles(struct json_writer *json, bool relief_only)
{
    static struct tile_case cases[CASES_MAX];
    struct error error = {0};
    struct catalog *catalog = catalog_load(&(struct catalog_options){0}, &error);
    check(catalog, "worlds", &error);
    struct tile_bench bench = {
        .world = catalog_default(catalog),
        .maker = tile_maker_new(),
        .sampler = sampler_new(),
        .samples = measure_memory(sizeof(float) * STYLE_LAYERS_MAX * (SIZE_MAX_PIXELS + 2) *
                                  (SIZE_MAX_PIXELS + 2)),
    };
    if (!bench.maker || !bench.sampler)
        measure_stop("memory", "there is none left");
    for (int zoom = 0; zoom <= TILE_ZOOM_MAX; zoom++)
        places_choose(bench.sampler, bench.world->world, zoom, bench.places[zoom]);
    unsigned count = list_cases(cases, relief_only);
    for (int round = -1; round < ROUNDS; round++)
        for (unsigned i = 0; i < count; i++)
            measure_case(&bench, &cases[i], round >= 0);
    json_member_string(json, "world", bench.world->identity.name);
    json_write_key(json, "tiles");
    json_array_open(json);
    for (unsigned i = 0; i < count; i++)
        write_case(json, &cases[i]);
    json_array_close(json);
    write_relief(json, cases);
    if (!relief_only)
        bench_walks(json, &bench);
    sampler_free(bench.sampler);
    tile_maker_free(bench.maker);
    buffer_free(&bench.bytes);
    free(bench.samples);
    catalog_free(catalog);
}
