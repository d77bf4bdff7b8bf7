/* See named_place.h. */
#include "server/queries/named_place.h"

#include <stdio.h>

#include "core/terrain/angle.h"
#include "server/queries/query_output.h"
#include "server/render/price.h"

bool named_place_find(struct sampler *sampler, const struct world *world, struct label_place *place,
                      struct error *error)
{
    struct label_finder finder = {0};
    const struct label_source source = label_source_of(sampler, world);
    const bool done = label_place_find(&finder, &source, place, error);
    label_finder_free(&finder);
    return done;
}

static bool is_nameless(const struct label_place *place)
{
    return place->in_count == 0 && !place->is_on && place->near_count == 0;
}

static void write_found(struct json_writer *json, struct place from,
                        const struct label_found *found)
{
    const struct place at = found->label.place;
    query_output_id(json, "id", found->label.id);
    json_member_string(json, "name", found->label.name.text);
    json_member_string(json, "kind", name_kind_text(found->label.kind));
    query_output_place(json, at);
    json_member_double(json, "distance", found->distance);
    json_member_double(json, "bearing",
                       angle_bearing(place_metres(at.x - from.x), place_metres(from.y - at.y)));
    json_member_integer(json, "rank", found->label.rank);
    json_member_integer(json, "zoom", found->zoom);
}

static void write_list(struct json_writer *json, struct place from, const struct label_found *found,
                       unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        json_object_open(json);
        write_found(json, from, &found[i]);
        json_object_close(json);
    }
    json_array_close(json);
}

void named_place_write(struct json_writer *json, const struct world *world,
                       const struct label_place *place)
{
    if (!world_has_names(world)) {
        json_member_null(json, "named");
        return;
    }
    json_member_object(json, "named");
    json_member_array(json, "in");
    write_list(json, place->place, place->in, place->in_count);
    if (place->is_on) {
        json_member_object(json, "on");
        write_found(json, place->place, &place->on);
        json_object_close(json);
    } else {
        json_member_null(json, "on");
    }
    json_member_array(json, "near");
    write_list(json, place->place, place->near, place->near_count);
    json_object_close(json);
}

/* Appends a name and its kind, behind a word; a comma before it if it is not the first. */
static void append_name(struct buffer *out, const char *word, const struct label_found *found)
{
    buffer_format(out, "%s%s%s (%s)", out->length > 0 ? ", " : "", word, found->label.name.text,
                  name_kind_text(found->label.kind));
}

/* True if a smaller area of the kind stands before it. */
static bool is_told(const struct label_place *place, unsigned index)
{
    for (unsigned i = 0; i < index; i++)
        if (place->in[i].label.kind == place->in[index].label.kind)
            return true;
    return false;
}

void named_place_write_text(struct buffer *out, const struct label_place *place)
{
    char word[64];
    for (unsigned i = 0; i < place->in_count; i++)
        if (!is_told(place, i))
            append_name(out, "in ", &place->in[i]);
    if (place->is_on)
        append_name(out, "on ", &place->on);
    for (unsigned i = 0; i < place->near_count; i++) {
        const double distance = place->near[i].distance;
        if (distance < 1000.0)
            snprintf(word, sizeof word, "%.0f m from ", distance);
        else
            snprintf(word, sizeof word, "%.1f km from ", distance / 1000.0);
        append_name(out, word, &place->near[i]);
    }
}

void named_place_write_line(struct buffer *out, const struct world *world,
                            const struct label_place *place)
{
    struct buffer text = {0};
    named_place_write_text(&text, place);
    query_output_line(out, "named",
                      !world_has_names(world) ? "the world has no names"
                      : is_nameless(place)    ? "nothing near"
                                              : buffer_string(&text),
                      "");
    out->failed = out->failed || text.failed;
    buffer_free(&text);
}

uint64_t named_place_price(const struct world *world)
{
    return price_label_place(world) + price_places(world, 1.0, 0.0);
}
