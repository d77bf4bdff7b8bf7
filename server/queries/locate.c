/* The nearest place that is so and so: of a biome, so high, or fit to begin a game at. */
#include <float.h>
#include <string.h>

#include "server/queries/query_output.h"
#include "server/queries/query_params.h"
#include "server/render/cost.h"

/* Where a game may begin: dry, low, gentle. */
#define SPAWN_LOW 1.0f
#define SPAWN_HIGH 300.0f
#define SPAWN_SLOPE 10.0f
#define RADIUS_LOCATE 10000.0
#define RADIUS_SPAWN 4096.0

static bool read_radius(const struct question_source *source, double fallback,
                        struct locate_search *search)
{
    double radius = fallback;
    if (!input_number(source, "radius", 1, place_metres(LOCATE_RADIUS_MAX), &radius))
        return false;
    search->radius = place_from_metres(radius);
    search->cost_max = QUESTION_COST_MAX;
    return true;
}

static bool read_biome(const char *name, const struct world *world, struct locate_search *search,
                       struct error *error)
{
    const char *names[WORLD_BIOMES_MAX];
    unsigned count = world_biome_count(world);
    for (unsigned i = 0; i < count; i++) {
        names[i] = world_biome(world, i)->name;
        if (strcmp(names[i], name) != 0)
            continue;
        search->layer = (unsigned)world_biome_layer(world);
        search->low = search->high = (float)i;
        return true;
    }
    const char *near = error_suggest(name, names, count);
    error_set(error, ERROR_UNKNOWN, "unknown biome \"%s\"%s%s%s", name,
              near    ? " (did you mean \""
              : count ? ""
                      : ": this world has none",
              near ? near : "", near ? "\"?)" : "");
    return error_in_path(error, "biome");
}

static bool locate_read(const struct question_source *source, struct inquiry *inquiry)
{
    const struct world *world = inquiry->world->world;
    const char *biome = input_text(source, "biome"), *height = input_text(source, "min_height");
    struct locate_search *search = &inquiry->search;
    double least = 0;
    *search = (struct locate_search){.high = FLT_MAX, .slope_high = LOCATE_ANY_SLOPE};
    if ((biome != NULL) == (height != NULL)) {
        error_set(source->error, ERROR_VALUE, "give either biome or min_height, not %s",
                  biome ? "both" : "neither");
        return error_in_path(source->error, biome ? "min_height" : "biome");
    }
    if (!input_place(source, &search->place) || !read_radius(source, RADIUS_LOCATE, search))
        return false;
    if (biome)
        return read_biome(biome, world, search, source->error);
    search->layer = world_height_layer(world);
    if (!input_number(source, "min_height", -1e6, 1e6, &least))
        return false;
    search->low = (float)least;
    return true;
}

static bool spawn_read(const struct question_source *source, struct inquiry *inquiry)
{
    inquiry->search = (struct locate_search){
        .layer = world_height_layer(inquiry->world->world),
        .low = SPAWN_LOW,
        .high = SPAWN_HIGH,
        .slope_high = SPAWN_SLOPE,
        .dry = true,
    };
    return input_place(source, &inquiry->search.place) &&
           read_radius(source, RADIUS_SPAWN, &inquiry->search);
}

static bool write_text(const struct located *located, float height, struct buffer *out,
                       struct error *error)
{
    answer_line(out, "found", located->found ? "yes" : "no", "");
    if (located->found) {
        answer_place_lines(out, located->place);
        answer_number_line(out, "distance", located->distance, "m");
        answer_number_line(out, "bearing", located->bearing, "degrees");
        buffer_text(out, "height\t");
        answer_float(out, height, '\t');
        buffer_text(out, "m\n");
    }
    answer_number_line(out, "step", place_metres(located->step), "m");
    answer_line(out, "complete", located->complete ? "yes" : "no", "");
    return answer_done(out, error);
}

