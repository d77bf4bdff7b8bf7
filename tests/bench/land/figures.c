/* Measures the land of a world from outside, and prints one JSON object:
 *
 *   figures WORLD.json COUNT SEED ZOOM|ZOOM/X/Y…
 *
 * For each zoom, COUNT tiles of land are chosen by the seed (tiles.h); tiles given as ZOOM/X/Y are
 * taken instead of these. `zooms` has figures of these tiles. `steps` has how far heights at a
 * level of detail are from those at the next coarser one, at the same places, in the tiles of each
 * zoom that hold the middle of a tile of the closest zoom. figures.mjs runs it and makes a
 * table. */
#include "tests/bench/land/courses.h"
#include "tests/bench/land/shape.h"
#include "tests/bench/land/tiles.h"
#include "tests/bench/land/words.h"
#include "tests/bench/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TILES_MAX = 1000,
    UPSTREAM = 200, /* samples above the beginning of a valley line */
    BLOCK = 32,     /* samples along a block: a cell of the finest streams at the coarser level */
    DIGITS = 6,
    JUNCTION_LOW = 30, /* degrees: as rivers mostly meet */
    JUNCTION_HIGH = 70,
};

/* The tiles of a zoom. */
struct land_view {
    int zoom;
    unsigned count;
    struct tile_address tiles[TILES_MAX];
};

/* Sums over tiles. */
struct land_sums {
    double land, water, valleys, hollow, power[LAND_OCTAVES];
    uint32_t pits;
    size_t slope_count;
    float *slopes; /* of the samples of all tiles */
    struct land_values courses[COURSES_KINDS];
};

static struct land_view views[LAND_ZOOM_MAX + 1]; /* by zoom */

static void write_tile(struct json_writer *json, const struct tile_address *tile, double valleys)
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

/* Writes medians of streams, and how many of them meet at angles of rivers; 0 where there are none.
 */
static void write_courses(struct json_writer *json, struct land_values *courses)
{
    static const char *const names[COURSES_KINDS] = {"sinuosity_flat", "sinuosity_steep", "turn",
                                                     "junction"};
    const struct land_values *meet = &courses[COURSES_MEET];
    double acute = 0;
    for (int kind = 0; kind < COURSES_KINDS; kind++) {
        const struct land_values *values = &courses[kind];
        if (values->count > 0)
            qsort(values->values, values->count, sizeof(float), compare_floats);
        measure_member(json, names[kind], quantile(values->values, values->count, 0.5), DIGITS);
    }
    for (size_t i = 0; i < meet->count; i++)
        acute += meet->values[i] >= JUNCTION_LOW && meet->values[i] <= JUNCTION_HIGH;
    measure_member(json, "junction_acute", meet->count > 0 ? acute / (double)meet->count : 0,
                   DIGITS);
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
    write_courses(json, sums->courses);
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
        land_courses_add(land, &view->tiles[i], sums.courses);
    }
    json_array_close(json);
    write_sums(json, &sums, view->count);
    json_object_close(json);
    free(sums.slopes);
    land_courses_free(sums.courses);
    land_flow_free(flow);
}

/* Differences of heights to those at the next coarser level of detail, where both are above the
 * sea: of samples that are higher there than their block of BLOCK × BLOCK is on average, [1], and
 * of the others, [0]. */
struct step_sums {
    double count[2], sum[2], squares;
};

/* Adds the block at (x, y) of a tile. */
static void add_block(struct step_sums *sums, const float *heights, const float *coarser, size_t x,
                      size_t y)
{
    double mean = 0;
    for (size_t i = 0; i < BLOCK * BLOCK; i++)
        mean += (double)coarser[(y + i / BLOCK) * LAND_TILE + x + i % BLOCK] / (BLOCK * BLOCK);
    for (size_t i = 0; i < BLOCK * BLOCK; i++) {
        const size_t at = (y + i / BLOCK) * LAND_TILE + x + i % BLOCK;
        const double height = (double)coarser[at], difference = (double)heights[at] - height;
        if (!(heights[at] > 0 && height > 0))
            continue;
        sums->count[height > mean]++;
        sums->sum[height > mean] += difference;
        sums->squares += difference * difference;
    }
}

static double mean_of(double sum, double count)
{
    return count > 0 ? sum / count : 0;
}

static void write_step_sums(struct json_writer *json, int zoom, const struct step_sums *sums)
{
    const double count = sums->count[0] + sums->count[1];
    json_object_open(json);
    json_member_integer(json, "zoom", zoom);
    json_member_double(json, "spacing_m", land_spacing(zoom));
    measure_member(json, "rms_m", sqrt(mean_of(sums->squares, count)), DIGITS);
    measure_member(json, "bias_m", mean_of(sums->sum[0] + sums->sum[1], count), DIGITS);
    measure_member(json, "bias_low_m", mean_of(sums->sum[0], sums->count[0]), DIGITS);
    measure_member(json, "bias_high_m", mean_of(sums->sum[1], sums->count[1]), DIGITS);
    json_object_close(json);
}

/* Writes how far heights are from those at the next coarser level of detail. */
static void write_step(struct json_writer *json, struct land_world *land, int zoom,
                       const struct land_view *closest)
{
    static float heights[LAND_TILE * LAND_TILE];
    struct step_sums sums = {0};
    for (unsigned i = 0; i < closest->count; i++) {
        const struct tile_address tile = land_tile_around(&closest->tiles[i], zoom);
        memcpy(heights, land_sample(land, &tile, 0, land_spacing(zoom)).heights, sizeof heights);
        const float *coarser = land_sample(land, &tile, 0, land_spacing(zoom - 1)).heights;
        for (size_t y = 0; y < LAND_TILE; y += BLOCK)
            for (size_t x = 0; x < LAND_TILE; x += BLOCK)
                add_block(&sums, heights, coarser, x, y);
    }
    write_step_sums(json, zoom, &sums);
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

/* Adds the tiles that a word names. */
static void add_tiles(struct land_world *land, const char *word, unsigned count, uint64_t seed)
{
    static const int64_t zooms[] = {0, LAND_ZOOM_MAX};
    static const int64_t indices[] = {-((int64_t)1 << 40), (int64_t)1 << 40};
    int64_t zoom;
    if (!strchr(word, '/')) {
        zoom = land_word(word, zooms[0], zooms[1]);
        struct land_view *view = &views[zoom];
        view->zoom = (int)zoom;
        view->count = count;
        land_choose(land, view->zoom, seed, count, view->tiles);
        return;
    }
    const char *index = land_word_number(word, '/', zooms, &zoom);
    struct land_view *view = &views[zoom];
    if (view->count == TILES_MAX)
        measure_stop(word, "there are too many tiles of this zoom");
    struct tile_address *tile = &view->tiles[view->count++];
    view->zoom = tile->zoom = (int)zoom;
    index = land_word_number(index, '/', indices, &tile->x);
    land_word_number(index, '\0', indices, &tile->y);
}

int main(int count, char **words)
{
    struct land_world land = {0};
    struct buffer out = {0};
    struct json_writer json;
    if (count < 5)
        measure_stop("usage", "figures WORLD.json COUNT SEED ZOOM|ZOOM/X/Y…");
    const unsigned tiles = (unsigned)land_word(words[2], 1, TILES_MAX);
    const uint64_t seed = (uint64_t)land_word(words[3], 0, INT32_MAX);
    land_world_open(&land, words[1]);
    for (int i = 4; i < count; i++)
        add_tiles(&land, words[i], tiles, seed);
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
