/* Prints hashes of samples and pixels, for builds to be compared by.
 *
 *   samples WORLD.json… -- STYLE.json…
 *
 * For each world: every layer over grids near the origin, far out and at the edge, at several
 * levels of detail, and at scattered places, the grids by the library's digest as well, with the
 * work that is counted; then the pixels of each style that the world has the layers for. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/drainage/store/cache_share.h"
#include "core/sampling/sampler.h"
#include "core/terrane.h"
#include "core/tile/address.h"
#include "core/tile/style.h"
#include "server/base/file.h"

/* A grid of two bands of rows (core/sampling/sampler.c), of a width that no vector divides. */
enum { COLUMNS = 83, ROWS = 27, GRID = COLUMNS * ROWS, PLACES = 16 };
/* Nothing that is kept of a network is given up: how much fits into less depends on the size of
 * pointers, and what is made again counts as work. */
#define NETWORK_MEMORY ((size_t)1 << 29)

static const struct tile_address tiles[] = {
    {0, 0, 0},          {3, 4, 2},       {6, 31, 33},          {9, 300, -17},
    {12, 2047, 2048},   {14, -70000, 5}, {17, 1 << 30, 65536}, {20, 524287, 524288},
    {20, -(1 << 30), 9}};
enum { TILES = sizeof tiles / sizeof *tiles };

struct work {
    const char *file;
    struct world *world;
    struct canvas *canvas;
};

static bool fail(const char *file, const struct error *error)
{
    char line[1024];
    error_format(error, line, sizeof line);
    fprintf(stderr, "%s: %s\n", file, line);
    return false;
}

static struct sample_grid tile_part(const struct tile_address *tile)
{
    struct sample_grid grid;
    tile_grid(tile, 256, 0, &grid);
    grid.columns = COLUMNS;
    grid.rows = ROWS;
    return grid;
}

/* Bits in one order of bytes on every machine. */
static uint64_t hash_floats(const float *values, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        seed = hash_mix(seed + bits);
    }
    return seed;
}

/* The digest that clients compare. */
static uint64_t hash_digest(const float *values, size_t count, uint64_t seed)
{
    char digest[TERRANE_DIGEST_TEXT];
    terrane_digest(values, count, digest);
    return hash_bytes(digest, sizeof digest, seed).low;
}

static bool hash_grid(const struct work *work, const struct sample_grid *grid,
                      const struct sample_request *request, uint64_t *hash)
{
    struct error error = {0};
    if (!sampler_grid(canvas_sampler(work->canvas), world_program(work->world), grid, request,
                      &error))
        return fail(work->file, &error);
    for (uint32_t i = 0; i < request->count; i++)
        *hash =
            hash_digest(request->outputs[i], GRID, hash_floats(request->outputs[i], GRID, *hash));
    *hash = hash_mix(*hash + sampler_meter(canvas_sampler(work->canvas))->done);
    return true;
}

/* The number of the tile chooses the places. */
static bool hash_points(const struct work *work, unsigned tile, const struct sample_grid *grid,
                        const struct sample_request *request, uint64_t *hash)
{
    struct error error = {0};
    struct place places[PLACES];
    for (unsigned k = 0; k < PLACES; k++)
        places[k] = (struct place){(int64_t)(hash_mix(tile * PLACES + k) >> 8) - PLACE_LIMIT / 2,
                                   (int64_t)(hash_mix(~(uint64_t)k) >> 20 >> tile)};
    const struct sample_points points = {places, PLACES, tile % 2 ? grid->spacing : 0.0, grid->t,
                                         grid->z};
    if (!sampler_points(canvas_sampler(work->canvas), world_program(work->world), &points, request,
                        &error))
        return fail(work->file, &error);
    for (uint32_t i = 0; i < request->count; i++)
        *hash = hash_floats(request->outputs[i], PLACES, *hash);
    return true;
}

/* All layers by one request, which makes a drainage network once for all of them. */
static bool hash_samples(const struct work *work)
{
    static float values[WORLD_LAYERS_MAX][GRID];
    unsigned layers[WORLD_LAYERS_MAX];
    float *outputs[WORLD_LAYERS_MAX];
    uint64_t hash = 0;
    const struct sample_request request = {layers, outputs, world_layer_count(work->world)};
    for (unsigned layer = 0; layer < request.count; layer++) {
        layers[layer] = layer;
        outputs[layer] = values[layer];
    }
    for (unsigned i = 0; i < TILES; i++) {
        struct sample_grid grid = tile_part(&tiles[i]);
        grid.z = (int64_t)hash_mix(i) >> 24;
        grid.t = (int64_t)hash_mix(~(uint64_t)i) >> 30;
        if (!hash_grid(work, &grid, &request, &hash) ||
            !hash_points(work, i, &grid, &request, &hash))
            return false;
    }
    printf("%016llx %s\n", (unsigned long long)hash, work->file);
    return true;
}

static bool hash_pixels(const struct work *work, const struct painter *painter, const char *file)
{
    struct error error = {0};
    struct image image;
    uint64_t hash = 0;
    for (unsigned i = 0; i < TILES; i++) {
        const struct sample_grid grid = tile_part(&tiles[i]);
        if (!painter_paint(painter, work->canvas, &grid, &image, &error))
            return fail(file, &error);
        for (uint32_t y = 0; y < image.height; y++)
            hash = hash_bytes(image.pixels + y * image.stride, image.stride, hash).low;
    }
    printf("%016llx %s %s\n", (unsigned long long)hash, work->file, file);
    return true;
}

static bool run_style(const struct work *work, const char *file)
{
    struct error error = {0};
    struct buffer text = {0};
    struct style *style = NULL;
    struct painter *painter = NULL;
    if (file_read(file, 1 << 20, &text, &error))
        style = style_parse("style", (const char *)text.data, text.length, file, &error);
    if (style)
        painter = painter_new(style, work->world, &error);
    bool fits = style && (painter || error.code == ERROR_UNKNOWN);
    bool done = fits ? !painter || hash_pixels(work, painter, file) : fail(file, &error);
    painter_free(painter);
    style_free(style);
    buffer_free(&text);
    return done;
}

static bool run_world(const char *file, char **styles)
{
    struct error error = {0};
    struct buffer text = {0};
    struct work work = {.file = file, .canvas = canvas_new()};
    struct drainage_cache *network = drainage_cache_new(NETWORK_MEMORY);
    if (work.canvas && network)
        sampler_set_cache(canvas_sampler(work.canvas), network);
    if (file_read(file, 1 << 20, &text, &error))
        work.world = world_parse((const char *)text.data, text.length, file, NULL, &error);
    bool done = work.world && work.canvas ? hash_samples(&work) : fail(file, &error);
    for (; done && *styles; styles++)
        done = run_style(&work, *styles);
    canvas_free(work.canvas);
    drainage_cache_release(network);
    world_release(work.world);
    buffer_free(&text);
    return done;
}

int main(int argc, char **argv)
{
    int worlds = 1;
    /* The library must not care for a locale, so let there be one if it is asked for. */
    const char *locale = getenv("LC_ALL");
    if (locale && !setlocale(LC_ALL, locale)) {
        fprintf(stderr, "there is no locale %s\n", locale);
        return 1;
    }
    while (worlds < argc && strcmp(argv[worlds], "--") != 0)
        worlds++;
    if (worlds == 1 || worlds == argc) {
        fprintf(stderr, "usage: samples WORLD.json... -- STYLE.json...\n");
        return 2;
    }
    for (int i = 1; i < worlds; i++)
        if (!run_world(argv[i], argv + worlds + 1))
            return 1;
    return 0;
}
