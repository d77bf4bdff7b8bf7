/* /stats: minimum, maximum, mean, percentiles and histogram of every layer of a rectangle, the
 * share of land, and the shares of the biomes.
 *
 * All layers are sampled at once on one grid, at the level of detail of its step unless full detail
 * is asked for: what is finer than the grid is faded out, as in a tile. They are in memory
 * together, because the percentiles sort a layer's samples; so samples × layers are bounded besides
 * the price.
 *
 * JSON: the grid (bbox, columns, rows, step, spacing), `land` and `biomes` as shares from 0 to 1,
 * and for each layer its unit, extremes, mean, percentiles by rank and a histogram of equal parts
 * between the extremes. Biomes without a sample are left out, and the layer of biomes has no
 * statistics, because the mean of an index means nothing. Text: the same as a table, without the
 * histogram. */
#include <stdio.h>
#include <stdlib.h>

#include "core/price/layers.h"
#include "core/terrain/statistics.h"
#include "core/terrain/surface.h"
#include "server/queries/query_output.h"
#include "server/render/price.h"

#define STATISTICS_TIME 16.0 /* nanoseconds for each number, most of them for sorting */

/* The samples of every layer; that of the biomes is the last one. */
struct field {
    const struct world *world;
    struct sample_grid grid;
    size_t count; /* samples of a layer */
    float *samples;
    unsigned layer_count; /* with the biomes */
    unsigned layers[WORLD_LAYERS_MAX + 1];
    float *outputs[WORLD_LAYERS_MAX + 1];
};

/* The bounds of the octaves and of the memory: both are known from the grid. */
static bool check_field(const struct field *field, struct error *error)
{
    const unsigned octaves =
        layers_octaves(world_program(field->world), field->layers, field->layer_count);
    if (!query_check_samples(field->count, octaves, error))
        return false;
    if (field->count * field->layer_count <= QUERY_VALUES_MAX)
        return true;
    return error_set(error, ERROR_LIMIT,
                     "%zu samples of %u layers are too much for one answer: at most %d values; ask "
                     "for fewer samples",
                     field->count, field->layer_count, QUERY_VALUES_MAX);
}

/* The grid of the rectangle, and all layers in the order of the world. */
static void plan_field(const struct query_run *run, struct field *field)
{
    field->world = run->world->world;
    field->grid = query_grid(&run->values);
    field->count = (size_t)field->grid.columns * field->grid.rows;
    field->layer_count = world_layer_count(field->world);
    for (unsigned i = 0; i < field->layer_count; i++)
        field->layers[i] = i;
}

static bool stats_check(const struct query_run *run, struct error *error)
{
    struct field field = {.count = 0};
    plan_field(run, &field);
    return check_field(&field, error);
}

/* All layers at every place of the grid. */
static uint64_t stats_price(const struct query_run *run)
{
    struct field field = {.count = 0};
    plan_field(run, &field);
    const struct sampling_where where = sampling_where_grid(&field.grid);
    const struct sampling sampling = {
        .step = place_metres(field.grid.step), .spacing = field.grid.spacing, .where = &where};
    const struct price_layers all = {field.world, field.layers, field.layer_count, sampling};
    return price_grid(&all, field.grid.columns, field.grid.rows, STATISTICS_TIME);
}

/* On success `samples` is to be freed. */
static bool sample_field(const struct query_run *run, struct sampler *sampler, struct field *field,
                         struct error *error)
{
    plan_field(run, field);
    if (!check_field(field, error))
        return false;
    field->samples = malloc((field->count * field->layer_count + 1) * sizeof *field->samples);
    if (!field->samples)
        return error_memory(error);
    for (unsigned i = 0; i < field->layer_count; i++)
        field->outputs[i] = field->samples + i * field->count;
    struct sample_request request = {field->layers, field->outputs, field->layer_count};
    if (sampler_grid(sampler, world_program(field->world), &field->grid, &request, error))
        return true;
    free(field->samples);
    return false;
}

/* The share of the samples that are not under water. */
static double land_share(const struct field *field)
{
    const float *heights = field->outputs[world_height_layer(field->world)];
    int water = surface_water_layer(field->world);
    size_t land = 0;
    for (size_t i = 0; i < field->count; i++)
        land += heights[i] >= (water < 0 ? 0 : field->outputs[water][i]);
    return (double)land / (double)field->count;
}

static void count_biomes(const struct field *field, size_t counts[WORLD_BIOMES_MAX])
{
    int layer = world_biome_layer(field->world);
    if (layer < 0)
        return;
    for (size_t i = 0; i < field->count; i++)
        counts[(unsigned)field->outputs[layer][i]]++;
}

