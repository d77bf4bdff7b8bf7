/* /labels: the names on a map of a rectangle at a zoom, as JSON, as a table, or as GeoJSON.
 *
 * The zoom decides which names there are and how far apart they stand (core/labels/labels.h); a
 * rectangle decides which of them are listed. So neighbouring rectangles, and the vector tiles of
 * that zoom, agree. A world without names has no labels.
 *
 * JSON: for each label its id, name and kind; the place where it is written; the rank, its least
 * zoom; the size in square metres, or the height of a peak; the angle of its text, degrees
 * clockwise from level, and the length of the axis that it follows, or null. Text: the same in
 * columns. GeoJSON: a point for each, in degrees. */
#include "core/labels/label_finder.h"

#include <math.h>

#include "server/queries/list_output.h"
#include "server/render/price.h"

static const struct label *label_at(const struct query_list *list, size_t i)
{
    return &((const struct label_list *)list->items)->labels[i];
}

static uint64_t label_id(const struct query_list *list, size_t i)
{
    return label_at(list, i)->id;
}

static void write_members(const struct query_list *list, size_t i, struct json_writer *json)
{
    const struct label *label = label_at(list, i);
    json_member_string(json, "name", label->name.text);
    json_member_string(json, "kind", name_kind_text(label->kind));
    query_output_place(json, label->place);
    json_member_integer(json, "rank", label->rank);
    if (label_is_summit(label)) {
        json_member_null(json, "size");
        json_member_float(json, "height", label->height);
    } else {
        json_member_double(json, "size", label->size);
        json_member_null(json, "height");
    }
    if (label->length > 0.0) {
        json_member_double(json, "angle", round(label_angle(label) * 10.0) / 10.0);
        json_member_double(json, "length", round(label->length));
    } else {
        json_member_null(json, "angle");
        json_member_null(json, "length");
    }
}

static void write_geometry(const struct query_list *list, size_t i, struct json_writer *json)
{
    const struct label *label = label_at(list, i);
    json_member_object(json, "geometry");
    json_member_string(json, "type", "Point");
    json_member_array(json, "coordinates");
    query_output_degrees(json, label->place, label->height);
    json_array_close(json);
    json_object_close(json);
}

static void write_columns(const struct query_list *list, size_t i, struct buffer *out)
{
    const struct label *label = label_at(list, i);
    buffer_format(out, "%s\t%s\t", label->name.text, name_kind_text(label->kind));
    query_output_coordinate(out, label->place.x, '\t');
    query_output_coordinate(out, label->place.y, '\t');
    buffer_format(out, "%d\t", label->rank);
    query_output_double(out, label_is_summit(label) ? (double)label->height : label->size, '\n');
}

static bool labels_prepare(struct query_run *run, struct error *error)
{
    return run->form != QUERY_GEOJSON || query_check_degrees(&run->values.area, "bbox", error);
}

static struct label_view view_of(const struct query_run *run)
{
    return (struct label_view){{run->values.area.low, run->values.area.high},
                               (int)run->values.zoom};
}

static bool labels_check(const struct query_run *run, struct error *error)
{
    const struct label_view view = view_of(run);
    return label_view_check(&view, error);
}

static enum parameter_id labels_scale(const struct query_run *run)
{
    (void)run;
    return PARAMETER_MAP_ZOOM;
}

static uint64_t labels_price(const struct query_run *run)
{
    const struct area *area = &run->values.area;
    return price_labels(&(struct price_labels){
        .world = run->world->world,
        .zoom = (int)run->values.zoom,
        .width = place_metres(area->high.x - area->low.x),
        .height = place_metres(area->high.y - area->low.y),
    });
}

static void write_list(const struct query_run *run, const struct label_list *labels,
                       struct buffer *out)
{
    const struct query_list list = {
        .run = run,
        .items = labels,
        .count = labels->count,
        .name = "labels",
        .columns = "name\tkind\tx\ty\trank\tsize",
        .id = label_id,
        .write_columns = write_columns,
        .write_members = write_members,
        .write_geometry = write_geometry,
    };
    query_list_write(&list, out);
}

static bool labels_evaluate(const struct query_run *run, struct sampler *sampler,
                            struct buffer *out, struct error *error)
{
    const struct label_view view = view_of(run);
    struct label_finder finder = {0};
    const struct label_source source = label_source_of(sampler, run->world->world);
    const bool done = label_finder_find(&finder, &source, &view, error);
    if (done)
        write_list(run, &finder.labels, out);
    label_finder_free(&finder);
    return done;
}

const struct query query_labels = {
    .name = "labels",
    .summary = "the names on a map of a rectangle",
    .url = "?bbox={x0},{y0},{x1},{y1}&zoom={z}",
    .parameters = PARAMETER_BIT(BBOX) | PARAMETER_BIT(MAP_ZOOM) | PARAMETERS_OUTPUT,
    .schema = "Labels",
    .geojson_schema = "LabelCollection",
    .examples = "/labels?bbox=-100000,-100000,100000,100000&zoom=9 "
                "/labels?bbox=0,0,200,200&zoom=9 "
                "/labels?bbox=0,0,20000,20000&zoom=12&format=text "
                "/labels?bbox=0,0,20000,20000&zoom=12&pretty=1",
    .more_examples[QUERY_GEOJSON] = "/labels.geojson?bbox=0,0,200,200&zoom=9 "
                                    "/labels.geojson?bbox=0,0,20000,20000&zoom=12 "
                                    "/labels.geojson?bbox=0,0,20000,20000&zoom=12&pretty=1",
    .has_names = true,
    .quotes_world = true, /* names of biomes decide what forests and deserts are */
    .limited = true,
    .prepare = labels_prepare,
    .check = labels_check,
    .price = labels_price,
    .smaller = "a smaller bbox or a lesser zoom",
    .scale = labels_scale,
    .evaluate = labels_evaluate,
};
