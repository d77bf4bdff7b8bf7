/* Members and lines that several queries write, so that a place or an area reads the same in every
 * output. JSON goes through json_writer.h; text is lines of columns with single tabs between. */
#include "server/queries/query_output.h"

#include <stdio.h>

#include "core/tile/mercator.h"

void query_output_world(struct json_writer *json, const struct catalog_world *world)
{
    const struct world_identity *identity = &world->identity;
    json_member_string(json, "world", identity->name);
    json_member_string(json, "seed", identity->seed);
    json_member_string(json, "fingerprint", identity->fingerprint);
}

void query_output_open(struct json_writer *json, const struct query_run *run, struct buffer *out)
{
    json_begin_object(json, out, run->values.pretty);
    query_output_world(json, run->world);
}

void query_output_place(struct json_writer *json, struct place place)
{
    json_member_place(json, "x", place.x);
    json_member_place(json, "y", place.y);
}

void query_output_located(struct json_writer *json, const struct located_place *place)
{
    query_output_place(json, place->place);
    json_member_float(json, "height", place->height);
    json_member_double(json, "distance", place->distance);
    json_member_double(json, "bearing", place->bearing);
}

void query_output_id(struct json_writer *json, const char *name, uint64_t id)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)id);
    json_member_string(json, name, text);
}

void query_output_degrees(struct json_writer *json, struct place place, float height)
{
    json_write_double(json, mercator_longitude(place_metres(place.x)));
    json_write_double(json, mercator_latitude(place_metres(place.y)));
    json_write_float(json, height);
}

void query_output_line_string(struct json_writer *json, const struct course_vertex *vertices,
                              size_t count)
{
    if (count < 2) {
        json_member_null(json, "geometry");
        return;
    }
    json_member_object(json, "geometry");
    json_member_string(json, "type", "LineString");
    json_member_array(json, "coordinates");
    for (size_t i = 0; i < count; i++) {
        json_array_open(json);
        query_output_degrees(json, vertices[i].place, vertices[i].bed);
        json_array_close(json);
    }
    json_array_close(json);
    json_object_close(json);
}

void query_output_trace_end(struct json_writer *json, const struct trace *trace)
{
    static const char *const waters[] = {[TRACE_SEA] = "sea", [TRACE_LAKE] = "lake"};
    if (trace->end == TRACE_NOWHERE) {
        json_member_null(json, "end");
        return;
    }
    json_member_object(json, "end");
    json_member_string(json, "water", waters[trace->end]);
    json_member_float(json, "level", trace->water);
    query_output_place(json, trace->line.vertices[trace->line.count - 1].place);
    json_object_close(json);
}

void query_output_area(struct json_writer *json, const struct area *area)
{
    json_member_array(json, "bbox");
    json_write_place(json, area->low.x);
    json_write_place(json, area->low.y);
    json_write_place(json, area->high.x);
    json_write_place(json, area->high.y);
    json_array_close(json);
}

void query_output_grid(struct json_writer *json, const struct area *area,
                       const struct sample_grid *grid)
{
    query_output_area(json, area);
    json_member_integer(json, "columns", grid->columns);
    json_member_integer(json, "rows", grid->rows);
    json_member_place(json, "step", grid->step);
    json_member_double(json, "spacing", grid->spacing);
}

void query_output_line(struct buffer *out, const char *name, const char *value, const char *unit)
{
    buffer_format(out, "%s\t%s\t%s\n", name, value, unit);
}

void query_output_number_line(struct buffer *out, const char *name, double value, const char *unit)
{
    char text[NUMBER_TEXT];
    number_format_double(value, text);
    query_output_line(out, name, text, unit);
}

void query_output_float_line(struct buffer *out, const char *name, float value, const char *unit)
{
    char text[NUMBER_TEXT];
    number_format_float(value, text);
    query_output_line(out, name, text, unit);
}

void query_output_place_lines(struct buffer *out, struct place place)
{
    char text[NUMBER_TEXT];
    place_format(place.x, text);
    query_output_line(out, "x", text, "m");
    place_format(place.y, text);
    query_output_line(out, "y", text, "m");
}

/* Appends a number and the separator after it. */
static void append_number(struct buffer *out, const char *text, size_t length, char behind)
{
    buffer_append(out, text, length);
    buffer_byte(out, (uint8_t)behind);
}

void query_output_float(struct buffer *out, float value, char behind)
{
    char text[NUMBER_TEXT];
    append_number(out, text, number_format_float(value, text), behind);
}

void query_output_double(struct buffer *out, double value, char behind)
{
    char text[NUMBER_TEXT];
    append_number(out, text, number_format_double(value, text), behind);
}

void query_output_coordinate(struct buffer *out, int64_t coordinate, char behind)
{
    char text[NUMBER_TEXT];
    append_number(out, text, place_format(coordinate, text), behind);
}
