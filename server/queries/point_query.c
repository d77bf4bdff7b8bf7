/* /at and the command `query`: everything about a place.
 *
 * One sample of all layers at the place, four more beside it for the slope, and the biome by name.
 * The command may ask for some layers only, and its text output then needs no slope; over HTTP all
 * are written. Both use the same two functions, so their outputs are the same bytes. The biome's
 * layer is sampled in any case, because its name is a member of its own. */
#include "server/queries/point_query.h"

#include "core/base/json_writer.h"
#include "core/terrain/surface.h"
#include "core/tile/address.h"
#include "server/queries/query.h"
#include "server/queries/query_output.h"
#include "server/render/cost.h"

enum {
    TILE_ZOOM_DEFAULT = 17, /* 1 m a pixel */
};

#define AT_LAYER_TIME 400.0 /* nanoseconds to write a layer */

/* The samples of one query. */
struct point_sample {
    bool with_ground; /* the caller wants `surface` */
    struct surface surface;
    const char *biome;      /* null if the world has none */
    const unsigned *layers; /* the layers that were requested */
    unsigned layer_count;
    unsigned every[WORLD_LAYERS_MAX + 1];
    float values[WORLD_LAYERS_MAX + 1];
};

static double query_spacing(const struct point_query *query)
{
    return query->zoom < 0 ? 0 : tile_spacing(query->zoom);
}

static const char *biome_name(const struct world *world, float index)
{
    unsigned count = world_biome_count(world);
    return index >= 0 && index < (float)count ? world_biome(world, (unsigned)index)->name : NULL;
}

/* Samples the requested layers, and the biome, at the place itself. */
static bool sample_layers(struct sampler *sampler, const struct world *world,
                          const struct point_query *query, struct point_sample *sample,
                          struct error *error)
{
    float *outputs[WORLD_LAYERS_MAX + 1], biome = 0;
    for (unsigned i = 0; i < sample->layer_count; i++)
        outputs[i] = &sample->values[i];
    struct sample_points points = {&query->place, 1, query_spacing(query), query->z, query->t};
    struct sample_request request = {sample->layers, outputs, sample->layer_count};
    if (!sampler_points(sampler, world, &points, &request, error))
        return false;
    if (world_biome_layer(world) < 0)
        return true;
    struct sample_request biome_request = {(unsigned[]){(unsigned)world_biome_layer(world)},
                                           (float *[]){&biome}, 1};
    if (!sampler_points(sampler, world, &points, &biome_request, error))
        return false;
    sample->biome = biome_name(world, biome);
    return true;
}

/* Samples everything that an output needs; `surface` only if `with_ground` is set. */
static bool query_sample(struct sampler *sampler, const struct world *world,
                         const struct point_query *query, struct point_sample *sample,
                         struct error *error)
{
    sample->biome = NULL;
    sample->layers = query->layers;
    sample->layer_count = query->layer_count;
    if (!query->layers) {
        sample->layers = sample->every;
        sample->layer_count = world_layer_count(world);
        for (unsigned i = 0; i < sample->layer_count; i++)
            sample->every[i] = i;
    }
    if (!sample_layers(sampler, world, query, sample, error))
        return false;
    return !sample->with_ground || surface_at(sampler, world, query->place, query_spacing(query),
                                              query->z, query->t, &sample->surface, error);
}

/* The address of the tile that has the place, at the query's zoom or at 1 m a pixel. */
static void write_tile(struct json_writer *json, const struct point_query *query)
{
    struct tile_address tile =
        tile_at(query->zoom < 0 ? TILE_ZOOM_DEFAULT : query->zoom, query->place);
    if (!tile_check(&tile, NULL)) { /* tiles are half-open, so none has the outermost edge */
        json_member_null(json, "tile");
        return;
    }
    json_member_object(json, "tile");
    json_member_integer(json, "z", tile.zoom);
    json_member_integer(json, "x", tile.x);
    json_member_integer(json, "y", tile.y);
    json_object_close(json);
}

/* Metres of water above the ground; not above 0 on dry land. */
static float water_depth(const struct point_sample *sample)
{
    return sample->surface.water - sample->surface.height;
}

static void write_ground(struct json_writer *json, const struct point_sample *sample)
{
    json_member_float(json, "height", sample->surface.height);
    json_member_float(json, "slope", sample->surface.slope);
    json_member_float(json, "aspect", sample->surface.aspect);
    json_member_string(json, "biome", sample->biome);
    if (!(water_depth(sample) > 0)) {
        json_member_null(json, "water");
        return;
    }
    json_member_object(json, "water");
    json_member_float(json, "depth", water_depth(sample));
    json_member_float(json, "level", sample->surface.water);
    json_object_close(json);
}

