/* /explain: why a place is as it is.
 *
 * Every layer is sampled at the place, at full detail or at that of a zoom, and written with its
 * formula. The noises of a layer are listed with the octaves that count at this level of detail:
 * finer ones fade out, see core/price/sampling.h. The biome comes with the rule that chose it, so a
 * world's author sees which condition to change. In a drainage network, the stream whose land the
 * place is on is described, and where its water goes.
 *
 * JSON: the place, the spacing of samples in metres (0 for full detail), the biome with the number
 * of its rule among all rules and the rule's condition, what drainage() gives here, and for each
 * layer the formula, value, unit and noises. Text: a line of name, value, unit and formula for each
 * layer, then the biome. */
#include "core/terrain/trace.h"
#include "core/tile/address.h"
#include "core/worldfile/layer_noises.h"
#include "server/queries/query_output.h"
#include "server/render/price.h"

#define EXPLAIN_LAYER_TIME 1750.0 /* nanoseconds to write a layer with its formula and noises */

struct explained {
    const struct world *world;
    double spacing;
    unsigned layer_count;
    float values[WORLD_LAYERS_MAX + 1];
    float drainage[DRAINAGE_OUTPUTS];
    struct trace *trace; /* of the water from the place; null in worlds without a network */
};
#define DRAINAGE_NAME(id, name, least, most) name,
static const char *const drainage_names[] = {DRAINAGE_OUTPUT_ROWS(DRAINAGE_NAME)};

static bool sample_drainage(const struct sample_points *points, struct sampler *sampler,
                            struct explained *explained, struct error *error)
{
    unsigned layers[DRAINAGE_OUTPUTS];
    float *outputs[DRAINAGE_OUTPUTS];
    for (unsigned i = 0; i < DRAINAGE_OUTPUTS; i++) {
        layers[i] = world_drainage_layer(explained->world, (enum drainage_output)i);
        outputs[i] = &explained->drainage[i];
    }
    const struct sample_request request = {layers, outputs, DRAINAGE_OUTPUTS};
    return sampler_points(sampler, world_program(explained->world), points, &request, error);
}

static bool sample_layers(const struct query_run *run, struct sampler *sampler,
                          struct explained *explained, struct error *error)
{
    const struct parameter_values *at = &run->values;
    unsigned layers[WORLD_LAYERS_MAX + 1];
    float *outputs[WORLD_LAYERS_MAX + 1];
    explained->world = run->world->world;
    explained->spacing = at->zoom < 0 ? 0 : tile_spacing((int)at->zoom);
    explained->layer_count = world_layer_count(explained->world);
    for (unsigned i = 0; i < explained->layer_count; i++) {
        layers[i] = i;
        outputs[i] = &explained->values[i];
    }
    struct sample_points points = {&at->place, 1, explained->spacing, at->z, at->t};
    struct sample_request request = {layers, outputs, explained->layer_count};
    return sampler_points(sampler, world_program(explained->world), &points, &request, error) &&
           (!world_has_drainage(explained->world) ||
            (sample_drainage(&points, sampler, explained, error) &&
             trace_follow(sampler, explained->world, explained->trace, error)));
}

static void write_noises(struct json_writer *json, const struct explained *explained,
                         unsigned layer)
{
    struct layer_noises inspected = {.layer = layer, .spacing = explained->spacing};
    layer_noises_find(explained->world, &inspected);
    json_member_array(json, "noises");
    for (unsigned i = 0; i < inspected.count; i++) {
        json_object_open(json);
        json_member_double(json, "wavelength", inspected.noises[i].wavelength);
        json_member_integer(json, "octaves", inspected.noises[i].octaves);
        json_member_integer(json, "counted", inspected.noises[i].active_octaves);
        json_object_close(json);
    }
    json_array_close(json);
}

/* The layers but that of the biome, which is the member "biome". */
static void write_layers(struct json_writer *json, const struct explained *explained)
{
    json_member_array(json, "layers");
    for (unsigned i = 0; i < explained->layer_count; i++) {
        const struct world_layer *layer = world_layer(explained->world, i);
        if ((int)i == world_biome_layer(explained->world))
            continue;
        json_object_open(json);
        json_member_string(json, "name", layer->name);
        json_member_string(json, "formula", layer->formula);
        json_member_float(json, "value", explained->values[i]);
        json_member_string(json, "unit", layer->unit);
        write_noises(json, explained, i);
        json_object_close(json);
    }
    json_array_close(json);
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
    if (!biome) {
        json_member_null(json, "biome");
        return;
    }
    json_member_object(json, "biome");
    json_member_string(json, "name", biome->name);
    json_member_integer(json, "rule",
                        (int64_t)explained->values[world_biome_layer(explained->world)] + 1);
    json_member_integer(json, "rules", world_biome_count(explained->world));
    json_member_string(json, "when", biome->when);
    json_object_close(json);
}

