/* /locate and /spawn: the nearest places where a condition holds, that of a biome, of a height, or
 * of ground to begin a game at; and peaks, passes, sources, mouths and lakes. Names are looked for
 * by locate_names.c.
 *
 * All but the latter are one search with different conditions (core/terrain/locate.h), which
 * core/language/condition.h compiles. The search is exhaustive on a grid whose step is a 256th of
 * the radius, at the level of detail of the step unless full detail is asked for, and says whether
 * it could finish within the limit of one answer. The places that it finds satisfy the condition at
 * full detail in either case. Features are found on the whole of such a grid
 * (core/terrain/landmark.h).
 *
 * JSON: whether a place was found; if so the nearest place, its height, distance and bearing from
 * the start; all places alike; the radius, the step and the level of detail of the search, how many
 * samples it looked at, and whether it is complete. Features add their kind and what describes
 * them: `prominence`, `flow` and `width`, or `level` and `area`. For a spawn the conditions are
 * listed as `rules`. An incomplete search that found nothing says nothing about the rest of the
 * circle. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/extremes.h"
#include "core/base/number.h"
#include "core/price/layers.h"
#include "core/terrain/landmark.h"
#include "core/terrain/locate_check.h"
#include "core/terrain/surface.h"
#include "core/worldfile/world_condition.h"
#include "server/queries/locate_names.h"
#include "server/queries/query_output.h"
#include "server/render/price.h"

/* The ground where a game may begin: metres above the sea, and degrees. It is dry, and as high as
 * the land is: whoever asks on a plateau wants to begin there. */
#define SPAWN_LOW 1
#define SPAWN_SLOPE 10
#define SPAWN_DRY "height > water_level"

/* Places that are examined at full detail. A place that has the height or the biome at the level of
 * detail of the grid has it at full detail more often than not; but all low ground around may be
 * steep. */
enum { CHECKS_MAX = 1000, CHECKS_MAX_SLOPE = 10000 };
#define CHECKS_TIME_MAX 175e6 /* nanoseconds */

/* Sets the search's condition; false with the column in the error. */
static bool set_condition(struct query_run *run, const char *parameter, const char *text,
                          struct error *error)
{
    struct condition *condition = world_condition_new(run->world->world, text, error);
    if (!condition)
        return error_in_path(error, "%s", parameter);
    memcpy(run->condition, text, strlen(text) + 1); /* which world_condition_new() has limited */
    run->needs = *condition_needs(condition);
    run->search.checks_max = run->needs.slope ? CHECKS_MAX_SLOPE : CHECKS_MAX;
    condition_free(condition);
    return true;
}

static bool set_biome(struct query_run *run, const char *name, struct error *error)
{
    const char *names[WORLD_BIOMES_MAX];
    char text[32];
    const struct world *world = run->world->world;
    unsigned count = world_biome_count(world);
    for (unsigned i = 0; i < count; i++) {
        names[i] = world_biome(world, i)->name;
        if (strcmp(names[i], name) != 0)
            continue;
        snprintf(text, sizeof text, "biome == %u", i);
        return set_condition(run, "biome", text, error);
    }
    query_unknown_name("biome", name, names, count, error);
    return error_in_path(error, "biome");
}

static bool set_min_height(struct query_run *run, struct error *error)
{
    char text[NUMBER_TEXT + 16], number[NUMBER_TEXT];
    number_format_double(run->values.min_height, number);
    snprintf(text, sizeof text, "height >= %s", number);
    return set_condition(run, "min_height", text, error);
}

/* A search around the place; the caller adds the condition. */
static struct locate_search begin_search(const struct query_run *run)
{
    return (struct locate_search){
        .place = run->values.place,
        .radius = run->values.radius,
        .limit = 1,
        .full_detail = run->values.detail == DETAIL_FULL,
        .octaves_max = QUERY_OCTAVES_MAX,
        .checks_time_max = CHECKS_TIME_MAX,
    };
}

/* ---- features */

