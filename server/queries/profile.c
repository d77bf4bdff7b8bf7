/* /profile: the ground along a line, as JSON, as a table, or drawn as SVG.
 *
 * Heights stand at equal distances along the whole line, its corners are not sampled in addition.
 * All forms are written from one array of points.
 *
 * JSON: length, level of detail, ascent and descent along the line, minimum and maximum (all in
 * metres), then `distances` from the start, `heights` and `water_levels`, arrays of the same
 * length: there is water where its level is above the ground. Text: a line of two columns for each
 * point, distance and height. */
#include <stdlib.h>
#include <string.h>

#include "core/base/extremes.h"
#include "core/price/layers.h"
#include "core/terrain/surface.h"
#include "core/tile/address.h"
#include "server/queries/profile_svg.h"
#include "server/queries/query_output.h"
#include "server/render/price.h"

static void write_json(const struct query_run *run, const struct profile *profile,
                       struct buffer *out)
{
    const struct profile_point *points = profile->points;
    struct json_writer json;
    query_output_open(&json, run, out);
    json_member_double(&json, "length", profile->length);
    json_member_double(&json, "spacing", profile->spacing);
    json_member_double(&json, "ascent", profile->ascent);
    json_member_double(&json, "descent", profile->descent);
    json_member_float(&json, "minimum", points[profile->lowest].height);
    json_member_float(&json, "maximum", points[profile->highest].height);
    json_member_array(&json, "distances");
    for (uint32_t i = 0; i < profile->count; i++)
        json_write_double(&json, points[i].distance);
    json_array_close(&json);
    json_member_array(&json, "heights");
    for (uint32_t i = 0; i < profile->count; i++)
        json_write_float(&json, points[i].height);
    json_array_close(&json);
    json_member_array(&json, "water_levels");
    for (uint32_t i = 0; i < profile->count; i++)
        json_write_float(&json, points[i].water);
    json_array_close(&json);
    json_finish_object(&json);
}

static void write_text(const struct profile *profile, struct buffer *out)
{
    buffer_text(out, "distance\theight\n");
    for (uint32_t i = 0; i < profile->count; i++) {
        query_output_double(out, profile->points[i].distance, '\t');
        query_output_float(out, profile->points[i].height, '\n');
    }
}

/* The layers that are sampled: the ground, and the water if the world has any but the sea. */
static unsigned profile_layers(const struct world *world, unsigned layers[2])
{
    const int water = surface_water_layer(world);
    layers[0] = world_height_layer(world);
    layers[1] = (unsigned)water;
    return water < 0 ? 1 : 2;
}

static double spacing_of(const struct query_run *run)
{
    return run->values.zoom < 0 ? 0 : tile_spacing((int)run->values.zoom);
}

static struct sampling sampling_of(const struct query_run *run)
{
    const double samples = (double)run->values.samples, once = double_min(samples, NOISE_ROW_MAX);
    const double apart = profile_length(&run->values.line) / samples, extent = apart * once;
    return (struct sampling){
        .spacing = spacing_of(run),
        .extent = extent < SAMPLING_NEAR ? extent : 0.0,
        .places = once,
        .line = apart,
        .all_extent = apart * samples,
        .all_places = samples,
    };
}

enum { PRICED_PLACES = 16 }; /* of the line, which its price is found at */

static uint64_t profile_price(const struct query_run *run)
{
    const struct world *world = run->world->world;
    unsigned layers[2];
    const unsigned count = profile_layers(world, layers);
    struct price_layers ground = {world, layers, count, sampling_of(run)};
    struct place places[PRICED_PLACES];
    const struct sampling_where where = {.places = places, .count = PRICED_PLACES};
    for (unsigned i = 0; i < PRICED_PLACES; i++)
        places[i] = profile_place(&run->values.line,
                                  profile_length(&run->values.line) * i / (PRICED_PLACES - 1));
    ground.sampling.where = &where;
    return price_points(&ground, (double)run->values.samples, 1, 3 * PRICE_TEXT);
}

/* The line is bounded by the number of its samples alone, however long it is. */
static bool profile_evaluate(const struct query_run *run, struct sampler *sampler,
                             struct buffer *out, struct error *error)
{
    const struct world *world = run->world->world;
    struct profile profile = {
        .line = run->values.line,
        .count = (uint32_t)run->values.samples,
        .spacing = spacing_of(run),
    };
    unsigned layers[2];
    const unsigned count = profile_layers(world, layers);
    if (!query_check_samples(profile.count, layers_octaves(world_program(world), layers, count),
                             error))
        return false;
    profile.points = malloc(profile.count * sizeof *profile.points);
    if (!profile.points)
        return error_memory(error);
    const bool done = profile_sample(sampler, world, &profile, error);
    if (done && run->form == QUERY_SVG)
        profile_write_svg(&profile, out);
    else if (done && run->form == QUERY_TEXT)
        write_text(&profile, out);
    else if (done)
        write_json(run, &profile, out);
    free(profile.points);
    return done;
}

const struct query query_profile = {
    .name = "profile",
    .summary = "heights and water levels along a line",
    .url = "?line={x0},{y0};{x1},{y1}",
    .parameters =
        PARAMETER_BIT(LINE) | PARAMETER_BIT(LINE_SAMPLES) | PARAMETER_BIT(ZOOM) | PARAMETERS_OUTPUT,
    .schema = "Profile",
    .examples = "/profile?line=0,0;5000,2500 /profile?line=0,0;5000,2500&samples=5&format=text "
                "/profile?line=0,0;5000,2500&zoom=9&pretty=1",
    .more_examples[QUERY_SVG] = "/profile.svg?line=0,0;5000,2500&samples=5&zoom=9",
    .quotes_world = true,
    .limited = true,
    .price = profile_price,
    .smaller = "fewer samples",
    .parts = "samples",
    .evaluate = profile_evaluate,
};
