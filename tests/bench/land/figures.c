/* Measures the land of a world from outside, and prints one JSON object:
 *
 *   figures WORLD.json COUNT SEED ZOOM|ZOOM/X/Y…
 *
 * For each zoom, COUNT tiles of land are chosen by the seed (tiles.h); tiles given as ZOOM/X/Y are
 * taken instead of these. `zooms` has figures of these tiles. `steps` has how far heights at a
 * level of detail are from those at the next coarser one, at the same places, in the tiles of each
 * zoom that hold the middle of a tile of the closest zoom. figures.mjs runs it and makes a
 * table. */
#include "tests/bench/land/shape.h"
#include "tests/bench/land/tiles.h"
#include "tests/bench/measure.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TILES_MAX = 1000,
    UPSTREAM = 200, /* samples above the beginning of a valley line */
    DIGITS = 6,
};

/* The tiles of a zoom. */
struct land_view {
    int zoom;
    unsigned count;
    struct land_tile tiles[TILES_MAX];
};

/* Sums over tiles. */
struct land_sums {
    double land, water, valleys, hollow, power[LAND_OCTAVES];
    uint32_t pits;
    size_t slope_count;
    float *slopes; /* of the samples of all tiles */
};

static struct land_view views[LAND_ZOOM_MAX + 1]; /* by zoom */

static void write_tile(struct json_writer *json, const struct land_tile *tile, double valleys)
{
    json_object_open(json);
    json_member_integer(json, "x", tile->x);
    json_member_integer(json, "y", tile->y);
    measure_member(json, "valley_length", valleys, DIGITS);
    json_object_close(json);
}