static bool is_feature(const struct query_run *run)
{
    return run->values.given & PARAMETER_BIT(FEATURE);
}

static enum landmark_kind kind_of(const struct query_run *run)
{
    return (enum landmark_kind)run->values.feature;
}

static bool check_feature(const struct query_run *run, struct error *error)
{
    if (!landmark_needs_drainage(kind_of(run)) || world_has_drainage(run->world->world))
        return true;
    error_set(error, ERROR_UNKNOWN,
              "this world has no drainage network, and so no sources, mouths and lakes; it has "
              "peaks and passes");
    return error_in_path(error, "feature");
}

/* A feature is looked for on the whole grid, which has as many samples for any larger radius. */
static bool feature_check(const struct query_run *run, struct error *error)
{
    unsigned layers[LANDMARK_LAYERS_MAX];
    const struct world *world = run->world->world;
    if (locate_names_is_asked(run))
        return locate_names_check(run, error);
    if (!is_feature(run))
        return true;
    const unsigned octaves =
        layers_octaves(world_program(world), layers, landmark_layers(world, kind_of(run), layers));
    const uint64_t side = landmark_side(&run->search), samples = side * side,
                   most = QUERY_OCTAVES_MAX / (octaves + 1);
    return samples <= most ||
           error_set(error, ERROR_LIMIT,
                     "a feature is looked for by %llu samples, which of %u octaves each are too "
                     "many for one answer; a radius of at most %.0f m takes fewer",
                     (unsigned long long)samples, octaves, floor((sqrt((double)most) - 1) / 2));
}

#define FEATURE_SAMPLE 130.0 /* nanoseconds to sort or compare a sample of the grid, */
#define FEATURE_SMALL 10.0   /* or of one that is a layer of several */

static uint64_t feature_price(const struct query_run *run)
{
    unsigned layers[LANDMARK_LAYERS_MAX];
    const struct world *world = run->world->world;
    const struct located grid = locate_begin(&run->search);
    const uint32_t side = landmark_side(&run->search);
    const bool has_checks = landmark_needs_drainage(kind_of(run));
    struct price_layers all = {.world = world, .layers = layers};
    all.count = landmark_layers(world, kind_of(run), layers);
    all.sampling = (struct sampling){.step = place_metres(grid.step), .spacing = grid.spacing};
    const uint64_t price =
        price_grid(&all, side, side, has_checks ? FEATURE_SMALL : FEATURE_SAMPLE);
    const double checks = landmark_checks(&run->search, kind_of(run));
    all.sampling = (struct sampling){.all_extent = 2.0 * place_metres(run->search.radius),
                                     .all_places = checks};
    return price + price_points(&all, checks, 1.0, 0.0);
}

static void write_feature_text(enum landmark_kind kind, const struct landmark_facts *facts,
                               struct buffer *out)
{
    if (kind == LANDMARK_LAKE) {
        query_output_float_line(out, "level", facts->level, "m");
        query_output_number_line(out, "area", facts->area, "m²");
    } else if (landmark_needs_drainage(kind)) {
        query_output_float_line(out, "flow", facts->flow, "m²");
        query_output_float_line(out, "width", facts->width, "m");
    } else {
        query_output_float_line(out, "prominence", facts->prominence, "m");
    }
}

static void write_feature_json(enum landmark_kind kind, const struct landmark_facts *facts,
                               struct json_writer *json)
{
    if (kind == LANDMARK_LAKE) {
        json_member_float(json, "level", facts->level);
        json_member_double(json, "area", facts->area);
    } else if (landmark_needs_drainage(kind)) {
        json_member_float(json, "flow", facts->flow);
        json_member_float(json, "width", facts->width);
    } else {
        json_member_float(json, "prominence", facts->prominence);
    }
}

/* ---- all searches */

/* Refuses parameters that go with searches of another kind. */
static bool check_apart(const struct query_run *run, parameter_set set, const char *message,
                        struct error *error)
{
    const parameter_set others = run->values.given & set;
    if (others == 0)
        return true;
    error_set(error, ERROR_VALUE, "%s", message);
    return error_in_path(error, "%s", parameter_table[parameter_first(others)].name);
}

