/* Measures whether zooms of a world agree, and prints one JSON object:
 *
 *   zooms WORLD.json PLACES SEED FIRST LAST
 *
 * Half of the places are on coasts, half on land. Each is a tile of zoom START, and from there on
 * one of its four children, the first in a random order that is still coast or land. For each zoom
 * from FIRST to LAST the middle of each place's tile is classified and painted in the style
 * "relief", and so are the 2 × 2 times as many pixels of the next zoom (classes.h). zooms.mjs runs
 * it and makes a table. */
#include "core/tile/address.h"
#include "core/tile/style.h"
#include "server/worlds/catalog.h"
#include "tests/bench/land/classes.h"
#include "tests/bench/measure.h"
#include "tests/unit/core/random.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    START = 3,
    WITHIN_LOG2 = 27, /* places are within ± this, metres */
    SIDE = 128,       /* pixels of a view; of the closer one twice as many */
    SIDE_MAX = 2 * SIDE,
    PROBE = 16,      /* samples along a tile that may be chosen */
    LAKE_LEAST = 12, /* pixels, and 48 closer by: what is smaller is no lake */
    PLACES_MAX = 1000,
    TRIES_MAX = 1000,
    DIGITS = 4,
};

struct bench {
    const struct catalog_world *world;
    const struct painter *painter;
    struct canvas *canvas;
    unsigned layers[3]; /* height, and depth and snow if the world has them */
    int depth, snow;    /* their outputs, or -1 */
    unsigned layer_count;
    float *outputs[3];
    uint32_t *scratch;
    uint8_t *classes[2], *colours[2]; /* of the view, and closer by */
};

struct place_tile {
    struct tile_address tile;
    bool coast; /* else on land */
};

static void check(bool good, const char *what, const struct error *error)
{
    char text[640];
    error_format(error, text, sizeof text);
    if (!good)
        measure_stop(what, text);
}

static int add_layer(struct bench *bench, const char *name)
{
    const int layer = world_find_layer(bench->world->world, name);
    if (layer < 0)
        return -1;
    bench->layers[bench->layer_count] = (unsigned)layer;
    return (int)bench->layer_count++;
}

static void bench_open(struct bench *bench, struct catalog *catalog, const char *file)
{
    struct diagnostics diagnostics = {0};
    struct error error = {0};
    bench->world = catalog_open_file(catalog, file, NULL, &diagnostics);
    if (!bench->world)
        check(false, file, &diagnostics.errors[0]);
    bench->painter = catalog_painter(bench->world, "relief", &error);
    check(bench->painter, "style", &error);
    if (add_layer(bench, "height") < 0)
        measure_stop(file, "the world has no layer \"height\"");
    bench->depth = add_layer(bench, "depth");
    bench->snow = add_layer(bench, "snow");
    bench->canvas = canvas_new();
    if (!bench->canvas)
        measure_stop("memory", "there is none left");
    for (unsigned i = 0; i < 3; i++)
        bench->outputs[i] = measure_memory(sizeof(float) * SIDE_MAX * SIDE_MAX);
    bench->scratch = measure_memory(sizeof(uint32_t) * 2 * SIDE_MAX * SIDE_MAX);
    for (unsigned i = 0; i < 2; i++) {
        bench->classes[i] = measure_memory((size_t)SIDE_MAX * SIDE_MAX);
        bench->colours[i] = measure_memory((size_t)SIDE_MAX * SIDE_MAX * 3);
    }
}

static void sample(struct bench *bench, const struct sample_grid *grid, unsigned layer_count)
{
    const struct sample_request request = {bench->layers, bench->outputs, layer_count};
    struct error error = {0};
    check(sampler_grid(canvas_sampler(bench->canvas), world_program(bench->world->world), grid,
                       &request, &error),
          "sampling", &error);
}

/* The share of a tile that is land, by PROBE × PROBE of its samples. */
static double land_share(struct bench *bench, const struct tile_address *tile)
{
    struct sample_grid grid;
    tile_grid(tile, 256, 0, &grid);
    grid.x += grid.step * (256 / PROBE / 2);
    grid.y += grid.step * (256 / PROBE / 2);
    grid.step *= 256 / PROBE;
    grid.columns = grid.rows = PROBE;
    sample(bench, &grid, 1);
    unsigned above = 0;
    for (unsigned i = 0; i < PROBE * PROBE; i++)
        above += bench->outputs[0][i] > 0;
    return (double)above / (PROBE * PROBE);
}