/* Adds a tile's figures; returns the length of its valley lines. */
static double add_tile(struct land_sums *sums, struct land_flow *flow, const struct land_grid *grid,
                       double spacing)
{
    double power[LAND_OCTAVES];
    land_flow_find(flow, grid);
    const double valleys = land_valley_length(flow, grid, UPSTREAM);
    sums->valleys += valleys;
    sums->hollow += land_valley_samples(grid);
    sums->pits += land_pits(flow, grid);
    sums->slope_count += land_slopes(grid, spacing, sums->slopes + sums->slope_count);
    land_power(grid, power);
    for (int i = 0; i < LAND_OCTAVES; i++)
        sums->power[i] += power[i];
    for (uint32_t y = grid->margin; y < grid->side - grid->margin; y++)
        for (uint32_t x = grid->margin; x < grid->side - grid->margin; x++) {
            const bool land = grid->heights[y * grid->side + x] > 0;
            sums->land += land;
            sums->water += land && grid->under[y * grid->side + x];
        }
    return valleys;
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* The value that a share of the sorted values do not exceed. */
static double quantile(const float *values, size_t count, double share)
{
    return count > 0 ? (double)values[(size_t)(share * (double)(count - 1))] : 0;
}

static void write_sums(struct json_writer *json, struct land_sums *sums, unsigned count)
{
    const double samples = (double)count * LAND_TILE * LAND_TILE;
    double power = 0;
    qsort(sums->slopes, sums->slope_count, sizeof *sums->slopes, compare_floats);
    measure_member(json, "land", sums->land / samples, DIGITS);
    measure_member(json, "water", sums->water / samples, DIGITS);
    measure_member(json, "valley_length", sums->valleys / count, DIGITS);
    measure_member(json, "valley_samples", sums->hollow / count, DIGITS);
    json_member_integer(json, "pits", sums->pits);
    measure_member(json, "slope_median", quantile(sums->slopes, sums->slope_count, 0.5), DIGITS);
    measure_member(json, "slope_p95", quantile(sums->slopes, sums->slope_count, 0.95), DIGITS);
    json_member_object(json, "power"); /* by the shortest wavelength of each octave, in samples */
    for (int i = 0; i < LAND_OCTAVES; i++) {
        char name[8];
        snprintf(name, sizeof name, "%d", 2 << i);
        measure_member(json, name, sums->power[i] / count, DIGITS);
        power += sums->power[i] / count;
    }
    json_object_close(json);
    measure_member(json, "power_2_64", power, DIGITS);
}

static void write_view(struct json_writer *json, struct land_world *land,
                       const struct land_view *view)
{
    struct land_flow *flow = land_flow_new(LAND_SIDE);
    struct land_sums sums = {
        .slopes = measure_memory(sizeof(float) * view->count * LAND_TILE * LAND_TILE)};
    const double spacing = land_spacing(view->zoom);
    json_object_open(json);
    json_member_integer(json, "zoom", view->zoom);
    json_member_double(json, "spacing_m", spacing);
    json_member_array(json, "tiles");
    for (unsigned i = 0; i < view->count; i++) {
        const struct land_grid grid = land_sample(land, &view->tiles[i], LAND_MARGIN, spacing);
        write_tile(json, &view->tiles[i], add_tile(&sums, flow, &grid, spacing));
    }
    json_array_close(json);
    write_sums(json, &sums, view->count);
    json_object_close(json);
    free(sums.slopes);
    land_flow_free(flow);
}

/* Writes how far heights are from those at the next coarser level of detail, where both are above
 * the sea. */
static void write_step(struct json_writer *json, struct land_world *land, int zoom,
                       const struct land_view *closest)
{
    enum { COUNT = LAND_TILE * LAND_TILE };
    static float heights[COUNT];
    double squares = 0, count = 0;
    for (unsigned i = 0; i < closest->count; i++) {
        const struct land_tile tile = land_tile_around(&closest->tiles[i], zoom);
        memcpy(heights, land_sample(land, &tile, 0, land_spacing(zoom)).heights, sizeof heights);
        const struct land_grid coarser = land_sample(land, &tile, 0, land_spacing(zoom - 1));
        for (size_t k = 0; k < COUNT; k++)
            if (heights[k] > 0 && coarser.heights[k] > 0) {
                const double difference = (double)heights[k] - (double)coarser.heights[k];
                squares += difference * difference;
                count++;
            }
    }
    json_object_open(json);
    json_member_integer(json, "zoom", zoom);
    json_member_double(json, "spacing_m", land_spacing(zoom));
    measure_member(json, "rms_m", count > 0 ? sqrt(squares / count) : 0, DIGITS);
    json_object_close(json);
}

static void write_figures(struct json_writer *json, struct land_world *land)
{
    const struct land_view *closest = NULL;
    json_member_array(json, "zooms");
    for (int zoom = 0; zoom <= LAND_ZOOM_MAX; zoom++)
        if (views[zoom].count > 0) {
            closest = &views[zoom];
            write_view(json, land, closest);
        }
    json_array_close(json);
    json_member_array(json, "steps");
    for (int zoom = 0; closest && zoom <= LAND_ZOOM_MAX; zoom++)
        write_step(json, land, zoom, closest);
    json_array_close(json);
}

/* A whole number from low to high, up to the character `end`; returns what is behind it. */
static const char *read_number(const char *text, char end, int64_t low, int64_t high,
                               int64_t *number)
{
    char *rest;
    errno = 0;
    const long long value = strtoll(text, &rest, 10);
    if (rest == text || *rest != end || errno || value < low || value > high) {
        char why[120];
        snprintf(why, sizeof why, "must be a whole number from %lld to %lld", (long long)low,
                 (long long)high);
        measure_stop(text, why);
    }
    *number = value;
    return rest + 1;
}

/* Adds the tiles that a word names. */
static void add_tiles(struct land_world *land, const char *word, unsigned count, uint64_t seed)
{
    const int64_t most = (int64_t)1 << 40;
    int64_t zoom;
    if (!strchr(word, '/')) {
        read_number(word, '\0', 0, LAND_ZOOM_MAX, &zoom);
        struct land_view *view = &views[zoom];
        view->zoom = (int)zoom;
        view->count = count;
        land_choose(land, view->zoom, seed, count, view->tiles);
        return;
    }
    const char *index = read_number(word, '/', 0, LAND_ZOOM_MAX, &zoom);
    struct land_view *view = &views[zoom];
    if (view->count == TILES_MAX)
        measure_stop(word, "there are too many tiles of this zoom");
    struct land_tile *tile = &view->tiles[view->count++];
    view->zoom = tile->zoom = (int)zoom;
    read_number(read_number(index, '/', -most, most, &tile->x), '\0', -most, most, &tile->y);
}

int main(int count, char **words)
{
    struct land_world land = {0};
    struct buffer out = {0};
    struct json_writer json;
    int64_t tiles, seed;
    if (count < 5)
        measure_stop("usage", "figures WORLD.json COUNT SEED ZOOM|ZOOM/X/Y…");
    read_number(words[2], '\0', 1, TILES_MAX, &tiles);
    read_number(words[3], '\0', 0, INT32_MAX, &seed);
    land_world_open(&land, words[1]);
    for (int i = 4; i < count; i++)
        add_tiles(&land, words[i], (unsigned)tiles, (uint64_t)seed);
    json_begin(&json, &out, true);
    json_object_open(&json);
    json_member_string(&json, "fingerprint", terrane_world_fingerprint(land.world));
    write_figures(&json, &land);
    json_object_close(&json);
    json_finish(&json);
    if (out.failed || fwrite(out.data, 1, out.length, stdout) != out.length)
        measure_stop("output", "it cannot be written");
    buffer_free(&out);
    land_world_close(&land);
    return 0;
}
