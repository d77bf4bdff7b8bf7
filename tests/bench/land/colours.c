/* Measures how varied the colours of vegetated land are in the style "relief", and prints one JSON
 * object:
 *
 *   colours WORLD.json COUNT SEED ZOOM…
 *
 * For each zoom, COUNT windows of 512 × 512 pixels are chosen by the seed: tiles of the next
 * coarser zoom (tiles.h), on three quarters of which plants grow where the world has a layer
 * "vegetation". `deviation` of each is that of the colours of its land (lab.h), without water and
 * bare ground. figures.mjs runs it and makes a table. */
#include "core/tile/address.h"
#include "server/worlds/catalog.h"
#include "tests/bench/land/lab.h"
#include "tests/bench/land/tiles.h"
#include "tests/bench/land/words.h"
#include "tests/bench/measure.h"

#include <stdio.h>

enum { WINDOWS_MAX = 1000, DIGITS = 4 };

struct colours {
    struct land_world land;
    struct catalog *catalog;
    const struct catalog_world *world; /* the same one, with its styles */
    const struct painter *painter;
    struct canvas *canvas;
};

static void check(bool good, const struct error *error)
{
    char text[640];
    error_format(error, text, sizeof text);
    if (!good)
        measure_stop("colours", text);
}

static void colours_open(struct colours *colours, const char *file)
{
    struct error error = {0};
    struct diagnostics diagnostics = {0};
    land_world_open(&colours->land, file);
    land_world_want_vegetation(&colours->land);
    colours->catalog = catalog_load(&(struct catalog_options){0}, &error);
    check(colours->catalog, &error);
    colours->world = catalog_open_file(colours->catalog, file, NULL, &diagnostics);
    check(colours->world, &diagnostics.errors[0]);
    colours->painter = catalog_painter(colours->world, "relief", &error);
    check(colours->painter, &error);
    colours->canvas = canvas_new();
    if (!colours->canvas)
        measure_stop("memory", "there is none left");
}

static void colours_close(struct colours *colours)
{
    canvas_free(colours->canvas);
    catalog_release(colours->world);
    catalog_free(colours->catalog);
    land_world_close(&colours->land);
}

/* Adds the colours of a tile's land. */
static void add_tile(struct colours *colours, const struct tile_address *tile,
                     struct lab_sums *sums)
{
    const struct tile_address address = {tile->zoom, tile->x, tile->y};
    const struct land_grid grid = land_sample(&colours->land, tile, 0, land_spacing(tile->zoom));
    struct sample_grid pixels;
    struct image image;
    struct error error = {0};
    tile_grid(&address, LAND_TILE, 0, &pixels);
    check(painter_paint(colours->painter, colours->canvas, &pixels, &image, &error), &error);
    if (image.format != IMAGE_RGB8)
        measure_stop("colours", "the style \"relief\" has none");
    for (size_t i = 0; i < LAND_TILE * LAND_TILE; i++)
        if (!grid.under[i])
            lab_add(sums, image.pixels + i / LAND_TILE * image.stride + i % LAND_TILE * 3);
}

/* Writes the deviation of the colours in a window of four tiles. */
static void write_window(struct json_writer *json, struct colours *colours,
                         const struct tile_address *window)
{
    struct lab_sums sums = {0};
    for (int i = 0; i < 4; i++) {
        const struct tile_address tile = {window->zoom + 1, 2 * window->x + i % 2,
                                          2 * window->y + i / 2};
        add_tile(colours, &tile, &sums);
    }
    json_object_open(json);
    json_member_integer(json, "x", window->x);
    json_member_integer(json, "y", window->y);
    measure_member(json, "deviation", lab_deviation(&sums), DIGITS);
    json_object_close(json);
}

static void write_zoom(struct json_writer *json, struct colours *colours, int zoom, uint64_t seed,
                       unsigned count)
{
    static struct tile_address windows[WINDOWS_MAX];
    land_choose(&colours->land, zoom - 1, seed, count, windows);
    json_object_open(json);
    json_member_integer(json, "zoom", zoom);
    json_member_array(json, "windows");
    for (unsigned i = 0; i < count; i++)
        write_window(json, colours, &windows[i]);
    json_array_close(json);
    json_object_close(json);
}

int main(int count, char **words)
{
    struct colours colours = {0};
    struct buffer out = {0};
    struct json_writer json;
    if (count < 5)
        measure_stop("usage", "colours WORLD.json COUNT SEED ZOOM…");
    const unsigned windows = (unsigned)land_word(words[2], 1, WINDOWS_MAX);
    const uint64_t seed = (uint64_t)land_word(words[3], 0, INT32_MAX);
    colours_open(&colours, words[1]);
    json_begin(&json, &out, true);
    json_object_open(&json);
    json_member_array(&json, "colours");
    for (int i = 4; i < count; i++)
        write_zoom(&json, &colours, (int)land_word(words[i], 1, LAND_ZOOM_MAX), seed, windows);
    json_array_close(&json);
    json_object_close(&json);
    json_finish(&json);
    if (out.failed || fwrite(out.data, 1, out.length, stdout) != out.length)
        measure_stop("output", "it cannot be written");
    buffer_free(&out);
    colours_close(&colours);
    return 0;
}
