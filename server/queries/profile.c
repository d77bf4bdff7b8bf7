/* /profile: the ground along a line, as JSON, as a table, or drawn as SVG.
 *
 * Heights stand at equal distances along the whole line, its corners are not sampled in addition.
 * All forms are written from one array of points.
 *
 * JSON: length, ascent and descent along the line, minimum and maximum (all in metres), then
 * `distances` from the start and `heights`, two arrays of the same length. Text: a line of two
 * columns for each point. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/extremes.h"
#include "core/world/inspect.h"
#include "server/queries/query_output.h"
#include "server/render/cost.h"

static void write_json(const struct query_run *run, const struct profile *profile,
                       struct buffer *out)
{
    const struct profile_point *points = profile->points;
    struct json_writer json;
    query_output_open(&json, run, out);
    json_member_double(&json, "length", profile->length);
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
    query_output_close(&json);
}

static void write_text(const struct profile *profile, struct buffer *out)
{
    buffer_text(out, "distance\theight\n");
    for (uint32_t i = 0; i < profile->count; i++) {
        query_output_double(out, profile->points[i].distance, '\t');
        query_output_float(out, profile->points[i].height, '\n');
    }
}

/* The drawing has a fixed size, in pixels, and coordinates are rounded to hundredths of a pixel, so
 * the same profile gives the same bytes everywhere. */
enum { WIDTH = 960, HEIGHT = 320, LEFT = 80, RIGHT = 20, TOP = 24, BOTTOM = 40 };

/* The range of heights and the length that the drawing shows, in metres. */
struct frame {
    double low, high, length;
};

static double hundredths(double value)
{
    return floor(value * 100 + 0.5) / 100;
}

/* Pixels from the left edge of the drawing. */
static double across(const struct frame *frame, double distance)
{
    return hundredths(LEFT + (WIDTH - LEFT - RIGHT) * distance / frame->length);
}

/* Pixels from the top edge: heights grow upwards, y downwards. */
static double down(const struct frame *frame, double height)
{
    return hundredths(HEIGHT - BOTTOM -
                      (HEIGHT - TOP - BOTTOM) * (height - frame->low) / (frame->high - frame->low));
}

/* A number of metres at pixel x, y; `anchor` is SVG's. */
static void write_label(struct buffer *out, const char *anchor, double x, double y, double metres)
{
    buffer_format(out, "<text text-anchor=\"%s\" x=\"", anchor);
    query_output_double(out, x, '"');
    buffer_text(out, " y=\"");
    query_output_double(out, y, '"');
    buffer_byte(out, '>');
    query_output_double(out, hundredths(metres), ' ');
    buffer_text(out, "m</text>\n");
}

static void write_level(struct buffer *out, const struct frame *frame, double height)
{
    double y = down(frame, height);
    buffer_format(out, "<path d=\"M%d ", LEFT);
    query_output_double(out, y, 'H');
    buffer_format(out, "%d\" stroke=\"#999\" fill=\"none\"/>\n", WIDTH - RIGHT);
    write_label(out, "end", LEFT - 6, y + 4, height);
}

static void write_ground(struct buffer *out, const struct frame *frame,
                         const struct profile *profile)
{
    buffer_format(out, "<path d=\"M%d %dL", LEFT, HEIGHT - BOTTOM);
    for (uint32_t i = 0; i < profile->count; i++) {
        query_output_double(out, across(frame, profile->points[i].distance), ' ');
        query_output_double(out, down(frame, (double)profile->points[i].height), ' ');
    }
    buffer_format(out, "%d %dZ\" fill=\"#b5a27a\" stroke=\"#5d4f2f\"/>\n", WIDTH - RIGHT,
                  HEIGHT - BOTTOM);
}

static void write_sea(struct buffer *out, const struct frame *frame)
{
    double top = down(frame, frame->high < 0 ? frame->high : 0);
    buffer_format(out, "<rect x=\"%d\" width=\"%d\" fill=\"#bcd9ee\" y=\"", LEFT,
                  WIDTH - LEFT - RIGHT);
    query_output_double(out, top, '"');
    buffer_text(out, " height=\"");
    query_output_double(out, hundredths(HEIGHT - BOTTOM - top), '"');
    buffer_text(out, "/>\n");
}

/* An SVG 1.1 document: the ground as a filled line, the sea below 0 m, and what is lowest, highest
 * and how far it is. The sea first, then the ground over it, then labels: SVG paints in the order
 * of the document. */
static void write_svg(const struct profile *profile, struct buffer *out)
{
    double lowest = (double)profile->points[profile->lowest].height;
    double highest = (double)profile->points[profile->highest].height;
    /* At least 10 m are shown, so that level ground does not look mountainous. */
    double room = highest - lowest < 10 ? 5 : (highest - lowest) / 10;
    const struct frame frame = {lowest - room, highest + room, profile->length};
    buffer_format(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                  "height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
                  "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
                  WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
    if (frame.low < 0)
        write_sea(out, &frame);
    write_ground(out, &frame, profile);
    write_level(out, &frame, lowest);
    if (highest > lowest)
        write_level(out, &frame, highest);
    write_label(out, "start", LEFT, HEIGHT - 16, 0);
    write_label(out, "end", WIDTH - RIGHT, HEIGHT - 16, profile->length);
    buffer_text(out, "</svg>\n");
}

static struct sampling sampling_of(const struct query_run *run)
{
    const double samples = (double)run->values.samples, once = double_min(samples, NOISE_ROW_MAX);
    const double apart = profile_length(&run->values.line) / samples, extent = apart * once;
    return (struct sampling){
        .extent = extent < SAMPLING_NEAR ? extent : 0.0, .places = once, .line = apart};
}

static uint64_t profile_cost(const struct query_run *run)
{
    const struct world *world = run->world->world;
    const unsigned layer = world_height_layer(world);
    const struct cost_layers height = {world, &layer, 1, sampling_of(run)};
    return cost_points(&height, (double)run->values.samples, 1, 2 * COST_TEXT);
}

/* The line is bounded by the number of its samples alone, however long it is. */
static bool profile_evaluate(const struct query_run *run, struct sampler *sampler,
                             struct buffer *out, struct error *error)
{
    const struct world *world = run->world->world;
    struct profile profile = {.line = run->values.line, .count = (uint32_t)run->values.samples};
    if (!query_check_samples(profile.count, world_layer(world, world_height_layer(world))->cost,
                             error))
        return false;
    profile.points = malloc(profile.count * sizeof *profile.points);
    if (!profile.points)
        return error_memory(error);
    const bool done = profile_sample(sampler, world, &profile, error);
    if (done && run->form == QUERY_SVG)
        write_svg(&profile, out);
    else if (done && run->form == QUERY_TEXT)
        write_text(&profile, out);
    else if (done)
        write_json(run, &profile, out);
    free(profile.points);
    return done;
}

const struct query query_profile = {
    .name = "profile",
    .summary = "heights along a line",
    .url = "?line={x0},{y0};{x1},{y1}",
    .parameters = PARAMETER_BIT(LINE) | PARAMETER_BIT(LINE_SAMPLES) | PARAMETERS_OUTPUT,
    .schema = "Profile",
    .examples = "/profile?line=0,0;5000,2500 /profile?line=0,0;5000,2500&samples=5&format=text "
                "/profile?line=0,0;5000,2500&pretty=1",
    .more_examples[QUERY_SVG] = "/profile.svg?line=0,0;5000,2500&samples=5",
    .quotes_world = true,
    .limited = true,
    .cost = profile_cost,
    .smaller = "fewer samples",
    .parts = "samples",
    .evaluate = profile_evaluate,
};
