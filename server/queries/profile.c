/* The ground along a line: as JSON, as a table, or drawn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/world/inspect.h"
#include "server/queries/query_output.h"
#include "server/queries/query_params.h"
#include "server/queries/svg_output.h"
#include "server/render/cost.h"

static bool line_fault(const struct question_source *source, const char *fault)
{
    error_set(source->error, ERROR_VALUE, "%s", fault);
    return error_in_path(source->error, "line");
}

static bool read_line(const struct question_source *source, const char *text,
                      struct profile_line *line)
{
    _Static_assert(PROFILE_CORNERS_MAX == 64, "the message below");
    line->count = 0;
    for (const char *rest = text; rest;) {
        const char *end = strchr(rest, ';');
        struct input_part part = {"line", rest, end ? (size_t)(end - rest) : strlen(rest)};
        if (line->count == PROFILE_CORNERS_MAX)
            return line_fault(source, "has more than 64 places");
        if (!input_point(source, &part, &line->corners[line->count++], NULL))
            return false;
        rest = end ? end + 1 : NULL;
    }
    if (line->count >= 2 && profile_length(line) > 0)
        return true;
    return line_fault(source, "must be at least two places, x,y;x,y, that are not the same");
}

static bool profile_read(const struct question_source *source, struct inquiry *inquiry)
{
    int64_t samples = 256;
    const char *line = input_text(source, "line");
    if (!line)
        return input_missing(source, "line");
    if (!read_line(source, line, &inquiry->line) ||
        !input_whole(source, "samples", 2, PROFILE_SAMPLES_MAX, &samples))
        return false;
    inquiry->samples = (uint32_t)samples;
    return true;
}

static void write_json(const struct inquiry *inquiry, const struct profile *profile,
                       struct buffer *out)
{
    const struct profile_point *points = profile->points;
    struct json_writer json;
    answer_open(&json, inquiry, out);
    json_member_double(&json, "length", profile->length);
    json_member_double(&json, "ascent", profile->ascent);
    json_member_double(&json, "descent", profile->descent);
    json_member_float(&json, "minimum", points[profile->lowest].height);
    json_member_float(&json, "maximum", points[profile->highest].height);
    json_write_key(&json, "distances");
    json_array_open(&json);
    for (uint32_t i = 0; i < profile->count; i++)
        json_write_double(&json, points[i].distance);
    json_array_close(&json);
    json_write_key(&json, "heights");
    json_array_open(&json);
    for (uint32_t i = 0; i < profile->count; i++)
        json_write_float(&json, points[i].height);
    json_array_close(&json);
    answer_close(&json);
}

static void write_text(const struct profile *profile, struct buffer *out)
{
    buffer_text(out, "distance\theight\n");
    for (uint32_t i = 0; i < profile->count; i++) {
        answer_double(out, profile->points[i].distance, '\t');
        answer_float(out, profile->points[i].height, '\n');
    }
}

static uint64_t profile_cost(const struct inquiry *inquiry)
{
    const struct world *world = inquiry->world->world;
    const unsigned layer = world_height_layer(world);
    const struct cost_layers height = {world, &layer, 1, 0};
    return cost_points(&height, inquiry->samples);
}

static bool profile_answer(const struct inquiry *inquiry, struct sampler *sampler,
                           struct buffer *out, struct error *error)
{
    const struct world *world = inquiry->world->world;
    struct profile profile = {.line = inquiry->line, .count = inquiry->samples};
    if (!input_check_cost(profile.count, world_layer(world, world_height_layer(world))->cost,
                          error))
        return false;
    profile.points = malloc(profile.count * sizeof *profile.points);
    if (!profile.points)
        return error_memory(error);
    bool done = profile_sample(sampler, world, &profile, error);
    if (done && inquiry->form == QUESTION_SVG)
        answer_profile_svg(&profile, out);
    else if (done && inquiry->form == QUESTION_TEXT)
        write_text(&profile, out);
    else if (done)
        write_json(inquiry, &profile, out);
    free(profile.points);
    return done && answer_done(out, error);
}

static const struct question_parameter parameters[] = {
    {"line", "x,y;x,y[;…]: 2 … 64 places in metres"},
    {"samples", "2 … 4096"},
    {NULL, NULL},
};

const struct question question_profile = {
    .name = "profile",
    .forms = 1 << QUESTION_JSON | 1 << QUESTION_TEXT | 1 << QUESTION_SVG,
    .example = "/profile?line=0,0;1000,0&samples=3",
    .parameters = parameters,
    .read = profile_read,
    .cost = profile_cost,
    .smaller = "fewer samples",
    .answer = profile_answer,
};