static bool is_wanted(struct bench *bench, const struct tile_address *tile, bool coast)
{
    const double land = land_share(bench, tile);
    return coast ? land >= 0.2 && land <= 0.8 : land >= 0.9;
}

/* Tries to find a tile of START on a coast, or on land. */
static bool find_start(struct bench *bench, uint64_t *state, bool coast, struct tile_address *tile)
{
    const int64_t most = ((int64_t)1 << (WITHIN_LOG2 + 16)) / tile_span(START);
    const int64_t middle = (int64_t)1 << (START - 1);
    for (unsigned tries = 0; tries < TRIES_MAX; tries++) {
        *tile = (struct tile_address){START, middle + random_whole(state, -most, most - 1),
                                      middle + random_whole(state, -most, most - 1)};
        if (is_wanted(bench, tile, coast))
            return true;
    }
    return false;
}

/* Half of the places are on coasts; all or none in a world that has nothing else. */
static void choose_starts(struct bench *bench, uint64_t *state, struct place_tile *places,
                          unsigned count)
{
    bool has[2] = {true, true}; /* land, coasts */
    for (unsigned i = 0; i < count; i++) {
        bool coast = has[i % 2] ? i % 2 : !(i % 2);
        if (has[coast] && !find_start(bench, state, coast, &places[i].tile)) {
            has[coast] = false;
            coast = !coast;
            if (!has[coast] || !find_start(bench, state, coast, &places[i].tile))
                measure_stop("places", "there is neither land nor a coast");
        }
        places[i].coast = coast;
    }
}

/* A child that is wanted, or else the last that was looked at. */
static struct tile_address choose_child(struct bench *bench, const struct place_tile *place,
                                        uint64_t *state)
{
    const unsigned turn = (unsigned)random_whole(state, 0, 3);
    const struct tile_address *tile = &place->tile;
    struct tile_address child = *tile;
    for (unsigned i = 0; i < 4; i++) {
        const unsigned which = i ^ turn;
        child =
            (struct tile_address){tile->zoom + 1, 2 * tile->x + which % 2, 2 * tile->y + which / 2};
        if (is_wanted(bench, &child, place->coast))
            break;
    }
    return child;
}

/* The places' tiles of a zoom: those of START are chosen, those of zooms before it hold these. */
static struct tile_address tile_of_zoom(const struct tile_address *tile, int zoom)
{
    const int more = tile->zoom - zoom;
    return (struct tile_address){zoom, tile->x >> more, tile->y >> more};
}

/* The middle of a tile, `side` pixels along its side of those that a view `closer` zooms on has. */
static struct sample_grid middle_of(const struct tile_address *tile, int closer)
{
    const uint32_t side = (uint32_t)SIDE << closer;
    struct sample_grid grid;
    tile_grid(tile, 256, 0, &grid);
    grid.x += grid.step * (256 - SIDE) / 2;
    grid.y += grid.step * (256 - SIDE) / 2;
    grid.x -= closer * grid.step / 4;
    grid.y -= closer * grid.step / 4;
    grid.step >>= closer;
    grid.spacing = tile_spacing(tile->zoom + closer);
    grid.columns = grid.rows = side;
    return grid;
}

static void make_view(struct bench *bench, const struct sample_grid *grid, unsigned closer)
{
    struct image image;
    struct error error = {0};
    sample(bench, grid, bench->layer_count);
    const struct land_samples samples = {
        .side = grid->columns,
        .heights = bench->outputs[0],
        .depths = bench->depth < 0 ? NULL : bench->outputs[bench->depth],
        .snow = bench->snow < 0 ? NULL : bench->outputs[bench->snow],
    };
    land_classify(&samples, (uint32_t)LAKE_LEAST << (2 * closer), bench->scratch,
                  bench->classes[closer]);
    check(painter_paint(bench->painter, bench->canvas, grid, &image, &error), "painting", &error);
    if (image.format != IMAGE_RGB8)
        measure_stop("style", "its pictures have no colours");
    for (size_t y = 0; y < image.height; y++)
        for (size_t i = 0; i < 3 * (size_t)image.width; i++)
            bench->colours[closer][3 * y * image.width + i] = image.pixels[y * image.stride + i];
}

