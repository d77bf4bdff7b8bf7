/* The table of engines: what their importers expect, and where that is said.
 *
 * - Unreal imports tiled landscapes from files that end in _x0_y0; X runs to the east and Y to the
 *   south, as Terrane's do. Landscapes of 1009 samples a side have no unused ones (Landscape
 *   Technical Guide).
 * - Unity's terrains have 2ⁿ + 1 samples a side and begin in the south-west, where the first row
 *   is. The Terrain Toolbox imports a folder of files that end in _0_0: the numbers along X and Z.
 * - Godot's Z runs to the south, so that nothing is turned round. Terrain3D has regions of 1024. */
#include "server/export/grids/grid_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct grid_engine engines[] = {
    {"unreal", "_x", "_y", "r16", 1008, .from_south = false},
    {"unity", "_", "_", "raw", 1024, .from_south = true},
    {"godot", "_x", "_y", "r16", 1024, .from_south = false},
};
enum { ENGINES = sizeof engines / sizeof *engines };

/* The range of r16 chunks. */
static const struct grid_scale default_scale = {-4096.0, 4095.875};

const struct grid_engine *grid_engine_find(const char *name)
{
    for (size_t i = 0; i < ENGINES; i++)
        if (strcmp(engines[i].name, name) == 0)
            return &engines[i];
    return NULL;
}

const char *grid_engine_names(char text[FORMAT_NAMES_TEXT])
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < ENGINES; i++)
        names_add(text, &length, engines[i].name);
    return text;
}

static bool check_count(const struct grid_plan *plan, uint64_t columns, uint64_t rows,
                        struct error *error)
{
    const uint64_t layers = plan->layer_count ? plan->layer_count : 1;
    if (columns <= GRID_FILES_MAX && rows <= GRID_FILES_MAX &&
        columns * rows * layers <= GRID_FILES_MAX)
        return true;
    return error_set(error, ERROR_LIMIT,
                     "%llu x %llu tiles of %llu files each: at most %d files, use a larger --size "
                     "or --step",
                     (unsigned long long)columns, (unsigned long long)rows,
                     (unsigned long long)layers, GRID_FILES_MAX);
}

bool grid_plan_cover(struct grid_plan *plan, struct error *error)
{
    const int64_t *box = plan->box;
    if (plan->step > PLACE_LIMIT / plan->size)
        return error_set(error, ERROR_LIMIT, "a tile would be wider than the world");
    const int64_t side = plan->step * plan->size;
    const int64_t columns = (box[2] - box[0] + side - 1) / side;
    const int64_t rows = (box[3] - box[1] + side - 1) / side;
    if (!check_count(plan, (uint64_t)columns, (uint64_t)rows, error))
        return false;
    if (columns > (PLACE_LIMIT - box[0]) / side || rows > (PLACE_LIMIT - box[1]) / side)
        return error_set(error, ERROR_LIMIT,
                         "the last tile would go beyond the world's edge at 1099511627776 m: tiles "
                         "are whole, so X0 and Y0 must be less");
    plan->columns = (uint32_t)columns;
    plan->rows = (uint32_t)rows;
    return true;
}

static struct grid_scale scale_of(const struct world *world)
{
    const struct world_layer *height = world_layer(world, world_height_layer(world));
    if (!height->has_range || !(height->range_low < height->range_high))
        return default_scale;
    return (struct grid_scale){(double)height->range_low, (double)height->range_high};
}

bool grid_plan_bind(struct grid_plan *plan, const struct catalog_world *world, bool materials,
                    struct error *error)
{
    const unsigned count = world_material_count(world->world);
    plan->world = world;
    plan->layers[0] = world_height_layer(world->world);
    plan->layer_count = 1;
    if (!plan->has_scale)
        plan->scale = scale_of(world->world);
    if (materials && count == 0)
        return error_set(error, ERROR_VALUE, "the world \"%s\" has no materials",
                         world->identity.name);
    for (unsigned i = 0; materials && i < count; i++)
        plan->layers[plan->layer_count++] = world_material_layer(world->world, i);
    return check_count(plan, plan->columns, plan->rows, error);
}

uint32_t grid_plan_side(const struct grid_plan *plan)
{
    return plan->size + 1;
}

uint32_t grid_plan_tiles(const struct grid_plan *plan)
{
    return plan->columns * plan->rows;
}

const struct grid_format *grid_plan_format(const struct grid_plan *plan, unsigned layer)
{
    return layer == 0 ? plan->format : &grid_share_format;
}

uint64_t grid_plan_bytes(const struct grid_plan *plan, unsigned layer)
{
    const uint64_t side = grid_plan_side(plan);
    return side * side * grid_plan_format(plan, layer)->bytes;
}

const char *grid_plan_layer_name(const struct grid_plan *plan, unsigned layer)
{
    const struct world *world = plan->world->world;
    return layer == 0 ? "height" : world_material(world, layer - 1)->name;
}

void grid_plan_index(const struct grid_plan *plan, uint32_t tile, uint32_t index[2])
{
    const uint32_t row = tile / plan->columns;
    index[0] = tile % plan->columns;
    index[1] = plan->engine->from_south ? plan->rows - 1 - row : row;
}

void grid_plan_file_name(const struct grid_plan *plan, uint32_t file, char name[GRID_NAME])
{
    const unsigned layer = file % plan->layer_count;
    uint32_t index[2];
    grid_plan_index(plan, file / plan->layer_count, index);
    snprintf(name, GRID_NAME, "%s%s%u%s%u.%s", grid_plan_layer_name(plan, layer),
             plan->engine->before_x, (unsigned)index[0], plan->engine->before_y, (unsigned)index[1],
             grid_plan_format(plan, layer)->name);
}

/* Reads what must stand there and the number behind it; moves on. */
static bool read_index(const char **text, const char *before, uint32_t end, uint32_t *index)
{
    const size_t length = strlen(before);
    if (strncmp(*text, before, length) != 0)
        return false;
    char *rest;
    const unsigned long number = strtoul(*text + length, &rest, 10);
    *text = rest;
    *index = (uint32_t)number;
    return number < end;
}

/* The name is written again to find what else is wrong with it. */
bool grid_plan_find_file(const struct grid_plan *plan, const char *name, uint32_t *file)
{
    for (unsigned layer = 0; layer < plan->layer_count; layer++) {
        const char *layer_name = grid_plan_layer_name(plan, layer);
        const size_t length = strlen(layer_name);
        const char *rest = name + length;
        uint32_t column, row;
        char again[GRID_NAME];
        if (strncmp(name, layer_name, length) != 0 ||
            !read_index(&rest, plan->engine->before_x, plan->columns, &column) ||
            !read_index(&rest, plan->engine->before_y, plan->rows, &row))
            continue;
        row = plan->engine->from_south ? plan->rows - 1 - row : row;
        *file = (row * plan->columns + column) * plan->layer_count + layer;
        grid_plan_file_name(plan, *file, again);
        if (strcmp(name, again) == 0)
            return true;
    }
    return false;
}

struct place grid_plan_origin(const struct grid_plan *plan, uint32_t tile)
{
    const int64_t side = plan->step * plan->size;
    return (struct place){plan->box[0] + side * (tile % plan->columns),
                          plan->box[1] + side * (tile / plan->columns)};
}
