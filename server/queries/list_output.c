/* See list_output.h. */
#include "server/queries/list_output.h"

void query_output_open_features(struct json_writer *json, const struct query_run *run,
                                struct buffer *out)
{
    json_begin_object(json, out, run->values.pretty);
    json_member_string(json, "type", "FeatureCollection");
    json_member_array(json, "features");
}

void query_output_close_features(struct json_writer *json)
{
    json_array_close(json);
    json_finish_object(json);
}

static void write_geojson(const struct query_list *list, struct buffer *out)
{
    struct json_writer json;
    query_output_open_features(&json, list->run, out);
    for (size_t i = 0; i < list->count; i++) {
        json_object_open(&json);
        json_member_string(&json, "type", "Feature");
        query_output_id(&json, "id", list->id(list, i));
        list->write_geometry(list, i, &json);
        json_member_object(&json, "properties");
        list->write_members(list, i, &json);
        json_object_close(&json);
        json_object_close(&json);
    }
    query_output_close_features(&json);
}

static void write_json(const struct query_list *list, struct buffer *out)
{
    const struct query_run *run = list->run;
    struct json_writer json;
    query_output_open(&json, run, out);
    query_output_area(&json, &run->values.area);
    if (run->query->parameters & PARAMETER_BIT(MIN_FLOW))
        json_member_double(&json, "min_flow", run->values.min_flow);
    if (run->query->parameters & PARAMETER_BIT(MAP_ZOOM))
        json_member_integer(&json, "zoom", run->values.zoom);
    json_member_integer(&json, "count", (int64_t)list->count);
    json_member_array(&json, list->name);
    for (size_t i = 0; i < list->count; i++) {
        json_object_open(&json);
        query_output_id(&json, "id", list->id(list, i));
        list->write_members(list, i, &json);
        if (list->write_line)
            list->write_line(list, i, &json);
        json_object_close(&json);
    }
    json_array_close(&json);
    json_finish_object(&json);
}

static void write_text(const struct query_list *list, struct buffer *out)
{
    buffer_format(out, "id\t%s\n", list->columns);
    for (size_t i = 0; i < list->count; i++) {
        buffer_format(out, "%llu\t", (unsigned long long)list->id(list, i));
        list->write_columns(list, i, out);
    }
}

void query_list_write(const struct query_list *list, struct buffer *out)
{
    if (list->run->form == QUERY_TEXT)
        write_text(list, out);
    else if (list->run->form == QUERY_GEOJSON)
        write_geojson(list, out);
    else
        write_json(list, out);
}
