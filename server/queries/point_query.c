/* /at and the command `query`: everything about a place.
 *
 * All layers are sampled in one call, because they share most of their operations, and at the place
 * and its four neighbours together, as the lanes of a vector cost the same empty or full. The
 * command may ask for some layers only, and its text output then needs no slope; over HTTP all are
 * written. Both use the same two functions, so their outputs are the same bytes. The biome's layer
 * is sampled in any case, because its name is a member of its own. */
#include "server/queries/point_query.h"

#include "core/base/json_writer.h"
#include "core/terrain/surface.h"
#include "core/tile/address.h"
#include "core/worldfile/materials.h"
#include "server/queries/named_place.h"
#include "server/queries/query.h"
#include "server/queries/query_output.h"
#include "server/render/price.h"

enum {
    TILE_ZOOM_DEFAULT = 17, /* 1 m a pixel */
};

/* Nanoseconds to sample a layer once, with cold caches, and to write it. */
#define AT_LAYER_TIME 10000.0

/* The samples of one query. */
struct point_sample {
    bool with_ground; /* the caller wants `surface` */
    struct surface surface;
    const char *biome; /* null if the world has none */
    /* The layers that were requested, then those that are needed besides. */
    unsigned layers[WORLD_SAMPLED_MAX];
    unsigned layer_count, sampled_count;
    float values[WORLD_SAMPLED_MAX][SURFACE_PLACES]; /* at the place and at its neighbours */
    unsigned material_count;                         /* 0 where no one asks for them */
    const float *shares[WORLD_MATERIALS_MAX];
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

/* The samples of a layer, which is added if it is not there yet; null for a layer below 0, which
 * the world does not have. */
static float *add_layer(struct point_sample *sample, int layer)
{
    unsigned i = 0;
    if (layer < 0)
        return NULL;
    while (i < sample->sampled_count && sample->layers[i] != (unsigned)layer)
        i++;
    if (i == sample->sampled_count)
        sample->layers[sample->sampled_count++] = (unsigned)layer;
    return sample->values[i];
}

/* Samples the layers at the place, or at all places of its surface. */
static bool sample_layers(struct sampler *sampler, const struct world *world,
                          const struct point_query *query, struct point_sample *sample,
                          struct error *error)
{
    struct place places[SURFACE_PLACES];
    float *outputs[WORLD_SAMPLED_MAX];
    const struct sample_points points = {places, sample->with_ground ? SURFACE_PLACES : 1,
                                         query_spacing(query), query->z, query->t};
    const struct sample_request request = {sample->layers, outputs, sample->sampled_count};
    surface_places(query->place, points.spacing, places);
    for (unsigned i = 0; i < sample->sampled_count; i++)
        outputs[i] = sample->values[i];
    return sampler_points(sampler, world_program(world), &points, &request, error);
}

/* Samples everything that an output needs; `surface` only if `with_ground` is set. */
static bool query_sample(struct sampler *sampler, const struct world *world,
                         const struct point_query *query, struct point_sample *sample,
                         struct error *error)
{
    sample->sampled_count = 0;
    sample->layer_count = query->layers ? query->layer_count : world_layer_count(world);
    for (unsigned i = 0; i < sample->layer_count; i++)
        add_layer(sample, (int)(query->layers ? query->layers[i] : i));
    const float *biome = add_layer(sample, world_biome_layer(world));
    const float *height = NULL, *water = NULL;
    float *weights[WORLD_MATERIALS_MAX];
    sample->material_count = query->layers ? 0 : world_material_count(world);
    for (unsigned i = 0; i < sample->material_count; i++)
        sample->shares[i] = weights[i] = add_layer(sample, (int)world_material_layer(world, i));
    if (sample->with_ground) {
        height = add_layer(sample, (int)world_height_layer(world));
        water = add_layer(sample, surface_water_layer(world));
    }
    if (!sample_layers(sampler, world, query, sample, error))
        return false;
    sample->biome = biome ? biome_name(world, biome[0]) : NULL;
    if (sample->material_count > 0)
        materials_share(weights, sample->material_count, 1);
    if (height)
        sample->surface = surface_of_heights(height, water ? water[0] : 0.0f, query_spacing(query));
    return true;
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
        json_member_float(json, world_layer(world, sample->layers[i])->name, sample->values[i][0]);
    json_object_close(json);
}

/* The share of each material, of 255. */
static void write_materials(struct json_writer *json, const struct world *world,
                            const struct point_sample *sample)
{
    json_member_object(json, "materials");
    for (unsigned i = 0; i < sample->material_count; i++)
        json_member_integer(json, world_material(world, i)->name, (int64_t)*sample->shares[i]);
    json_object_close(json);
}

bool point_query_json(struct sampler *sampler, const struct catalog_world *world,
                      const struct point_query *query, struct buffer *out, struct error *error)
{
    struct point_sample sample = {.with_ground = true};
    struct label_place named = {.place = query->place};
    if (!query_sample(sampler, world->world, query, &sample, error) ||
        (query->named && !named_place_find(sampler, world->world, &named, error)))
        return false;
    struct json_writer json;
    json_begin_object(&json, out, query->pretty);
    query_output_world(&json, world);
    query_output_place(&json, query->place);
    write_ground(&json, &sample);
    write_layers(&json, world->world, &sample);
    if (sample.material_count > 0)
        write_materials(&json, world->world, &sample);
    write_tile(&json, query);
    if (query->named)
        named_place_write(&json, world->world, &named);
    json_finish_object(&json);
    return !out->failed || error_memory(error);
}

/* A layer's value: the biome's name rather than its index. */
static const char *layer_text(const struct world *world, const struct point_sample *sample,
                              unsigned i, char number[NUMBER_TEXT])
{
    if ((int)sample->layers[i] == world_biome_layer(world) && sample->biome)
        return sample->biome;
    number_format_float(sample->values[i][0], number);
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
    struct label_place named = {.place = query->place};
    char number[NUMBER_TEXT];
    if (!query_sample(sampler, world->world, query, &sample, error) ||
        (query->named && !named_place_find(sampler, world->world, &named, error)))
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
    for (unsigned i = 0; i < sample.material_count; i++) {
        const unsigned layer = world_material_layer(world->world, i);
        query_output_float_line(out, world_layer(world->world, layer)->name, *sample.shares[i], "");
    }
    if (query->named)
        named_place_write_line(out, world->world, &named);
    return !out->failed || error_memory(error);
}

/* The neighbours fill lanes that a single place leaves empty. */
static uint64_t at_price(const struct query_run *run)
{
    return price_places(run->world->world, 1, AT_LAYER_TIME) +
           (run->values.named ? named_place_price(run->world->world) : 0);
}

static bool at_evaluate(const struct query_run *run, struct sampler *sampler, struct buffer *out,
                        struct error *error)
{
    const struct parameter_values *values = &run->values;
    const struct point_query query = {.place = values->place,
                                      .zoom = (int)values->zoom,
                                      .z = values->z,
                                      .t = values->t,
                                      .pretty = values->pretty,
                                      .named = values->named};
    return run->form == QUERY_TEXT ? point_query_text(sampler, run->world, &query, out, error)
                                   : point_query_json(sampler, run->world, &query, out, error);
}

const struct query query_at = {
    .name = "at",
    .summary = "everything about a place",
    .url = "?x={x}&y={y}",
    .parameters = PARAMETERS_PLACE | PARAMETER_BIT(ZOOM) | PARAMETER_BIT(Z) | PARAMETER_BIT(T) |
                  PARAMETER_BIT(NAMED) | PARAMETERS_OUTPUT,
    .schema = "At",
    .examples = "/at?x=1000&y=-250.5 /at?lon=0.5&lat=-0.25&zoom=9&pretty=1 "
                "/at?x=1000&y=-250.5&z=0&t=0&format=text "
                "/at?x=1000&y=-250.5&named=1",
    .price = at_price,
    .smaller = "a world with fewer layers, or named=0",
    .has_materials = true,
    .has_names = true,
    .quotes_world = true, /* names of biomes */
    .limited = true,
    .evaluate = at_evaluate,
};
