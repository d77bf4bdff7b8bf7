/* The files of an export for game engines: an area cut into square tiles of a grid, of which each
 * layer is a file of bare numbers. Tiles share their edges: the last row and column of one are the
 * first of its neighbours, to the byte.
 *
 * A tile has size + 1 samples a side, `step` apart, the level of detail included, as chunks of that
 * step have. Tiles are counted from the north-west, row by row, and files tile by tile: the heights
 * first, then the materials. */
#ifndef TERRANE_SERVER_EXPORT_GRIDS_GRID_PLAN_H
#define TERRANE_SERVER_EXPORT_GRIDS_GRID_PLAN_H

#include "core/base/buffer.h"
#include "core/worldfile/world.h"
#include "server/export/grids/grid_format.h"
#include "server/worlds/catalog.h"

enum {
    GRID_FILES_MAX = 1 << 20,
    GRID_LAYERS_MAX = 1 + WORLD_MATERIALS_MAX,
    GRID_NAME = WORLD_NAME_MAX + 40, /* "height_x1048575_y1048575.r32f" */
};

/* What an engine's importer expects. */
struct grid_engine {
    const char *name;
    const char *before_x, *before_y; /* of the tile's numbers in names of files */
    const char *format;
    uint32_t size;
    bool from_south; /* rows, and the numbers of tiles, run from south to north */
};

/* Null if there is none of that name. */
const struct grid_engine *grid_engine_find(const char *name);
/* "unreal, unity …". Returns the text. */
const char *grid_engine_names(char text[FORMAT_NAMES_TEXT]);

struct grid_plan {
    const struct grid_engine *engine;
    const struct grid_format *format;
    uint32_t size;
    int64_t box[4];         /* what was asked for: west, north, east, south, 2⁻¹⁶ m */
    int64_t step;           /* 2⁻¹⁶ m */
    uint32_t columns, rows; /* of tiles: the fewest that cover the box from its north-west corner */
    bool has_scale;         /* it is given, and not the world's */
    struct grid_scale scale;
    const struct catalog_world *world;
    int64_t t;
    unsigned layers[GRID_LAYERS_MAX];
    unsigned layer_count;
};

/* Sets columns and rows by the box, step and size. False with ERROR_LIMIT if a tile would lie
 * beyond ±2⁴⁰ m or there would be more than GRID_FILES_MAX. */
bool grid_plan_cover(struct grid_plan *plan, struct error *error);
/* Sets the layers, and the scale unless it is given: the range of the world's heights, or −4096 to
 * 4095.875 m, steps of 0.125 m as of r16 chunks, if the world's file has none. Checks the number
 * of files again. False with ERROR_VALUE if there are to be materials and the world has none. */
bool grid_plan_bind(struct grid_plan *plan, const struct catalog_world *world, bool materials,
                    struct error *error);

uint32_t grid_plan_side(const struct grid_plan *plan);  /* samples a side of a tile */
uint32_t grid_plan_tiles(const struct grid_plan *plan); /* files: as many times layer_count */
uint64_t grid_plan_bytes(const struct grid_plan *plan, unsigned layer); /* of a file */
/* "height", or the material's name. */
const char *grid_plan_layer_name(const struct grid_plan *plan, unsigned layer);
const struct grid_format *grid_plan_format(const struct grid_plan *plan, unsigned layer);
/* The numbers of a tile in the engine's names. */
void grid_plan_index(const struct grid_plan *plan, uint32_t tile, uint32_t index[2]);
void grid_plan_file_name(const struct grid_plan *plan, uint32_t file, char name[GRID_NAME]);
/* The file of that name; false if the plan has none. */
bool grid_plan_find_file(const struct grid_plan *plan, const char *name, uint32_t *file);
/* The place of the tile's north-west sample. */
struct place grid_plan_origin(const struct grid_plan *plan, uint32_t tile);

#endif