/* The stream that the land belongs to, and where its water goes. In the sea there is none. */
static void write_stream(struct json_writer *json, const struct trace *trace)
{
    if (trace->stream_count == 0) {
        json_member_null(json, "stream");
        return;
    }
    json_member_object(json, "stream");
    query_output_id(json, "id", trace->streams[0].id);
    if (trace->stream_count > 1)
        query_output_id(json, "downstream", trace->streams[1].id);
    else
        json_member_null(json, "downstream");
    query_output_trace_end(json, trace);
    json_object_close(json);
}

static void write_drainage(struct json_writer *json, const struct explained *explained)
{
    if (!world_has_drainage(explained->world)) {
        json_member_null(json, "drainage");
        return;
    }
    json_member_object(json, "drainage");
    for (int i = 0; i < DRAINAGE_OUTPUTS; i++)
        json_member_float(json, drainage_names[i], explained->drainage[i]);
    json_object_close(json);
    write_stream(json, explained->trace);
}

static void write_json(const struct query_run *run, const struct explained *explained,
                       struct buffer *out)
{
    struct json_writer json;
    query_output_open(&json, run, out);
    query_output_place(&json, run->values.place);
    if (run->values.zoom >= 0)
        json_member_integer(&json, "zoom", run->values.zoom);
    json_member_double(&json, "spacing", explained->spacing);
    write_biome(&json, explained);
    write_drainage(&json, explained);
    write_layers(&json, explained);
    json_finish_object(&json);
}

static void write_stream_lines(const struct trace *trace, struct buffer *out)
{
    static const char *const names[] = {"stream", "downstream"};
    for (unsigned i = 0; i < 2 && trace && i < trace->stream_count; i++)
        buffer_format(out, "%s\t%llu\t\t\n", names[i], (unsigned long long)trace->streams[i].id);
}

static void write_text(const struct explained *explained, struct buffer *out)
{
    const struct world_biome *biome = biome_of(explained);
    for (unsigned i = 0; i < explained->layer_count; i++) {
        const struct world_layer *layer = world_layer(explained->world, i);
        if ((int)i == world_biome_layer(explained->world))
            continue;
        buffer_format(out, "%s\t", layer->name);
        query_output_float(out, explained->values[i], '\t');
        buffer_format(out, "%s\t%s\n", layer->unit, layer->formula);
    }
    for (int i = 0; i < DRAINAGE_OUTPUTS && world_has_drainage(explained->world); i++) {
        buffer_format(out, "drainage.%s\t", drainage_names[i]);
        query_output_float(out, explained->drainage[i], '\t');
        buffer_text(out, "\t\n");
    }
    write_stream_lines(explained->trace, out);
    if (biome)
        buffer_format(out, "biome\t%s\t\t%s\n", biome->name,
                      biome->when ? biome->when : "(what is left)");
}

static uint64_t explain_price(const struct query_run *run)
{
    unsigned layers[WORLD_LAYERS_MAX + 2];
    const struct world *world = run->world->world;
    unsigned count = 0;
    for (; count < world_layer_count(world); count++)
        layers[count] = count;
    if (world_has_drainage(world))
        layers[count++] = world_drainage_layer(world, DRAINAGE_FLOW);
    const struct price_layers all = {world, layers, count, {.step = 0.0}};
    return price_points(&all, 1, 1, EXPLAIN_LAYER_TIME) +
           (world_has_drainage(world) ? price_trace(world) : 0);
}

static bool explain_evaluate(const struct query_run *run, struct sampler *sampler,
                             struct buffer *out, struct error *error)
{
    struct trace trace = {.place = run->values.place, .coarse = true};
    struct explained explained = {.trace = world_has_drainage(run->world->world) ? &trace : NULL};
    const bool done = sample_layers(run, sampler, &explained, error);
    if (done && run->form == QUERY_TEXT)
        write_text(&explained, out);
    else if (done)
        write_json(run, &explained, out);
    trace_free(&trace);
    return done;
}

const struct query query_explain = {
    .name = "explain",
    .summary =
        "each layer's formula and value at a place, the rule that chose the biome, and the stream",
    .url = "?x={x}&y={y}",
    .parameters = PARAMETERS_PLACE | PARAMETER_BIT(ZOOM) | PARAMETER_BIT(Z) | PARAMETER_BIT(T) |
                  PARAMETERS_OUTPUT,
    .schema = "Explain",
    .examples = "/explain?x=1000&y=-250.5 /explain?lon=0.5&lat=-0.25&zoom=9&pretty=1 "
                "/explain?x=1000&y=-250.5&z=0&t=0&format=text",
    .quotes_world = true,
    .price = explain_price,
    .smaller = "a world with fewer layers",
    .evaluate = explain_evaluate,
};
