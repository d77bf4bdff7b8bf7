#include "server/queries/point_query.h"

#include "core/base/json_writer.h"
#include "core/terrain/surface.h"
#include "core/tile/address.h"

enum { TILE_ZOOM_DEFAULT = 17 }; /* 1 m a pixel */

/* What was sampled for one query. */
struct answer {
    bool with_ground; /* set by the caller: whether `surface` is wanted */
    struct surface surface;
    const char *biome;      /* null if the world has none */
    const unsigned *layers; /* those asked for */
    unsigned layer_count;
    unsigned every[WORLD_LAYERS_MAX + 1];
    float values[WORLD_LAYERS_MAX + 1];
};

static double query_spacing(const struct query *query)
{
    return query->zoom < 0 ? 0 : tile_spacing(query->zoom);
}

static const char *biome_name(const struct world *world, float index)
{
    unsigned count = world_biome_count(world);
    return index >= 0 && index < (float)count ? world_biome(world, (unsigned)index)->name : NULL;
}

static bool sample_layers(struct sampler *sampler, const struct world *world,
                          const struct query *query, struct answer *answer, struct error *error)
{
    float *outputs[WORLD_LAYERS_MAX + 2];
    unsigned layers[WORLD_LAYERS_MAX + 2];
    float biome = 0;
    unsigned count = 0;
    for (; count < answer->layer_count && count <= WORLD_LAYERS_MAX; count++) {
        layers[count] = answer->layers[count];
        outputs[count] = &answer->values[count];
    }
    answer->layer_count = count;
    struct sample_points points = {&query->place, 1, query_spacing(query), query->z, query->t};
    struct sample_request request = {layers, outputs, count};
    if (count && !sampler_points(sampler, world, &points, &request, error))
        return false;
    if (world_biome_layer(world) < 0)
        return true;
    struct sample_request biome_request = {(unsigned[]){(unsigned)world_biome_layer(world)},
                                           (float *[]){&biome}, 1};
    if (!sampler_points(sampler, world, &points, &biome_request, error))
        return false;
    answer->biome = biome_name(world, biome);
    return true;
}

static bool query_sample(struct sampler *sampler, const struct world *world,
                         const struct query *query, struct answer *answer, struct error *error)
{
    answer->biome = NULL;
    answer->layers = query->layers;
    answer->layer_count = query->layer_count;
    if (!query->layers) {
        answer->layers = answer->every;
        answer->layer_count = world_layer_count(world);
        for (unsigned i = 0; i < answer->layer_count; i++)
            answer->every[i] = i;
    }
    if (!sample_layers(sampler, world, query, answer, error))
        return false;
    return !answer->with_ground || surface_at(sampler, world, query->place, query_spacing(query),
                                              query->z, query->t, &answer->surface, error);
}

static void write_tile(struct json_writer *json, const struct query *query)
{
    struct tile_address tile =
        tile_at(query->zoom < 0 ? TILE_ZOOM_DEFAULT : query->zoom, query->place);
    json_write_key(json, "tile");
    if (!tile_check(&tile, NULL)) { /* the outermost edge is no tile's: tiles are half-open */
        json_write_null(json);
        return;
    }
    json_object_open(json);
    json_member_integer(json, "z", tile.zoom);
    json_member_integer(json, "x", tile.x);
    json_member_integer(json, "y", tile.y);
    json_object_close(json);
}

static float water_depth(const struct answer *answer)
{
    return answer->surface.water - answer->surface.height;
}

static void write_ground(struct json_writer *json, const struct answer *answer)
{
    json_member_float(json, "height", answer->surface.height);
    json_member_float(json, "slope", answer->surface.slope);
    json_member_float(json, "aspect", answer->surface.aspect);
    json_member_string(json, "biome", answer->biome);
    json_write_key(json, "water");
    if (water_depth(answer) > 0) {
        json_object_open(json);
        json_member_float(json, "depth", water_depth(answer));
        json_member_float(json, "level", answer->surface.water);
        json_object_close(json);
    } else {
        json_write_null(json);
    }
}

static void write_layers(struct json_writer *json, const struct world *world,
                         const struct answer *answer)
{
    json_write_key(json, "layers");
    json_object_open(json);
    for (unsigned i = 0; i < answer->layer_count; i++)
        json_member_float(json, world_layer(world, answer->layers[i])->name, answer->values[i]);
    json_object_close(json);
}

bool query_json(struct sampler *sampler, const struct catalog_world *world,
                const struct query *query, bool pretty, struct buffer *out, struct error *error)
{
    struct answer answer = {.with_ground = true};
    if (!query_sample(sampler, world->world, query, &answer, error))
        return false;
    struct json_writer json;
    json_begin(&json, out, pretty);
    json_object_open(&json);
    json_member_string(&json, "world", world->name);
    json_member_string(&json, "seed", world_seed(world->world));
    json_member_string(&json, "fingerprint", world_fingerprint(world->world));
    json_write_key(&json, "x");
    json_write_place(&json, query->place.x);
    json_write_key(&json, "y");
    json_write_place(&json, query->place.y);
    write_ground(&json, &answer);
    write_layers(&json, world->world, &answer);
    write_tile(&json, query);
    json_object_close(&json);
    json_finish(&json);
    return !out->failed || error_memory(error);
}

static void text_line(struct buffer *out, const char *name, const char *value, const char *unit)
{
    buffer_format(out, "%s\t%s\t%s\n", name, value, unit);
}

static void text_number(struct buffer *out, const char *name, float value, const char *unit)
{
    char text[NUMBER_TEXT];
    number_format_float(value, text);
    text_line(out, name, text, unit);
}

/* A layer's value: the biome's name rather than its index. */
static const char *layer_text(const struct world *world, const struct answer *answer, unsigned i,
                              char number[NUMBER_TEXT])
{
    if ((int)answer->layers[i] == world_biome_layer(world) && answer->biome)
        return answer->biome;
    number_format_float(answer->values[i], number);
    return number;
}

static void text_ground(struct buffer *out, const struct query *query, const struct answer *answer)
{
    char text[NUMBER_TEXT];
    place_format(query->place.x, text);
    text_line(out, "x", text, "m");
    place_format(query->place.y, text);
    text_line(out, "y", text, "m");
    text_number(out, "slope", answer->surface.slope, "degrees");
    text_number(out, "aspect", answer->surface.aspect, "degrees");
    if (water_depth(answer) > 0)
        text_number(out, "water", water_depth(answer), "m");
}

bool query_text(struct sampler *sampler, const struct catalog_world *world,
                const struct query *query, struct buffer *out, struct error *error)
{
    struct answer answer = {.with_ground = !query->layers};
    char number[NUMBER_TEXT];
    if (!query_sample(sampler, world->world, query, &answer, error))
        return false;
    if (query->layers && answer.layer_count == 1) {
        buffer_format(out, "%s\n", layer_text(world->world, &answer, 0, number));
        return !out->failed || error_memory(error);
    }
    if (!query->layers)
        text_ground(out, query, &answer);
    for (unsigned i = 0; i < answer.layer_count; i++) {
        const struct world_layer *layer = world_layer(world->world, answer.layers[i]);
        text_line(out, layer->name, layer_text(world->world, &answer, i, number), layer->unit);
    }
    return !out->failed || error_memory(error);
}
