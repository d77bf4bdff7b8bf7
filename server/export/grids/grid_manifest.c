/* The manifest follows from the plan and the files alone, so that its bytes do not depend on
 * threads or interruptions either: no times, no names of machines. The lowest and the highest
 * heights are those of the numbers in the files. */
#include "server/export/grids/grid_manifest.h"

#include "core/base/json_writer.h"
#include "server/base/build.h"

/* Unreal's landscapes: centimetres, and at a Z scale of 100 a number is 1/128 m; 32768 is the
 * actor's own height (Landscape Technical Guide, "Calculating Heightmap Z Scale"). */
enum { UNREAL_CENTIMETRES = 100, UNREAL_STEPS = 128, UNREAL_MIDDLE = 32768 };
/* Import Raw divides numbers by it, and multiplies by the height of the terrain. */
enum { UNITY_NUMBERS = 65536 };

static double metres(const struct grid_plan *plan, float number)
{
    return plan->format->is_scaled
               ? plan->scale.low + (double)number * grid_scale_step(&plan->scale)
               : (double)number;
}

static void write_extremes(const struct grid_plan *plan, const struct grid_extremes *extremes,
                           struct json_writer *json)
{
    json_member_double(json, "lowest", metres(plan, extremes->low));
    json_member_double(json, "highest", metres(plan, extremes->high));
}

static void write_pair(struct json_writer *json, const char *key, int64_t first, int64_t second)
{
    json_member_array(json, key);
    json_write_integer(json, first);
    json_write_integer(json, second);
    json_array_close(json);
}

static void write_places(struct json_writer *json, const char *key, const int64_t *places,
                         unsigned count)
{
    json_member_array(json, key);
    for (unsigned i = 0; i < count; i++)
        json_write_place(json, places[i]);
    json_array_close(json);
}

static void write_world(const struct grid_plan *plan, struct json_writer *json)
{
    const struct world *world = plan->world->world;
    json_member_string(json, "build", server_build);
    json_member_string(json, "world", plan->world->identity.name);
    json_member_string(json, "seed", world_seed(world));
    json_member_string(json, "fingerprint", plan->world->identity.fingerprint);
    if (plan->layer_count > 1)
        json_member_string(json, "materials_fingerprint", world_materials_fingerprint(world));
    json_member_string(json, "attribution", world_attribution(world));
    json_member_place(json, "t", plan->t);
}

static void write_area(const struct grid_plan *plan, struct json_writer *json)
{
    const int64_t side = plan->step * plan->size, *box = plan->box;
    const int64_t covered[] = {box[0], box[1], box[0] + side * plan->columns,
                               box[1] + side * plan->rows};
    write_places(json, "bbox", box, 4);
    write_places(json, "origin", covered, 2);
    write_places(json, "covers", covered, 4);
    json_member_place(json, "step", plan->step);
    json_member_integer(json, "size", plan->size);
    json_member_integer(json, "samples", grid_plan_side(plan));
    write_pair(json, "tiles", plan->columns, plan->rows);
    json_member_string(json, "rows",
                       plan->engine->from_south ? "south to north" : "north to south");
    json_member_string(json, "columns", "west to east");
}

static void write_numbers(const struct grid_plan *plan, struct json_writer *json)
{
    json_member_object(json, "heights");
    json_member_string(json, "format", plan->format->name);
    json_member_string(json, "numbers", plan->format->numbers);
    json_member_string(json, "unit", "m");
    if (plan->format->is_scaled) {
        json_member_double(json, "offset", plan->scale.low);
        json_member_double(json, "scale", grid_scale_step(&plan->scale));
    }
    json_object_close(json);
    if (plan->layer_count == 1)
        return;
    json_member_object(json, "materials");
    json_member_string(json, "format", grid_share_format.name);
    json_member_string(json, "numbers", grid_share_format.numbers);
    json_member_integer(json, "sum", 255);
    json_member_array(json, "names");
    for (unsigned i = 1; i < plan->layer_count; i++)
        json_write_string(json, grid_plan_layer_name(plan, i));
    json_array_close(json);
    json_object_close(json);
}