static bool locate_prepare(struct query_run *run, struct error *error)
{
    run->search = begin_search(run);
    run->search.limit = (unsigned)run->values.limit;
    if (locate_names_is_asked(run))
        return check_apart(
                   run, PARAMETER_BIT(APART) | PARAMETER_BIT(MIN_DISTANCE) | PARAMETER_BIT(DETAIL),
                   "goes with where, biome or min_height, not with a name", error) &&
               locate_names_prepare(run, error);
    if (!check_apart(run,
                     PARAMETER_BIT(NAME_KIND) | PARAMETER_BIT(NAME_ZOOM) | PARAMETER_BIT(AFTER),
                     "goes with a name alone", error))
        return false;
    if (is_feature(run))
        return check_feature(run, error) &&
               check_apart(run, PARAMETER_BIT(APART) | PARAMETER_BIT(MIN_DISTANCE),
                           "goes with where, biome or min_height, not with a feature", error);
    run->search.apart = run->values.apart;
    run->search.min_distance = run->values.min_distance;
    if (!locate_check_min_distance(&run->search, error))
        return error_in_path(error, "min_distance");
    return run->values.where   ? set_condition(run, "where", run->values.where, error)
           : run->values.biome ? set_biome(run, run->values.biome, error)
                               : set_min_height(run, error);
}

static bool spawn_prepare(struct query_run *run, struct error *error)
{
    char text[128];
    run->search = begin_search(run);
    snprintf(text, sizeof text, "height >= %d, slope <= %d, %s", SPAWN_LOW, SPAWN_SLOPE,
             surface_water_layer(run->world->world) < 0 ? "height > 0" : SPAWN_DRY);
    return set_condition(run, "x", text, error);
}

/* A search that has seen everything and found nothing may go on in a larger circle. The radius to
 * try, or 0. */
static int64_t larger_radius(const struct query_run *run, const struct located *located)
{
    enum { LARGER = 10 };
    const int64_t radius = run->search.radius;
    if (located->count > 0 || !located->complete || radius >= LOCATE_RADIUS_MAX)
        return 0;
    return radius < LOCATE_RADIUS_MAX / LARGER ? LARGER * radius : LOCATE_RADIUS_MAX;
}

static void write_text(const struct query_run *run, const struct landmarks *landmarks,
                       struct buffer *out)
{
    const struct located *located = &landmarks->located;
    char feature[PARAMETER_ALLOWED_TEXT];
    parameter_choice(PARAMETER_FEATURE, run->values.feature, feature);
    if (is_feature(run))
        query_output_line(out, "feature", feature, "");
    query_output_line(out, "found", located->count > 0 ? "yes" : "no", "");
    for (unsigned i = 0; i < located->count; i++) {
        const struct located_place *place = &located->places[i];
        query_output_place_lines(out, place->place);
        query_output_number_line(out, "distance", place->distance, "m");
        query_output_number_line(out, "bearing", place->bearing, "degrees");
        query_output_float_line(out, "height", place->height, "m");
        if (is_feature(run))
            write_feature_text(kind_of(run), &landmarks->facts[i], out);
    }
    const int64_t larger = larger_radius(run, located);
    if (located->count == 0)
        query_output_number_line(out, "radius", place_metres(run->search.radius), "m");
    if (larger > 0)
        query_output_number_line(out, "larger_radius", place_metres(larger), "m");
    query_output_number_line(out, "step", place_metres(located->step), "m");
    query_output_line(out, "complete", located->complete ? "yes" : "no", "");
}

static void write_rules(struct json_writer *json)
{
    json_member_object(json, "rules");
    json_member_float(json, "min_height", SPAWN_LOW);
    json_member_float(json, "max_slope", SPAWN_SLOPE);
    json_object_close(json);
}

