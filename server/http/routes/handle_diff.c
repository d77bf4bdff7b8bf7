/* GET /diff: how far two worlds differ over a rectangle. The entity tag is a hash of the output. */
#include "core/price/layers.h"
#include "core/terrain/difference.h"
#include "server/http/routes/handlers.h"
#include "server/queries/query_output.h"
#include "server/render/price.h"

struct comparison {
    struct answer_job answer;
    struct parameter_values values;
    struct sample_grid grid; /* of the values */
};

static const char *const names[HTTP_REQUEST_WORLDS] = {"a", "b"};

/* A count as a share of all samples. */
static double fraction(const struct difference *difference, uint64_t count)
{
    return (double)count / (double)difference->samples;
}

static void write_json(struct comparison *comparison, const struct difference *difference)
{
    struct json_writer json;
    json_begin_object(&json, &comparison->answer.out, comparison->values.pretty);
    for (int i = 0; i < HTTP_REQUEST_WORLDS; i++) {
        json_member_object(&json, names[i]);
        query_output_world(&json, comparison->answer.request->worlds[i].compiled);
        json_object_close(&json);
    }
    query_output_grid(&json, &comparison->values.area, &comparison->grid);
    json_member_double(&json, "changed", fraction(difference, difference->changed));
    json_member_double(&json, "mean", difference->mean);
    json_member_float(&json, "largest", difference->largest);
    query_output_place(&json, difference->where);
    json_member_double(&json, "drowned", fraction(difference, difference->became_water));
    json_member_double(&json, "risen", fraction(difference, difference->became_land));
    if (difference->has_biomes)
        json_member_double(&json, "biomes", fraction(difference, difference->biomes));
    else
        json_member_null(&json, "biomes");
    json_finish_object(&json);
}

static void write_text(struct comparison *comparison, const struct difference *difference)
{
    struct buffer *out = &comparison->answer.out;
    query_output_number_line(out, "changed", fraction(difference, difference->changed), "");
    query_output_number_line(out, "mean", difference->mean, "m");
    query_output_number_line(out, "largest", (double)difference->largest, "m");
    query_output_place_lines(out, difference->where);
    query_output_number_line(out, "drowned", fraction(difference, difference->became_water), "");
    query_output_number_line(out, "risen", fraction(difference, difference->became_land), "");
    if (difference->has_biomes)
        query_output_number_line(out, "biomes", fraction(difference, difference->biomes), "");
}

/* Both worlds are sampled on one grid, so a difference is between equal places at one level of
 * detail. */
static bool make_diff(struct answer_job *answer, struct worker_context *worker)
{
    struct comparison *comparison = (struct comparison *)answer;
    const struct resolved_world *worlds = answer->request->worlds;
    struct difference difference = {
        .a = worlds[0].compiled->world, .b = worlds[1].compiled->world, .grid = comparison->grid};
    struct error error = {0};
    if (!difference_measure(canvas_sampler(tile_maker_canvas(worker->maker)), &difference, &error))
        return problem_from_error(&answer->problem, PROBLEM_PARAMETER, &error);
    if (comparison->values.format == QUERY_TEXT)
        write_text(comparison, &difference);
    else
        write_json(comparison, &difference);
    return true;
}

static const struct answer_type diff_answer = {METRICS_QUESTION, false, make_diff, NULL, NULL};

static bool begin_diff(struct http_request *request, struct problem *problem)
{
    struct comparison *comparison =
        answer_job_new(request, &diff_answer, sizeof *comparison, problem);
    if (!comparison)
        return false;
    comparison->values = *request->values;
    comparison->grid = query_grid(request->values);
    comparison->answer.content_type = query_forms[request->values->format].content_type;
    return true;
}

/* The price of samples of both worlds. */
struct price_estimate {
    unsigned octaves; /* of a sample, in both worlds together */
    uint64_t price;   /* see price.h */
};

static void add_world_price(const struct world *world, const struct sample_grid *grid,
                            struct price_estimate *price_estimate)
{
    const int biome = world_biome_layer(world);
    const unsigned layers[2] = {world_height_layer(world), biome < 0 ? 0 : (unsigned)biome};
    const struct sampling_where where = sampling_where_grid(grid);
    const struct price_layers both = {
        world,
        layers,
        biome < 0 ? 1 : 2,
        {.step = place_metres(grid->step), .spacing = grid->spacing, .where = &where}};
    price_estimate->octaves += layers_octaves(world_program(world), layers, both.count);
    price_estimate->price += price_grid(&both, grid->columns, grid->rows, PRICE_NUMBER);
}

static struct price_estimate estimate_price(const struct comparison *comparison,
                                            const struct sample_grid *grid)
{
    struct price_estimate price_estimate = {0};
    for (int i = 0; i < HTTP_REQUEST_WORLDS; i++)
        add_world_price(comparison->answer.request->worlds[i].base->world, grid, &price_estimate);
    return price_estimate;
}

static uint64_t fewer_samples_price(const void *context, uint64_t samples)
{
    const struct comparison *comparison = context;
    struct parameter_values values = comparison->values;
    values.samples = (int64_t)samples;
    const struct sample_grid grid = query_grid(&values);
    return estimate_price(comparison, &grid).price;
}

/* The bound of one answer counts octaves of both worlds. */
static bool charge_diff(struct http_request *request, struct charge *charge,
                        struct problem *problem)
{
    const struct comparison *comparison = request->work;
    const struct sample_grid *grid = &comparison->grid;
    const struct price_estimate price_estimate = estimate_price(comparison, grid);
    struct error error = {0};
    if (!query_check_samples((uint64_t)grid->columns * grid->rows, price_estimate.octaves, &error))
        return problem_from_error(problem, PROBLEM_TOO_LARGE, &error);
    *charge = (struct charge){
        .nanoseconds = price_estimate.price,
        .smaller = query_diff.smaller,
        .example = "",
        .parts = "samples along the longer side",
        .count = grid->columns > grid->rows ? grid->columns : grid->rows,
        .nanoseconds_of = fewer_samples_price,
        .context = comparison,
    };
    return true;
}

const struct route_steps diff_steps = {.read = begin_diff, .charge = charge_diff};