/* What an importer asks for; each engine has the same numbers in units of its own. */
static void write_engines(const struct grid_plan *plan, struct json_writer *json)
{
    const double low = plan->scale.low, high = plan->scale.high;
    const double number = grid_scale_step(&plan->scale);
    const double step = place_metres(plan->step);
    json_member_string(json, "engine", plan->engine->name);
    if (!plan->format->is_scaled)
        return;
    json_member_object(json, "unreal");
    json_member_double(json, "scale_x", step * UNREAL_CENTIMETRES);
    json_member_double(json, "scale_y", step * UNREAL_CENTIMETRES);
    json_member_double(json, "scale_z", number * UNREAL_CENTIMETRES * UNREAL_STEPS);
    json_member_double(json, "location_z", (low + UNREAL_MIDDLE * number) * UNREAL_CENTIMETRES);
    json_object_close(json);
    json_member_object(json, "unity");
    json_member_double(json, "terrain_width", step * plan->size);
    json_member_double(json, "terrain_length", step * plan->size);
    json_member_double(json, "terrain_height", UNITY_NUMBERS * number);
    json_member_double(json, "position_y", low);
    json_member_integer(json, "heightmap_resolution", grid_plan_side(plan));
    json_member_bool(json, "flip_vertically", !plan->engine->from_south);
    json_object_close(json);
    json_member_object(json, "godot");
    json_member_double(json, "vertex_spacing", step);
    json_member_array(json, "r16_range");
    json_write_double(json, low);
    json_write_double(json, high);
    json_array_close(json);
    json_object_close(json);
}

static void write_file(const struct grid_plan *plan, const struct grid_folder *folder,
                       uint32_t tile, unsigned layer, struct json_writer *json)
{
    const uint32_t index = tile * plan->layer_count + layer;
    const struct grid_file *file = grid_folder_file(folder, index);
    const struct place origin = grid_plan_origin(plan, tile);
    char name[GRID_NAME], digest[SHA256_TEXT];
    uint32_t numbers[2];
    grid_plan_file_name(plan, index, name);
    grid_plan_index(plan, tile, numbers);
    sha256_format(file->digest, digest);
    json_object_open(json);
    json_member_string(json, "file", name);
    json_member_string(json, "layer", grid_plan_layer_name(plan, layer));
    write_pair(json, "tile", numbers[0], numbers[1]);
    write_places(json, "origin", (const int64_t[]){origin.x, origin.y}, 2);
    json_member_string(json, "sha256", digest);
    if (layer == 0)
        write_extremes(plan, &file->extremes, json);
    json_object_close(json);
}

void grid_manifest_write(const struct grid_plan *plan, const struct grid_folder *folder,
                         struct buffer *out)
{
    const uint32_t tiles = grid_plan_tiles(plan);
    struct grid_extremes all = grid_no_extremes;
    struct json_writer json;
    for (uint32_t tile = 0; tile < tiles; tile++) {
        const struct grid_extremes *each =
            &grid_folder_file(folder, tile * plan->layer_count)->extremes;
        all.low = each->low < all.low ? each->low : all.low;
        all.high = each->high > all.high ? each->high : all.high;
    }
    json_begin_object(&json, out, true);
    write_world(plan, &json);
    write_area(plan, &json);
    write_numbers(plan, &json);
    write_extremes(plan, &all, &json);
    write_engines(plan, &json);
    json_member_array(&json, "files");
    for (uint32_t tile = 0; tile < tiles; tile++)
        for (unsigned layer = 0; layer < plan->layer_count; layer++)
            write_file(plan, folder, tile, layer, &json);
    json_array_close(&json);
    json_finish_object(&json);
}