static void write_place(const struct query_run *run, const struct landmarks *landmarks, unsigned i,
                        struct json_writer *json)
{
    query_output_located(json, &landmarks->located.places[i]);
    if (is_feature(run))
        write_feature_json(kind_of(run), &landmarks->facts[i], json);
}

static void write_places(const struct query_run *run, const struct landmarks *landmarks,
                         struct json_writer *json)
{
    json_member_array(json, "places");
    for (unsigned i = 0; i < landmarks->located.count; i++) {
        json_object_open(json);
        write_place(run, landmarks, i, json);
        json_object_close(json);
    }
    json_array_close(json);
}

static void write_json(const struct query_run *run, const struct landmarks *landmarks,
                       struct buffer *out)
{
    const struct located *located = &landmarks->located;
    struct json_writer json;
    char feature[PARAMETER_ALLOWED_TEXT];
    parameter_choice(PARAMETER_FEATURE, run->values.feature, feature);
    query_output_open(&json, run, out);
    if (is_feature(run))
        json_member_string(&json, "feature", feature);
    json_member_bool(&json, "found", located->count > 0);
    if (located->count > 0)
        write_place(run, landmarks, 0, &json);
    if (run->query == &query_spawn)
        write_rules(&json);
    else
        write_places(run, landmarks, &json);
    const int64_t larger = larger_radius(run, located);
    json_member_place(&json, "radius", run->search.radius);
    if (larger > 0)
        json_member_place(&json, "larger_radius", larger);
    json_member_place(&json, "step", located->step);
    json_member_double(&json, "spacing", located->spacing);
    json_member_integer(&json, "samples", (int64_t)located->samples);
    json_member_bool(&json, "complete", located->complete);
    json_finish_object(&json);
}

/* Nanoseconds that a sample takes on top of what it takes in a larger block, for an operation of
 * the condition, and to compare it with a result that it may be too near to. */
#define SMALL_BLOCK 24.0
#define OPERATION 2.0
#define COMPARISON 2.0

/* Nanoseconds to examine as many places of the square as may be. */
static double checks_time(const struct query_run *run, double samples)
{
    const struct locate_search *search = &run->search;
    const double places = double_min(samples, (double)search->checks_max);
    return locate_check_time(run->world->world, &run->needs, places,
                             places / LOCATE_CHECKS_ONCE + 1.0, 2.0 * place_metres(search->radius));
}

/* The price if too little is found before the search ends: every place of the grid is sampled, and
 * as many as may be are examined at full detail. */
static uint64_t locate_price(const struct query_run *run)
{
    const struct locate_search *search = &run->search;
    const struct condition_needs *needs = &run->needs;
    const struct world *world = run->world->world;
    if (locate_names_is_asked(run))
        return locate_names_price(run);
    if (is_feature(run))
        return feature_price(run);
    const double metres = place_metres(search->radius), steps = double_min(metres, LOCATE_STEPS);
    const unsigned octaves =
        layers_octaves(world_program(world), needs->layers, needs->first_count);
    const uint64_t most = search->octaves_max / (octaves ? octaves : 1);
    const double samples = double_min((2 * steps + 1) * (2 * steps + 1), (double)most);
    const struct sampling sampling = {.step = metres / steps,
                                      .spacing = search->full_detail ? 0.0 : metres / steps,
                                      .all_extent = 2 * metres,
                                      .all_places = samples};
    const struct price_layers layers = {world, needs->layers, needs->first_count, sampling};
    const uint64_t blocks = (uint64_t)(samples / (LOCATE_BLOCK * LOCATE_BLOCK)) + 1;
    const double each =
        needs->operations * OPERATION + (search->apart > 0 ? search->limit * COMPARISON : 0.0);
    return blocks * price_grid(&layers, LOCATE_BLOCK, LOCATE_BLOCK, SMALL_BLOCK) +
           price_nanoseconds(samples * each +
                             double_min(checks_time(run, samples), CHECKS_TIME_MAX));
}

static enum parameter_id locate_scale(const struct query_run *run)
{
    return locate_names_is_asked(run) ? locate_names_scale(run) : PARAMETER_COUNT;
}

