/* Whether one place is seen from another. */
#include <math.h>
#include <string.h>

#include "server/queries/query_output.h"
#include "server/queries/query_params.h"
#include "server/render/cost.h"

static bool read_end(const struct question_source *source, const char *name, struct sight_end *end)
{
    const char *text = input_text(source, name);
    if (!text)
        return input_missing(source, name);
    struct input_part part = {name, text, strlen(text)};
    return input_point(source, &part, &end->place, &end->above);
}

static bool sight_read(const struct question_source *source, struct inquiry *inquiry)
{
    inquiry->sight = (struct sight){.clear = false};
    return read_end(source, "from", &inquiry->sight.from) &&
           read_end(source, "to", &inquiry->sight.to);
}

static void write_end(struct json_writer *json, const char *name, const struct sight_end *end)
{
    json_write_key(json, name);
    json_object_open(json);
    answer_place(json, end->place);
    json_member_float(json, "ground", end->ground);
    json_member_double(json, "height", end->height);
    json_object_close(json);
}

static void write_blocked(struct json_writer *json, const struct sight *sight)
{
    json_write_key(json, "blocked");
    if (sight->clear) {
        json_write_null(json);
        return;
    }
    json_object_open(json);
    answer_place(json, sight->blocked);
    json_member_double(json, "distance", sight->blocked_distance);
    json_member_float(json, "ground", sight->blocked_ground);
    json_member_double(json, "line", sight->blocked_line);
    json_object_close(json);
}

static bool write_json(const struct inquiry *inquiry, const struct sight *sight, struct buffer *out,
                       struct error *error)
{
    struct json_writer json;
    answer_open(&json, inquiry, out);
    json_member_bool(&json, "clear", sight->clear);
    json_member_double(&json, "distance", sight->distance);
    write_end(&json, "from", &sight->from);
    write_end(&json, "to", &sight->to);
    write_blocked(&json, sight);
    json_member_double(&json, "step", sight->step);
    json_member_bool(&json, "complete", sight->complete);
    answer_close(&json);
    return answer_done(out, error);
}

static bool write_text(const struct sight *sight, struct buffer *out, struct error *error)
{
    answer_line(out, "clear", sight->clear ? "yes" : "no", "");
    answer_number_line(out, "distance", sight->distance, "m");
    if (!sight->clear) {
        answer_number_line(out, "blocked", sight->blocked_distance, "m");
        answer_place_lines(out, sight->blocked);
    }
    answer_line(out, "complete", sight->complete ? "yes" : "no", "");
    return answer_done(out, error);
}

static uint64_t sight_cost(const struct inquiry *inquiry)
{
    const struct world *world = inquiry->world->world;
    const unsigned layer = world_height_layer(world);
    const struct cost_layers height = {world, &layer, 1, 0};
    const struct place from = inquiry->sight.from.place, to = inquiry->sight.to.place;
    const double metres =
        sqrt(pow(place_metres(to.x - from.x), 2) + pow(place_metres(to.y - from.y), 2));
    return cost_points(&height,
                       metres < SIGHT_SAMPLES_MAX ? (uint64_t)metres + 3 : SIGHT_SAMPLES_MAX);
}

static bool sight_answer(const struct inquiry *inquiry, struct sampler *sampler, struct buffer *out,
                         struct error *error)
{
    struct sight sight = inquiry->sight;
    if (!sight_trace(sampler, inquiry->world->world, &sight, error))
        return false;
    return inquiry->form == QUESTION_TEXT ? write_text(&sight, out, error)
                                          : write_json(inquiry, &sight, out, error);
}

static const struct question_parameter parameters[] = {
    {"from", "x,y,height above the ground in metres"},
    {"to", "x,y,height above the ground in metres"},
    {NULL, NULL},
};

const struct question question_sight = {
    .name = "sight",
    .forms = 1 << QUESTION_JSON | 1 << QUESTION_TEXT,
    .example = "/sight?from=0,0,2&to=1000,0,2",
    .parameters = parameters,
    .read = sight_read,
    .cost = sight_cost,
    .smaller = "places that are nearer to each other",
    .answer = sight_answer,
};