static void write_layers(struct json_writer *json, const struct world *world,
                         const struct point_sample *sample)
{
    json_member_object(json, "layers");
    for (unsigned i = 0; i < sample->layer_count; i++)
        json_member_float(json, world_layer(world, sample->layers[i])->name, sample->values[i]);
    json_object_close(json);
}

bool point_query_json(struct sampler *sampler, const struct catalog_world *world,
                      const struct point_query *query, bool pretty, struct buffer *out,
                      struct error *error)
{
    struct point_sample sample = {.with_ground = true};
    if (!query_sample(sampler, world->world, query, &sample, error))
        return false;
    struct json_writer json;
    json_begin(&json, out, pretty);
    json_object_open(&json);
    query_output_world(&json, world);
    query_output_place(&json, query->place);
    write_ground(&json, &sample);
    write_layers(&json, world->world, &sample);
    write_tile(&json, query);
    query_output_close(&json);
    return !out->failed || error_memory(error);
}

/* A layer's value: the biome's name rather than its index. */
static const char *layer_text(const struct world *world, const struct point_sample *sample,
                              unsigned i, char number[NUMBER_TEXT])
{
    if ((int)sample->layers[i] == world_biome_layer(world) && sample->biome)
        return sample->biome;
    number_format_float(sample->values[i], number);
    return number;
}

static void text_ground(struct buffer *out, const struct point_query *query,
                        const struct point_sample *sample)
{
    query_output_place_lines(out, query->place);
    query_output_float_line(out, "slope", sample->surface.slope, "degrees");
    query_output_float_line(out, "aspect", sample->surface.aspect, "degrees");
    if (water_depth(sample) > 0)
        query_output_float_line(out, "water", water_depth(sample), "m");
}

bool point_query_text(struct sampler *sampler, const struct catalog_world *world,
                      const struct point_query *query, struct buffer *out, struct error *error)
{
    struct point_sample sample = {.with_ground = !query->layers};
    char number[NUMBER_TEXT];
    if (!query_sample(sampler, world->world, query, &sample, error))
        return false;
    if (query->layers && sample.layer_count == 1) {
        buffer_format(out, "%s\n", layer_text(world->world, &sample, 0, number));
        return !out->failed || error_memory(error);
    }
    if (!query->layers)
        text_ground(out, query, &sample);
    for (unsigned i = 0; i < sample.layer_count; i++) {
        const struct world_layer *layer = world_layer(world->world, sample.layers[i]);
        query_output_line(out, layer->name, layer_text(world->world, &sample, i, number),
                          layer->unit);
    }
    return !out->failed || error_memory(error);
}

/* All layers at the place, then the biome, and the height beside the place. */
static uint64_t at_cost(const struct query_run *run)
{
    const struct world *world = run->world->world;
    const int biome = world_biome_layer(world);
    const unsigned layers[2] = {world_height_layer(world), biome < 0 ? 0 : (unsigned)biome};
    const struct cost_layers again = {world, layers, biome < 0 ? 1 : 2, {.step = 0.0}};
    return cost_places(world, 1, AT_LAYER_TIME) + cost_points(&again, 1, 1, 0.0);
}

static bool at_evaluate(const struct query_run *run, struct sampler *sampler, struct buffer *out,
                        struct error *error)
{
    const struct parameter_values *values = &run->values;
    const struct point_query query = {
        .place = values->place, .zoom = (int)values->zoom, .z = values->z, .t = values->t};
    return run->form == QUERY_TEXT
               ? point_query_text(sampler, run->world, &query, out, error)
               : point_query_json(sampler, run->world, &query, values->pretty, out, error);
}

const struct query query_at = {
    .name = "at",
    .summary = "everything about a place",
    .url = "?x={x}&y={y}",
    .parameters = PARAMETERS_PLACE | PARAMETER_BIT(ZOOM) | PARAMETER_BIT(Z) | PARAMETER_BIT(T) |
                  PARAMETERS_OUTPUT,
    .parameters_first = true,
    .schema = "At",
    .examples = "/at?x=1000&y=-250.5 /at?lon=0.5&lat=-0.25&zoom=9&pretty=1 "
                "/at?x=1000&y=-250.5&z=0&t=0&format=text",
    .cost = at_cost,
    .smaller = "a world with fewer layers",
    .evaluate = at_evaluate,
};