static bool find_places(const struct query_run *run, struct sampler *sampler,
                        struct located *located, struct error *error)
{
    struct locate_search search = run->search;
    struct condition *condition = world_condition_new(run->world->world, run->condition, error);
    search.condition = condition;
    const bool done =
        condition && locate_nearest(sampler, run->world->world, &search, located, error);
    condition_free(condition);
    return done;
}

static bool locate_evaluate(const struct query_run *run, struct sampler *sampler,
                            struct buffer *out, struct error *error)
{
    const struct landmark_search features = {&run->search, kind_of(run)};
    struct landmarks landmarks;
    if (locate_names_is_asked(run))
        return locate_names_evaluate(run, sampler, out, error);
    if (is_feature(run) ? !landmark_find(sampler, run->world->world, &features, &landmarks, error)
                        : !find_places(run, sampler, &landmarks.located, error))
        return false;
    if (run->form == QUERY_TEXT)
        write_text(run, &landmarks, out);
    else
        write_json(run, &landmarks, out);
    return true;
}

const struct query query_locate = {
    .name = "locate",
    .summary = "the nearest places of a condition, a biome or a height; peaks, passes, rivers' "
               "ends, lakes; names",
    .url = "?min_height={height}&x={x}&y={y}",
    .parameters = PARAMETER_BIT(BIOME) | PARAMETER_BIT(WHERE) | PARAMETER_BIT(MIN_HEIGHT) |
                  PARAMETER_BIT(FEATURE) | PARAMETER_BIT(NAME) | PARAMETER_BIT(NAME_KIND) |
                  PARAMETER_BIT(NAME_ZOOM) | PARAMETER_BIT(AFTER) | PARAMETER_BIT(LIMIT) |
                  PARAMETER_BIT(APART) | PARAMETER_BIT(MIN_DISTANCE) | PARAMETERS_PLACE |
                  PARAMETER_BIT(LOCATE_RADIUS) | PARAMETER_BIT(DETAIL) | PARAMETERS_OUTPUT,
    .schema = "Locate",
    .examples = "/locate?min_height=100&x=1000&y=-250.5&radius=1000 "
                "/locate?biome=river&lon=0.5&lat=-0.25 /locate?biome=river&x=0&y=0&format=text "
                "/locate?biome=river&x=0&y=0&radius=2000&detail=full&pretty=1 "
                "/locate?where=height%3E100,slope%3C10&x=0&y=0&limit=10&apart=200&min_distance=100 "
                "/locate?feature=peak&x=0&y=0&radius=20000 "
                "/locate?name=S&x=0&y=0&radius=400000&limit=10&zoom=7 "
                "/locate?name=S&kind=plain&x=0&y=0&radius=400000 "
                "/locate?name=S&after=50000.5,7,825307224&x=0&y=0&radius=400000&format=text",
    .has_materials = true,
    .has_names = true,
    .quotes_world = true,
    .limited = true,
    .prepare = locate_prepare,
    .check = feature_check,
    .price = locate_price,
    .smaller = "a smaller radius",
    .scale = locate_scale,
    .evaluate = locate_evaluate,
};

const struct query query_spawn = {
    .name = "spawn",
    .summary = "dry, gentle land near a place",
    .url = "?x={x}&y={y}",
    .parameters =
        PARAMETERS_PLACE | PARAMETER_BIT(SPAWN_RADIUS) | PARAMETER_BIT(DETAIL) | PARAMETERS_OUTPUT,
    .schema = "Spawn",
    .examples = "/spawn?x=1000&y=-250.5&radius=2000 /spawn?lon=0.5&lat=-0.25&format=text "
                "/spawn?x=0&y=0&radius=2000&detail=full&pretty=1",
    .quotes_world = true,
    .limited = true,
    .prepare = spawn_prepare,
    .price = locate_price,
    .smaller = "a smaller radius",
    .evaluate = locate_evaluate,
};