static void add_place(struct bench *bench, const struct tile_address *tile,
                      struct land_agreement *sums)
{
    for (int closer = 0; closer < 2; closer++) {
        const struct sample_grid grid = middle_of(tile, closer);
        make_view(bench, &grid, (unsigned)closer);
    }
    const uint8_t *const classes[] = {bench->classes[0], bench->classes[1]};
    const uint8_t *const colours[] = {bench->colours[0], bench->colours[1]};
    land_agreement_add(sums, SIDE, classes, colours);
}

static void write_zoom(struct json_writer *json, int zoom, const struct land_agreement *sums)
{
    static const char *const names[LAND_CLASSES] = {"land", "sea", "lake", "ice"};
    const double agreed = (double)sums->agreed, pixels = (double)sums->pixels;
    json_object_open(json);
    json_member_integer(json, "zoom", zoom);
    measure_member(json, "disagreement", land_disagreement(sums), DIGITS);
    measure_member(json, "colour", sums->colour / pixels, DIGITS);
    json_member_object(json, "shares"); /* here, and closer by */
    for (int i = 0; i < LAND_CLASSES; i++) {
        json_member_array(json, names[i]);
        for (int closer = 0; closer < 2; closer++)
            json_write_double(json,
                              (double)sums->count[closer][i] / (closer ? 4 * pixels : pixels));
        json_array_close(json);
    }
    json_object_close(json);
    json_member_object(json, "changes");
    for (int i = 0; i < LAND_CLASSES; i++)
        for (int j = 0; j < LAND_CLASSES; j++) {
            char name[32];
            snprintf(name, sizeof name, "%s_to_%s", names[i], names[j]);
            if (i != j)
                measure_member(json, name, (double)sums->from_to[i][j] / agreed, DIGITS);
        }
    json_object_close(json);
    json_object_close(json);
}

/* Measures all places at one zoom after the other. */
static void write_zooms(struct json_writer *json, struct bench *bench, unsigned places,
                        uint64_t seed, const int zooms[2])
{
    static struct place_tile tiles[PLACES_MAX];
    uint64_t state = (seed + 1) * 0x9E3779B97F4A7C15u;
    choose_starts(bench, &state, tiles, places);
    json_member_array(json, "zooms");
    for (int zoom = 0; zoom <= zooms[1]; zoom++) {
        struct land_agreement sums = {0};
        for (unsigned i = 0; i < places; i++) {
            if (zoom > START)
                tiles[i].tile = choose_child(bench, &tiles[i], &state);
            const struct tile_address tile =
                zoom > START ? tiles[i].tile : tile_of_zoom(&tiles[i].tile, zoom);
            if (zoom >= zooms[0])
                add_place(bench, &tile, &sums);
        }
        if (zoom >= zooms[0])
            write_zoom(json, zoom, &sums);
    }
    json_array_close(json);
}

/* A whole number from low to high. */
static int read_number(const char *text, int low, int high)
{
    char *rest, why[80];
    const long value = strtol(text, &rest, 10);
    snprintf(why, sizeof why, "must be a whole number from %d to %d", low, high);
    if (rest == text || *rest || value < low || value > high)
        measure_stop(text, why);
    return (int)value;
}

int main(int count, char **words)
{
    static struct bench bench;
    struct buffer out = {0};
    struct json_writer json;
    struct error error = {0};
    if (count != 6)
        measure_stop("usage", "zooms WORLD.json PLACES SEED FIRST LAST");
    const int places = read_number(words[2], 1, PLACES_MAX);
    const int seed = read_number(words[3], 0, INT32_MAX);
    const int last = read_number(words[5], 0, TILE_ZOOM_MAX - 1);
    const int first = read_number(words[4], 0, last);
    struct catalog *catalog = catalog_load(&(struct catalog_options){0}, &error);
    check(catalog, "worlds", &error);
    bench_open(&bench, catalog, words[1]);
    json_begin(&json, &out, true);
    json_object_open(&json);
    write_zooms(&json, &bench, (unsigned)places, (uint64_t)seed, (const int[]){first, last});
    json_object_close(&json);
    json_finish(&json);
    if (out.failed || fwrite(out.data, 1, out.length, stdout) != out.length)
        measure_stop("output", "it cannot be written");
    return 0;
}
