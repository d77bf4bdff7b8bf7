/* A table of the layers and their fields. The texts are for readers; core/tile/vector_tile.c writes
 * the features. */
#include "server/render/vector_layers.h"

enum { FIELDS_MAX = 6 };

static bool has_objects(const struct world *world)
{
    return world_object_count(world) > 0;
}

/* In the order in which tile_encode_mvt() adds them. */
static const struct {
    const char *id;
    bool (*exists)(const struct world *world); /* null for always */
    bool is_labels;                            /* only of tiles with labels */
    struct {
        const char *name, *text;
    } fields[FIELDS_MAX];
} layers[] = {
    {.id = "contour",
     .fields = {{"height", "Number: metres above the sea"}, {"index", "Boolean: every fifth"}}},
    {.id = "water"},
    {.id = "rivers",
     .exists = world_has_drainage,
     .fields = {{"id", "String: as in /rivers"},
                {"downstream", "String: the id of the river that it joins"},
                {"flow", "Number: square metres of land upstream"},
                {"width", "Number: metres"},
                {"order", "Number: 1 is the least"}}},
    {.id = "objects",
     .exists = has_objects,
     .fields = {{"id", "String: as in /objects"},
                {"kind", "String: as in /objects"},
                {"scale", "Number: as in /objects"},
                {"rotation", "Number: degrees clockwise from north"}}},
    {.id = "labels",
     .is_labels = true,
     .fields = {{"class", "String: peak, or a kind as in /labels"},
                {"ele", "Number: metres above the sea, of peaks"},
                {"name", "String: as in /labels"},
                {"rank", "Number: as in /labels"},
                {"size", "Number: as in /labels"},
                {"angle", "Number: as in /labels"}}},
};

void vector_layers_write(struct json_writer *json, const struct world *world, bool labels)
{
    json_array_open(json);
    for (size_t i = 0; i < sizeof layers / sizeof *layers; i++) {
        if ((layers[i].exists && !layers[i].exists(world)) || (layers[i].is_labels && !labels))
            continue;
        json_object_open(json);
        json_member_string(json, "id", layers[i].id);
        json_member_object(json, "fields");
        for (int k = 0; k < FIELDS_MAX && layers[i].fields[k].name; k++)
            json_member_string(json, layers[i].fields[k].name, layers[i].fields[k].text);
        json_object_close(json);
        json_object_close(json);
    }
    json_array_close(json);
}
