/* /sight: whether a place is seen from another, over a flat world: no curvature, no refraction.
 *
 * The price is known from the distance: the line is sampled at each metre, and more coarsely from
 * SIGHT_SAMPLES_MAX metres on, which the output says by "complete".
 *
 * JSON: `clear`, the distance, both ends with the height of their ground and of the eye, and for a
 * line that is blocked the first place whose ground is above it. A line that is blocked at full
 * detail is certain; a clear one is as certain as its step: "complete" is true up to a metre. */
#include <math.h>
#include <string.h>

#include "core/base/extremes.h"
#include "server/queries/query_output.h"
#include "server/render/price.h"

static void write_end(struct json_writer *json, const char *name, const struct sight_end *end)
{
    json_member_object(json, name);
    query_output_place(json, end->place);
    json_member_float(json, "ground", end->ground);
    json_member_double(json, "height", end->height);
    json_object_close(json);
}

/* The first place that is above the line, seen from `from`; null if there is none. */
static void write_blocked(struct json_writer *json, const struct sight *sight)
{
    if (sight->clear) {
        json_member_null(json, "blocked");
        return;
    }
    json_member_object(json, "blocked");
    query_output_place(json, sight->blocked);
    json_member_double(json, "distance", sight->blocked_distance);
    json_member_float(json, "ground", sight->blocked_ground);
    json_member_double(json, "line", sight->blocked_line);
    json_object_close(json);
}

static void write_json(const struct query_run *run, const struct sight *sight, struct buffer *out)
{
    struct json_writer json;
    query_output_open(&json, run, out);
    json_member_bool(&json, "clear", sight->clear);
    json_member_double(&json, "distance", sight->distance);
    write_end(&json, "from", &sight->from);
    write_end(&json, "to", &sight->to);
    write_blocked(&json, sight);
    json_member_double(&json, "step", sight->step);
    json_member_double(&json, "spacing", sight->spacing);
    json_member_bool(&json, "complete", sight->complete);
    json_finish_object(&json);
}

static void write_text(const struct sight *sight, struct buffer *out)
{
    query_output_line(out, "clear", sight->clear ? "yes" : "no", "");
    query_output_number_line(out, "distance", sight->distance, "m");
    if (!sight->clear) {
        query_output_number_line(out, "blocked", sight->blocked_distance, "m");
        query_output_place_lines(out, sight->blocked);
    }
    query_output_line(out, "complete", sight->complete ? "yes" : "no", "");
}

/* The samples of the line and the two ends. */
static uint64_t sight_price(const struct query_run *run)
{
    const struct world *world = run->world->world;
    const unsigned layer = world_height_layer(world);
    struct sight sight = {.from = run->values.from, .to = run->values.to};
    const double samples = sight_plan(&sight), once = double_min(samples, SIGHT_BATCH);
    const double extent = sight.step * once;
    const struct price_layers ends = {world, &layer, 1, {.spacing = 0.0}};
    const struct price_layers between = {world,
                                         &layer,
                                         1,
                                         {.spacing = sight.spacing,
                                          .extent = extent < SAMPLING_NEAR ? extent : 0.0,
                                          .places = once,
                                          .line = sight.step,
                                          .all_extent = sight.distance,
                                          .all_places = samples}};
    return price_points(&ends, 2, 1, PRICE_NUMBER) +
           price_points(&between, samples, ceil(samples / SIGHT_BATCH), PRICE_NUMBER);
}

static bool sight_evaluate(const struct query_run *run, struct sampler *sampler, struct buffer *out,
                           struct error *error)
{
    struct sight sight = {.from = run->values.from, .to = run->values.to};
    if (!sight_trace(sampler, run->world->world, &sight, error))
        return false;
    if (run->form == QUERY_TEXT)
        write_text(&sight, out);
    else
        write_json(run, &sight, out);
    return true;
}

const struct query query_sight = {
    .name = "sight",
    .summary = "whether a place is seen from another",
    .url = "?from={x0},{y0},{h0}&to={x1},{y1},{h1}",
    .parameters = PARAMETER_BIT(FROM) | PARAMETER_BIT(TO) | PARAMETERS_OUTPUT,
    .schema = "Sight",
    .examples = "/sight?from=0,0,2&to=3000,1000,2 /sight?from=0,0,2&to=3000,1000,2&format=text "
                "/sight?from=0,0,2&to=3000,1000,2&pretty=1",
    .quotes_world = true,
    .limited = true,
    .price = sight_price,
    .smaller = "places that are nearer to each other",
    .evaluate = sight_evaluate,
};