static void write_rules(struct json_writer *json)
{
    json_write_key(json, "rules");
    json_object_open(json);
    json_member_float(json, "min_height", SPAWN_LOW);
    json_member_float(json, "max_height", SPAWN_HIGH);
    json_member_float(json, "max_slope", SPAWN_SLOPE);
    json_object_close(json);
}

static bool write_json(const struct inquiry *inquiry, const struct located *located, float height,
                       struct buffer *out, struct error *error)
{
    struct json_writer json;
    answer_open(&json, inquiry, out);
    json_member_bool(&json, "found", located->found);
    if (located->found) {
        answer_place(&json, located->place);
        json_member_float(&json, "height", height);
        json_member_double(&json, "distance", located->distance);
        json_member_double(&json, "bearing", located->bearing);
    }
    if (inquiry->question == &question_spawn)
        write_rules(&json);
    json_write_key(&json, "radius");
    json_write_place(&json, inquiry->search.radius);
    json_write_key(&json, "step");
    json_write_place(&json, located->step);
    json_member_integer(&json, "samples", (int64_t)located->samples);
    json_member_bool(&json, "complete", located->complete);
    answer_close(&json);
    return answer_done(out, error);
}

/* If nothing is found before the search ends. */
static uint64_t locate_cost(const struct inquiry *inquiry)
{
    const struct locate_search *search = &inquiry->search;
    const struct world *world = inquiry->world->world;
    const struct cost_layers layer = {world, &search->layer, 1, 0};
    const unsigned octaves = world_layer(world, search->layer)->cost;
    const uint64_t most = search->cost_max / (octaves ? octaves : 1);
    const uint64_t metres = (uint64_t)place_metres(search->radius);
    const uint64_t steps = metres < LOCATE_STEPS ? metres : LOCATE_STEPS;
    const uint64_t square = (2 * steps + 1) * (2 * steps + 1);
    const bool closer = search->dry || search->slope_high < LOCATE_ANY_SLOPE;
    return cost_grid(&layer, square < most ? square : most) +
           (closer ? cost_places(world, LOCATE_SLOPES_MAX, 0) : 0);
}

static bool locate_answer(const struct inquiry *inquiry, struct sampler *sampler,
                          struct buffer *out, struct error *error)
{
    const struct world *world = inquiry->world->world;
    struct located located;
    float height = 0, *output = &height;
    unsigned layer = world_height_layer(world);
    if (!locate_nearest(sampler, world, &inquiry->search, &located, error))
        return false;
    struct sample_points points = {.places = &located.place, .count = 1};
    struct sample_request request = {&layer, &output, 1};
    if (located.found && !sampler_points(sampler, world, &points, &request, error))
        return false;
    return inquiry->form == QUESTION_TEXT ? write_text(&located, height, out, error)
                                          : write_json(inquiry, &located, height, out, error);
}

static const struct question_parameter locate_parameters[] = {
    {"biome", "one of the world's biomes"},
    {"min_height", "-1000000 … 1000000 metres"},
    {"x", ALLOWED_COORDINATE},
    {"y", ALLOWED_COORDINATE},
    {"lon", ALLOWED_DEGREES_EAST},
    {"lat", ALLOWED_DEGREES_NORTH},
    {"radius", "1 … 16777216 metres"},
    {NULL, NULL},
};

const struct question question_locate = {
    .name = "locate",
    .forms = 1 << QUESTION_JSON | 1 << QUESTION_TEXT,
    .example = "/locate?min_height=100&x=0&y=0&radius=1000",
    .parameters = locate_parameters,
    .read = locate_read,
    .cost = locate_cost,
    .smaller = "a smaller radius",
    .answer = locate_answer,
};

const struct question question_spawn = {
    .name = "spawn",
    .forms = 1 << QUESTION_JSON | 1 << QUESTION_TEXT,
    .example = "/spawn?x=0&y=0",
    .parameters = locate_parameters + 2,
    .read = spawn_read,
    .cost = locate_cost,
    .smaller = "a smaller radius",
    .answer = locate_answer,
};