static void write_layer_json(struct json_writer *json, const struct world_layer *layer,
                             const struct statistics *found)
{
    json_member_object(json, layer->name);
    json_member_string(json, "unit", layer->unit);
    json_member_float(json, "minimum", found->minimum);
    json_member_float(json, "maximum", found->maximum);
    json_member_double(json, "mean", found->mean);
    json_member_object(json, "percentiles");
    for (unsigned i = 0; i < STATISTICS_PERCENTILES; i++) {
        char rank[4];
        snprintf(rank, sizeof rank, "%u", (unsigned)statistics_percents[i]);
        json_member_float(json, rank, found->percentiles[i]);
    }
    json_object_close(json);
    json_member_array(json, "histogram");
    for (unsigned i = 0; i < STATISTICS_BINS; i++)
        json_write_integer(json, found->histogram[i]);
    json_array_close(json);
    json_object_close(json);
}

/* Writes each layer to the JSON, or as a line of the text if `json` is null. */
static bool write_layers(const struct field *field, struct json_writer *json, struct buffer *text,
                         struct error *error)
{
    for (unsigned i = 0; i < field->layer_count; i++) {
        const struct world_layer *layer = world_layer(field->world, i);
        struct statistics found;
        if ((int)i == world_biome_layer(field->world))
            continue;
        if (!statistics_measure(field->outputs[i], field->count, &found, error))
            return false;
        if (json) {
            write_layer_json(json, layer, &found);
            continue;
        }
        buffer_format(text, "%s\t", layer->name);
        query_output_float(text, found.minimum, '\t');
        query_output_double(text, found.mean, '\t');
        for (unsigned k = 0; k < STATISTICS_PERCENTILES; k++)
            query_output_float(text, found.percentiles[k], '\t');
        query_output_float(text, found.maximum, '\t');
        buffer_format(text, "%s\n", layer->unit);
    }
    return true;
}

static bool write_text(const struct field *field, const size_t biomes[WORLD_BIOMES_MAX],
                       struct buffer *out, struct error *error)
{
    buffer_text(out, "layer\tminimum\tmean");
    for (unsigned i = 0; i < STATISTICS_PERCENTILES; i++)
        buffer_format(out, "\tp%u", (unsigned)statistics_percents[i]);
    buffer_text(out, "\tmaximum\tunit\n");
    if (!write_layers(field, NULL, out, error))
        return false;
    buffer_text(out, "land\t");
    query_output_double(out, land_share(field), '\n');
    for (unsigned i = 0; i < world_biome_count(field->world); i++) {
        if (!biomes[i])
            continue;
        buffer_format(out, "biome %s\t", world_biome(field->world, i)->name);
        query_output_double(out, (double)biomes[i] / (double)field->count, '\n');
    }
    return true;
}

static bool write_json(const struct query_run *run, const struct field *field,
                       const size_t biomes[WORLD_BIOMES_MAX], struct buffer *out,
                       struct error *error)
{
    struct json_writer json;
    query_output_open(&json, run, out);
    query_output_grid(&json, &run->values.area, &field->grid);
    json_member_double(&json, "land", land_share(field));
    json_member_object(&json, "biomes");
    for (unsigned i = 0; i < world_biome_count(field->world); i++)
        if (biomes[i])
            json_member_double(&json, world_biome(field->world, i)->name,
                               (double)biomes[i] / (double)field->count);
    json_object_close(&json);
    json_member_object(&json, "layers");
    if (!write_layers(field, &json, NULL, error))
        return false;
    json_object_close(&json);
    json_finish_object(&json);
    return true;
}

static bool stats_evaluate(const struct query_run *run, struct sampler *sampler, struct buffer *out,
                           struct error *error)
{
    struct field field = {.count = 0};
    size_t biomes[WORLD_BIOMES_MAX] = {0};
    if (!sample_field(run, sampler, &field, error))
        return false;
    count_biomes(&field, biomes);
    bool done = run->form == QUERY_TEXT ? write_text(&field, biomes, out, error)
                                        : write_json(run, &field, biomes, out, error);
    free(field.samples);
    return done;
}

const struct query query_stats = {
    .name = "stats",
    .summary = "minimum, maximum, mean and distribution of the layers of a rectangle",
    .url = "?bbox={x0},{y0},{x1},{y1}",
    .parameters = PARAMETER_BIT(BBOX) | PARAMETER_BIT(AREA_SAMPLES) | PARAMETER_BIT(DETAIL) |
                  PARAMETERS_OUTPUT,
    .schema = "Stats",
    .examples = "/stats?bbox=0,0,200,200&samples=32 "
                "/stats?bbox=0,0,200,200&samples=32&format=text "
                "/stats?bbox=0,0,200,200&samples=32&detail=full&pretty=1",
    .quotes_world = true,
    .limited = true,
    .check = stats_check,
    .price = stats_price,
    .smaller = "fewer samples",
    .parts = "samples along the longer side",
    .evaluate = stats_evaluate,
};
