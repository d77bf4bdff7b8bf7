/* Why a place is as it is: each layer's formula and value, and which rule made the biome. */
#include "core/tile/address.h"
#include "core/world/inspect.h"
#include "server/queries/query_output.h"
#include "server/queries/query_params.h"
#include "server/render/cost.h"

struct explained {
    const struct world *world;
    double spacing;
    unsigned layer_count;
    float values[WORLD_LAYERS_MAX + 1];
};

static bool explain_read(const struct question_source *source, struct inquiry *inquiry)
{
    int64_t zoom = -1;
    double z = 0, t = 0;
    inquiry->at = (struct query){.zoom = -1};
    if (!input_place(source, &inquiry->at.place) ||
        !input_whole(source, "zoom", 0, TILE_ZOOM_MAX, &zoom) ||
        !input_number(source, "z", -0x1p40, 0x1p40, &z) ||
        !input_number(source, "t", -0x1p40, 0x1p40, &t))
        return false;
    inquiry->at.zoom = (int)zoom;
    inquiry->at.z = place_from_metres(z);
    inquiry->at.t = place_from_metres(t);
    return true;
}

static bool sample_layers(const struct inquiry *inquiry, struct sampler *sampler,
                          struct explained *explained, struct error *error)
{
    const struct query *at = &inquiry->at;
    unsigned layers[WORLD_LAYERS_MAX + 1];
    float *outputs[WORLD_LAYERS_MAX + 1];
    explained->world = inquiry->world->world;
    explained->spacing = at->zoom < 0 ? 0 : tile_spacing(at->zoom);
    explained->layer_count = world_layer_count(explained->world);
    for (unsigned i = 0; i < explained->layer_count; i++) {
        layers[i] = i;
        outputs[i] = &explained->values[i];
    }
    struct sample_points points = {&at->place, 1, explained->spacing, at->z, at->t};
    struct sample_request request = {layers, outputs, explained->layer_count};
    return sampler_points(sampler, explained->world, &points, &request, error);
}

static bool write_noises(struct json_writer *json, const struct explained *explained,
                         unsigned layer, struct error *error)
{
    struct inspect_layer inspected = {.layer = layer, .spacing = explained->spacing};
    if (!inspect_noises(explained->world, &inspected, error))
        return false;
    json_write_key(json, "noises");
    json_array_open(json);
    for (unsigned i = 0; i < inspected.count; i++) {
        json_object_open(json);
        json_member_double(json, "wavelength", inspected.noises[i].wavelength);
        json_member_integer(json, "octaves", inspected.noises[i].octaves);
        json_member_integer(json, "counted", inspected.noises[i].active_octaves);
        json_object_close(json);
    }
    json_array_close(json);
    return true;
}

/* The biome's index among the layers is left to "biome". */
static bool write_layers(struct json_writer *json, const struct explained *explained,
                         struct error *error)
{
    json_write_key(json, "layers");
    json_array_open(json);
    for (unsigned i = 0; i < explained->layer_count; i++) {
        const struct world_layer *layer = world_layer(explained->world, i);
        if ((int)i == world_biome_layer(explained->world))
            continue;
        json_object_open(json);
        json_member_string(json, "name", layer->name);
        json_member_string(json, "formula", layer->formula);
        json_member_float(json, "value", explained->values[i]);
        json_member_string(json, "unit", layer->unit);
        if (!write_noises(json, explained, i, error))
            return false;
        json_object_close(json);
    }
    json_array_close(json);
    return true;
}

static const struct world_biome *biome_of(const struct explained *explained)
{
    int layer = world_biome_layer(explained->world);
    return layer < 0 ? NULL : world_biome(explained->world, (unsigned)explained->values[layer]);
}

/* "rule" counts from 1, as a reader of the file would; "when" is null for the last, which takes
 * what is left. */
static void write_biome(struct json_writer *json, const struct explained *explained)
{
    const struct world_biome *biome = biome_of(explained);
    json_write_key(json, "biome");
    if (!biome) {
        json_write_null(json);
        return;
    }
    json_object_open(json);
    json_member_string(json, "name", biome->name);
    json_member_integer(json, "rule",
                        (int64_t)explained->values[world_biome_layer(explained->world)] + 1);
    json_member_integer(json, "rules", world_biome_count(explained->world));
    json_member_string(json, "when", biome->when);
    json_object_close(json);
}

static bool write_json(const struct inquiry *inquiry, const struct explained *explained,
                       struct buffer *out, struct error *error)
{
    struct json_writer json;
    answer_open(&json, inquiry, out);
    answer_place(&json, inquiry->at.place);
    if (inquiry->at.zoom >= 0)
        json_member_integer(&json, "zoom", inquiry->at.zoom);
    json_member_double(&json, "spacing", explained->spacing);
    write_biome(&json, explained);
    if (!write_layers(&json, explained, error))
        return false;
    answer_close(&json);
    return answer_done(out, error);
}

static bool write_text(const struct explained *explained, struct buffer *out, struct error *error)
{
    const struct world_biome *biome = biome_of(explained);
    for (unsigned i = 0; i < explained->layer_count; i++) {
        const struct world_layer *layer = world_layer(explained->world, i);
        if ((int)i == world_biome_layer(explained->world))
            continue;
        buffer_format(out, "%s\t", layer->name);
        answer_float(out, explained->values[i], '\t');
        buffer_format(out, "%s\t%s\n", layer->unit, layer->formula);
    }
    if (biome)
        buffer_format(out, "biome\t%s\t\t%s\n", biome->name,
                      biome->when ? biome->when : "(what is left)");
    return answer_done(out, error);
}

static uint64_t explain_cost(const struct inquiry *inquiry)
{
    return cost_places(inquiry->world->world, 1, 0);
}

static bool explain_answer(const struct inquiry *inquiry, struct sampler *sampler,
                           struct buffer *out, struct error *error)
{
    struct explained explained;
    if (!sample_layers(inquiry, sampler, &explained, error))
        return false;
    return inquiry->form == QUESTION_TEXT ? write_text(&explained, out, error)
                                          : write_json(inquiry, &explained, out, error);
}

static const struct question_parameter parameters[] = {
    {"x", ALLOWED_COORDINATE},
    {"y", ALLOWED_COORDINATE},
    {"lon", ALLOWED_DEGREES_EAST},
    {"lat", ALLOWED_DEGREES_NORTH},
    {"zoom", "0 … 20"},
    {"z", ALLOWED_COORDINATE},
    {"t", "±1099511627776 seconds"},
    {NULL, NULL},
};

const struct question question_explain = {
    .name = "explain",
    .forms = 1 << QUESTION_JSON | 1 << QUESTION_TEXT,
    .example = "/explain?x=0&y=0&zoom=9",
    .parameters = parameters,
    .read = explain_read,
    .cost = explain_cost,
    .smaller = "a world with fewer layers",
    .answer = explain_answer,
};
